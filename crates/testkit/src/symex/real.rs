//! Real programs: no failure of the engine, enough of their own lines run, findings that show
//! themselves natively, and planted faults that are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_case::{Case, End, PredictedError};

use super::command::{Explored, Written, explore};
use super::planted::Planted;
use super::replay::{compare, is_plain, run_directly, run_script};
use crate::differential::coverage::Coverage;

/// A program and the inputs it is explored with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its own source file.
    pub source: String,
    /// Symbolic inputs and arguments, as on the command line behind the program.
    pub words: Vec<String>,
    /// Those for the program with the planted fault.
    pub planted: Vec<String>,
}

/// Reads `NAME: WORDS` and `NAME (SOURCE): WORDS` lines; a second line of the same name is for the
/// planted fault.
pub fn subjects(text: &str) -> anyhow::Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (name, words) = line.split_once(':').with_context(|| format!("`{line}`: no colon"))?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let (name, source) = match name.trim_end_matches(')').split_once(" (") {
            Some((name, source)) => (name, source.to_owned()),
            None => (name, format!("src/{name}.c")),
        };
        match subjects.iter_mut().find(|subject| subject.name == name) {
            Some(subject) => subject.planted = words,
            None => {
                let planted = words.clone();
                subjects.push(Subject { name: name.to_owned(), source, words, planted });
            }
        }
    }
    Ok(subjects)
}

/// What came of a program.
#[derive(Debug, Default)]
pub struct Row {
    /// Paths that ended.
    pub paths: u64,
    /// Of the program's own lines, those that ran and all.
    pub lines: (usize, usize),
    /// Tests that went natively as predicted, and all that predict an end.
    pub tests: (usize, usize),
    /// Errors found, one for each kind and place.
    pub findings: usize,
    /// Those that showed themselves natively.
    pub confirmed: usize,
    /// Why others did not, and what is wrong with tests.
    pub remarks: Vec<String>,
}

impl Row {
    /// Percent of its own lines that ran.
    pub fn coverage(&self) -> f64 {
        100.0 * self.lines.0 as f64 / self.lines.1.max(1) as f64
    }
}

/// A built package.
pub struct Package {
    /// Its folder.
    pub tree: PathBuf,
    /// The command that builds and explores.
    pub umbra: PathBuf,
}

impl Package {
    /// Builds a package with `scripts/build-package`, unless that was done before.
    pub fn build(root: &Path, umbra: &Path, name: &str) -> anyhow::Result<Self> {
        let script = root.join("scripts/build-package");
        let mut command = Command::new(&script);
        command.arg(name).env("UMBRA", umbra).stderr(std::process::Stdio::inherit());
        let output = command.output().with_context(|| format!("starting {}", script.display()))?;
        ensure!(output.status.success(), "cannot build {name}");
        let tree = PathBuf::from(String::from_utf8(output.stdout)?.trim_end());
        Ok(Self { tree, umbra: umbra.to_owned() })
    }

    /// Where a program of it is.
    pub fn program(&self, name: &str) -> PathBuf {
        self.tree.join("src").join(name)
    }

    /// Explores one program for a while and checks what comes of it.
    pub fn check(&self, subject: &Subject, time: Duration) -> anyhow::Result<Row> {
        let exe = self.program(&subject.name);
        let explored = self.explore(&exe, &subject.words, time)?;
        ensure!(explored.engine_bugs() == 0, "{} engine bugs", explored.engine_bugs());
        let mut row = Row {
            paths: ["completed", "error", "cut"]
                .iter()
                .map(|key| explored.number(&["paths", key]))
                .sum(),
            lines: self.own_lines(&explored, &subject.source)?,
            ..Row::default()
        };
        for written in &explored.cases {
            self.replay(written, &exe, &mut row)?;
        }
        for (place, written) in findings(&explored) {
            row.findings += 1;
            match confirm(&written.case, &exe)? {
                Ok(()) => row.confirmed += 1,
                Err(reason) => row.remarks.push(format!("{place}: {reason}")),
            }
        }
        Ok(row)
    }

    fn explore(&self, exe: &Path, words: &[String], time: Duration) -> anyhow::Result<Explored> {
        // One worker, since two programs run at a time. Not more states than the kernel allows
        // mappings (65,530): each state of cat has one or two large buffers of its own.
        let words_before = "--workers 1 --max-states 20000 --tests new --max-time";
        let mut flags: Vec<String> = words_before.split(' ').map(str::to_owned).collect();
        flags.push(format!("{}s", time.as_secs()));
        explore(&self.umbra, &flags, exe, words, time)
    }

    /// How many of the lines of the program's own source file ran.
    fn own_lines(&self, explored: &Explored, source: &str) -> anyhow::Result<(usize, usize)> {
        let text = fs::read_to_string(explored.folder.path().join("run/coverage.info"))?;
        let mut coverage = Coverage::default();
        coverage.add(&text, &[self.tree.join(source)])?;
        ensure!(coverage.total() > 0, "no line of {source} is known");
        Ok((coverage.covered(), coverage.total()))
    }

