//! Inputs are made that run changed lines which no test runs. They are tests of the search.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_report::{Stage, StageEnd, TargetLine};
use umbra_words::{Mechanism, Sought, Version};

use super::patch::differing;
use super::suite::Suite;
use super::{Check, counted};
use crate::Error;
use crate::check::Told;
use crate::check::findings::Candidate;
use crate::check::hunks::Known;
use crate::check::reach::{ReachOrder, reach};
use crate::reach::{ReachPart, targets};
use crate::replay::Pair;
use crate::{NativeLimits, ReachJob, Subject, Tests, Wanted};

/// The part of the time of the search that is used to reach lines.
const PART: u32 = 4;

/// Time for one line at most.
const TARGET: Duration = Duration::from_secs(60);

/// Time of one native run.
const RUN: Duration = Duration::from_secs(2);

impl Check<'_> {
    /// Makes inputs that run changed lines which no test runs: where they are, and the inputs to confirm.
    pub(super) fn reach(
        &mut self,
        pair: &Pair,
        cases: &[PathBuf],
        suite: &Suite,
        known: &mut Known,
    ) -> Result<(Option<PathBuf>, Vec<Candidate>), Error> {
        let begun = Instant::now();
        let nothing = |check: &mut Self, found: &str| {
            check.ended(Stage::Reach, StageEnd::Skipped, found.to_owned(), begun);
            Ok((None, Vec::new()))
        };
        if !self.job.reach || self.job.complete {
            return nothing(self, "not wanted");
        }
        if cases.is_empty() {
            return nothing(self, "there are no tests to start from");
        }
        let parts = self.reach_parts(pair, suite, known)?;
        let lines: usize = parts.iter().map(|part| part.targets.len()).sum();
        if lines == 0 {
            return nothing(self, "tests run all changed code of the new version");
        }
        let programs = pair.new.programs.iter();
        let order = ReachOrder {
            parts,
            programs: programs.map(|(name, it)| (name.clone(), it.path().to_owned())).collect(),
            job: self.reach_job(cases),
            folder: self.keep.path().join("reach"),
        };
        self.doing(Stage::Reach, &format!("looking for inputs that run {lines} blocks"));
        let stop = &self.watch.sandboxes.stop;
        let (answer, reused) = reach(&order, stop, &mut |elapsed| {
            let text = format!("{} s, {}", elapsed.as_secs(), counted(lines as u64, "block"));
            (self.watch.tell)(Told::Doing(Stage::Reach, &text, None));
        })?;
        let programs = match answer {
            Ok(programs) => programs,
            Err(said) => {
                let found = format!("it was cut off: {said}");
                self.ended(Stage::Reach, StageEnd::Failed, found, begun);
                return Ok((None, Vec::new()));
            }
        };
        let (mut reached, mut candidates) = (0, Vec::new());
        for target in programs.iter().flat_map(|program| &program.targets) {
            reached += u64::from(target.outcome == Sought::Reached);
            self.learn_target(target, known);
            for input in target.inputs.iter().filter(|_| target.outcome == Sought::Reached) {
                let Ok(case) = Case::read(&order.folder.join(&input.case)) else { continue };
                let is_new = |known: &Candidate| known.case.id() != case.id();
                if candidates.iter().all(is_new) {
                    let seconds = self.seconds();
                    candidates.push(Candidate {
                        case,
                        count: 1,
                        by_suite: None,
                        line: None,
                        seconds,
                    });
                }
            }
        }
        self.report.instructions +=
            programs.iter().map(|program| program.instructions).sum::<u64>();
        let found = format!("{reached} of {} that no test runs", counted(lines as u64, "block"));
        let end = if reused { StageEnd::Reused } else { StageEnd::Done };
        self.ended(Stage::Reach, end, found, begun);
        let folder = (!candidates.is_empty()).then(|| order.folder.clone());
        Ok((folder, candidates))
    }

    /// What came of a block is what is known of its lines.
    fn learn_target(&self, target: &TargetLine, known: &mut Known) {
        for place in &target.target.lines {
            let key = (place.file.clone(), place.line, target.target.version);
            match (target.outcome, target.inputs.first()) {
                (Sought::Reached, Some(input)) => {
                    known.inputs.insert(key, format!("reach/{}", input.case));
                }
                (Sought::Tested, _) => drop(known.reached.insert(key)),
                _ => drop(known.missed.entry(key).or_insert_with(|| target.why())),
            }
        }
    }

    /// The blocks of the new version that have changed lines which no test runs.
    fn reach_parts(
        &self,
        pair: &Pair,
        suite: &Suite,
        known: &Known,
    ) -> Result<Vec<ReachPart>, Error> {
        let Some(patch) = &pair.patch else { return Ok(Vec::new()) };
        let mut parts = Vec::new();
        for (old, new) in differing(pair) {
            let is_wanted = self.job.programs.is_empty()
                || self.job.programs.iter().any(|wanted| super::is_called(new, wanted));
            let tests = suite.comparison.programs.get(&new.name).map_or(0, |counts| counts.all);
            let natives = (pair.old.programs.get(&old.name), pair.new.programs.get(&new.name));
            let (Some(before), Some(native)) = natives else { continue };
            if !is_wanted || tests == 0 {
                continue;
            }
            // What is wrong with it was said when the patch was mapped.
            let Ok(counted) = patch.of_program(before, native) else { continue };
            let is_run = |target: &umbra_words::TargetBlock| {
                let Some(tests) = &known.tests else { return false };
                let run = |place: &umbra_words::Place| {
                    tests.get(&(place.file.clone(), place.line, Version::New)).copied().unwrap_or(0)
                };
                target.lines.iter().all(|place| run(place) > 0)
            };
            let mut targets = targets(&counted, Version::New);
            targets.retain(|target| !is_run(target));
            if !targets.is_empty() {
                parts.push(ReachPart {
                    name: new.name.clone(),
                    path: new.path_in_tree.clone(),
                    version: Version::New,
                    executable: new.executable.clone(),
                    targets,
                });
            }
        }
        Ok(parts)
    }

    fn reach_job(&self, cases: &[PathBuf]) -> ReachJob {
        let search = &self.job.search;
        let mut limits = search.limits.clone();
        limits.time = self.job.budget.map(|budget| budget / PART);
        ReachJob {
            subject: Subject::default(),
            wanted: Wanted::Blocks(Vec::new()),
            tests: Tests::Cases(cases.to_vec()),
            mechanisms: Mechanism::ALL.iter().copied().collect(),
            inputs: 1,
            target_time: self.job.budget.map(|budget| (budget / PART).min(TARGET)),
            target_instructions: limits.instructions,
            strategy: search.strategy.clone(),
            limits,
            native: NativeLimits { one: self.job.run_time.min(RUN), ..search.native.clone() },
        }
    }
}
