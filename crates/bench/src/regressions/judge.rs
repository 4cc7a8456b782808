//! What the objects of `umbra replay --json` and `umbra diff --json` say about a difference.

use std::collections::BTreeSet;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::outcome::{Phase, Search, Shown};

/// Whether the class of native runs is one that a user can see.
pub fn is_visible(class: &str) -> bool {
    !matches!(class, "same" | "flaky")
}

/// What a replay on two versions shows. Cases that cannot be run are an error: they would look like the same.
pub fn shown(replayed: &Value) -> anyhow::Result<Shown> {
    let comparison = &replayed["comparisons"][0];
    for key in ["impossible", "not_run", "without_program"] {
        let is_empty = match &comparison[key] {
            Value::Array(cases) => cases.is_empty(),
            count => count.as_u64().is_none_or(|count| count == 0),
        };
        ensure!(is_empty, "not all cases were replayed: {key}: {}", comparison[key]);
    }
    let classes = Deserialize::deserialize(&comparison["classes"]).context("reading classes")?;
    Ok(Shown { classes, differences: comparison["clusters"][0]["differences"].clone() })
}

/// The identities of the cases of a replay on which the versions differ.
pub fn differing(replayed: &Value) -> BTreeSet<&str> {
    list(&replayed["comparisons"][0]["clusters"])
        .filter(|cluster| cluster["class"].as_str().is_some_and(is_visible))
        .flat_map(|cluster| list(&cluster["cases"]))
        .filter_map(Value::as_str)
        .collect()
}

/// The object about one program of `umbra diff --range`.
pub fn compared<'a>(diffed: &'a Value, program: &str) -> anyhow::Result<&'a Value> {
    let object = list(&diffed["programs"])
        .find(|object| object["path"] == program)
        .with_context(|| format!("{program} was not compared"))?;
    match object["outcome"].as_str() {
        Some("compared") => Ok(&object["summary"]),
        Some("same") => bail!("the bitcode of both versions is the same"),
        _ => bail!("{}", object["reason"].as_str().unwrap_or("not compared")),
    }
}

/// What a comparison came to, with this many seconds to explore.
pub fn search(summary: &Value, budget_s: u64) -> Search {
    let count = |counts: &dyn Fn(&Value) -> bool| {
        list(&summary["divergences"]).filter(|divergence| counts(divergence)).count()
    };
    let is_silent = |divergence: &Value| divergence["native"] == "same";
    let seconds = |key: &str| summary[key].as_f64().unwrap_or(0.0);
    let execute_s = seconds("execute_s");
    Search {
        visible: count(&is_seen),
        silent: count(&is_silent),
        untold: count(&|divergence| !is_seen(divergence) && !is_silent(divergence)),
        only_engine: count(&|divergence| {
            !is_seen(divergence) && divergence["class"] == "regression"
        }),
        changes: list(&summary["changes"]).count(),
        reached: list(&summary["changes"]).filter(|change| change["reached"] == true).count(),
        wall_s: seconds("wall_s"),
        execute_s,
        replay_s: seconds("replay_s"),
        share: (execute_s / budget_s as f64).min(1.0),
    }
}

/// Whether native runs show the divergence.
pub fn is_seen(divergence: &Value) -> bool {
    divergence["native"].as_str().is_some_and(is_visible)
}

/// The first phase of the divergences that count.
pub fn first_phase(
    summary: &Value,
    counts: impl Fn(&Value) -> bool,
) -> anyhow::Result<Option<Phase>> {
    let phases = list(&summary["divergences"]).filter(|divergence| counts(divergence));
    let phases: Vec<Phase> = phases
        .map(|divergence| Deserialize::deserialize(&divergence["phase"]))
        .collect::<Result<_, _>>()
        .context("reading a phase")?;
    Ok(phases.into_iter().min())
}

/// The elements, none if it is no list.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn divergence(phase: &str, class: &str, native: Option<&str>) -> Value {
        json!({"phase": phase, "class": class, "native": native})
    }

    #[test]
    fn only_what_native_runs_show_is_visible() {
        let summary = json!({"execute_s": 30.0, "wall_s": 31.0, "changes": [{"reached": true}, {"reached": false}], "divergences": [
            divergence("seed", "to-judge", Some("same")),
            divergence("bounded", "output-difference", Some("output-difference")),
            divergence("concolic", "regression", Some("regression")),
            divergence("seed", "regression", Some("flaky")),
            divergence("seed", "regression", None),
        ]});
        let search = search(&summary, 120);
        assert_eq!((search.visible, search.silent, search.untold), (2, 1, 2));
        assert_eq!(search.only_engine, 2);
        assert_eq!((search.reached, search.changes), (1, 2));
        assert_eq!((search.share, search.wall_s), (0.25, 31.0));
        assert_eq!(first_phase(&summary, is_seen).unwrap(), Some(Phase::Concolic));
        assert_eq!(first_phase(&summary, |_| false).unwrap(), None);
    }

    #[test]
    fn a_replay_of_which_cases_are_missing_shows_nothing() {
        let replayed = |impossible: Value| json!({"comparisons": [{"impossible": impossible, "classes": {"same": 1, "flaky": 1}}]});
        assert!(!shown(&replayed(json!([]))).unwrap().differs());
        assert!(shown(&replayed(json!([{"case": "a", "reason": "damaged"}]))).is_err());
    }

    #[test]
    fn a_case_differs_if_its_cluster_is_visible() {
        let cluster = |class: &str, case: &str| json!({"class": class, "cases": [case]});
        let clusters = [cluster("regression", "a"), cluster("flaky", "b")];
        let replayed = json!({"comparisons": [{"classes": {"regression": 1, "flaky": 1}, "clusters": clusters}]});
        assert!(shown(&replayed).unwrap().differs());
        assert_eq!(differing(&replayed), BTreeSet::from(["a"]));
    }

    #[test]
    fn a_program_that_was_not_compared_is_an_error() {
        let diffed = json!({"programs": [
            {"path": "a", "outcome": "compared", "summary": {"wall_s": 1}},
            {"path": "b", "outcome": "same"},
            {"path": "c", "outcome": "failed", "reason": "no main"},
        ]});
        assert_eq!(compared(&diffed, "a").unwrap()["wall_s"], 1);
        for (program, message) in [("b", "is the same"), ("c", "no main"), ("d", "not compared")] {
            let error = compared(&diffed, program).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
