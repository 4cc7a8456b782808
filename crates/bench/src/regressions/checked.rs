//! One entry with `umbra check`: what its object says.

use serde_json::Value;

use super::judge::{is_visible, list};
use super::outcome::{Phase, Search};

/// What a check found.
pub struct Checked {
    pub search: Search,
    /// The first phase that led to something that can be seen.
    pub phase: Option<Phase>,
    /// Seconds until the first of it was known.
    pub found_s: Option<f64>,
    /// Only builds with sanitizers show it.
    pub needs_sanitizer: bool,
}

/// Reads the object of a check that had so many seconds.
pub fn checked(object: &Value, budget_s: u64) -> Checked {
    let seen = || list(&object["findings"]).filter(|finding| is_seen(finding));
    let all = list(&object["findings"]).count();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let coverage = &object["coverage"];
    let stage_s = |name: &str| {
        let stages = list(&object["stages"]).filter(|stage| stage["stage"] == name);
        stages.filter_map(|stage| stage["seconds"].as_f64()).sum::<f64>()
    };
    let execute_s = stage_s("search");
    let only_engine = list(&object["findings"])
        .filter(|finding| finding["confirmed"] == false && finding["class"] == "regression")
        .count();
    Checked {
        search: Search {
            visible: seen().count(),
            silent: 0,
            untold: all - seen().count(),
            only_engine,
            changes: number(&coverage["lines"]),
            reached: number(&coverage["by_tests"]) + number(&coverage["reached"]),
            wall_s: object["wall_s"].as_f64().unwrap_or(0.0),
            execute_s,
            replay_s: stage_s("suite") + stage_s("confirm"),
            share: (execute_s / budget_s as f64).min(1.0),
        },
        phase: seen().map(phase).min(),
        found_s: seen().filter_map(|finding| finding["seconds"].as_f64()).min_by(f64::total_cmp),
        needs_sanitizer: seen().next().is_some() && seen().all(needs_sanitizer),
    }
}

/// Whether native runs of both versions show a finding.
fn is_seen(finding: &Value) -> bool {
    finding["confirmed"] == true && finding["class"].as_str().is_some_and(is_visible)
}

fn phase(finding: &Value) -> Phase {
    if finding["by_suite"] == true {
        return Phase::Suite;
    }
    // What is found on all inputs of a shape is not near a seed.
    serde_json::from_value(finding["phase"].clone()).unwrap_or(Phase::Around)
}

fn needs_sanitizer(finding: &Value) -> bool {
    ["end", "stdout", "stderr"].iter().all(|key| finding["old"][key] == finding["new"][key])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_native_runs_show_is_found() {
        let same = json!({"end": "exit status 0", "stdout": {"text": "a"}, "stderr": {"text": ""}});
        let error = json!({"end": "exit status 0", "stdout": {"text": "a"}, "stderr": {"text": ""}, "error": "overflow"});
        let finding = |class: &str, confirmed: bool, phase: &str, seconds: f64| {
            json!({"class": class, "confirmed": confirmed, "phase": phase, "seconds": seconds,
                "by_suite": false, "old": same, "new": error})
        };
        let object = json!({
            "wall_s": 70.0,
            "coverage": {"lines": 5, "by_tests": 2, "reached": 1},
            "stages": [{"stage": "search", "seconds": 30.0}, {"stage": "confirm", "seconds": 4.0}],
            "findings": [
                finding("regression", false, "seed", 1.0),
                finding("flaky", true, "seed", 2.0),
                finding("regression", true, "bounded", 9.0),
                finding("output-difference", true, "concolic", 12.0),
            ],
        });
        let checked = checked(&object, 60);
        assert_eq!((checked.search.visible, checked.search.untold), (2, 2));
        assert_eq!((checked.search.reached, checked.search.changes), (3, 5));
        assert_eq!((checked.search.only_engine, checked.search.share), (1, 0.5));
        assert_eq!((checked.phase, checked.found_s), (Some(Phase::Concolic), Some(9.0)));
        assert!(checked.needs_sanitizer);
        let nothing = super::checked(&json!({"findings": []}), 60);
        assert!(nothing.phase.is_none() && !nothing.needs_sanitizer);
    }
}