    fn replay(&self, written: &Written, exe: &Path, row: &mut Row) -> anyhow::Result<()> {
        let case = &written.case;
        if !matches!(case.expected.end, Some(End::Exited(_) | End::Killed(_))) {
            return Ok(());
        }
        let outcome = match is_plain(case) {
            true => run_directly(case, exe)?,
            false => run_script(written, exe)?,
        };
        row.tests.1 += 1;
        match compare(case, &outcome) {
            Ok(()) => row.tests.0 += 1,
            Err(wrong) => {
                let arguments: Vec<_> =
                    case.arguments.iter().map(|word| String::from_utf8_lossy(word)).collect();
                row.remarks.push(format!("test with {arguments:?}: {wrong}"));
            }
        }
        Ok(())
    }
}

/// The errors found, by kind and place, with the smallest test for each.
fn findings(explored: &Explored) -> BTreeMap<String, &Written> {
    let mut found: BTreeMap<String, &Written> = BTreeMap::new();
    for written in explored.errors() {
        if let Some(End::Error(error)) = &written.case.expected.end {
            let PredictedError { kind, file, line, .. } = error;
            let entry = found.entry(format!("{kind} at {file}:{line}")).or_insert(written);
            if written.case.input_bytes() < entry.case.input_bytes() {
                *entry = written;
            }
        }
    }
    found
}

/// Whether an error shows itself in the native executable: a signal kills it.
fn confirm(case: &Case, exe: &Path) -> anyhow::Result<Result<(), String>> {
    if !is_plain(case) {
        return Ok(Err("the case needs more than plain files".to_owned()));
    }
    let outcome = run_directly(case, exe)?;
    Ok(match outcome.signal() {
        Some(_) => Ok(()),
        None => Err(format!("natively it ends with status {}", outcome.code())),
    })
}

/// A copy of a package into which faults are planted.
pub struct Nursery {
    package: Package,
    folder: tempfile::TempDir,
}

impl Nursery {
    /// Copies a built package, with times, so that `make` builds only what is changed.
    pub fn new(package: &Package) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let tree = folder.path().join("tree");
        succeed(Command::new("cp").arg("-a").arg(&package.tree).arg(&tree))?;
        let package = Package { tree, umbra: package.umbra.clone() };
        Ok(Self { package, folder })
    }

    /// Builds the program with the fault; the tree is as it was afterwards.
    pub fn plant(&self, planted: &Planted) -> anyhow::Result<PathBuf> {
        let name = &planted.program;
        self.patch(planted, &["-p1"])?;
        let target = format!("src/{name}");
        let mut make = Command::new("make");
        make.arg("-C").arg(&self.package.tree).args(["MAKEINFO=true", &target]);
        let built = succeed(&mut make);
        let exe = self.folder.path().join(name);
        if built.is_ok() {
            for ending in ["", ".bc"] {
                let from = self.package.tree.join(format!("{target}{ending}"));
                fs::copy(from, self.folder.path().join(format!("{name}{ending}")))?;
            }
        }
        self.patch(planted, &["-R", "-p1"])?;
        built?;
        Ok(exe)
    }

    fn patch(&self, planted: &Planted, flags: &[&str]) -> anyhow::Result<()> {
        let mut patch = Command::new("patch");
        patch.arg("-s").arg("-d").arg(&self.package.tree).args(flags);
        succeed(patch.stdin(fs::File::open(planted.file())?))
    }

    /// Explores a program with a fault until it is found; returns after how many paths.
    pub fn check(
        &self,
        planted: &Planted,
        exe: &Path,
        words: &[String],
        time: Duration,
    ) -> anyhow::Result<u64> {
        let explored = self.package.explore(exe, words, time)?;
        ensure!(explored.engine_bugs() == 0, "{} engine bugs", explored.engine_bugs());
        let is_it = |written: &&Written| match &written.case.expected.end {
            Some(End::Error(error)) => planted.is(error),
            _ => false,
        };
        let paths = ["completed", "error", "cut"].map(|key| explored.number(&["paths", key]));
        let paths: u64 = paths.iter().sum();
        match explored.errors().find(is_it) {
            Some(_) => Ok(paths),
            None => {
                let others: Vec<_> = findings(&explored).into_keys().collect();
                bail!("no {planted} in {paths} paths, but {others:?}")
            }
        }
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {report}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_line_is_for_the_fault() {
        let text = "# why\ncut: --sym-arg 3\nbase64 (src/basenc.c): -d\ncut: -b --sym-arg 1\n";
        let subjects = subjects(text).unwrap();
        let [cut, base64] = subjects.as_slice() else { panic!("{subjects:?}") };
        assert_eq!((cut.source.as_str(), cut.words.len(), cut.planted.len()), ("src/cut.c", 2, 3));
        assert_eq!((base64.name.as_str(), base64.source.as_str()), ("base64", "src/basenc.c"));
        assert_eq!(base64.planted, ["-d"]);
        assert!(super::subjects("cut --sym-arg 3").is_err());
    }
}
