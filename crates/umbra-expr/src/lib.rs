//! Expressions: bit-vectors of any width, arrays of bytes, IEEE floats and shadow pairs.
//!
//! An [`Expressions`] table owns all expressions of a worker. Its methods are named after the
//! operations and are the only way to build; they apply rewrite [`Rule`]s, so that what is stored
//! is in normal form and equal expressions have equal [`ExprId`]s. An [`Evaluator`] computes values
//! under an [`Assignment`] of the input bytes.

mod assignment;
mod bits;
mod build;
mod eval;
mod float;
mod fold;
mod id;
mod kind;
mod node;
mod project;
mod rules;
pub mod smt;
mod support;
mod table;
mod walk;

pub use assignment::Assignment;
pub use bits::Bits;
pub use build::FloatClass;
pub use eval::{Evaluator, Run};
pub use id::{ArrayId, ExprId};
pub use kind::{FloatKind, KINDS, Kind, KindInfo};
pub use project::Side;
pub use rules::Rule;
pub use support::SymbolRange;
pub use table::{Array, Expressions, INDEX_WIDTH, Operands};
pub use walk::Importer;
