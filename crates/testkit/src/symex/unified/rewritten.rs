//! Whole programs whose `main` was rewritten and does the same (`tests/unify/programs`): near their tests nothing is reported.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::pairs::version;
use crate::symex::command::compile;
use crate::symex::diff::{Diffed, follow_words};

/// What stands before the arguments of a test.
const TEST: &str = "//@ test:";

/// Follows all tests of a program. Returns how many.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<(usize, Vec<String>)> {
    let subject = TwoPrograms::open(umbra, source)?;
    let mut wrong = Vec::new();
    for test in &subject.tests {
        let diffed = subject.follow(umbra, test)?;
        let (found, seeds) = (&diffed.divergences, &diffed.object["seeds"]);
        if !found.is_empty() || seeds["followed"] != 1 {
            wrong.push(format!("near `{}`: {found:?}, {seeds}", test.join(" ")));
        }
    }
    Ok((subject.tests.len(), wrong))
}

/// A program in two versions, with tests.
pub struct TwoPrograms {
    /// The file.
    pub text: String,
    /// The executables, the old one and the new one.
    pub programs: [PathBuf; 2],
    /// The arguments of each test.
    pub tests: Vec<Vec<String>>,
    scratch: tempfile::TempDir,
}

impl TwoPrograms {
    /// Builds both versions.
    pub fn open(umbra: &Path, source: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(source)?;
        let name = source.file_name().context("a source has a name")?;
        let scratch = tempfile::tempdir()?;
        let build = |side: &str| {
            let folder = scratch.path().join(side);
            fs::create_dir(&folder)?;
            fs::write(folder.join(name), version(&text, side))?;
            compile(umbra, &folder.join(name), &folder).with_context(|| side.to_owned())
        };
        let programs = [build("old")?, build("new")?];
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        let tests = text.lines().filter_map(|line| line.strip_prefix(TEST)).map(words);
        let tests: Vec<Vec<String>> = tests.collect();
        ensure!(!tests.is_empty(), "it has no test");
        Ok(Self { text, programs, tests, scratch })
    }

    /// Follows a test.
    pub fn follow(&self, umbra: &Path, test: &[String]) -> anyhow::Result<Diffed> {
        let programs = self.programs.iter().map(|path| path.to_string_lossy().into_owned());
        let words = programs.chain(["--".to_owned()]).chain(test.iter().cloned());
        let words: Vec<String> = words.collect();
        let output = tempfile::tempdir_in(self.scratch.path())?;
        follow_words(umbra, &words, &output.path().join("out"))
    }
}
