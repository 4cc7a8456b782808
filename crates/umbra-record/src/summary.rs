//! What came out of a recording.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use umbra_case::CaseId;

/// The numbers of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The status of the command, 128 + N for signal N.
    pub status: i32,
    /// Invocations of programs of interest.
    pub invocations: u64,
    /// Those that became cases.
    pub recorded: u64,
    /// The cases, each with the number of its occurrences.
    pub cases: BTreeMap<CaseId, u64>,
    /// Invocations by the path of the program.
    pub by_program: BTreeMap<PathBuf, u64>,
    /// Invocations that are no cases, by the reason's name.
    pub incomplete: BTreeMap<&'static str, u64>,
    /// The first invocation of each such reason: command line, folder and test.
    pub examples: BTreeMap<&'static str, String>,
    /// Invocations by what may make them behave differently elsewhere.
    pub notes: BTreeMap<&'static str, u64>,
    /// Names of variables that were not stored, with the number of invocations that had them.
    pub dropped_variables: BTreeMap<String, u64>,
    /// Tracers that were killed: the invocations that they watched are missing.
    pub killed_tracers: u64,
    /// Tracers that still ran when patience had ended.
    pub running_tracers: u64,
    /// The processes at which the command was stuck when it was ended for its silence, in words.
    pub stuck: Vec<String>,
    /// Whether the command was ended because enough was seen of it.
    pub sampled: bool,
    /// Cases of an earlier recording of the suite that are gone.
    pub replaced: usize,
    /// Raw recordings that could not be read.
    pub damaged: u64,
    /// Programs whose shim was gone at the end.
    pub lost_shims: Vec<PathBuf>,
    /// How long the command took.
    pub command_time: Duration,
    /// How long making cases took afterwards.
    pub conversion_time: Duration,
}

impl Summary {
    /// Number of different cases.
    pub fn unique(&self) -> usize {
        self.cases.len()
    }
}
