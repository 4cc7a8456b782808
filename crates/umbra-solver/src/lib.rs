//! From questions about expressions to answers that were checked.

mod sat;

pub use sat::{
    Answer, Budget, Dimacs, DimacsError, Exhausted, Literal, Sat, SatStatistics, Variable,
};
