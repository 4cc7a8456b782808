//! Programs with a fault planted by an annotated patch (`tests/shadow/near`): `umbra diff` finds it
//! from each test that the file names, none of which shows it, and both versions built natively
//! with sanitizers behave differently on what was found. All tests together are followed by one worker and by two,
//! which find the same; and where no limit cuts anything, they write the same test cases.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use umbra_case::Case;

use super::diff::{Diffed, Subject, follow};
use super::input::Input;
use super::native::{Sanitizer, run_on};

/// What one run may take, unless the file says otherwise. Around a test there is no end, and the time is not meant to be used up.
const FLAGS: [[&str; 2]; 3] =
    [["--max-time", "60s"], ["--max-around-instructions", "2000000"], ["--max-shapes", "0"]];

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Tests that were followed.
    pub seeds: usize,
    /// Inputs that both versions were run on natively.
    pub confirmed: usize,
}

/// Checks one program.
pub fn check(umbra: &Path, sanitizer: &Sanitizer, source: &Path) -> anyhow::Result<Checked> {
    let Subject { directives, marks, exe, folder } = Subject::open(umbra, source)?;
    let own = &directives.flags;
    let usual = FLAGS.iter().filter(|[flag, _]| !own.iter().any(|word| word == flag));
    let flags: Vec<String> =
        usual.flatten().map(|word| (*word).to_owned()).chain(own.iter().cloned()).collect();
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let build = |version: &str| {
        let flag = format!("-DUMBRA_{version}");
        sanitizer.compile_with(source, &format!("{name}-{version}"), &[&flag])
    };
    let (old, new) = (build("OLD")?, build("NEW")?);
    let differ = |input: &Input| -> anyhow::Result<bool> {
        let (old, new) = (run_on(&old, &[], &[], input)?, run_on(&new, &[], &[], input)?);
        Ok((old.status, old.stdout) != (new.status, new.stdout))
    };
    let mut checked = Checked::default();
    for (number, seed) in directives.seeds.iter().enumerate() {
        let shown = Input {
            args: seed.iter().map(|word| word.clone().into_bytes()).collect(),
            ..Input::default()
        };
        ensure!(!differ(&shown)?, "the seed {seed:?} shows the difference itself");
        let output = folder.path().join(format!("out{number}"));
        let Diffed { object, divergences } =
            follow(umbra, &flags, &exe, seed, &output).with_context(|| format!("from {seed:?}"))?;
        let is_proved_silent = |divergence: &&Value| divergence["proved"] == true;
        let found: BTreeSet<(u64, String)> = divergences
            .iter()
            .filter(|divergence| !is_proved_silent(divergence))
            .map(found)
            .collect();
        ensure!(found == marks, "from {seed:?}: {found:?} is found, {marks:?} is marked");
        for class in &directives.native {
            let shows = |divergence: &Value| divergence["native"] == class.as_str();
            ensure!(divergences.iter().any(shows), "from {seed:?}: natively no {class}: {object}");
        }
        ensure!(object["replay"]["not_replayed"] == 0, "from {seed:?}: not all ran: {object}");
        checked.seeds += 1;
        let mut shown = BTreeSet::new();
        for divergence in divergences.iter().filter(|_| !directives.unlike_native) {
            let case = divergence["case"].as_str().context("a divergence has a test case")?;
            let input = Input::of_case(&Case::read(&output.join(case))?);
            // What is found at one place is split by what native runs show. These here have
            // sanitizers, and may show more.
            let differs = differ(&input)?;
            let says_so = divergence["native"] != "same";
            ensure!(differs || !says_so, "natively {input:?} is not as {divergence} says");
            let is_silent = is_proved_silent(&divergence);
            ensure!(!differs || !is_silent, "natively {input:?} differs, but {divergence}");
            if differs {
                shown.insert(self::found(divergence));
                checked.confirmed += 1;
            }
        }
        ensure!(
            directives.unlike_native || shown == marks,
            "from {seed:?}: only {shown:?} shows itself natively"
        );
    }
    let together = check_together(umbra, &flags, &directives.seeds, &exe, folder.path())?;
    ensure!(together == marks, "all tests together find {together:?}, each finds {marks:?}");
    Ok(checked)
}

