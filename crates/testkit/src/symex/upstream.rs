//! Upstream changes of real programs, annotated by hand (`tests/shadow/upstream`): from ordinary
//! tests `umbra diff` finds the divergences that the patch's head names and no others, and both
//! versions built natively behave on them as it says.
//!
//! The head of a patch has, after what `scripts/build-annotated` reads, one `Seed:` line for each test
//! (arguments, then perhaps ` < ` and the standard input) and below it what is found from it, one line
//! each: `Finds: KIND CLASS at FILE:LINE from FILE:LINE, natively different`. In place of `different`:
//! `alike` if native runs show nothing; `silent` if they do not, but AddressSanitizer reports the error that
//! is predicted in the one version, and none in the other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use umbra_case::Case;

use super::diff::{self, Diffed};
use super::input::Input;
use super::native::run_on;
use crate::filetest::directives::split_words;
use crate::filetest::process::Outcome;

/// How long one test may take.
const TIME: &str = "60s";

/// An annotated change.
#[derive(Debug, PartialEq, Eq)]
pub struct Upstream {
    /// The program.
    pub program: String,
    seeds: Vec<Seed>,
}

/// A test to start from, and what is found near it.
#[derive(Debug, PartialEq, Eq)]
struct Seed {
    arguments: Vec<String>,
    stdin: String,
    finds: BTreeSet<Finding>,
}

/// A divergence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    kind: String,
    class: String,
    /// Where the versions part, and the change that this comes from.
    place: String,
    change: String,
    natively: Natively,
}

/// What the native builds do on it. In the order of what says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Natively {
    /// They behave differently.
    Different,
    /// They behave alike, but one of them has the error that is predicted.
    Silent,
    /// They behave alike.
    Alike,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Tests that were followed.
    pub seeds: usize,
    /// Divergences that were found.
    pub found: usize,
    /// Of these, those that show themselves natively, or to a sanitizer.
    pub different: usize,
}

impl Upstream {
    /// Reads the head of a patch.
    pub fn read(patch: &Path) -> anyhow::Result<Self> {
        Self::parse(&fs::read_to_string(patch)?)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut this = Self { program: String::new(), seeds: Vec::new() };
        for line in text.lines().take_while(|line| !line.starts_with("--- ")) {
            if let Some(name) = line.strip_prefix("Program: ") {
                this.program = name.trim().to_owned();
            } else if let Some(seed) = line.strip_prefix("Seed: ") {
                this.seeds.push(Seed::parse(seed)?);
            } else if let Some(finding) = line.strip_prefix("Finds: ") {
                let seed = this.seeds.last_mut().context("`Finds:` comes before any `Seed:`")?;
                let finding = Finding::parse(finding).with_context(|| format!("`{line}`"))?;
                seed.finds.insert(finding);
            }
        }
        ensure!(!this.program.is_empty(), "there is no `Program:`");
        ensure!(!this.seeds.is_empty(), "there is no `Seed:`");
        Ok(this)
    }
}

impl Seed {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (arguments, stdin) = text.split_once(" < ").unwrap_or((text, ""));
        let stdin = split_words(stdin)?.concat().replace("\\n", "\n");
        Ok(Self { arguments: split_words(arguments)?, stdin, finds: BTreeSet::new() })
    }
}

