//! Two versions of a program become one program.
//!
//! [`unify`] pairs what belongs together (the [`Correspondence`], the primary data), builds one
//! two-version program from it, and proves that this program, resolved to either version, is that version: a unification
//! that is not is an error, never a wrong answer.
//!
//! - Files, then functions and globals are paired: by debug identity, content, similarity.
//! - Functions that are equal in normal form are shared. In the others instructions are aligned, and
//!   merged bodies are made: operands that differ become [`Change`], code of one version is entered through
//!   [`Version`] branches, and values are put into SSA form again.
//! - Globals are one object with two first contents and two sizes.
//!
//! **Invariant:** any alignment gives a correct program. A bad one costs lockstep: the versions run
//! apart where they could run together.
//!
//! Knows nothing of strategies or execution, and reads no files: source text comes through a function.
//!
//! [`Change`]: umbra_ir::Operation::Change
//! [`Version`]: umbra_ir::Terminator::Version

mod align;
mod check;
mod code;
mod correspondence;
mod explain;
mod files;
mod keys;
mod lines;
mod merge;
mod normal;
mod number;
mod pair;
mod related;
mod statistics;
mod unify;

pub use check::Mismatch;
pub use code::instructions;
pub use correspondence::{
    Alignment, Basis, Correspondence, FunctionPair, GlobalPair, InstructionPair, Noise, Place,
    Relation, Strength,
};
pub use explain::{
    ChangedType, Difference, DifferenceKind, Explained, Explanation, Mark, Row, SourceLine, explain,
};
pub use lines::{FileEdits, ReadSource};
pub use statistics::{FunctionStatistics, Statistics};
pub use umbra_words::Version;
pub use unify::{Error, Unified, unify, unify_any};
