//! The objects of `--json` that say no more than a command has done; docs/json.md has their keys.
//!
//! A command fills in one of these types and prints what `to_json` gives. `umbra run` and `umbra
//! diff` have summaries of their own, with texts for people beside them.

mod build;
mod concrete;
mod doctor;
mod failure;
mod record;
mod replay;

pub use build::{BuildLine, BuildReport, ProgramLine};
pub use concrete::{ConcretePath, ConcreteSummary};
pub use doctor::{CheckLine, DoctorReport};
pub use failure::FailureReport;
pub use record::RecordReport;
pub use replay::{
    ClusterLine, ComparisonLine, ComparisonReport, ImpossibleLine, MemoryLine, PlaceLine,
    PredictionLine, PredictionReport,
};

use serde::Serialize;

/// What every object begins with.
#[derive(Serialize)]
struct Envelope<'a, T> {
    schema: &'static str,
    command: &'a str,
    exit: u8,
    #[serde(flatten)]
    body: &'a T,
}

/// An object as one line of JSON, without a newline. Keys are in the order of the alphabet.
pub(crate) fn line(command: &str, exit: u8, body: &impl Serialize) -> String {
    let object = Envelope { schema: "umbra/1", command, exit, body };
    // Plain numbers, strings and lists: this cannot fail.
    serde_json::to_value(object).expect("plain data is JSON").to_string()
}
