//! The results of a run, and the forms they are shown in.
//!
//! What happened comes in as plain values: a [`RunSummary`], [`Findings`], [`Sample`]s over time and
//! the [`LineCoverage`]. Out come one JSON object, one screen of text, a line of progress, and a
//! [`RunFolder`] with the test cases.
//!
//! **Invariant:** knows nothing of the engine, the terminal or the clock: width, colours and times
//! are passed in. Equal values give equal text.

mod coverage;
mod findings;
mod sample;
mod summary;

pub use coverage::{LineCounts, LineCoverage, tracefile};
pub use findings::{Finding, Findings, Keep, Place, Seen};
pub use sample::Sample;
pub use summary::{Paths, Phase, RunSummary, Search, SolverLayer, SolverUse, Usage};
