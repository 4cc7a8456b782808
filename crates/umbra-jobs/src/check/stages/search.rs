//! Inputs near the tests are explored, one program after the other.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use umbra_project::BuiltProgram;
use umbra_report::{CheckedProgram, Stage, StageEnd};
use umbra_words::Place;

use super::suite::Suite;
use super::{Check, counted, is_called, is_same_file};
use crate::Error;
use crate::check::findings::Candidate;
use crate::check::hunks::Known;
use crate::check::search::{Found, Search, Subject};
use crate::replay::Pair;
use crate::replay::versions;

/// Time of a native run while the search goes on.
const EARLY: Duration = Duration::from_secs(2);

impl Check<'_> {
    /// Searches near the tests, one program after the other: what is left of the time is shared by those that are left.
    pub(super) fn search(
        &mut self,
        pair: &Pair,
        cases: &[PathBuf],
        suite: &Suite,
        known: &mut Known,
    ) -> Result<Vec<Candidate>, Error> {
        let begun = Instant::now();
        let mut subjects = self.subjects(pair, suite);
        if subjects.is_empty() {
            let found = "no program differs".to_owned();
            self.ended(Stage::Search, StageEnd::Skipped, found, begun);
            return Ok(Vec::new());
        }
        // Those whose tests run the change say more.
        subjects.sort_by_key(|subject| std::cmp::Reverse(subject.tests.touching));
        let executables = |version: &versions::Version| {
            let programs = version.programs.iter();
            programs.map(|(name, program)| (name.clone(), program.path().to_owned())).collect()
        };
        let native = self.native_for(pair, self.job.run_time.min(EARLY))?;
        let search = Search {
            job: self.job,
            watch: self.watch,
            folder: self.keep.path(),
            project: &self.project.folder,
            trees: self.trees.clone(),
            library: &self.project.manifest.library,
            tree: pair.new.tree().map(Path::to_owned).unwrap_or_default(),
            programs: [executables(&pair.old), executables(&pair.new)],
            cases,
            pair,
            native: &native,
            start: self.start,
        };
        let (mut candidates, mut programs, mut events) = (Vec::new(), Vec::new(), Vec::new());
        let (mut reused, mut interrupted) = (true, false);
        for (at, subject) in subjects.iter().enumerate() {
            if self.is_stopped() {
                interrupted = true;
                let program = CheckedProgram {
                    path: subject.path.clone(),
                    outcome: "not searched: interrupted".to_owned(),
                    ..CheckedProgram::default()
                };
                programs.push(program);
                continue;
            }
            let left = (subjects.len() - at) as u32;
            let time = self.job.budget.map(|budget| budget.saturating_sub(begun.elapsed()) / left);
            let found = search.program(subject, time)?;
            reused &= found.reused;
            self.learn(pair, subject, &found, known);
            events.push(format!("{}: {}", found.program.path, found.program.outcome));
            candidates.extend(found.candidates);
            programs.push(found.program);
        }
        drop(search);
        for event in events {
            self.event(Stage::Search, &event, known);
        }
        let open = programs.iter().filter(|program| !program.complete).count() as u64;
        let found = format!(
            "{} to confirm, in {}{}",
            counted(candidates.len() as u64, "case"),
            counted(programs.len() as u64, "program"),
            if open > 0 { format!("; {open} not explored to the end") } else { String::new() }
        );
        let end = match (interrupted, reused) {
            (true, _) => StageEnd::Interrupted,
            (false, true) => StageEnd::Reused,
            (false, false) => StageEnd::Done,
        };
        self.report.programs.extend(programs);
        self.ended(Stage::Search, end, found, begun);
        Ok(candidates)
    }

    /// The programs to search in. Of the others it is said why not.
    fn subjects<'p>(&mut self, pair: &'p Pair, suite: &Suite) -> Vec<Subject<'p>> {
        let mut subjects = Vec::new();
        let is_wanted = |program: &BuiltProgram| {
            let wanted = &self.job.programs;
            wanted.is_empty() || wanted.iter().any(|wanted| is_called(program, wanted))
        };
        let mut programs = Vec::new();
        let mut alone = |program: &BuiltProgram, outcome: &str| {
            programs.push(CheckedProgram {
                path: program.path_in_tree.to_string_lossy().into_owned(),
                outcome: outcome.to_owned(),
                complete: true,
                ..CheckedProgram::default()
            });
        };
        let both = |one: &BuiltProgram, in_version: &'p versions::Version| {
            in_version.built().iter().find(|other| other.path_in_tree == one.path_in_tree)
        };
        for program in pair.old.built().iter().filter(|program| is_wanted(program)) {
            if both(program, &pair.new).is_none() {
                alone(program, "only the old version has it");
            }
        }
        for new in pair.new.built().iter().filter(|program| is_wanted(program)) {
            match both(new, &pair.old) {
                None => alone(new, "only the new version has it"),
                Some(old) if is_same_file(old, new) => {}
                Some(old) => {
                    let tests = suite.comparison.programs.get(&new.name);
                    subjects.push(Subject {
                        path: new.path_in_tree.to_string_lossy().into_owned(),
                        old,
                        new,
                        tests: tests.copied().unwrap_or_default(),
                    });
                }
            }
        }
        self.report.programs.extend(programs);
        subjects
    }

    /// Keeps what a search says of the changes.
    fn learn(&self, pair: &Pair, subject: &Subject<'_>, found: &Found, known: &mut Known) {
        let Some(patch) = &pair.patch else { return };
        let of = |place: &Place| {
            let file = patch.file_named(&place.file)?;
            Some((file.to_string_lossy().into_owned(), place.line))
        };
        for change in found.summary.iter().flat_map(|summary| &summary.changes) {
            if let Some(key) = of(&change.place) {
                let known = known.changes.entry(key).or_default();
                known.reached |= change.reached;
                known.paired |= change.paired;
            }
        }
        // Which files a program has code of is known for all of them together only.
        let files: Vec<PathBuf> = known.built.iter().cloned().collect();
        for file in files {
            if let Some(open) = &found.open {
                known.open.insert(file, format!("{}: {open}", subject.path));
            } else if found.proved {
                known.proved.insert(file);
            }
        }
        known.proved.retain(|file| !known.open.contains_key(file));
    }
}
