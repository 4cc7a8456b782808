//! From questions about expressions to answers that were checked.

mod graph;
mod sat;

pub use sat::{
    Answer, Budget, Dimacs, DimacsError, Exhausted, Literal, Sat, SatStatistics, Variable,
};