impl Finding {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let (what, natively) = text.split_once(", natively ").context("`, natively` is missing")?;
        let natively = match natively.trim() {
            "different" => Natively::Different,
            "silent" => Natively::Silent,
            "alike" => Natively::Alike,
            other => bail!("`{other}` is not `different`, `silent` or `alike`"),
        };
        match what.split_whitespace().collect::<Vec<_>>().as_slice() {
            [kind, class, "at", place, "from", change] => Ok(Self {
                kind: (*kind).to_owned(),
                class: (*class).to_owned(),
                place: (*place).to_owned(),
                change: (*change).to_owned(),
                natively,
            }),
            _ => bail!("not of the form KIND CLASS at FILE:LINE from FILE:LINE"),
        }
    }

    /// As the report of `umbra diff` has it. Patched sources are compiled in a scratch folder, so of
    /// a path only the end counts.
    fn of(divergence: &Value, natively: Natively) -> Self {
        let text = |key: &str| divergence[key].as_str().unwrap_or_default().to_owned();
        let line = divergence["line"].as_u64().unwrap_or(0);
        let change = divergence["changes"][0].as_str().unwrap_or_default();
        Self {
            kind: text("kind"),
            // What else is predicted says that neither fails; whether they differ, native runs show.
            class: Some(text("class"))
                .filter(|class| matches!(class.as_str(), "regression" | "fix"))
                .unwrap_or_else(|| "to-judge".to_owned()),
            place: format!("{}:{line}", in_tree(&text("file"))),
            change: in_tree(change).to_owned(),
            natively,
        }
    }
}

/// The part of a path from the folder `src` or `lib` on.
fn in_tree(path: &str) -> &str {
    let start = ["/src/", "/lib/"].iter().filter_map(|folder| path.rfind(folder)).max();
    start.map_or(path, |start| &path[start + 1..])
}

/// A patch, built as both versions in one and as each alone.
struct Builds {
    both: PathBuf,
    old: PathBuf,
    new: PathBuf,
    /// The same with sanitizers, where a finding needs them.
    checking: Option<(PathBuf, PathBuf)>,
}

/// Builds the program of a patch: `NAME` with both versions, `NAME-old` and `NAME-new`, each with its bitcode.
pub fn build(
    root: &Path,
    umbra: &Path,
    patch: &Path,
    folder: &Path,
    flags: &[&str],
) -> anyhow::Result<()> {
    let script = root.join("scripts/build-annotated");
    let mut command = Command::new(&script);
    command.arg(patch).arg(folder).args(flags).env("UMBRA", umbra);
    let output = command.output().with_context(|| format!("starting {}", script.display()))?;
    let report = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cannot build {}: {report}", patch.display());
    Ok(())
}

impl Builds {
    fn make(
        root: &Path,
        umbra: &Path,
        patch: &Path,
        upstream: &Upstream,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let finds = upstream.seeds.iter().flat_map(|seed| &seed.finds);
        let checks = finds.into_iter().any(|finding| finding.natively == Natively::Silent);
        build(root, umbra, patch, folder, if checks { &["--checking"] } else { &[] })?;
        let named = |ending: &str| folder.join(format!("{}{ending}", upstream.program));
        let checking = checks.then(|| (named("-old-checking"), named("-new-checking")));
        Ok(Self { both: named(""), old: named("-old"), new: named("-new"), checking })
    }

    /// What both versions do. What they say of errors has the program's name in it, which is not the
    /// same here.
    fn run(&self, input: &Input, class: &str) -> anyhow::Result<Natively> {
        let (old, new) = (run_on(&self.old, &[], &[], input)?, run_on(&self.new, &[], &[], input)?);
        if (old.status, old.stdout) != (new.status, new.stdout) {
            return Ok(Natively::Different);
        }
        let Some((old, new)) = &self.checking else { return Ok(Natively::Alike) };
        let (old, new) = (run_on(old, &[], &[], input)?, run_on(new, &[], &[], input)?);
        Ok(match (class, has_error(&old), has_error(&new)) {
            ("fix", true, false) | ("regression", false, true) => Natively::Silent,
            _ => Natively::Alike,
        })
    }
}

/// Whether AddressSanitizer has reported something.
fn has_error(outcome: &Outcome) -> bool {
    String::from_utf8_lossy(&outcome.stderr).contains("ERROR: AddressSanitizer")
}

