//! Results: what came of a job, as values.
//!
//! They are what a journal keeps and what two runs are compared by: nothing that a clock or the host
//! decides is in them. A report is made of a summary, which has more to show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use umbra_report::{DiffSummary, DivergenceLine, LineCoverage, NativeLine, RunSummary};
use umbra_words::{Class, Finding, Kind, Phase, Place};

/// What came of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobResult {
    /// The test cases, relative to the folder of the run.
    pub cases: Vec<String>,
    /// Errors of the program, with the number of paths that show each.
    pub findings: Vec<(Finding, u64)>,
    /// Where the versions part, those that matter most first.
    pub divergences: Vec<Divergence>,
    /// The changes, and whether they were reached.
    pub changes: Vec<(Place, bool)>,
    /// The lines that ran, by file. Only for all paths of one program.
    pub coverage: BTreeMap<PathBuf, BTreeSet<u32>>,
    /// What was cut or left out, and how often.
    pub cut: BTreeMap<String, u64>,
    /// Paths that were not followed to their end.
    pub open: u64,
    /// A number for the set of all paths that ended; equal sets have equal numbers.
    pub path_set: u64,
}

/// A place where the versions part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// What differs.
    pub kind: Kind,
    /// Where.
    pub place: Place,
    /// What is predicted.
    pub class: Class,
    /// What native runs say, if they say anything.
    pub native: Option<Class>,
    /// How it was found.
    pub phase: Phase,
    /// Why the versions part, or what differs.
    pub detail: String,
    /// How many paths show it.
    pub paths: u64,
    /// The test cases that do, the one to look at first.
    pub cases: Vec<String>,
}

impl JobResult {
    /// What all paths of a program came to.
    pub fn of_run(summary: &RunSummary, coverage: &LineCoverage) -> Self {
        let search = &summary.search;
        let ran = |lines: &BTreeMap<u32, bool>| -> BTreeSet<u32> {
            lines.iter().filter(|(_, ran)| **ran).map(|(line, _)| *line).collect()
        };
        let coverage = coverage.iter().map(|(file, lines)| (file.clone(), ran(lines)));
        let findings = summary.findings.iter();
        let unanswered = summary.solver.unknown.iter().chain(&summary.solver.failures);
        let limits = search.limits_hit.iter().map(|limit| (limit.clone(), 1));
        Self {
            cases: (1..=summary.tests).map(case_name).collect(),
            findings: findings.map(|(finding, count)| (finding.clone(), count)).collect(),
            divergences: Vec::new(),
            changes: Vec::new(),
            coverage: coverage.collect(),
            cut: unanswered.map(|(name, count)| (name.clone(), *count)).chain(limits).collect(),
            open: search.states_open,
            path_set: search.path_set,
        }
    }

    /// What a comparison came to.
    pub fn of_diff(summary: &DiffSummary) -> Self {
        let divergences: Vec<Divergence> =
            summary.divergences.iter().map(Divergence::of_line).collect();
        let mut cases: Vec<String> =
            divergences.iter().flat_map(|divergence| divergence.cases.clone()).collect();
        cases.sort();
        cases.dedup();
        let changes = summary.changes.iter().map(|change| (change.place.clone(), change.reached));
        Self {
            cases,
            findings: Vec::new(),
            divergences,
            changes: changes.collect(),
            coverage: BTreeMap::new(),
            cut: summary.left_out.clone(),
            open: summary.cut,
            path_set: summary.path_set,
        }
    }
}

/// What the folder of a run calls its test cases.
fn case_name(number: u64) -> String {
    format!("cases/{number:06}")
}

impl Divergence {
    fn of_line(line: &DivergenceLine) -> Self {
        let native = match &line.native {
            NativeLine::Judged { class, .. } => Some(*class),
            NativeLine::NotRun | NativeLine::NoAnswer(_) => None,
        };
        Self {
            kind: line.kind,
            place: line.place.clone(),
            class: line.class,
            native,
            phase: line.phase,
            detail: line.detail.clone(),
            paths: line.count,
            cases: line.case.iter().chain(&line.more_cases).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use umbra_report::ChangeLine;

    use super::*;

    #[test]
    fn results_are_of_a_summary_and_come_back_as_they_were() {
        let place = Place { file: "a.c".to_owned(), line: 3 };
        let line = DivergenceLine {
            kind: Kind::Data,
            place: place.clone(),
            class: Class::Regression,
            phase: Phase::Concolic,
            count: 4,
            case: Some("cases/000002".to_owned()),
            more_cases: vec!["cases/000001".to_owned()],
            native: NativeLine::Judged { class: Class::Fix, differences: Vec::new() },
            ..DivergenceLine::default()
        };
        let change = ChangeLine { place: place.clone(), reached: true, ..ChangeLine::default() };
        let summary = DiffSummary {
            divergences: vec![line],
            changes: vec![change],
            cut: 2,
            left_out: [("limit on depth".to_owned(), 2)].into(),
            wall_s: 1.5,
            ..DiffSummary::default()
        };
        let mut result = JobResult::of_diff(&summary);
        assert_eq!(result.cases, ["cases/000001", "cases/000002"]);
        assert_eq!(result.divergences[0].native, Some(Class::Fix));
        assert_eq!((result.changes.clone(), result.open), (vec![(place, true)], 2));
        let finding = Finding {
            kind: "double-free".to_owned(),
            place: Place { file: "b.c".to_owned(), line: 9 },
            stack: vec!["main at b.c:9:1".to_owned()],
            detail: "freed twice".to_owned(),
            case: Some("cases/000001".to_owned()),
            input_bytes: 12,
        };
        result.findings.push((finding, 7));
        result.coverage.insert("b.c".into(), [1, 9].into());
        result.divergences[0].detail = "the versions take different branches".to_owned();
        let text = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<JobResult>(&text).unwrap(), result, "{text}");
    }

    #[test]
    fn a_run_has_what_it_covers_and_what_was_cut() {
        let mut summary = RunSummary { tests: 2, ..RunSummary::default() };
        summary.findings.add(Finding { kind: "abort".to_owned(), ..Finding::default() });
        summary.search.limits_hit.push("depth".to_owned());
        summary.search.states_open = 3;
        let coverage = LineCoverage::from([("a.c".into(), [(1, true), (2, false)].into())]);
        let result = JobResult::of_run(&summary, &coverage);
        assert_eq!(result.cases, ["cases/000001", "cases/000002"]);
        assert_eq!((result.findings[0].1, result.open), (1, 3));
        assert_eq!(result.coverage[&PathBuf::from("a.c")], BTreeSet::from([1]));
        assert_eq!(result.cut, [("depth".to_owned(), 1)].into());
        let text = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<JobResult>(&text).unwrap(), result, "{text}");
    }
}
