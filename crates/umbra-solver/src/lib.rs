//! From questions about expressions to answers that were checked.

mod bitblast;
mod blast;
mod graph;
mod query;
mod sat;
mod z3;

pub use bitblast::{BitBlaster, BlastStatistics};
pub use query::{Core, Error, LayerStatistics, Limits, Model, Query, Reason, Solver, Verdict};
pub use sat::{
    Answer, Budget, Dimacs, DimacsError, Exhausted, Literal, Sat, SatStatistics, Variable,
};
pub use z3::Z3;
