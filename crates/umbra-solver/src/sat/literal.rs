//! Variables, literals and their values.

use std::fmt;
use std::ops::Not;

/// A variable of a [`Sat`](super::Sat).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(u32);

impl Variable {
    /// The `index`-th variable.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("a solver has fewer than 2^31 variables"))
    }

    /// The position among the variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable has this value.
    pub fn literal(self, value: bool) -> Literal {
        Literal(self.0 << 1 | u32::from(!value))
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    pub(super) fn from_raw(raw: u32) -> Self {
        Self(raw)
    }

    pub(super) fn raw(self) -> u32 {
        self.0
    }

    /// A dense number; a literal and its negation are neighbours.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable.
    pub fn variable(self) -> Variable {
        Variable(self.0 >> 1)
    }

    /// Whether the literal is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_positive() { "" } else { "-" };
        write!(f, "{sign}v{}", self.0 >> 1)
    }
}

/// What is known of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    True,
    False,
    Unknown,
}