/// Follows all tests at once, with one worker and with two. Returns what is found.
fn check_together(
    umbra: &Path,
    flags: &[String],
    seeds: &[Vec<String>],
    exe: &Path,
    folder: &Path,
) -> anyhow::Result<BTreeSet<(u64, String)>> {
    let tests = folder.join("tests");
    fs::create_dir(&tests)?;
    for (number, seed) in seeds.iter().enumerate() {
        let arguments = seed.iter().map(|word| word.clone().into_bytes()).collect();
        let program = exe.as_os_str().as_encoded_bytes().to_vec();
        let case = Case { program, arguments, ..Case::default() };
        case.write(&tests.join(format!("{number:03}")))?;
    }
    let follow = |workers: &str| {
        let output = folder.join(format!("workers-{workers}"));
        let case = tests.to_string_lossy().into_owned();
        // Who wants all tests wants no others, such as those in other shapes.
        let choice = if wants_shapes(flags) { "cover" } else { "all" };
        let words = ["--seeds", choice, "--case", &case, "--workers", workers];
        let flags = [flags, &words.map(str::to_owned)].concat();
        let diffed = self::follow(umbra, &flags, exe, &[], &output)?;
        anyhow::Ok((diffed, written(&output.join("cases"))?))
    };
    let ((one, one_cases), (two, two_cases)) = (follow("1")?, follow("2")?);
    let followed = &one.object["seeds"]["followed"];
    ensure!(*followed == seeds.len(), "{followed} of {} tests were followed", seeds.len());
    let (places, others) = (places(&one), places(&two));
    ensure!(places == others, "two workers find {others:#?}\none finds {places:#?}");
    // Where a limit cuts something, how far it gets is a matter of time. So is how many tests in other
    // shapes are tried, and which of them are followed.
    let by_time = wants_shapes(flags);
    let uncut = [&one, &two].iter().all(|diffed| diffed.object["left_out"] == json!({}));
    let is_whole = uncut && !by_time;
    let keys = ["changes", "seeds", "paths", "pairs", "divergences"];
    let compared = if is_whole { 5 } else { 2 - usize::from(by_time) };
    for key in keys.into_iter().take(compared) {
        let (one, two) = (&one.object[key], &two.object[key]);
        ensure!(!one.is_null(), "there is no `{key}`");
        ensure!(one == two, "`{key}` with two workers: {two}\nwith one: {one}");
    }
    let is_same = !one_cases.is_empty() && one_cases == two_cases;
    ensure!(is_same || !is_whole, "two workers write other test cases");
    let is_silent = |divergence: &&Value| divergence["proved"] == true;
    Ok(one.divergences.iter().filter(|divergence| !is_silent(divergence)).map(found).collect())
}

/// Whether tests in other shapes are to be followed.
fn wants_shapes(flags: &[String]) -> bool {
    flags.windows(2).any(|words| words[0] == "--max-shapes" && words[1] != "0")
}

/// The test cases in a folder, by their names.
fn written(folder: &Path) -> anyhow::Result<BTreeMap<OsString, Case>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let cases = entries.map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), Case::read(&entry.path())?))
    });
    cases.collect()
}

/// Where the versions part and why, as far as it does not depend on which of many test cases are kept.
fn places(diffed: &Diffed) -> BTreeSet<[String; 4]> {
    let keys = ["line", "kind", "class", "detail"];
    let divergences = diffed.divergences.iter();
    divergences.map(|divergence| keys.map(|key| divergence[key].to_string())).collect()
}

/// The line of a divergence, and its class, or its kind where nothing fails.
fn found(divergence: &Value) -> (u64, String) {
    let class = divergence["class"].as_str().filter(|class| matches!(*class, "regression" | "fix"));
    let name = class.or(divergence["kind"].as_str()).unwrap_or_default();
    (divergence["line"].as_u64().unwrap_or(0), name.to_owned())
}
