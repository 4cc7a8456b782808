//! What came out, and which share of a suite's invocations was not checked.

use std::collections::BTreeMap;

use serde_json::Value;
use umbra_case::Case;

/// So many cases, which stand for about so many invocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Different cases.
    pub cases: u64,
    /// How often the suite ran them, and those that they stand for.
    pub invocations: u64,
}

/// How often the suite ran a case.
pub fn occurrences(case: &Case) -> u64 {
    case.origin.get("occurrences").and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Which cases of a suite are looked at: all that occur often, and of the others one in so many, which
/// stands for them. (If all were drawn alike, one that occurs a thousand times would make the result.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample(pub u64);

impl Default for Sample {
    fn default() -> Self {
        Self(1)
    }
}

impl Sample {
    /// Whether the case with this place among all is looked at.
    pub fn has(self, place: usize, case: &Case) -> bool {
        occurrences(case) >= self.0 || (place as u64).is_multiple_of(self.0)
    }

    /// The invocations that a case of the sample stands for.
    fn invocations(self, case: &Case) -> u64 {
        match occurrences(case) {
            often if often >= self.0 => often,
            seldom => seldom * self.0,
        }
    }
}

impl Count {
    fn add(&mut self, sample: Sample, case: &Case) {
        self.cases += 1;
        self.invocations += sample.invocations(case);
    }
}

/// What came out for the recordings of one store.
#[derive(Debug, Default)]
pub struct Checked {
    /// What was looked at.
    pub sample: Sample,
    /// The engine did what the native program did.
    pub agreed: Count,
    /// Those of them of which something differs from one native run to the next, as the time, and was
    /// not compared.
    pub by_chance: Count,
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
    /// Nothing so far, of a sample.
    pub fn of(sample: Sample) -> Self {
        Self { sample, ..Self::default() }
    }

    /// The engine does what the native program does.
    pub fn agree(&mut self, case: &Case) {
        self.agreed.add(self.sample, case);
    }

    /// The engine does what the native program does whenever it runs.
    pub fn agree_but_for_chance(&mut self, case: &Case) {
        self.agree(case);
        self.by_chance.add(self.sample, case);
    }

    /// Leaves a case out, in which something may have differed.
    pub fn exclude(&mut self, case: &Case, why: &str, problems: &[String]) {
        self.left_out.push(format!("{why}: {}: {}", super::shown(case), problems.join("; ")));
        self.excluded.entry(why.to_owned()).or_default().add(self.sample, case);
    }

    /// The engine does something else than the native program; with an excuse the case is left out.
    pub fn disagree_unless(&mut self, excuse: Option<&str>, case: &Case, problems: &[String]) {
        if let Some(why) = excuse {
            return self.exclude(case, why, problems);
        }
        self.disagreed.add(self.sample, case);
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
        for key in ["killed_tracers", "running_tracers", "damaged"] {
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
    fn those_that_occur_often_stand_for_themselves() {
        let case = |occurrences: u64| {
            let mut case = Case::default();
            case.origin.insert("occurrences".to_owned(), occurrences.to_string());
            case
        };
        let sample = Sample(8);
        assert_eq!((sample.has(8, &case(1)), sample.has(9, &case(1))), (true, false));
        assert!(sample.has(9, &case(1000)));
        let mut count = Count::default();
        [1, 7, 8, 1000].into_iter().for_each(|often| count.add(sample, &case(often)));
        assert_eq!(count, Count { cases: 4, invocations: 8 + 56 + 8 + 1000 });
    }

    #[test]
    fn all_that_is_not_checked_counts() {
        let count = |cases, invocations| Count { cases, invocations };
        let suite = Suite::of(&serde_json::json!({
            "recorded": 80, "incomplete": { "inexpressible": 15 }, "killed_tracers": 5,
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
