//! Constants: numbers, addresses of symbols, and values that nobody defined.

use serde::{Deserialize, Serialize};

use crate::id::{FunctionId, GlobalId};
use crate::types::Type;

/// Something that has an address fixed before the program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Symbol {
    /// A function.
    Function(FunctionId),
    /// A global variable.
    Global(GlobalId),
}

/// A typed constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Constant {
    /// The constant's type.
    pub ty: Type,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a [`Constant`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConstantValue {
    /// Bits of a type of at most 64 bits; those above the type's width are zero.
    Word(u64),
    /// Bits of a wider type, least significant word first; exactly `Type::words` of them.
    Words(Box<[u64]>),
    /// The address of a symbol plus an offset in bytes; the type is a pointer or `i64`.
    Address {
        /// What is pointed to.
        symbol: Symbol,
        /// Bytes to add.
        offset: i64,
    },
    /// LLVM's undef and poison: reads as zero.
    Undefined,
}
