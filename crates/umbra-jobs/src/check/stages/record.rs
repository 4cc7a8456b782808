//! The tests are recorded, unless that was done, or taken from where somebody says.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use umbra_case::{Case, own_folder};
use umbra_report::{Stage, StageEnd};
use umbra_strategy::Seed;
use umbra_text::Show;

use super::{Check, counted};
use crate::Error;
use crate::cases::{find_cases, recordings};
use crate::check::CheckTests;
use crate::check::keep::{digest, write};
use crate::replay::Pair;

/// What the tests were when they were recorded, in the folder for results.
const RECORDED: &str = "recorded";

/// Files that are no part of a test, unless they are in a folder for tests.
const SOURCES: [&str; 20] = [
    "c", "h", "cc", "cpp", "hpp", "y", "l", "S", "s", "md", "rst", "po", "pot", "texi", "html",
    "1", "3", "5", "7", "8",
];

impl Check<'_> {
    /// The cases to start from: what is recorded, or what was given.
    pub(super) fn tests(&mut self, pair: &Pair) -> Result<Vec<PathBuf>, Error> {
        let begun = Instant::now();
        match &self.job.tests {
            CheckTests::None => {
                let found = "no tests are wanted".to_owned();
                self.ended(Stage::Record, StageEnd::Skipped, found, begun);
                Ok(Vec::new())
            }
            CheckTests::Cases(paths) => {
                let cases = find_cases(paths)?.len() as u64;
                self.ended(
                    Stage::Record,
                    StageEnd::Skipped,
                    format!("{} given", counted(cases, "case")),
                    begun,
                );
                Ok(paths.clone())
            }
            CheckTests::Command { words, stdin } => {
                let folder = self.command(pair, words, stdin.as_ref())?;
                let found = "one command line was given".to_owned();
                self.ended(Stage::Record, StageEnd::Skipped, found, begun);
                Ok(vec![folder])
            }
            CheckTests::Suite => self.recorded(begun),
        }
    }

    /// The case of a command line.
    fn command(
        &self,
        pair: &Pair,
        words: &[Vec<u8>],
        stdin: Option<&Vec<u8>>,
    ) -> Result<PathBuf, Error> {
        let word = words.first().cloned().unwrap_or_default();
        let name = String::from_utf8_lossy(&word).into_owned();
        let name = name.rsplit('/').next().unwrap_or_default();
        if !pair.new.built().iter().any(|program| program.name == name) {
            let known = pair.new.built().iter().map(|program| program.name.clone());
            return Err(Error::NoProgram { name: name.to_owned(), known: known.collect() });
        }
        let arguments = words.iter().skip(1).cloned().collect();
        let seed = Seed::of_words(name.as_bytes().to_vec(), arguments, stdin.cloned());
        let folder = self.keep.empty_folder("command")?.join("000001");
        let case: &Case = seed.case();
        case.write(&folder)?;
        Ok(folder)
    }

    /// What the suite feeds to programs, recorded if that was not done.
    fn recorded(&mut self, begun: Instant) -> Result<Vec<PathBuf>, Error> {
        let store = recordings(&self.project.folder)?;
        let known = if store.is_dir() { crate::cases::in_store(&store)?.len() } else { 0 };
        let tests = self.tests_as_they_are()?;
        let kept = own_folder(&self.project.folder, RECORDED)?;
        // Who has recorded without us knows what is wanted.
        let is_old = fs::read_to_string(&kept).is_ok_and(|before| before != tests);
        if known > 0 && !is_old {
            let found = format!("{} recorded before", counted(known as u64, "case"));
            self.ended(Stage::Record, StageEnd::Reused, found, begun);
            return Ok(vec![store]);
        }
        if self.project.manifest.test.is_empty() {
            let found = "the project has no test command".to_owned();
            self.report.notes.push(
                "umbra.toml names no tests (`command` of [test]): give a command line behind `--`, or cases with --case."
                    .to_owned(),
            );
            self.ended(Stage::Record, StageEnd::Skipped, found, begun);
            return Ok(Vec::new());
        }
        self.doing(Stage::Record, "running the test suite");
        // New tests say more of the patch than old ones.
        let recorded = match (self.watch.record)(self.project, &self.range.new) {
            Ok(recorded) => recorded,
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default().to_owned();
                self.report.notes.push(format!("The test suite could not be recorded: {text}"));
                self.ended(Stage::Record, StageEnd::Failed, first, begun);
                return Ok(Vec::new());
            }
        };
        if recorded.status != 0 {
            self.report.notes.push(format!(
                "The test suite of the new version fails (exit status {}); what it wrote is in {}.",
                recorded.status,
                recorded.log.shown()
            ));
        }
        if recorded.cases == 0 {
            let why = recorded.why_none.unwrap_or_else(|| "no program was run".to_owned());
            self.report.notes.push(format!("No test was recorded: {why}"));
            self.ended(Stage::Record, StageEnd::Failed, "no case".to_owned(), begun);
            return Ok(Vec::new());
        }
        write(&kept, tests.as_bytes())?;
        let (all, kept) = recorded.invocations;
        let cases = counted(recorded.cases as u64, "case");
        let found = format!("{cases} from {kept} of {all} invocations");
        self.ended(Stage::Record, StageEnd::Done, found, begun);
        Ok(vec![store])
    }

    /// A number for what may be a part of the tests in the new version. With another one they are recorded again.
    fn tests_as_they_are(&self) -> Result<String, Error> {
        let repository = self.project.builder.repository();
        let files = repository.listing(&self.trees[1])?;
        let of_tests: Vec<_> = files.iter().filter(|(path, _)| may_be_of_tests(path)).collect();
        Ok(digest(&(&self.project.manifest.test, of_tests)))
    }
}

/// Whether a file may be a part of the tests.
fn may_be_of_tests(path: &Path) -> bool {
    let is_folder_of_tests = |name: &str| {
        let name = name.to_lowercase();
        name.contains("test") || ["t", "check", "checks", "spec", "regress"].contains(&&*name)
    };
    let mut folders = path.parent().into_iter().flat_map(Path::components);
    let is_source = |end: &str| SOURCES.contains(&end);
    folders.any(|folder| folder.as_os_str().to_str().is_some_and(is_folder_of_tests))
        || !path.extension().is_some_and(|end| end.to_str().is_some_and(is_source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_no_tests_where_they_stand_alone() {
        for (path, expected) in [
            ("src/cut.c", false),
            ("README.md", false),
            ("tests/cut.c", true),
            ("src/testsuite/a.h", true),
            ("check", true),
            ("t/1.sh", true),
            ("Makefile.am", true),
        ] {
            assert_eq!(may_be_of_tests(Path::new(path)), expected, "{path}");
        }
    }
}
