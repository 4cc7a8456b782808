//! `umbra record --json`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::line;

/// What a recording came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RecordReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Seconds of the command and of making cases.
    pub wall_s: f64,
    /// Seconds of the command alone.
    pub command_s: f64,
    /// The exit status of the command.
    pub status: i32,
    /// Invocations that were seen.
    pub invocations: u64,
    /// Those that are cases.
    pub recorded: u64,
    /// Different cases.
    pub cases: u64,
    /// Recorded invocations by program.
    pub programs: BTreeMap<String, u64>,
    /// Invocations that are no cases, by reason.
    pub incomplete: BTreeMap<String, u64>,
    /// An example for each reason.
    pub examples: BTreeMap<String, String>,
    /// Cases with something to know about them, by what it is.
    pub notes: BTreeMap<String, u64>,
    /// Variables whose values were not stored, with how often they were set.
    pub dropped_variables: BTreeMap<String, u64>,
    /// Tracers that were killed.
    pub killed_tracers: u64,
    /// Tracers that still ran at the end.
    pub running_tracers: u64,
    /// The processes that the command was stuck at.
    pub stuck: Vec<String>,
    /// Recordings that were damaged.
    pub damaged: u64,
    /// Programs that were built anew during the run.
    pub lost_shims: Vec<String>,
}

/// A report with the keys of the time when tracers were called watchers: keys do not go away.
#[derive(Serialize)]
struct RecordObject<'a> {
    #[serde(flatten)]
    report: &'a RecordReport,
    killed_watchers: u64,
    running_watchers: u64,
}

impl RecordReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let object = RecordObject {
            report: self,
            killed_watchers: self.killed_tracers,
            running_watchers: self.running_tracers,
        };
        line("record", self.exit, &object)
    }
}
