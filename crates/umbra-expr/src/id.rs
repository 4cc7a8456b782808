//! The ids of expressions and arrays.

use std::fmt;
use std::num::NonZeroU32;

/// An expression of the [`Expressions`](crate::Expressions) that handed it out.
///
/// Equal expressions of one table have equal ids. The number is never zero, so that an optional id
/// is as small as an id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(NonZeroU32);

impl ExprId {
    pub(crate) fn from_raw(raw: u32) -> Self {
        Self(NonZeroU32::new(raw).expect("expression ids start at one"))
    }

    pub(crate) fn raw(self) -> u32 {
        self.0.get()
    }

    /// A dense number for side tables; the first expression has number one.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

impl fmt::Display for ExprId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Debug for ExprId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An input or a constant table of the [`Expressions`](crate::Expressions) that handed it out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(u32);

impl ArrayId {
    /// The id of the `index`-th array.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("a table holds fewer than 2^32 arrays"))
    }

    /// The position among the arrays.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ArrayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "arr{}", self.0)
    }
}

impl fmt::Debug for ArrayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
