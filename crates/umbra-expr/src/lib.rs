//! Expressions: bit-vectors of any width, arrays of bytes, IEEE floats and shadow pairs.
//!
//! An [`Expressions`] table owns all expressions of a worker. Its methods are named after the
//! operations and are the only way to build; they apply rewrite [`Rule`]s, so that what is stored
//! is in normal form and equal expressions have equal [`ExprId`]s. An [`Evaluator`] computes values
//! under an [`Assignment`] of the input bytes, [`smt`] prints and reads SMT-LIB text.
//!
//! ```
//! use umbra_expr::{Assignment, Evaluator, Expressions};
//!
//! let mut exprs = Expressions::new();
//! let input = exprs.input("stdin", 16);
//! // c - '0' < 10, as compiled from C
//! let byte = exprs.byte(input, 3);
//! let wide = exprs.zext(byte, 32);
//! let (zero, ten) = (exprs.constant(32, 48), exprs.constant(32, 10));
//! let digit = exprs.sub(wide, zero);
//! let condition = exprs.ult(digit, ten);
//! // became '0' <= c && c < '9' + 1, on the byte
//! let (low, high) = (exprs.constant(8, 48), exprs.constant(8, 58));
//! let (above, below) = (exprs.ule(low, byte), exprs.ult(byte, high));
//! assert_eq!(condition, exprs.and(above, below));
//!
//! let mut assignment = Assignment::new();
//! assignment.set(input, 3, b'7');
//! assert!(Evaluator::new().run(&exprs, &assignment).is_true(condition));
//! ```
//!
//! # What a backend sees
//!
//! A truth value is a bit-vector of one bit. Input bytes are [`Kind::Read`]s of an input at a
//! constant index ([`Expressions::as_symbol`]). Operands always have smaller ids than what they are
//! operands of, so going through ids in order goes bottom-up. With rules on, sums are linear normal
//! forms (positive terms, minus the negative ones, plus a constant), a shift by a constant is a
//! [`Kind::Concat`] or an extension of a [`Kind::Extract`], concatenations nest to the right, and a
//! constant is the second operand where operands may be exchanged. None of this may be relied on
//! for correctness: rules stop inside each other at some depth, and a table may have no rules at
//! all. Pairs do not occur in path conditions.
//!
//! # Sizes and rates
//!
//! Measured by `examples/rates.rs` on what a program does with its input (numbers from bytes,
//! character classes, a hash, table reads), in processor time on a machine with two cores and other
//! work on both: 29 to 32 bytes per expression with its place in the index. To build a new one
//! takes 220 to 250 ns with thirty thousand of them, 680 to 730 ns with three million, most of it
//! misses of the processor's caches; to build one again 55 to 75 ns and 620 to 640 ns; a value is
//! evaluated in 32 to 34 ns, a support found in 40 to 120 ns. The table asks to be given up
//! ([`Expressions::limit_reached`]) at fifty million expressions, about two gigabytes.
//!
//! **Invariant:** this crate knows no program, does no input or output, and holds no global state.

mod assignment;
mod bits;
mod build;
mod eval;
pub mod float;
mod fold;
mod hash;
mod id;
mod kind;
mod make;
mod node;
mod project;
mod rules;
pub mod smt;
mod support;
mod table;
mod walk;

pub use assignment::Assignment;
pub use bits::Bits;
pub use eval::{Evaluator, Run};
pub use hash::{IdHasher, IdMap, IdSet};
pub use id::{ArrayId, ExprId};
pub use kind::{FloatClass, FloatKind, KINDS, Kind, KindInfo};
pub use rules::Rule;
pub use support::SymbolRange;
pub use table::{Array, Expressions, INDEX_WIDTH, Operands};
pub use walk::Importer;
