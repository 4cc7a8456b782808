//! Instructions, terminators and their operands.
//!
//! A register is assigned by exactly one instruction or block parameter. Values pass between
//! blocks through block parameters (an edge names one operand for each); the assignments of an
//! edge happen at once.

use serde::{Deserialize, Serialize};

use crate::id::{BlockId, ConstantId, FunctionId, LocationId, RegisterId, StructId};
use crate::intrinsic::Intrinsic;

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// The value of a register.
    Register(RegisterId),
    /// A constant of the program.
    Constant(ConstantId),
}

/// Arithmetic on two integers of equal width (or pointers, as 64-bit integers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named as in LLVM")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Arithmetic on two floats of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named as in LLVM")]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Comparison of two integers or pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named as in LLVM")]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Comparison of two floats: ordered ones are false, unordered ones true, when either is a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named as in LLVM")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// A conversion; the source type is the operand's, the target type the destination's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "named as in LLVM")]
pub enum CastOp {
    /// Narrower or equal integer; also pointer to integer.
    Trunc,
    /// Wider integer; also integer to pointer.
    ZExt,
    SExt,
    /// Same number of bits: integer, pointer and float into each other.
    Bitcast,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    /// Float to a wider format.
    FpExt,
    /// Float to a narrower format.
    FpTrunc,
}

/// A scaled index of an [`Operation::Offset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scaled {
    /// An integer, sign-extended (or truncated) to 64 bits.
    pub index: Operand,
    /// Bytes by which one step moves.
    pub scale: i64,
}

/// The field of a struct that an [`Operation::Offset`] leads to. It is there for people and for the
/// comparison of programs; the offset itself says all that execution needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The struct.
    pub of: StructId,
    /// The position among its fields.
    pub index: u32,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// A known function.
    Direct(FunctionId),
    /// The function at this address.
    Indirect(Operand),
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// The value; for `by_value` the address of the original.
    pub operand: Operand,
    /// The callee gets a private copy of an object of this size and alignment.
    pub by_value: Option<ByValue>,
}

/// Size and alignment of an object passed by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByValue {
    /// Bytes to copy.
    pub size: u64,
    /// Alignment of the copy.
    pub align: u32,
}

/// An instruction other than a terminator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Where it comes from: in the text of the new version, unless its block is the old one's.
    pub location: Option<LocationId>,
    /// Where it is in the text of the old version, if both have it and that is another place.
    pub old_location: Option<LocationId>,
}

impl Instruction {
    /// An instruction from one place.
    pub fn new(operation: Operation, location: Option<LocationId>) -> Self {
        Self { operation, location, old_location: None }
    }
}

/// What an [`Instruction`] does. The width of an operation is the type of its registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "fields are named after their role")]
pub enum Operation {
    /// Integer arithmetic. Division by zero and overflowing signed division are errors; shifts by
    /// the width or more yield what x86 does with the amount taken modulo the operand size.
    Binary { destination: RegisterId, op: BinaryOp, left: Operand, right: Operand },
    /// Integer or pointer comparison; the destination is an `i1`.
    Compare { destination: RegisterId, predicate: Predicate, left: Operand, right: Operand },
    /// Float arithmetic, rounded to nearest even.
    FloatBinary { destination: RegisterId, op: FloatOp, left: Operand, right: Operand },
    /// Flips the sign bit.
    FloatNegate { destination: RegisterId, operand: Operand },
    /// Float comparison; the destination is an `i1`.
    FloatCompare {
        destination: RegisterId,
        predicate: FloatPredicate,
        left: Operand,
        right: Operand,
    },
    /// Conversion.
    Cast { destination: RegisterId, op: CastOp, operand: Operand },
    /// `condition ? left : right`.
    Select { destination: RegisterId, condition: Operand, left: Operand, right: Operand },
    /// The operand itself (also LLVM's freeze).
    Copy { destination: RegisterId, operand: Operand },
    /// `old` in the old version, `new` in the new one. Of a program that has one version it is `new`.
    Change { destination: RegisterId, old: Operand, new: Operand },
    /// Address arithmetic: base plus constant plus scaled indices, modulo 2^64.
    Offset {
        destination: RegisterId,
        base: Operand,
        constant: i64,
        indices: Vec<Scaled>,
        /// The field it leads to, if it leads to one.
        field: Option<Field>,
    },
    /// Reads `store_bytes` of the destination's type, little endian; bits above its width are cut.
    Load { destination: RegisterId, address: Operand },
    /// Writes `store_bytes` of the value's type, little endian.
    Store { value: Operand, address: Operand },
    /// A new stack object of `size * count` bytes that lives until the function returns.
    Alloca {
        destination: RegisterId,
        /// Bytes of one element.
        size: u64,
        /// Number of elements; `None` is one.
        count: Option<Operand>,
        align: u32,
        /// The variable's name, if known.
        name: String,
    },
    /// Calls a function. Results beyond what the callee returns are undefined.
    Call { destinations: Vec<RegisterId>, callee: Callee, arguments: Vec<Argument> },
    /// Calls an operation of the machine.
    Intrinsic { destinations: Vec<RegisterId>, intrinsic: Intrinsic, arguments: Vec<Operand> },
}

/// Where control goes, and what the target's parameters become.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The target.
    pub block: BlockId,
    /// One operand for each of the target's parameters.
    pub arguments: Vec<Operand>,
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "fields are named after their role")]
pub enum Terminator {
    Jump(Edge),
    Branch {
        condition: Operand,
        then: Edge,
        otherwise: Edge,
    },
    /// The first case whose constant equals the value, else the default.
    Switch {
        value: Operand,
        cases: Vec<(ConstantId, Edge)>,
        default: Edge,
    },
    /// The old version goes one way, the new one another.
    Version {
        old: Edge,
        new: Edge,
    },
    Return(Vec<Operand>),
    /// Reaching this is an error of the program.
    Unreachable,
    /// Something the loader cannot express: reaching it ends the path.
    Unsupported(String),
}

impl Terminator {
    /// The edges out of the block, in order.
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            Self::Jump(edge) => vec![edge],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
            Self::Version { old, new } => vec![old, new],
            Self::Switch { cases, default, .. } => {
                cases.iter().map(|(_, edge)| edge).chain([default]).collect()
            }
            Self::Return(_) | Self::Unreachable | Self::Unsupported(_) => vec![],
        }
    }

    /// The edges out of the block, mutable, in order.
    pub fn edges_mut(&mut self) -> Vec<&mut Edge> {
        match self {
            Self::Jump(edge) => vec![edge],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
            Self::Version { old, new } => vec![old, new],
            Self::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, edge)| edge).chain([default]).collect()
            }
            Self::Return(_) | Self::Unreachable | Self::Unsupported(_) => vec![],
        }
    }
}
