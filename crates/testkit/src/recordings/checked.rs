//! What came out, and which share of a suite's invocations was not checked.

use std::collections::BTreeMap;

use serde_json::Value;
use umbra_case::Case;

/// So many cases, which stand for so many invocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Different cases.
    pub cases: u64,
    /// How often the suite ran them.
    pub invocations: u64,
}

impl Count {
    /// One more case.
    pub fn add(&mut self, case: &Case) {
        let occurrences = case.origin.get("occurrences").and_then(|text| text.parse().ok());
        self.cases += 1;
        self.invocations += occurrences.unwrap_or(1);
    }
}

/// What came out for the recordings of one store.
#[derive(Debug, Default)]
pub struct Checked {
    /// The engine did what the native program did.
    pub agreed: Count,
    /// Left out, by reason.
    pub excluded: BTreeMap<String, Count>,
    /// The engine did something else.
    pub disagreed: Count,
    /// What it did.
    pub problems: Vec<String>,
    /// What a native run of those that are unlike their recording did.
    pub unlike_recording: Vec<String>,
    /// Every case that was left out or is wrong, with the reason and what differed.
    pub left_out: Vec<String>,
}

impl Checked {
    /// Leaves a case out, in which something may have differed.
    pub fn exclude(&mut self, case: &Case, why: &str, problems: &[String]) {
        self.left_out.push(format!("{why}: {}: {}", super::shown(case), problems.join("; ")));
        self.excluded.entry(why.to_owned()).or_default().add(case);
    }

    /// The engine does something else than the native program; with an excuse the case is left out.
    pub fn disagree_unless(&mut self, excuse: Option<&str>, case: &Case, problems: &[String]) {
        if let Some(why) = excuse {
            return self.exclude(case, why, problems);
        }
        self.disagreed.add(case);
        let problem = format!("{}: {}", super::shown(case), problems.join("; "));
        self.left_out.push(format!("the engine is wrong: {problem}"));
        self.problems.push(problem);
    }

    /// All cases that were looked at.
    pub fn cases(&self) -> u64 {
        let excluded: u64 = self.excluded.values().map(|count| count.cases).sum();
        self.agreed.cases + self.disagreed.cases + excluded
    }

    /// The share of invocations that was not checked: those that are no cases, and those left out.
    /// If only some cases were looked at, they stand for all.
    pub fn unchecked(&self, suite: &Suite) -> Share {
        let excluded: u64 = self.excluded.values().map(|count| count.invocations).sum();
        let looked_at = self.agreed.invocations + self.disagreed.invocations + excluded;
        let excluded = excluded as f64 / looked_at.max(1) as f64;
        let lost = suite.lost.values().sum::<u64>() as f64;
        let recorded = suite.recorded as f64;
        Share { part: lost + recorded * excluded, whole: recorded + lost }
    }
}

/// So many invocations of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Those in question; an estimate if not all were looked at.
    pub part: f64,
    /// All.
    pub whole: f64,
}

impl Share {
    /// In percent.
    pub fn percent(self) -> f64 {
        100.0 * self.part / self.whole.max(1.0)
    }
}

impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.part += other.part;
        self.whole += other.whole;
    }
}

/// What a suite's recording says of its invocations.
#[derive(Debug, Default)]
pub struct Suite {
    /// Those that became cases.
    pub recorded: u64,
    /// Those that did not, by reason.
    pub lost: BTreeMap<String, u64>,
}

impl Suite {
    /// From the object of `umbra record --json`.
    pub fn of(object: &Value) -> Self {
        let number = |key: &str| object[key].as_u64().unwrap_or(0);
        let mut lost = BTreeMap::new();
        for (reason, count) in object["incomplete"].as_object().into_iter().flatten() {
            lost.insert(reason.clone(), count.as_u64().unwrap_or(0));
        }
        for key in ["killed_watchers", "running_watchers", "damaged"] {
            if number(key) > 0 {
                lost.insert(key.to_owned(), number(key));
            }
        }
        Self { recorded: number("recorded"), lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_not_checked_counts() {
        let count = |cases, invocations| Count { cases, invocations };
        let suite = Suite::of(&serde_json::json!({
            "recorded": 80, "incomplete": { "inexpressible": 15 }, "killed_watchers": 5,
        }));
        let mut checked = Checked { agreed: count(10, 30), ..Checked::default() };
        assert_eq!(checked.unchecked(&suite), Share { part: 20.0, whole: 100.0 });
        // A quarter of those that were looked at, so a quarter of 80.
        checked.excluded.insert("spawns".to_owned(), count(1, 10));
        let mut share = checked.unchecked(&suite);
        assert_eq!((share.percent(), checked.cases()), (40.0, 11));
        share += Share { part: 0.0, whole: 300.0 };
        assert_eq!(share.percent(), 10.0);
    }
}
