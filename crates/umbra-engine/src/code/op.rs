//! Operations: the pre-decoded form of instructions that the machine steps through.
//!
//! Sixteen bytes each, operands are slots of the frame (words). A value of at most 64 bits is kept
//! with its upper bits zero, so that most operations need not know their width; `shift` is 64 minus
//! the width where they do. Rare things (wide integers, x87 floats, intrinsics) are one operation
//! that points into a side table.

use umbra_ir::{
    BinaryOp, CastOp, FloatKind, FloatOp, FloatPredicate, FunctionId, Intrinsic, Predicate, Type,
};

use super::builtin::Builtin;
use crate::undefined::Relation;

/// A word of the frame.
pub type Slot = u16;
/// An index of a [`Header`].
pub type Target = u32;

/// One step.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub enum Op {
    Move { d: Slot, a: Slot },
    Constant { d: Slot, value: u64 },

    Add { shift: u8, d: Slot, a: Slot, b: Slot },
    AddImm { shift: u8, d: Slot, a: Slot, value: u64 },
    Sub { shift: u8, d: Slot, a: Slot, b: Slot },
    Mul { shift: u8, d: Slot, a: Slot, b: Slot },
    MulImm { shift: u8, d: Slot, a: Slot, value: u64 },
    And { d: Slot, a: Slot, b: Slot },
    AndImm { d: Slot, a: Slot, value: u64 },
    Or { d: Slot, a: Slot, b: Slot },
    OrImm { d: Slot, a: Slot, value: u64 },
    Xor { d: Slot, a: Slot, b: Slot },
    XorImm { d: Slot, a: Slot, value: u64 },
    Shl { shift: u8, d: Slot, a: Slot, b: Slot },
    ShlImm { shift: u8, d: Slot, a: Slot, value: u64 },
    LShr { shift: u8, d: Slot, a: Slot, b: Slot },
    LShrImm { d: Slot, a: Slot, value: u64 },
    AShr { shift: u8, d: Slot, a: Slot, b: Slot },
    AShrImm { shift: u8, d: Slot, a: Slot, value: u64 },
    UDiv { d: Slot, a: Slot, b: Slot },
    URem { d: Slot, a: Slot, b: Slot },
    SDiv { shift: u8, d: Slot, a: Slot, b: Slot },
    SRem { shift: u8, d: Slot, a: Slot, b: Slot },

    Compare { predicate: Predicate, shift: u8, d: Slot, a: Slot, b: Slot },
    CompareImm { predicate: Predicate, shift: u8, d: Slot, a: Slot, value: u64 },
    SignExtend { from: u8, to: u8, d: Slot, a: Slot },
    /// The next operation on these two pointers has a meaning only if they point to one object.
    Relate { relation: Relation, a: Slot, b: Slot },
    Select { d: Slot, c: Slot, a: Slot, b: Slot },
    /// The address of a variable that each thread has for itself; the one given is the first thread's.
    ThreadLocal { d: Slot, address: u64 },
    /// What follows is an atomic access at this address.
    Synchronize { a: Slot },

    /// `d = old` in the old version, `d = new` in the new one.
    Change { d: Slot, old: Slot, new: Slot },
    /// The same for two numbers.
    ChangeImm { d: Slot, old: u32, new: u32 },

    /// `d = a + index * scale + offset`.
    Index { d: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },

    Load8 { d: Slot, a: Slot, offset: i64 },
    Load16 { d: Slot, a: Slot, offset: i64 },
    Load32 { d: Slot, a: Slot, offset: i64 },
    Load64 { d: Slot, a: Slot, offset: i64 },
    LoadIndex8 { d: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    LoadIndex16 { d: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    LoadIndex32 { d: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    LoadIndex64 { d: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    Store8 { v: Slot, a: Slot, offset: i64 },
    Store16 { v: Slot, a: Slot, offset: i64 },
    Store32 { v: Slot, a: Slot, offset: i64 },
    Store64 { v: Slot, a: Slot, offset: i64 },
    StoreIndex8 { v: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    StoreIndex16 { v: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    StoreIndex32 { v: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },
    StoreIndex64 { v: Slot, a: Slot, index: Slot, scale: i32, offset: i32 },

    Jump { to: Target },
    /// `d = a`, then jump.
    MoveJump { d: Slot, a: Slot, to: Target },
    Branch { a: Slot, then: Target, otherwise: Target },
    BranchEq { a: Slot, b: Slot, then: Target, otherwise: Target },
    BranchUlt { a: Slot, b: Slot, then: Target, otherwise: Target },
    BranchUle { a: Slot, b: Slot, then: Target, otherwise: Target },
    BranchSlt { shift: u8, a: Slot, b: Slot, then: Target, otherwise: Target },
    BranchSle { shift: u8, a: Slot, b: Slot, then: Target, otherwise: Target },
    BranchEqImm { a: Slot, value: u32, then: Target, otherwise: Target },
    BranchUltImm { a: Slot, value: u32, then: Target, otherwise: Target },
    BranchUgtImm { a: Slot, value: u32, then: Target, otherwise: Target },
    BranchSltImm { shift: u8, a: Slot, value: i32, then: Target, otherwise: Target },
    BranchSgtImm { shift: u8, a: Slot, value: i32, then: Target, otherwise: Target },
    Switch { a: Slot, table: u32 },
    /// Each version goes its own way.
    Version { old: Target, new: Target },

    Call { site: u32, function: FunctionId },
    CallIndirect { a: Slot, site: u32 },
    CallBuiltin { builtin: Builtin, site: u32 },
    Return { a: Slot },
    ReturnVoid,
    /// The words at `a` and after it, `count` of them.
    ReturnWords { a: Slot, count: u16 },

    Alloca { d: Slot, local: u32 },
    /// `count` elements of the local variable's size.
    AllocaCount { d: Slot, count: Slot, local: u32 },

    Float { op: FloatOp, kind: FloatKind, d: Slot, a: Slot, b: Slot },
    FloatCompare { predicate: FloatPredicate, kind: FloatKind, d: Slot, a: Slot, b: Slot },
    /// Everything rare.
    Rare { index: u32 },
    Unreachable,
    Unsupported { index: u32 },
}

impl Op {
    /// The slot with the pointer that a load or a store adds to.
    pub fn base_pointer(&self) -> Option<Slot> {
        match *self {
            Self::Load8 { a, .. }
            | Self::Load16 { a, .. }
            | Self::Load32 { a, .. }
            | Self::Load64 { a, .. }
            | Self::LoadIndex8 { a, .. }
            | Self::LoadIndex16 { a, .. }
            | Self::LoadIndex32 { a, .. }
            | Self::LoadIndex64 { a, .. }
            | Self::Store8 { a, .. }
            | Self::Store16 { a, .. }
            | Self::Store32 { a, .. }
            | Self::Store64 { a, .. }
            | Self::StoreIndex8 { a, .. }
            | Self::StoreIndex16 { a, .. }
            | Self::StoreIndex32 { a, .. }
            | Self::StoreIndex64 { a, .. } => Some(a),
            _ => None,
        }
    }

    /// Whether it goes to one of two targets.
    pub fn is_branch(&self) -> bool {
        matches!(
            self,
            Self::Branch { .. }
                | Self::BranchEq { .. }
                | Self::BranchUlt { .. }
                | Self::BranchUle { .. }
                | Self::BranchSlt { .. }
                | Self::BranchSle { .. }
                | Self::BranchEqImm { .. }
                | Self::BranchUltImm { .. }
                | Self::BranchUgtImm { .. }
                | Self::BranchSltImm { .. }
                | Self::BranchSgtImm { .. }
        )
    }
}

const _: () = assert!(size_of::<Op>() <= 16, "operations are two words");

/// An operation that is too rare, or too wide, to have a form of its own.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub enum Rare {
    Binary { op: BinaryOp, bits: u32, d: Slot, a: Slot, b: Slot },
    Compare { predicate: Predicate, bits: u32, d: Slot, a: Slot, b: Slot },
    Cast { op: CastOp, from: Type, to: Type, d: Slot, a: Slot },
    FloatNegate { kind: FloatKind, d: Slot, a: Slot },
    Load { ty: Type, d: Slot, a: Slot },
    Store { ty: Type, v: Slot, a: Slot },
    Intrinsic { intrinsic: Intrinsic, ty: Type, d: Vec<Slot>, a: Vec<Slot>, bits: u32 },
}

/// The entry to a stretch of operations: a block, or the moves on an edge to one.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Its first operation.
    pub pc: u32,
    /// LLVM instructions it stands for; zero for an edge.
    pub weight: u32,
    /// The slots it reads or writes: slot `n` is bit `n % 64`. (Writes count, since the expression
    /// in a slot must go when a number comes.)
    pub touches: u64,
}

/// How a call passes arguments and gets results.
#[derive(Clone, Debug, Default)]
pub struct CallSite {
    /// The words of the arguments in order.
    pub words: Vec<Word>,
    /// The arguments, where they are in `words`.
    pub arguments: Vec<CallArgument>,
    /// Where the words of the results go.
    pub results: Vec<Slot>,
    /// The types of the results.
    pub result_types: Vec<Type>,
    /// The caller's frame size: where the callee's frame starts.
    pub frame: u32,
    /// Equal to the callee's when the words can be copied as they are.
    pub signature: Signature,
    /// What is called, if that is always the same.
    pub callee: Option<FunctionId>,
}

/// Interned types of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub u32);

impl Signature {
    /// Of calls that need more than copying words; equal to no function's.
    pub const SPECIAL_CALL: Self = Self(u32::MAX);
    /// Of functions that need more than copying words; equal to no call's.
    pub const SPECIAL_FUNCTION: Self = Self(u32::MAX - 1);
}

impl Default for Signature {
    fn default() -> Self {
        Self::SPECIAL_CALL
    }
}

/// Where a word of an argument comes from.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    /// From the caller's frame.
    Slot(Slot),
    /// It is always the same.
    Value(u64),
}

impl Word {
    /// The word itself, given the caller's frame.
    #[inline(always)]
    pub fn get(self, frame: &[u64]) -> u64 {
        match self {
            Self::Slot(slot) => frame[slot as usize],
            Self::Value(value) => value,
        }
    }
}

/// An argument of a [`CallSite`].
#[derive(Clone, Copy, Debug)]
pub struct CallArgument {
    /// Its first word in `CallSite::words`.
    pub word: u16,
    /// Its type.
    pub ty: Type,
    /// Size and alignment of the object it points to, if the callee gets a copy of that.
    pub by_value: Option<umbra_ir::ByValue>,
}

/// The targets of a switch.
#[derive(Clone, Debug)]
pub enum SwitchTable {
    /// `targets[value - first]`.
    Dense { first: u64, targets: Vec<Target>, default: Target },
    /// By rising value.
    Sparse { cases: Vec<(u64, Target)>, default: Target },
}

impl SwitchTable {
    /// Every place it leads to, the default last; some more than once.
    pub fn targets(&self) -> impl Iterator<Item = Target> + '_ {
        let (dense, sparse, default): (&[Target], &[(u64, Target)], Target) = match self {
            Self::Dense { targets, default, .. } => (targets, &[], *default),
            Self::Sparse { cases, default } => (&[], cases, *default),
        };
        let cases = sparse.iter().map(|&(_, target)| target);
        dense.iter().copied().chain(cases).chain([default])
    }

    /// Where to go for `value`.
    #[inline]
    pub fn find(&self, value: u64) -> Target {
        match self {
            Self::Dense { first, targets, default } => {
                let index = value.wrapping_sub(*first);
                usize::try_from(index)
                    .ok()
                    .and_then(|index| targets.get(index))
                    .map_or(*default, |to| *to)
            }
            Self::Sparse { cases, default } => {
                cases.binary_search_by_key(&value, |case| case.0).map_or(*default, |at| cases[at].1)
            }
        }
    }
}

/// A local variable that lives in memory.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name, if known.
    pub name: String,
    /// The function it belongs to.
    pub function: FunctionId,
    /// Bytes of one element.
    pub size: u64,
    /// Alignment of its address.
    pub align: u32,
}
