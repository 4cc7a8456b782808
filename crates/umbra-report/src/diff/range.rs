//! The result of comparing all programs of two revisions.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use umbra_text::Show;

use super::json::DiffObject;
use super::{DiffSummary, Look};

/// What the comparison of two revisions came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeSummary {
    /// The exit code.
    pub exit: u8,
    /// What the old revision is called.
    pub old: String,
    /// What the new revision is called.
    pub new: String,
    /// The programs, in order of their paths.
    pub programs: Vec<ComparedProgram>,
    /// Seconds from start to end, builds included.
    pub wall_s: f64,
}

/// A program of two revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedProgram {
    /// Its path in the built tree.
    pub path: String,
    /// What became of it.
    pub outcome: ProgramOutcome,
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ProgramOutcome {
    /// It is the same in both revisions, but for what means nothing.
    Same(Option<String>),
    /// It was compared.
    Compared(Box<DiffSummary>),
    /// It was not compared: why.
    LeftOut(String),
    /// Comparing it failed: why.
    Failed(String),
}

impl ProgramOutcome {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same(_) => "same",
            Self::Compared(_) => "compared",
            Self::LeftOut(_) => "left-out",
            Self::Failed(_) => "failed",
        }
    }
}

#[derive(Serialize)]
struct RangeObject<'a> {
    schema: &'static str,
    command: &'static str,
    exit: u8,
    old: &'a str,
    new: &'a str,
    programs: Vec<ProgramObject<'a>>,
    wall_s: f64,
}

#[derive(Serialize)]
struct ProgramObject<'a> {
    path: &'a str,
    outcome: &'static str,
    reason: Option<&'a str>,
    summary: Option<DiffObject<'a>>,
}

impl RangeSummary {
    /// The summary as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let programs = self.programs.iter().map(|program| {
            let (reason, summary) = match &program.outcome {
                ProgramOutcome::Same(ignored) => (ignored.as_deref(), None),
                ProgramOutcome::Compared(summary) => (None, Some(summary.object())),
                ProgramOutcome::LeftOut(reason) | ProgramOutcome::Failed(reason) => {
                    (Some(&**reason), None)
                }
            };
            ProgramObject { path: &program.path, outcome: program.outcome.name(), reason, summary }
        });
        let object = RangeObject {
            schema: "umbra/1",
            command: "diff",
            exit: self.exit,
            old: &self.old,
            new: &self.new,
            programs: programs.collect(),
            wall_s: self.wall_s,
        };
        // Plain numbers, strings and lists: this cannot fail.
        serde_json::to_string(&object).expect("plain data is JSON")
    }

    /// How many programs came to what, in one line.
    pub fn count_text(&self) -> String {
        let count = |name: &str| {
            self.programs.iter().filter(|program| program.outcome.name() == name).count()
        };
        let mut text = format!(
            "{} against {}: {} programs, {} the same, {} compared",
            self.new.shown(),
            self.old.shown(),
            self.programs.len(),
            count("same"),
            count("compared")
        );
        for (name, words) in [("left-out", "left out"), ("failed", "failed")] {
            if count(name) > 0 {
                // Writing to a string cannot fail.
                let _ = write!(text, ", {} {words}", count(name));
            }
        }
        text
    }
}

impl ComparedProgram {
    /// What became of it, for people; nothing if it is exactly the same.
    pub fn to_text(&self, look: Look) -> String {
        let path = self.path.shown();
        match &self.outcome {
            ProgramOutcome::Same(None) => String::new(),
            ProgramOutcome::Same(Some(ignored)) => {
                format!("{path}: the same but for {}\n", ignored.shown())
            }
            ProgramOutcome::Compared(summary) => format!("{path}\n{}\n", summary.to_text_in(look)),
            ProgramOutcome::LeftOut(reason) => format!("{path}: left out: {}\n", reason.shown()),
            ProgramOutcome::Failed(reason) => format!("{path}: failed: {}\n", reason.shown()),
        }
    }
}
