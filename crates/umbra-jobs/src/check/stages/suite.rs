//! The tests are recorded, and run on both versions.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_report::{EffectLine, Stage, StageEnd};
use umbra_strategy::Seed;
use umbra_words::{Class, Target};

use super::{Check, counted};
use crate::Error;
use crate::cases::{find_cases, recordings};
use crate::check::findings::Candidate;
use crate::check::hunks::Known;
use crate::check::keep::digest;
use crate::check::{CheckTests, Told};
use crate::replay::cost::{Cost, CostKind};
use crate::replay::judge;
use crate::replay::{Comparison, Pair, Session};

/// Times and sizes that are this much alike are not worth a word.
const ALIKE: f64 = 0.05;

/// Nor are differences of less: seconds, and MiB. The system takes now more, now less.
const NOISE: [f64; 2] = [0.1, 32.0];

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
        if known > 0 {
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
                recorded.log.display()
            ));
        }
        if recorded.cases == 0 {
            let why = recorded.why_none.unwrap_or_else(|| "no program was run".to_owned());
            self.report.notes.push(format!("No test was recorded: {why}"));
            self.ended(Stage::Record, StageEnd::Failed, "no case".to_owned(), begun);
            return Ok(Vec::new());
        }
        let (all, kept) = recorded.invocations;
        let cases = counted(recorded.cases as u64, "case");
        let found = format!("{cases} from {kept} of {all} invocations");
        self.ended(Stage::Record, StageEnd::Done, found, begun);
        Ok(vec![store])
    }

    /// Runs the tests on both versions.
    pub(super) fn suite(
        &mut self,
        pair: &Pair,
        cases: &[PathBuf],
        known: &mut Known,
    ) -> Result<Suite, Error> {
        let begun = Instant::now();
        if cases.is_empty() {
            self.ended(Stage::Suite, StageEnd::Skipped, "there are no tests".to_owned(), begun);
            return Ok(Suite::default());
        }
        let found = find_cases(cases)?;
        let names: Vec<&str> = found.iter().map(crate::Found::name).collect();
        let is_sanitized = !pair.new.sanitized.is_empty();
        let key =
            digest(&(&self.trees, names, is_sanitized, self.job.run_time, self.job.run_memory_mib));
        let kept: Option<Suite> = self.keep.get("suite", &key);
        let reused = kept.is_some();
        let suite = match kept {
            Some(suite) => suite,
            None => {
                let suite = self.run_suite(pair, found)?;
                if suite.comparison.not_run == 0 {
                    self.keep.put("suite", &key, &suite)?;
                }
                suite
            }
        };
        let comparison = &suite.comparison;
        let line = |run: &crate::LineRuns| {
            let Target { place, version, .. } = &run.target;
            ((place.file.clone(), place.line, *version), run.cases)
        };
        known.tests = Some(comparison.lines.iter().map(line).collect());
        for (program, why) in &comparison.without_places {
            self.report.notes.push(format!(
                "Which tests run the changed lines of {program} is not known: {why}"
            ));
        }
        if !comparison.impossible.is_empty() {
            let count = counted(comparison.impossible.len() as u64, "case");
            let (case, why) = &comparison.impossible[0];
            self.report.notes.push(format!("{count} could not be run, such as {case}: {why}"));
        }
        let all: usize = comparison.classes.values().sum();
        let differ = all - comparison.classes.get(&Class::Same).copied().unwrap_or_default();
        let touching: u64 = comparison.programs.values().map(|counts| counts.touching).sum();
        let lines = comparison.changed_lines.unwrap_or_default();
        let found = format!(
            "{differ} of {} differ; {touching} run changed code, {} of {} changed lines",
            counted(all as u64, "case"),
            lines.run,
            lines.all
        );
        self.report.effects = effects(&suite.costs);
        let end = if reused { StageEnd::Reused } else { StageEnd::Done };
        self.ended(Stage::Suite, end, found, begun);
        self.event(Stage::Suite, "the suite has run on both versions", known);
        Ok(suite)
    }

    fn run_suite(&self, pair: &Pair, found: Vec<crate::Found>) -> Result<Suite, Error> {
        let count = found.len();
        let session = Session {
            cases: found,
            native: self.native(pair)?,
            minimise: None,
            ended: &|_| std::ops::ControlFlow::Continue(()),
        };
        let mut examples = Vec::new();
        let (comparison, costs) = judge::run(&session, pair, &mut examples, &mut |so_far| {
            let done: usize = so_far.classes.values().sum::<usize>() + so_far.without_program;
            let text = format!("{done} of {count} cases on both versions");
            let share = done as f64 / count.max(1) as f64;
            (self.watch.tell)(Told::Doing(Stage::Suite, &text, Some(share)));
        })?;
        let folder = self.keep.empty_folder("suite")?;
        let mut names = Vec::new();
        for (number, example) in (1..).zip(&examples) {
            let name = format!("suite/{number:03}");
            example.write(&folder.join(format!("{number:03}")))?;
            names.push(name);
        }
        Ok(Suite { comparison, costs, examples: names })
    }

    /// The example of each thing that the suite shows.
    pub(super) fn suite_candidates(&self, suite: &Suite) -> Result<Vec<Candidate>, Error> {
        let mut candidates = Vec::new();
        for (cluster, name) in suite.comparison.clusters.iter().zip(&suite.examples) {
            let mut case = Case::read(&self.keep.path().join(name))?;
            case.origin.entry("seed".to_owned()).or_insert_with(|| cluster.example.clone());
            candidates.push(Candidate {
                case,
                count: cluster.cases.len() as u64,
                by_suite: Some(cluster.line.as_ref().map(|line| line.target.clone())),
                line: None,
                seconds: self.seconds(),
            });
        }
        Ok(candidates)
    }
}

/// What the suite has shown.
#[derive(Default, Serialize, Deserialize)]
pub struct Suite {
    pub comparison: Comparison,
    pub costs: Vec<Cost>,
    /// The folders of the examples, in the folder of the check.
    pub examples: Vec<String>,
}

/// What the versions took, where they are not alike.
fn effects(costs: &[Cost]) -> Vec<EffectLine> {
    let line = |cost: &Cost| {
        let [time, memory] = NOISE;
        let (what, unit, scale, noise) = match cost.what {
            CostKind::Time => ("processor time", "s", 1e6, time),
            CostKind::Memory => ("peak memory", "MiB", f64::from(1 << 20), memory),
        };
        let value = |number: u64| number as f64 / scale;
        let worst = cost.worst.as_ref();
        let line = EffectLine {
            what: what.to_owned(),
            unit: unit.to_owned(),
            old: value(cost.all[0]),
            new: value(cost.all[1]),
            worst: worst.map(|(case, _)| case.clone()),
            worst_values: worst.map(|(_, [old, new])| (value(*old), value(*new))),
        };
        let more = (line.new - line.old).abs();
        (more > line.old * ALIKE && more > noise).then_some(line)
    };
    costs.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_alike_is_no_effect() {
        let cost = |what, all| Cost { what, all, worst: Some(("a".to_owned(), all)) };
        let costs = [
            cost(CostKind::Time, [10_000_000, 10_200_000]),
            cost(CostKind::Time, [1_000, 50_000]),
            cost(CostKind::Memory, [1 << 20, 12 << 20]),
            cost(CostKind::Memory, [1 << 20, 65 << 20]),
        ];
        let effects = effects(&costs);
        assert_eq!(effects.len(), 1);
        assert_eq!((effects[0].old, effects[0].new), (1.0, 65.0));
    }
}
