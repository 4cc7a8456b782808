//! What came of replaying, as values: nothing that a clock or the host decides is in them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use umbra_compare::ChangedLine;
use umbra_report::{CheckFinding, DifferenceLine};
use umbra_words::{Class, End, Target};

/// What came of a [`crate::ReplayJob`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayResult {
    /// Cases that there were.
    pub cases: usize,
    /// What they did.
    pub shown: Shown,
}

/// What cases did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// On one version: each case, those that cannot be run last.
    Predictions(Vec<Prediction>),
    /// On two, for each pair of them.
    Comparisons(Vec<Comparison>),
}

/// A case on one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// What the user may call the case.
    pub case: String,
    /// What became of it.
    pub run: Predicted,
}

/// What became of a case on one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predicted {
    /// It ran.
    Ended {
        /// How it ended.
        end: End,
        /// What is not as predicted, in words.
        unlike: Option<String>,
    },
    /// It cannot be run, and why.
    Impossible(String),
}

/// Cases on an old and a new version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What the new version is called.
    pub version: String,
    /// Cases by class.
    pub classes: BTreeMap<Class, usize>,
    /// What they show, what matters most first.
    pub clusters: Vec<CaseCluster>,
    /// Cases of programs that one of the versions does not have.
    pub without_program: usize,
    /// The changed lines, if the sources are known.
    pub changed_lines: Option<ChangedLines>,
    /// These lines, and how many cases run each.
    #[serde(default)]
    pub lines: Vec<LineRuns>,
    /// Cases by program.
    #[serde(default)]
    pub programs: BTreeMap<String, CaseCounts>,
    /// Programs whose changed lines are not known, and why.
    pub without_places: BTreeMap<String, String>,
    /// Cases that cannot be run, and why.
    pub impossible: Vec<(String, String)>,
    /// Cases that were not run before the user had enough.
    pub not_run: usize,
}

/// Changed lines that have code, in the programs that cases are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLines {
    /// How many there are.
    pub all: usize,
    /// Those that a case has run.
    pub run: usize,
}

/// A changed line that has code, and the cases that run it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRuns {
    /// The line.
    pub target: Target,
    /// How many cases run it.
    pub cases: u64,
}

/// Cases that are for a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseCounts {
    /// All of them.
    pub all: u64,
    /// Those that run a changed line, in either version.
    pub touching: u64,
}

/// Cases that show the same thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseCluster {
    /// The class.
    pub class: Class,
    /// The program.
    pub program: String,
    /// Where the error is that a sanitizer has reported.
    pub error: Option<String>,
    /// The changed line that explains the difference, where no error does.
    pub line: Option<ChangedLine>,
    /// Whether a changed line was run, if that is known.
    pub changed_line_ran: Option<bool>,
    /// The innermost functions of the error's stack.
    pub stack: Vec<String>,
    /// The identities of all cases, the smallest first.
    pub cases: Vec<String>,
    /// The case to look at.
    pub example: String,
    /// What differs there.
    pub differences: Vec<DifferenceLine>,
    /// What it shows.
    #[serde(default)]
    pub finding: CheckFinding,
}

impl ReplayResult {
    /// Cases of which nothing is known, since they cannot be run.
    pub fn impossible(&self) -> usize {
        match &self.shown {
            Shown::Predictions(all) => all.iter().filter(|case| case.is_impossible()).count(),
            Shown::Comparisons(all) => all.iter().map(|one| one.impossible.len()).sum(),
        }
    }

    /// Whether a case does something that is worth a look.
    pub fn is_finding(&self) -> bool {
        match &self.shown {
            Shown::Predictions(all) => all.iter().any(Prediction::is_unlike),
            Shown::Comparisons(all) => {
                all.iter().flat_map(|one| one.classes.keys()).any(|class| class.is_finding())
            }
        }
    }
}

