//! The types of registers: scalars only.
//!
//! First-class aggregates of LLVM (small structs returned in registers, results of checked
//! arithmetic) are split into their scalar leaves by the loader, so nothing after it knows them.
//! Memory has no types at all, only bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatKind {
    /// IEEE binary16.
    Half,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The x87 extended format: 80 bits with an explicit integer bit.
    X87,
}

impl FloatKind {
    /// The number of bits of the format's encoding.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Single => 32,
            Self::Double => 64,
            Self::X87 => 80,
        }
    }
}

/// The type of a register or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// An integer of this many bits (at least 1).
    Integer(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// An address; 64 bits.
    Pointer,
}

impl Type {
    /// The one-bit integer that comparisons yield and branches test.
    pub const BOOL: Self = Self::Integer(1);

    /// The number of bits of a value.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Integer(bits) => bits,
            Self::Float(kind) => kind.bits(),
            Self::Pointer => 64,
        }
    }

    /// The number of 64-bit words that a value occupies in a frame, least significant first.
    pub const fn words(self) -> usize {
        self.bits().div_ceil(64) as usize
    }

    /// The number of bytes that a load or store of this type touches.
    pub const fn store_bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(bits) => write!(f, "i{bits}"),
            Self::Float(kind) => write!(f, "f{}", kind.bits()),
            Self::Pointer => f.write_str("ptr"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let sizes = |ty: Type| (ty.bits(), ty.words(), ty.store_bytes());
        assert_eq!(sizes(Type::BOOL), (1, 1, 1));
        assert_eq!(sizes(Type::Integer(65)), (65, 2, 9));
        assert_eq!(sizes(Type::Float(FloatKind::X87)), (80, 2, 10));
        assert_eq!(sizes(Type::Pointer), (64, 1, 8));
    }
}
