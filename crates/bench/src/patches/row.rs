//! A program of a patch, and what came of it.

use std::collections::BTreeSet;

use serde_json::Value;

/// A program of a patch.
pub struct Row {
    pub package: String,
    pub tag: String,
    /// What the patch is called.
    pub name: String,
    pub program: String,
    /// The object of `umbra diff --json` for this program.
    pub summary: Value,
    /// The tests, by the first digits of their names, on which the two versions differ natively.
    pub differing: BTreeSet<String>,
}

impl Row {
    pub fn unification(&self, key: &str) -> u64 {
        self.summary["unification"][key].as_u64().unwrap_or(0)
    }

    /// What was counted on the paths of the tests themselves.
    pub fn lockstep(&self, key: &str) -> u64 {
        self.summary["lockstep"]["tests"][key].as_u64().unwrap_or(0)
    }

    pub fn share(&self) -> f64 {
        self.summary["lockstep"]["tests"]["share"].as_f64().unwrap_or(0.0)
    }

    /// How often the versions ran one after the other on them.
    pub fn apart(&self) -> u64 {
        let places = self.summary["lockstep"]["tests"]["apart"].as_array().into_iter().flatten();
        places.filter_map(|place| place["count"].as_u64()).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.summary["unification"]["seconds"].as_f64().unwrap_or(0.0)
    }

    /// Tests that were followed.
    pub fn runs(&self) -> u64 {
        self.summary["seeds"]["followed"].as_u64().unwrap_or(0)
    }

    /// Tests on whose own path the versions part: those on which they also differ natively, and those on which they do not.
    pub fn partings(&self) -> (u64, u64) {
        let (mut real, mut spurious) = (0, 0);
        for test in self.summary["seeds"]["parted"].as_array().into_iter().flatten() {
            let name = test.as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
            match self.differing.contains(name) {
                true => real += 1,
                false => spurious += 1,
            }
        }
        (real, spurious)
    }

    /// Places near the tests where something was found that can be seen natively.
    pub fn found(&self) -> usize {
        let lines = self.summary["divergences"].as_array().into_iter().flatten();
        let seen =
            |line: &&Value| !matches!(line["native"].as_str(), None | Some("same" | "flaky"));
        lines.filter(|line| line["phase"] != "seed").filter(seen).count()
    }
}

/// Digits of a recording's name in its path.
const DIGITS: usize = 12;

/// The tests on which two versions of a program differ, of the object of `umbra replay --json`.
pub fn differing(replayed: &Value, program: &str) -> BTreeSet<String> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let clusters = replayed["comparisons"][0]["clusters"].as_array().into_iter().flatten();
    let clusters = clusters.filter(|cluster| {
        cluster["program"] == name && !matches!(cluster["class"].as_str(), Some("same" | "flaky"))
    });
    let tests = clusters.flat_map(|cluster| cluster["cases"].as_array().into_iter().flatten());
    tests.filter_map(Value::as_str).map(|test| test.chars().take(DIGITS).collect()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_test_that_parts_and_shows_nothing_is_spurious() {
        let cluster = |class: &str, program: &str, cases: &[&str]| json!({"class": class, "program": program, "cases": cases});
        let replayed = json!({"comparisons": [{"clusters": [
            cluster("output-difference", "diff", &["aaaaaaaaaaaa1111"]),
            cluster("flaky", "diff", &["bbbbbbbbbbbb1111"]),
            cluster("output-difference", "cmp", &["cccccccccccc1111"]),
        ]}]});
        let parted = ["r/aaaaaaaaaaaa", "r/bbbbbbbbbbbb", "r/cccccccccccc"];
        let row = Row {
            package: String::new(),
            tag: String::new(),
            name: String::new(),
            program: "src/diff".to_owned(),
            summary: json!({"seeds": {"parted": parted}}),
            differing: differing(&replayed, "src/diff"),
        };
        assert_eq!(row.partings(), (1, 2));
    }
}