impl Prediction {
    /// Whether it did something else than predicted.
    pub fn is_unlike(&self) -> bool {
        matches!(self.run, Predicted::Ended { unlike: Some(_), .. })
    }

    fn is_impossible(&self) -> bool {
        matches!(self.run, Predicted::Impossible(_))
    }
}

#[cfg(test)]
mod tests {
    use umbra_words::{Fault, Place, Target, Version};

    use super::*;

    fn comes_back(result: &ReplayResult) {
        let text = serde_json::to_string(result).unwrap();
        assert_eq!(serde_json::from_str::<ReplayResult>(&text).unwrap(), *result, "{text}");
    }

    #[test]
    fn results_on_one_version_come_back_as_they_were() {
        let fault = Fault { kind: "double-free".to_owned(), ..Fault::default() };
        let ends = [
            End::Exited(3),
            End::Killed(11),
            End::Hung,
            End::Error(Box::new(fault)),
            End::Cut { reason: "unsupported".to_owned() },
        ];
        let ended = ends
            .into_iter()
            .zip([None, Some("output is not as predicted".to_owned())].into_iter().cycle());
        let mut all: Vec<Prediction> = ended
            .map(|(end, unlike)| Prediction {
                case: format!("cases/{end}"),
                run: Predicted::Ended { end, unlike },
            })
            .collect();
        let result = |all: &[Prediction]| ReplayResult {
            cases: all.len(),
            shown: Shown::Predictions(all.to_vec()),
        };
        comes_back(&result(&all));
        assert!(result(&all).is_finding() && !result(&all[..1]).is_finding());
        let run = Predicted::Impossible("the tree has no such file".to_owned());
        all.push(Prediction { case: "x\u{fffd}".to_owned(), run });
        comes_back(&result(&all));
        assert_eq!(result(&all).impossible(), 1);
    }

    #[test]
    fn results_on_two_versions_come_back_as_they_were() {
        let target = Target {
            place: Place { file: "src/cut.c".to_owned(), line: 7 },
            function: "main".to_owned(),
            version: Version::Old,
        };
        let cluster = CaseCluster {
            class: Class::Regression,
            program: "cut".to_owned(),
            error: Some("src/cut.c:120".to_owned()),
            line: Some(ChangedLine { target: target.clone(), differing: 3, same: 1 }),
            changed_line_ran: Some(true),
            stack: vec!["f".to_owned(), "main".to_owned()],
            cases: vec!["00ff".to_owned(), "01ff".to_owned()],
            example: "recordings/00ff".to_owned(),
            differences: vec![DifferenceLine {
                channel: "stdout".to_owned(),
                place: "stdout, byte 4".to_owned(),
                old: "\u{1b}[1m".to_owned(),
                new: String::new(),
            }],
            finding: CheckFinding {
                verdict: "cut prints less".to_owned(),
                ..CheckFinding::default()
            },
        };
        let comparison = Comparison {
            version: "HEAD".to_owned(),
            classes: Class::ALL.iter().map(|class| (*class, 2)).collect(),
            clusters: vec![cluster.clone(), CaseCluster { line: None, error: None, ..cluster }],
            without_program: 4,
            changed_lines: Some(ChangedLines { all: 3, run: 2 }),
            lines: vec![LineRuns { target: target.clone(), cases: 5 }],
            programs: [("cut".to_owned(), CaseCounts { all: 6, touching: 5 })].into(),
            without_places: [("cut".to_owned(), "no block counters".to_owned())].into(),
            impossible: vec![("a".to_owned(), "no such folder".to_owned())],
            not_run: 5,
        };
        let shown = Shown::Comparisons(vec![comparison, Comparison::default()]);
        let result = ReplayResult { cases: 9, shown };
        comes_back(&result);
        assert_eq!((result.is_finding(), result.impossible()), (true, 1));
        let empty = Shown::Comparisons(vec![Comparison::default()]);
        assert!(!ReplayResult { cases: 0, shown: empty }.is_finding());
    }
}
