//! The keys of all JSON objects: each is documented in docs/json.md, each that is documented is there, and none goes
//! away or gets another name (`golden/keys.txt`).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use umbra_report::{
    BuildLine, BuildReport, ChangeLine, CheckLine, ClusterLine, ComparisonLine, ComparisonReport,
    ConcretePath, ConcreteSummary, DiffSummary, DifferenceLine, DivergenceLine, DoctorReport,
    FailureReport, ImpossibleLine, NativeLine, PathLine, PathLines, PredictionLine,
    PredictionReport, ProgramLine, RecordReport, Sample, Undefined,
};
use umbra_words::{Class, Place};

use crate::{example, golden};

/// Keys whose values have names of the run for keys.
const FREE: [&str; 11] = [
    "classes",
    "dropped_variables",
    "examples",
    "incomplete",
    "left_out",
    "notes",
    "solver_errors",
    "terminations",
    "unknown",
    "without_places",
    "record.programs",
];

/// What every object has.
const GENERAL: [&str; 3] = ["schema", "command", "exit"];

/// An object with everything in it that the object of a command can have, and the section of the page that is about it.
fn objects() -> Vec<(&'static str, String)> {
    let difference = DifferenceLine::default();
    let native = NativeLine::Judged { class: Class::Fix, differences: vec![difference.clone()] };
    let lockstep = umbra_report::LockstepCounts {
        forgotten: vec![(Place::default(), 1)],
        listed: true,
        tests: umbra_report::TestsTogether {
            apart: vec![umbra_report::ApartLine::default()],
            ..Default::default()
        },
        ..Default::default()
    };
    let undefined = Undefined { kind: "pointer-order".to_owned(), place: Place::default() };
    let diff = DiffSummary {
        divergences: vec![DivergenceLine {
            native,
            path: PathLines::of(&[PathLine::default()]),
            ..DivergenceLine::default()
        }],
        changes: vec![ChangeLine::default()],
        undefined: vec![undefined.clone()],
        lockstep,
        unification: Some(umbra_report::UnificationCounts {
            ignored: vec![umbra_report::Ignored::default()],
            ..Default::default()
        }),
        ..DiffSummary::default()
    };
    let compared = umbra_report::ProgramOutcome::LeftOut("no test is for it".to_owned());
    let range = umbra_report::RangeSummary {
        programs: vec![umbra_report::ComparedProgram { path: "cut".to_owned(), outcome: compared }],
        ..Default::default()
    };
    let once = ConcreteSummary {
        path: ConcretePath::Error("abort".to_owned(), Some(Place::default())),
        undefined: vec![undefined],
        ..ConcreteSummary::default()
    };
    let build = BuildLine { programs: vec![ProgramLine::default()], ..BuildLine::default() };
    let impossible = PredictionLine { impossible: Some("why".to_owned()), ..Default::default() };
    let one = PredictionReport { runs: vec![impossible], ..PredictionReport::default() };
    let comparison = ComparisonLine {
        impossible: vec![ImpossibleLine::default()],
        clusters: vec![ClusterLine { differences: vec![difference], ..ClusterLine::default() }],
        ..ComparisonLine::default()
    };
    let two = ComparisonReport { comparisons: vec![comparison], ..ComparisonReport::default() };
    let log = umbra_report::LogReport {
        commits: vec![umbra_report::LogLine {
            check: umbra_report::Checked::Done(Box::new(umbra_report::sample_check())),
            ..Default::default()
        }],
        ..Default::default()
    };
    let target = umbra_words::TargetBlock {
        block: 1,
        version: umbra_words::Version::New,
        function: "f".to_owned(),
        lines: vec![Place::default()],
    };
    let target = umbra_report::TargetLine {
        inputs: vec![umbra_report::ReachInput::default()],
        ..umbra_report::TargetLine::new(target)
    };
    let error = umbra_report::MetError {
        finding: umbra_words::Finding::default(),
        nearness: "near".to_owned(),
        native: None,
    };
    let reach = umbra_report::ReachReport {
        programs: vec![umbra_report::ReachProgram {
            targets: vec![target],
            errors: vec![error],
            ..Default::default()
        }],
        ..Default::default()
    };
    let doctor = DoctorReport { checks: vec![CheckLine::default()], ..DoctorReport::default() };
    vec![
        ("run", example::cut_short().to_json()),
        ("run", once.to_json()),
        ("diff", diff.to_json()),
        ("diff", range.to_json()),
        ("check", umbra_report::sample_check().to_json()),
        ("log", log.to_json()),
        ("reach", reach.to_json()),
        ("amplify", amplified().to_json()),
        ("doctor", doctor.to_json()),
        ("build", BuildReport { builds: vec![build], ..BuildReport::default() }.to_json()),
        ("replay", one.to_json()),
        ("replay", two.to_json()),
        ("record", RecordReport::default().to_json()),
        ("", FailureReport { command: "run".to_owned(), ..FailureReport::default() }.to_json()),
    ]
}

