//! Programs of the corpus explored by the real command line: what is marked is found, nothing else
//! is, every error is confirmed by a sanitizer, and every other test goes as it predicts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_case::Case;
use umbra_words::End;

use super::command::{Explored, Written, compile, explore, symbolic_flags};
use super::directives::Directives;
use super::input::Input;
use super::native::{Sanitizer, check_error, check_index, run_case};
use super::replay::{self, finding};
use crate::filetest::directives::Finding;

/// How much of a program is checked.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How long it is explored.
    pub time: Duration,
    /// Tests that are run natively, at most.
    pub tests: usize,
    /// Tests of them that are run by their script.
    pub scripts: usize,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Paths that ended, cut ones included.
    pub paths: u64,
    /// Whether all were followed to their end.
    pub complete: bool,
    /// Errors found, and confirmed.
    pub findings: usize,
    /// Tests that went as predicted.
    pub tests: usize,
}

/// Explores a program of the corpus and checks all that it says.
pub fn check(
    umbra: &Path,
    sanitizer: &Sanitizer,
    source: &Path,
    effort: Effort,
) -> anyhow::Result<Checked> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let name = source.file_name().context("a source has a name")?.to_string_lossy();
    let folder = tempfile::tempdir()?;
    let exe = compile(umbra, source, folder.path())?;
    let mut flags = symbolic_flags(&directives);
    flags.extend(["--max-time".to_owned(), format!("{}s", effort.time.as_secs())]);
    flags.extend(directives.flags.clone());
    if let Some(function) = &directives.function {
        flags.extend(["--function".to_owned(), function.clone()]);
    }
    let explored = explore(umbra, &flags, &exe, &directives.args, effort.time)?;
    ensure_sound(&explored)?;

    let found = findings(&explored, &name);
    let mut marks = directives.marks.clone();
    marks.sort();
    let kinds: Vec<Finding> = found.keys().cloned().collect();
    if kinds != marks {
        let cases = found.values().map(|written| Input::of_case(&written.case));
        let cases: Vec<_> = cases.collect();
        bail!("marked {marks:?}, found {kinds:?} by {cases:?}");
    }
    let paths = ["completed", "error", "cut"].map(|key| explored.number(&["paths", key]));
    let mut checked = Checked {
        paths: paths.iter().sum(),
        complete: explored.summary["complete"] == true,
        findings: found.len(),
        tests: 0,
    };
    if let Some(expected) = directives.paths {
        ensure!(checked.paths == expected, "{paths:?} paths instead of {expected}");
    }
    // A function on its own is called by nobody natively; `main` shows its error, see `suite`.
    if directives.function.is_some() {
        return Ok(checked);
    }
    let builds = Builds::new(sanitizer, source, &name)?;
    for (finding, written) in &found {
        builds.confirm(finding, &written.case).with_context(|| format!("{finding:?}"))?;
    }
    if !directives.unlike_native {
        checked.tests = replay(&explored, &exe, effort)?;
    }
    Ok(checked)
}

/// Nothing went wrong with the engine itself, and nothing was met that it does not know.
pub(super) fn ensure_sound(explored: &Explored) -> anyhow::Result<()> {
    ensure!(explored.engine_bugs() == 0, "{} engine bugs", explored.engine_bugs());
    let unsupported = &explored.summary["unsupported"];
    let none = unsupported.as_array().is_none_or(Vec::is_empty);
    ensure!(none, "unsupported: {unsupported}");
    let ended = explored.number(&["terminations", "unsupported"]);
    ensure!(ended == 0, "{ended} paths ended at something unsupported");
    Ok(())
}

/// The builds that show an error.
struct Builds<'a> {
    name: &'a str,
    usual: PathBuf,
    /// With a check of every index, which sees what lands far from the array in something else.
    indices: PathBuf,
}

impl<'a> Builds<'a> {
    fn new(sanitizer: &Sanitizer, source: &Path, name: &'a str) -> anyhow::Result<Self> {
        let stem = name.replace(".c", "");
        let usual = sanitizer.compile(source, &stem)?;
        let indices = sanitizer.compile_checking_indices(source, &format!("{stem}-indices"))?;
        Ok(Self { name, usual, indices })
    }

    /// An error that was found must show itself on the input of its test.
    fn confirm(&self, finding: &Finding, case: &Case) -> anyhow::Result<()> {
        let outcome = run_case(&self.usual, case)?;
        let Err(wrong) = check_error(&outcome, self.name, finding) else { return Ok(()) };
        let outcome = run_case(&self.indices, case)?;
        if finding.kind.starts_with("out-of-bounds") && check_index(&outcome, self.name, finding) {
            return Ok(());
        }
        bail!("not confirmed on {:?}: {wrong}", Input::of_case(case))
    }
}

/// The errors found, with the smallest test for each.
pub(super) fn findings<'a>(explored: &'a Explored, file: &str) -> BTreeMap<Finding, &'a Written> {
    let mut found: BTreeMap<Finding, &Written> = BTreeMap::new();
    for written in explored.errors() {
        if let Some(End::Error(error)) = &written.case.expected.end {
            let entry = found.entry(finding(error, file)).or_insert(written);
            if written.case.input_bytes() < entry.case.input_bytes() {
                *entry = written;
            }
        }
    }
    found
}

/// Runs the tests that predict how the program ends; returns how many.
fn replay(explored: &Explored, exe: &Path, effort: Effort) -> anyhow::Result<usize> {
    let ends = |written: &&Written| {
        matches!(written.case.expected.end, Some(End::Exited(_) | End::Killed(_)))
    };
    let tests: Vec<&Written> = explored.cases.iter().filter(ends).collect();
    // Spread over all, since neighbours are alike.
    let step = tests.len().div_ceil(effort.tests.max(1)).max(1);
    let mut count = 0;
    for written in tests.into_iter().step_by(step) {
        let mut verdict = replay::check(written, exe)?;
        if verdict.is_ok() && count < effort.scripts {
            verdict = replay::compare(&written.case, &replay::run_script(written, exe)?);
        }
        verdict.map_err(|wrong| {
            let input = Input::of_case(&written.case);
            anyhow::anyhow!("the test {input:?}: {wrong}")
        })?;
        count += 1;
    }
    Ok(count)
}
