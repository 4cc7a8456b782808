//! `umbra replay --json`, on one version and on two.

use std::collections::BTreeMap;

use serde::Serialize;
use umbra_words::{Class, Version};

use super::line;
use crate::DifferenceLine;

/// What the limit on the memory of a run covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryLine {
    /// The limit.
    pub mib: u64,
    /// Who counts.
    pub counted_by: String,
    /// What is counted, in words.
    pub covers: String,
}

/// Cases on one version.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PredictionReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Cases.
    pub cases: usize,
    /// Cases that did something else than predicted.
    pub unlike_prediction: u64,
    /// Cases that cannot be run.
    pub impossible: usize,
    /// What the limit on memory covers.
    pub memory_limit: MemoryLine,
    /// Each case, those that cannot be run last.
    pub runs: Vec<PredictionLine>,
}

/// One case on one version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PredictionLine {
    /// What the user may call it.
    pub case: String,
    /// How it ended, in words; `None` if it cannot be run.
    pub end: Option<String>,
    /// Whether it did as predicted.
    pub as_predicted: Option<bool>,
    /// Why it cannot be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impossible: Option<String>,
}

/// Cases on two versions, for each pair of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Cases.
    pub cases: usize,
    /// What the limit on memory covers.
    pub memory_limit: MemoryLine,
    /// Each pair of versions.
    pub comparisons: Vec<ComparisonLine>,
}

/// What came out for one pair of versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ComparisonLine {
    /// What the new version is called.
    pub version: String,
    /// Cases by class.
    pub classes: BTreeMap<Class, usize>,
    /// Cases of programs that one of the versions does not have.
    pub without_program: usize,
    /// Cases that cannot be run.
    pub impossible: Vec<ImpossibleLine>,
    /// Cases that were not run before the user had enough.
    pub not_run: usize,
    /// How many changed lines have code in the programs that cases are for, if the sources are known.
    pub changed_lines: Option<usize>,
    /// Those of them that a case has run.
    pub changed_lines_run: Option<usize>,
    /// Programs whose changed lines are not known, and why.
    pub without_places: BTreeMap<String, String>,
    /// What the cases show, what matters most first.
    pub clusters: Vec<ClusterLine>,
}

/// A case that cannot be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImpossibleLine {
    /// What the user may call it.
    pub case: String,
    /// Why.
    pub reason: String,
}

/// Cases that show the same thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClusterLine {
    /// The class.
    pub class: Class,
    /// The program.
    pub program: String,
    /// Where the error is, or else the changed line that explains the difference.
    pub place: Option<String>,
    /// Whether a changed line was run, if that is known.
    pub changed_line_ran: Option<bool>,
    /// The changed line.
    #[serde(flatten)]
    pub line: PlaceLine,
    /// The innermost functions of the error's stack.
    pub stack: Vec<String>,
    /// The identities of all cases, the smallest first.
    pub cases: Vec<String>,
    /// The case to look at.
    pub example: String,
    /// What differs there.
    pub differences: Vec<DifferenceLine>,
}

/// The changed line that explains a difference, if one does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlaceLine {
    /// Its function.
    pub function: Option<String>,
    /// The version whose line it is.
    #[serde(rename = "place_version")]
    pub version: Option<Version>,
    /// Cases that run it and differ.
    #[serde(rename = "place_differing")]
    pub differing: Option<u64>,
    /// Cases that run it and behave the same.
    #[serde(rename = "place_same")]
    pub same: Option<u64>,
}

impl PredictionReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line("replay", self.exit, self)
    }
}

impl ComparisonReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line("replay", self.exit, self)
    }
}
