//! Every key of the JSON object is documented in docs/json.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::example;

/// Keys whose values have names of the run for keys.
const FREE: [&str; 2] = ["terminations", "unknown"];

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.insert(key.clone());
                if !(FREE.contains(&&**key) && value.is_object()) {
                    keys(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// The page without the sections of other commands.
fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = fs::read_to_string(page).unwrap();
    let sections = page.split("\n## ").enumerate();
    let own = sections.filter(|(index, text)| *index == 0 || text.starts_with("`umbra run`"));
    own.map(|(_, text)| text).collect()
}

#[test]
fn every_key_of_a_run_is_documented() {
    let mut found = BTreeSet::new();
    keys(&serde_json::from_str(&example::cut_short().to_json()).unwrap(), &mut found);
    assert!(found.contains("program_covered") && found.contains("sat"), "{found:?}");
    let page = page();
    let missing: Vec<_> = found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not in docs/json.md: {missing:?}");
}

#[test]
fn every_column_of_the_statistics_is_documented() {
    let page = page();
    for column in umbra_report::Sample::CSV_HEADER.split(',') {
        assert!(page.contains(&format!("`{column}`")), "not in docs/json.md: {column}");
    }
}

#[test]
fn every_key_of_a_comparison_is_documented() {
    let summary = umbra_report::DiffSummary {
        divergences: vec![umbra_report::DivergenceLine {
            native: umbra_report::NativeLine::Judged {
                class: umbra_words::Class::Regression,
                differences: vec![umbra_report::DifferenceLine::default()],
            },
            path: umbra_report::PathLines::of(&[umbra_report::PathLine::default()]),
            ..umbra_report::DivergenceLine::default()
        }],
        changes: vec![umbra_report::ChangeLine::default()],
        ..umbra_report::DiffSummary::default()
    };
    let mut found = BTreeSet::new();
    keys(&serde_json::from_str(&summary.to_json()).unwrap(), &mut found);
    let expected = ["cluster", "channel", "to_line", "path_left_out"];
    assert!(expected.iter().all(|key| found.contains(*key)), "{found:?}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = fs::read_to_string(page).unwrap();
    let missing: Vec<_> = found.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not in docs/json.md: {missing:?}");
}
