//! From questions about expressions to answers that were checked.
//!
//! A [`Query`] asks whether constraints and a goal can hold together; the [`Verdict`] is a model, a
//! core of constraints that contradict each other, or unknown. [`chain`] puts the layers together;
//! each is a [`Solver`] that holds the next.
//!
//! Nothing here knows of programs, and nothing prints.

mod bitblast;
mod blast;
mod core;
mod graph;
mod layers;
mod query;
mod record;
mod sat;
mod z3;

pub use bitblast::{BitBlaster, BlastStatistics};
pub use core::minimal_core;
pub use layers::{
    Cache, Config, Fallback, Independence, Log, LogEntry, Models, Recorder, RunLimits, Simplify,
    Validate, chain, folder_recorder,
};
pub use query::{Core, Error, LayerStatistics, Limits, Model, Query, Reason, Solver, Verdict};
pub use record::{RecordedQuery, query_text};
pub use sat::{
    Answer, Budget, Dimacs, DimacsError, Exhausted, Guidance, Literal, Sat, SatStatistics, Variable,
};
pub use z3::Z3;