/// Checks one patch.
pub fn check(root: &Path, umbra: &Path, patch: &Path) -> anyhow::Result<Checked> {
    let upstream = Upstream::read(patch)?;
    let folder = tempfile::tempdir()?;
    let builds = Builds::make(root, umbra, patch, &upstream, folder.path())?;
    let mut checked = Checked::default();
    for (number, seed) in upstream.seeds.iter().enumerate() {
        let output = folder.path().join(format!("out{number}"));
        let found = follow(umbra, &builds, seed, &output)
            .with_context(|| format!("from {:?}", seed.arguments))?;
        let (arguments, finds) = (&seed.arguments, &seed.finds);
        ensure!(found == *finds, "from {arguments:?}: {found:#?} is found, not {finds:#?}");
        checked.seeds += 1;
        checked.found += found.len();
        let shown = found.iter().filter(|finding| finding.natively != Natively::Alike);
        checked.different += shown.count();
    }
    Ok(checked)
}

/// What is found near a test.
fn follow(
    umbra: &Path,
    builds: &Builds,
    seed: &Seed,
    output: &Path,
) -> anyhow::Result<BTreeSet<Finding>> {
    let stdin = output.with_extension("stdin");
    fs::write(&stdin, &seed.stdin)?;
    // What SHADOW looks for: nothing around the test.
    let own = ["--max-around-instructions", "0", "--max-shapes", "0"].map(str::to_owned);
    let flags = ["--max-time", TIME, "--stdin", &stdin.to_string_lossy()].map(str::to_owned);
    let flags = [&flags[..], &own].concat();
    let Diffed { object, divergences } =
        diff::follow(umbra, &flags, &builds.both, &seed.arguments, output)?;
    let changes = object["changes"].as_array().context("a list of changes")?;
    ensure!(changes.iter().any(|change| change["reached"] == true), "no change is reached");
    let mut found = BTreeSet::new();
    for divergence in &divergences {
        let case = divergence["case"].as_str().context("a divergence has a test case")?;
        let case = Case::read(&output.join(case))?;
        let class = divergence["class"].as_str().unwrap_or_default();
        let natively = builds.run(&Input::of_case(&case), class)?;
        // What is found at one place is split by what native runs show.
        let alike = divergence["native"] == "same";
        let shows = natively == Natively::Different;
        ensure!(shows != alike, "natively not as {divergence} says");
        found.insert(Finding::of(divergence, natively));
    }
    // A place counts as what its input says that shows most.
    let all: Vec<Finding> = found.iter().cloned().collect();
    let shows_less = |one: &Finding, than: &Finding| {
        let like = Finding { natively: one.natively, ..than.clone() };
        *one == like && than.natively < one.natively
    };
    found.retain(|one| !all.iter().any(|other| shows_less(one, other)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Change: x\nProgram: cut\nSeed: -b '2 3' < 'ab\\n'\n\
                        Finds: control fix at src/cut.c:7 from src/cut.c:5, natively alike\nSeed: -f1\n\n--- a/src/cut.c\n";

    #[test]
    fn a_head_is_read() {
        let upstream = Upstream::parse(HEAD).unwrap();
        assert_eq!((upstream.program.as_str(), upstream.seeds.len()), ("cut", 2));
        let seed = &upstream.seeds[0];
        assert_eq!(
            (seed.arguments.as_slice(), seed.stdin.as_str()),
            (&["-b", "2 3"].map(str::to_owned)[..], "ab\n")
        );
        let finding = seed.finds.first().unwrap();
        assert_eq!((finding.place.as_str(), finding.natively), ("src/cut.c:7", Natively::Alike));
        assert!(upstream.seeds[1].finds.is_empty());
        for wrong in [
            "Program: cut\n",
            "Seed: x\n",
            "Program: x\nFinds: control fix at a:1 from b:2, natively alike\nSeed: x\n",
            "Program: x\nSeed: x\nFinds: control fix at a:1 from b:2\n",
            "Program: x\nSeed: x\nFinds: control fix at a:1, natively alike\n",
        ] {
            assert!(Upstream::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scratch_folders_are_left_out_of_places() {
        assert_eq!(in_tree("/scratch/x/src/set-fields.c"), "src/set-fields.c");
        assert_eq!(in_tree("src/cut.c:12"), "src/cut.c:12");
        assert_eq!(in_tree("/a/src/b/lib/error.c:3"), "lib/error.c:3");
    }
}
