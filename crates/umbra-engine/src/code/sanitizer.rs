//! The checks that `-fsanitize=undefined` puts into a program: each calls a function of the compiler's runtime library
//! when it fails, which is the machine's, as far as a run in the engine goes.

use crate::termination::ErrorKind;

/// The start of the names of these functions.
const PREFIX: &str = "__ubsan_handle_";

/// A check, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sanitizer(u8);

/// The function without the prefix, what it says, and more where that does not say it all.
const CHECKS: [(&str, ErrorKind, &str); 21] = [
    ("add_overflow", ErrorKind::IntegerOverflow, "a sum"),
    ("sub_overflow", ErrorKind::IntegerOverflow, "a difference"),
    ("mul_overflow", ErrorKind::IntegerOverflow, "a product"),
    ("negate_overflow", ErrorKind::IntegerOverflow, "a negation"),
    ("divrem_overflow", ErrorKind::DivisionByZero, ""),
    ("shift_out_of_bounds", ErrorKind::ShiftTooFar, "or of a negative number"),
    ("out_of_bounds", ErrorKind::UndefinedBehaviour, "an index is outside of its array"),
    ("builtin_unreachable", ErrorKind::Unreachable, ""),
    ("missing_return", ErrorKind::Unreachable, "a function that returns a value ends without one"),
    (
        "type_mismatch_v1",
        ErrorKind::UndefinedBehaviour,
        "a pointer is null, misaligned, or to too small an object",
    ),
    (
        "alignment_assumption",
        ErrorKind::UndefinedBehaviour,
        "a pointer is not aligned as was promised",
    ),
    (
        "float_cast_overflow",
        ErrorKind::UndefinedBehaviour,
        "a float does not fit the integer that it becomes",
    ),
    ("function_type_mismatch", ErrorKind::UndefinedBehaviour, "call of a function of another type"),
    ("implicit_conversion", ErrorKind::UndefinedBehaviour, "a conversion changes the value"),
    (
        "invalid_builtin",
        ErrorKind::UndefinedBehaviour,
        "zero passed to a builtin that is not defined for it",
    ),
    ("load_invalid_value", ErrorKind::UndefinedBehaviour, "a value that its type does not have"),
    ("nonnull_arg", ErrorKind::UndefinedBehaviour, "null passed where it must not be"),
    ("nonnull_return_v1", ErrorKind::UndefinedBehaviour, "null returned where it must not be"),
    (
        "pointer_overflow",
        ErrorKind::UndefinedBehaviour,
        "pointer arithmetic on null, or that wraps around",
    ),
    (
        "vla_bound_not_positive",
        ErrorKind::UndefinedBehaviour,
        "an array of variable length without elements",
    ),
    ("nullability_arg", ErrorKind::UndefinedBehaviour, "null passed where it must not be"),
];

impl Sanitizer {
    /// The check that calls a function of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        let check = name.strip_prefix(PREFIX)?;
        let check = check.strip_suffix("_abort").unwrap_or(check);
        let index = CHECKS.iter().position(|(known, ..)| *known == check)?;
        Some(Self(index as u8))
    }

    /// What is wrong where it fails, given the second operand of what was checked.
    pub fn error(self, right: u64) -> (ErrorKind, &'static str) {
        let (_, kind, detail) = CHECKS[usize::from(self.0)];
        match kind {
            ErrorKind::DivisionByZero if right != 0 => (ErrorKind::DivisionOverflow, detail),
            kind => (kind, detail),
        }
    }
}
