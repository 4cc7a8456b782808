//! Real programs: no failure of the engine, enough of their own lines run, findings that show
//! themselves natively, and planted faults that are found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_case::Case;
use umbra_words::{End, Fault, Place};

use super::command::{Explored, Written, explore};
use super::native::{check_error, check_function, check_index, run_case};
use super::replay::{self, finding, is_plain, run_directly};
use crate::differential::coverage::Coverage;

/// A program and the inputs it is explored with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its own source file, beside which it is built.
    pub source: PathBuf,
    /// Symbolic inputs and arguments, as on the command line behind the program.
    pub words: Vec<String>,
    /// Those for the program with the planted fault.
    pub planted: Vec<String>,
}

impl Subject {
    /// Where it is in the tree of its package.
    fn path(&self) -> PathBuf {
        self.source.with_file_name(&self.name)
    }
}

/// Reads `NAME: WORDS` and `NAME (SOURCE): WORDS` lines; a second line of the same name is for the
/// planted fault.
pub fn subjects(text: &str) -> anyhow::Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (name, words) = line.split_once(':').with_context(|| format!("`{line}`: no colon"))?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let (name, source) = match name.trim_end_matches(')').split_once(" (") {
            Some((name, source)) => (name, PathBuf::from(source)),
            None => (name, PathBuf::from(format!("src/{name}.c"))),
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
    /// The folder of the build that is explored.
    pub tree: PathBuf,
    /// The command that builds and explores.
    pub umbra: PathBuf,
    /// What builds it with sanitizers.
    script: PathBuf,
    name: String,
}

impl Package {
    /// Builds a package with `scripts/build-package`, unless that was done before.
    pub fn build(root: &Path, umbra: &Path, name: &str) -> anyhow::Result<Self> {
        let script = root.join("scripts/build-package");
        let tree = build(Command::new(&script).arg(name).env("UMBRA", umbra))?;
        Ok(Self { tree, umbra: umbra.to_owned(), script, name: name.to_owned() })
    }

    /// The folder of the build with sanitizers. It is made when it is needed first, since it takes
    /// minutes.
    pub(super) fn checking(&self) -> anyhow::Result<PathBuf> {
        build(
            Command::new(&self.script).arg(&self.name).arg("--checking").env("UMBRA", &self.umbra),
        )
    }

    /// Where a program of it is explored.
    pub fn program(&self, subject: &Subject) -> PathBuf {
        self.tree.join(subject.path())
    }

    /// Explores one program for a while and checks what comes of it.
    pub fn check(&self, subject: &Subject, time: Duration) -> anyhow::Result<Row> {
        let exe = self.program(subject);
        let explored = explore_for(&self.umbra, &exe, &subject.words, time)?;
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
            match confirm(&written.case, &exe, || Ok(self.checking()?.join(subject.path())))? {
                Ok(()) => row.confirmed += 1,
                Err(reason) => row.remarks.push(format!("{place}: {reason}")),
            }
        }
        Ok(row)
    }

    /// How many of the lines of the program's own source file ran.
    fn own_lines(&self, explored: &Explored, source: &Path) -> anyhow::Result<(usize, usize)> {
        let text = fs::read_to_string(explored.folder.path().join("run/coverage.info"))?;
        let mut coverage = Coverage::default();
        coverage.add(&text, &[self.tree.join(source)])?;
        ensure!(coverage.total() > 0, "no line of {} is known", source.display());
        Ok((coverage.covered(), coverage.total()))
    }

    fn replay(&self, written: &Written, exe: &Path, row: &mut Row) -> anyhow::Result<()> {
        let case = &written.case;
        if !matches!(case.expected.end, Some(End::Exited(_) | End::Killed(_))) {
            return Ok(());
        }
        row.tests.1 += 1;
        match replay::check(written, exe)? {
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

pub(super) fn explore_for(
    umbra: &Path,
    exe: &Path,
    words: &[String],
    time: Duration,
) -> anyhow::Result<Explored> {
    // One worker, since two programs run at a time.
    let words_before = "--workers 1 --tests new --max-time";
    let mut flags: Vec<String> = words_before.split(' ').map(str::to_owned).collect();
    flags.push(format!("{}s", time.as_secs()));
    explore(umbra, &flags, exe, words, time)
}

/// The errors found, by kind and place, with the smallest test for each.
pub(super) fn findings(explored: &Explored) -> BTreeMap<String, &Written> {
    let mut found: BTreeMap<String, &Written> = BTreeMap::new();
    for written in explored.errors() {
        if let Some(End::Error(error)) = &written.case.expected.end {
            let Fault { kind, place: Place { file, line }, .. } = &**error;
            let entry = found.entry(format!("{kind} at {file}:{line}")).or_insert(written);
            if written.case.input_bytes() < entry.case.input_bytes() {
                *entry = written;
            }
        }
    }
    found
}

/// Whether an error shows itself: a signal kills the native executable, or a sanitizer sees the
/// same error at the same place.
fn confirm(
    case: &Case,
    exe: &Path,
    checking: impl FnOnce() -> anyhow::Result<PathBuf>,
) -> anyhow::Result<Result<(), String>> {
    let Some(End::Error(error)) = &case.expected.end else { bail!("the case predicts no error") };
    if !is_plain(case) {
        return Ok(Err("the case needs more than plain files".to_owned()));
    }
    if run_directly(case, exe)?.signal().is_some() {
        return Ok(Ok(()));
    }
    let own =
        error.stack.iter().enumerate().find_map(|(depth, call)| Some((depth, own_call(call)?)));
    let Some((depth, (function, file))) = own else {
        return Ok(Err("the error is in no file of the program".to_owned()));
    };
    let (outcome, mark) = (run_case(&checking()?, case)?, finding(error, file));
    let index = mark.kind.starts_with("out-of-bounds") && check_index(&outcome, file, &mark);
    let after = depth > 0 && check_function(&outcome, file, function, &mark.kind);
    Ok(if index || after { Ok(()) } else { check_error(&outcome, file, &mark) })
}

/// The function and the name of the file that a call is in, unless that is the libc's.
fn own_call(call: &str) -> Option<(&str, &str)> {
    let (function, place) = call.split_once(" at ")?;
    let file = place.split(':').next()?;
    let name = file.rsplit('/').next()?;
    (!file.contains("musl")).then_some((function, name))
}

/// Runs a script that prints the folder of what it builds.
fn build(script: &mut Command) -> anyhow::Result<PathBuf> {
    let output = script.stderr(std::process::Stdio::inherit()).output();
    let output = output.with_context(|| format!("starting {script:?}"))?;
    ensure!(output.status.success(), "{script:?} failed");
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_line_is_for_the_fault() {
        let text = "# why\ncut: --sym-arg 3\nbase64 (src/basenc.c): -d\ncut: -b --sym-arg 1\n";
        let subjects = subjects(text).unwrap();
        let [cut, base64] = subjects.as_slice() else { panic!("{subjects:?}") };
        assert_eq!((cut.words.len(), cut.planted.len()), (2, 3));
        let places = [cut, base64].map(|subject| (subject.path(), subject.source.clone()));
        let expected = [("src/cut", "src/cut.c"), ("src/base64", "src/basenc.c")];
        assert_eq!(places, expected.map(|(exe, source)| (exe.into(), source.into())));
        assert_eq!(base64.planted, ["-d"]);
        assert!(super::subjects("cut --sym-arg 3").is_err());
    }
}
