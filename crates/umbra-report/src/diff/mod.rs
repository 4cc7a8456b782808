//! The result of comparing two versions: the object of `umbra diff --json`, and a screen of text.

mod json;
mod path;
mod range;
mod text;

use std::collections::BTreeMap;

pub use path::{PathLine, PathLines, PathWay};
pub use range::{ComparedProgram, ProgramOutcome, RangeSummary};
use serde::{Deserialize, Serialize};
pub use text::Look;
use umbra_text::Show;
use umbra_words::{Class, Kind, Phase, Place};

use crate::CheckFinding;
use crate::numbers::times;
use crate::summary::Undefined;

/// What the comparison of two versions came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiffSummary {
    /// The exit code.
    pub exit: u8,
    /// All paths were to be followed, not only those near a test.
    pub all_paths: bool,
    /// Paths on which the versions did the same.
    pub same: u64,
    /// Paths on which they parted, or left different things behind.
    pub diff: u64,
    /// Paths that were not followed to their end.
    pub cut: u64,
    /// Pairs of paths, one of each version, behind a split.
    pub pairs: PairCounts,
    /// A number for the set of all paths that ended; equal sets have equal numbers.
    pub path_set: u64,
    /// Places from which the versions can only do the same, and which were not followed further.
    pub pruned: u64,
    /// Limits that were reached, and other reasons why something was left out.
    pub left_out: BTreeMap<String, u64>,
    /// What the program did, in either version, that has no meaning in C and no machine stops at.
    pub undefined: Vec<Undefined>,
    /// What the answer holds for: the inputs that were symbolic, the function, the depth.
    pub bounds: Vec<String>,
    /// Where the versions part, each place once for each thing that native runs showed. Those that
    /// matter most come first.
    pub divergences: Vec<DivergenceLine>,
    /// The changes of the program, and what became of them.
    pub changes: Vec<ChangeLine>,
    /// The tests that were followed, and those that were not.
    pub seeds: SeedCounts,
    /// What was run natively.
    pub replay: ReplayCounts,
    /// What the versions did together, and what alone.
    pub lockstep: LockstepCounts,
    /// What making one program of two came to, where there were two.
    pub unification: Option<UnificationCounts>,
    /// Instructions on all paths.
    pub instructions: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Seconds in the solver.
    pub solver_s: f64,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Seconds of exploration.
    pub execute_s: f64,
    /// Seconds of native runs.
    pub replay_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// The largest resident size.
    pub peak_mib: f64,
}

/// What making one program of two came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnificationCounts {
    /// Functions that are the same.
    pub shared: u64,
    /// Functions that differ.
    pub changed: u64,
    /// Those of them without an edited line.
    pub rippled: u64,
    /// Those of them that are kept as two copies.
    pub two_copies: u64,
    /// Functions of the new version alone.
    pub added: u64,
    /// Functions of the old version alone.
    pub removed: u64,
    /// Globals whose size or first contents differ.
    pub globals: u64,
    /// Operands that became changes.
    pub changes: u64,
    /// Places where the versions go their own ways.
    pub version_branches: u64,
    /// Differences that were taken to mean nothing.
    pub ignored: Vec<Ignored>,
    /// Seconds that it took, proof included.
    pub seconds: f64,
}

/// Differences of one kind that were taken to mean nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ignored {
    /// What they are.
    pub what: String,
    /// How many.
    pub count: u64,
}

impl std::fmt::Display for Ignored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.what.shown(), times(self.count))
    }
}

/// What two versions did together, and what alone. Instructions behind a divergence are apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LockstepCounts {
    /// Instructions of both at once.
    pub both: u64,
    /// Instructions of the old version alone.
    pub old: u64,
    /// Instructions of the new version alone.
    pub new: u64,
    /// Instructions of either behind a divergence.
    pub behind: u64,
    /// The share of those before any divergence that both did at once.
    pub share: f64,
    /// How often they were run one after the other.
    pub partings: u64,
    /// Pairs of values that were dropped because they are equal on every input of the path.
    pub settled: u64,
    /// Where they took different ways that led to the same place, and how often.
    pub forgotten: Vec<(Place, u64)>,
    /// These places are to be listed in the text.
    pub listed: bool,
    /// The same on the paths of the tests themselves.
    pub tests: TestsTogether,
}

/// What two versions did together on the paths of the tests, without inputs beside them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestsTogether {
    /// Instructions of both at once.
    pub both: u64,
    /// Instructions of the old version alone.
    pub old: u64,
    /// Instructions of the new version alone.
    pub new: u64,
    /// The share of those before any divergence that both did at once.
    pub share: f64,
    /// Where they were run one after the other, in the order of the code.
    pub apart: Vec<ApartLine>,
}

/// A place where the versions were run one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApartLine {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// How often.
    pub count: u64,
    /// Instructions of the version that took more of them.
    pub instructions: u64,
}

/// Pairs of paths behind a split: one of the new version and, under its condition, one of the old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// On which they leave the same behind.
    pub same: u64,
    /// On some inputs of which they do not.
    pub diff: u64,
    /// That were not compared: the old version was not followed to its end, or there was no answer.
    pub cut: u64,
}

