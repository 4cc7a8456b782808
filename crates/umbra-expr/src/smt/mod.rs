//! SMT-LIB 2.6 text, out and in.
//!
//! A [`Script`] is a list of assertions over the inputs. What is printed is read back to the same
//! expressions, and is also what other solvers read:
//!
//! - an input is a declared array from 64-bit indices to bytes; its size is in a
//!   `(set-info :umbra-input "size name")` line. Read at a constant it is a `select`; read at
//!   anything else a defined function gives zero beyond the end;
//! - a constant table is a defined function, a balanced tree of choices (never a chain of stores),
//!   announced by `(set-info :umbra-table "hex name")`;
//! - an updated array is a defined function of the index, announced by `:umbra-update`;
//! - an expression that is used more than once is a defined constant;
//! - floats are bit-vectors outside of operations; inside, `to_fp` and `fp.to_ieee_bv` (Z3) go to
//!   and fro. Which NaN an operation yields is not said in SMT-LIB: a model must be evaluated. What
//!   it lacks are functions of ours, announced by `:umbra-float`: conversions to integers that say
//!   what is out of range, minimum and maximum, sets of classes, the integer bit of x87 (assumed to
//!   be as the exponent says). `fp.rem` is not C's `fmod`, which is a declared function about which
//!   nothing is known;
//! - shadow pairs are not printed: project first.

mod floats;
mod lex;
mod parse;
mod print;
mod print_float;
mod terms;

pub use parse::parse;
pub use print::{print, term_text};

use crate::id::ExprId;

/// Assertions and questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What is asserted, in order, each of one bit.
    pub assertions: Vec<ExprId>,
    /// What `get-value` asks for, in order.
    pub values: Vec<ExprId>,
}

/// Why a text is not a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtError {
    /// The text ends within a list, string or quoted symbol.
    #[error("line {line}: text ends within what starts here")]
    Unterminated {
        /// From one.
        line: u32,
    },
    /// A closing parenthesis too many.
    #[error("line {line}: nothing to close here")]
    Unbalanced {
        /// From one.
        line: u32,
    },
    /// Neither a known operator nor a declared name.
    #[error("line {line}: unknown symbol {name}")]
    UnknownSymbol {
        /// From one.
        line: u32,
        /// As written.
        name: String,
    },
    /// Something in the wrong place: not the expected form, number of arguments, sort or width.
    #[error("line {line}: expected {expected}")]
    Expected {
        /// From one.
        line: u32,
        /// What would be right.
        expected: &'static str,
    },
    /// Part of SMT-LIB that expressions cannot hold.
    #[error("line {line}: {what} is not supported")]
    Unsupported {
        /// From one.
        line: u32,
        /// Which part.
        what: &'static str,
    },
}