/// A report of `umbra amplify` with everything in it.
fn amplified() -> umbra_report::AmplifyReport {
    umbra_report::AmplifyReport {
        findings: vec![umbra_report::AmplifyFinding {
            tests: vec![umbra_report::FindingTest::default()],
            ..Default::default()
        }],
        sample: Some(umbra_report::SampleLine::of(2, 1)),
        distances: vec![umbra_report::DistanceLine::default()],
        programs: vec![umbra_report::AmplifiedProgram::default()],
        ..Default::default()
    }
}

/// The keys of an object, each behind those that lead to it.
fn keys(value: &Value, before: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{before}.{key}");
                let is_free = FREE.iter().any(|free| path.ends_with(&format!(".{free}")));
                if !(is_free && value.is_object()) {
                    keys(value, &path, found);
                }
                found.insert(path);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, before, found)),
        _ => {}
    }
}

fn keys_of(command: &str, object: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // The command is in front, so that a name can be free in one and not in another.
    keys(&serde_json::from_str(object).unwrap(), &format!(".{command}"), &mut found);
    found
}

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    fs::read_to_string(page).unwrap()
}

/// What is in front of all sections, and the section of a command.
fn sections(page: &str, command: &str) -> String {
    let sections = page.split("\n## ").enumerate();
    let title = format!("`umbra {command}`");
    let own = sections.filter(|(index, text)| *index == 0 || text.starts_with(&title));
    own.map(|(_, text)| text).collect()
}

#[test]
fn every_key_is_documented() {
    let page = page();
    for (command, object) in objects() {
        let section = sections(&page, command);
        let found = keys_of(command, &object);
        for path in &found {
            let key = path.rsplit('.').next().unwrap();
            assert!(section.contains(&format!("`{key}`")), "not in docs/json.md: {path}");
        }
        assert!(GENERAL.iter().all(|key| found.contains(&format!(".{command}.{key}"))), "{object}");
    }
}

#[test]
fn every_key_that_is_documented_is_there() {
    let page = page();
    let commands =
        ["run", "diff", "check", "log", "reach", "amplify", "doctor", "build", "replay", "record"];
    for command in commands {
        let objects = objects().into_iter().filter(|(about, _)| *about == command);
        let found: BTreeSet<String> = objects
            .flat_map(|(_, object)| keys_of(command, &object))
            .map(|path| path.rsplit('.').next().unwrap().to_owned())
            .collect();
        let section = sections(&page, command);
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut documented = 0;
        for key in rows.flat_map(|row| row.split(" |").next().unwrap().split("`, `")) {
            documented += 1;
            let key = key.trim_end_matches('`');
            assert!(found.contains(key), "umbra {command} has no key `{key}`");
        }
        assert!(documented > 4, "umbra {command}: {documented} keys");
    }
}

#[test]
fn keys_stay_as_they_are() {
    let all: BTreeSet<String> =
        objects().iter().flat_map(|(command, object)| keys_of(command, object)).collect();
    let lines: Vec<String> = all.iter().map(|path| format!("{}\n", &path[1..])).collect();
    golden::check("keys.txt", &lines.concat());
}

#[test]
fn every_column_of_the_statistics_is_documented() {
    let page = sections(&page(), "run");
    for column in Sample::CSV_HEADER.split(',') {
        assert!(page.contains(&format!("`{column}`")), "not in docs/json.md: {column}");
    }
}
