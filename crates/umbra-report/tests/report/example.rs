//! A run with something of everything, and one with nothing.

use umbra_report::{
    Findings, Keep, LineCounts, PathEnd, Phase, RunSummary, Sample, Search, SolverLayer, SolverUse,
    Undefined, Usage,
};
use umbra_words::{Finding, Place};

fn counts<const N: usize>(counts: [(&str, u64); N]) -> std::collections::BTreeMap<String, u64> {
    counts.map(|(name, count)| (name.to_owned(), count)).into()
}

fn phase(name: &str, seconds: f64) -> Phase {
    Phase { name: name.to_owned(), seconds }
}

pub fn finding(kind: &str, file: &str, line: u32, case: Option<&str>) -> Finding {
    Finding {
        kind: kind.to_owned(),
        place: Place { file: file.to_owned(), line },
        stack: vec![format!("fill at {file}:{line}"), "main at src/cut.c:600".to_owned()],
        detail: "0 bytes after the end of heap object of 10 bytes".to_owned(),
        case: case.map(str::to_owned),
        input_bytes: 12,
    }
}

pub fn findings() -> Findings {
    let mut findings = Findings::new(Keep::First);
    findings.add(finding("null-dereference", "src/cut.c", 88, None));
    for _ in 0..3 {
        findings.add(finding("out-of-bounds-write", "src/cut.c", 412, Some("cases/000007")));
    }
    findings
}

/// A run that found errors and did not get through.
pub fn cut_short() -> RunSummary {
    let layer = |name: &str, queries, sat, unsat, unknown, seconds| SolverLayer {
        name: name.to_owned(),
        queries,
        sat,
        unsat,
        unknown,
        seconds,
    };
    RunSummary {
        exit: 2,
        usage: Usage {
            again: 0,
            wall_s: 12.5,
            cpu_s: 12.25,
            execute_s: 12.0,
            peak_mib: 210.4,
            instructions: 123_456_789,
            workers: 2,
            worker_instructions: vec![100_000_000, 23_456_789],
            phases: vec![phase("load", 0.25), phase("explore", 12.0)],
        },
        search: Search {
            path_set: 0,
            states_created: 1_250,
            states_open: 45,
            states_untested: 12,
            forks: 1_249,
            terminations: [
                (PathEnd::Completed, "exited", 1_100),
                (PathEnd::Completed, "killed", 80),
                (PathEnd::Error, "out-of-bounds-write", 3),
                (PathEnd::Error, "null-dereference", 1),
                (PathEnd::Cut, "unsupported", 6),
                (PathEnd::Cut, "memory", 15),
            ]
            .map(|(end, name, count)| ((end, name.to_owned()), count))
            .into(),
            limits_hit: vec!["time".to_owned()],
        },
        solver: SolverUse {
            queries: 5_012,
            seconds: 8.125,
            unknown: counts([("timeout", 2), ("conflicts", 7)]),
            failures: counts([("wrong-model", 1)]),
            layers: vec![
                layer("cache", 5_012, 3_000, 1_000, 0, 0.5),
                layer("bit-blaster", 1_012, 600, 403, 9, 7.5),
            ],
        },
        lines: LineCounts { lines: 2_000, covered: 1_426 },
        program_lines: LineCounts { lines: 1_000, covered: 999 },
        findings: findings(),
        unsupported: vec!["socket".to_owned(), "fork".to_owned()],
        undefined: vec![Undefined {
            kind: "pointer-difference".to_owned(),
            place: Place { file: "src/grow.c".to_owned(), line: 41 },
        }],
        tests: 57,
        tests_left_out: 1_133,
        tests_alike: 2,
    }
}

/// A small run that got through.
pub fn complete() -> RunSummary {
    RunSummary {
        usage: Usage { wall_s: 0.5, instructions: 900, peak_mib: 12.0, ..Usage::default() },
        search: Search {
            terminations: [((PathEnd::Completed, "exited".to_owned()), 1)].into(),
            states_created: 1,
            ..Search::default()
        },
        lines: LineCounts { lines: 10, covered: 10 },
        tests: 1,
        ..RunSummary::default()
    }
}

/// Coverage that rises fast, then slowly.
pub fn history() -> Vec<Sample> {
    let sample = |index: u32| Sample {
        seconds: f64::from(index),
        covered_lines: u64::from(1_426 - 1_426 / (index + 1)),
        lines: 2_000,
        ..Sample::default()
    };
    (0..=12).map(sample).collect()
}
