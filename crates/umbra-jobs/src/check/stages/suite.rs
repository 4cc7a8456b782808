//! The tests run on both versions.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_report::{EffectLine, Stage, StageEnd};
use umbra_words::{Class, Target};

use super::{Check, counted};
use crate::Error;
use crate::cases::find_cases;
use crate::check::Told;
use crate::check::findings::Candidate;
use crate::check::hunks::Known;
use crate::check::keep::digest;
use crate::replay::cost::{Cost, CostKind};
use crate::replay::judge;
use crate::replay::{Comparison, Pair, Session};

/// Times and sizes that are this much alike are not worth a word.
const ALIKE: f64 = 0.05;

/// Nor are differences of less: seconds, and MiB. The system takes now more, now less.
const NOISE: [f64; 2] = [0.1, 32.0];

impl Check<'_> {
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
            hooked: None,
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