/// The tests to start from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedCounts {
    /// How many there were.
    pub given: u64,
    /// Those that were for other programs.
    pub other_programs: u64,
    /// Those that were followed.
    pub followed: u64,
    /// Tests that were made of them by giving them another shape, and followed.
    pub shapes: u64,
    /// Tests in other shapes that ran natively.
    #[serde(default)]
    pub tried: u64,
    /// Those that were chosen and not followed, since time was up.
    pub out_of_time: u64,
    /// How they were chosen, in words.
    pub choice: String,
    /// Those on whose own path the versions part.
    pub parted: Vec<String>,
}

/// Test cases and native runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayCounts {
    /// Test cases that ran on both versions.
    pub replayed: u64,
    /// Test cases that did not.
    pub not_replayed: u64,
    /// Why not.
    pub reason: Option<String>,
}

/// A place where the versions part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DivergenceLine {
    /// What differs.
    pub kind: Kind,
    /// The branch; for data the change that the difference comes from, as far as it is known.
    pub place: Place,
    /// What is predicted from both versions; `same` where no input of the path makes a difference,
    /// `to-judge` where not all is known.
    pub class: Class,
    /// Why they part, or what differs.
    pub detail: String,
    /// In which phase it was found.
    pub phase: Phase,
    /// The changes that flow into it.
    pub changes: Vec<Place>,
    /// The call stack at the place, the innermost call first.
    pub stack: Vec<String>,
    /// The path that leads there, on the input of `case`.
    pub path: PathLines,
    /// How many paths show it; of several lines for one place the first has them all.
    pub count: u64,
    /// The smallest test case that does, relative to the folder of the run.
    pub case: Option<String>,
    /// Other test cases that do.
    pub more_cases: Vec<String>,
    /// What both versions do natively on them.
    pub native: NativeLine,
    /// What native runs of `case` show, if they show something.
    #[serde(default)]
    pub finding: Option<Box<CheckFinding>>,
    /// The call inside the program that the case is an input of, as C, where it is one.
    #[serde(default)]
    pub call: Option<String>,
}

/// What native runs of both versions came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NativeLine {
    /// There were none.
    #[default]
    NotRun,
    /// They do not tell: why.
    NoAnswer(String),
    /// They were judged.
    Judged {
        /// The class; `same` if there is no visible effect.
        class: Class,
        /// What differs.
        differences: Vec<DifferenceLine>,
    },
}

/// A difference between native runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceLine {
    /// The channel: `end`, `stdout` and so on.
    pub channel: String,
    /// Where in it.
    #[serde(rename = "where")]
    pub place: String,
    /// What was there in the old version.
    pub old: String,
    /// What is there in the new version.
    pub new: String,
}

/// What became of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeLine {
    /// Where it is.
    pub place: Place,
    /// It ran.
    pub reached: bool,
    /// The tests that reach it, by what they are called.
    pub tests: Vec<String>,
    /// It made a value that differs between the versions.
    pub paired: bool,
    /// It flows into a divergence.
    pub diverged: bool,
}

impl DiffSummary {
    /// Whether nothing was cut or left out.
    pub fn is_complete(&self) -> bool {
        self.all_paths && self.cut == 0 && self.pairs.cut == 0 && self.left_out.is_empty()
    }

    /// Whether something was not followed to its end.
    pub fn is_open(&self) -> bool {
        self.cut > 0 || self.pairs.cut > 0 || !self.left_out.is_empty()
    }

    /// Whether the versions leave the same behind on all inputs within the bounds, be it on other ways.
    pub fn has_same_outputs(&self) -> bool {
        self.is_complete() && self.divergences.iter().all(|line| line.class == Class::Same)
    }

    /// Whether the versions do the same on all inputs within the bounds.
    pub fn is_equivalent(&self) -> bool {
        self.is_complete() && self.divergences.is_empty()
    }
}

impl DivergenceLine {
    /// Whether native runs confirm that the new version fails, or the old one, as predicted; where
    /// neither is predicted, whether they show any difference.
    pub fn is_confirmed(&self) -> bool {
        match &self.native {
            NativeLine::Judged { class, .. } if self.class == Class::ToJudge => !class.is_silent(),
            NativeLine::Judged { class, .. } => *class == self.class,
            NativeLine::NotRun | NativeLine::NoAnswer(_) => false,
        }
    }

    /// Whether there is nothing to see: native runs show nothing, and nothing is predicted that they need
    /// not show; or that there is nothing was proved, and they do not show the contrary.
    ///
    /// An error that is predicted may well exist: a read out of bounds is often silent.
    pub fn is_folded(&self) -> bool {
        match &self.native {
            NativeLine::Judged { class, .. } => {
                class.is_silent() && self.class != Class::Regression
            }
            NativeLine::NotRun | NativeLine::NoAnswer(_) => self.is_proved_silent(),
        }
    }

    /// Whether no input of its paths makes a difference that can be seen.
    pub fn is_proved_silent(&self) -> bool {
        self.class == Class::Same
    }
}

fn place_text(place: &Place) -> String {
    match (place.file.as_str(), place.line) {
        ("", _) => "an unknown place".to_owned(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}
