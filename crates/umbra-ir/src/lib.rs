//! The executable IR: what Umbra runs instead of LLVM bitcode.
//!
//! A [`Program`] is a whole linked program, libc included. It is made by the loader from LLVM
//! bitcode, or by the parser from its text form; everything after this crate sees only these types.
//! The IR is in SSA form with block parameters, its registers are scalars, its memory is bytes.
//! It knows nothing of expressions or of execution.

mod binary;
mod child;
mod constant;
mod dominance;
mod id;
mod instruction;
mod intrinsic;
mod llvm;
mod load;
mod location;
mod program;
mod text;
mod types;

mod verify;
mod versions;
mod visit;

pub use binary::{DecodeError, decode, digest, encode};
pub use child::{Limits, Loader, load_child};
pub use constant::{Constant, ConstantValue, Symbol};
pub use id::{
    BlockId, ConstantId, FileId, FunctionId, GlobalId, Id, LocationId, RegisterId, StructId, Table,
};
pub use instruction::{
    Argument, BinaryOp, ByValue, Callee, CastOp, Edge, Field, FloatOp, FloatPredicate, Instruction,
    Operand, Operation, Predicate, Scaled, Terminator,
};
pub use intrinsic::{Intrinsic, UnknownIntrinsic};
pub use llvm::COUNTERS;
pub use load::{HookError, LoadError, count_blocks, hook_calls, load_bitcode};
pub use location::{Identity, Location, SourceFile};
pub use program::{
    Alias, Block, BlockPlace, Body, Function, Global, Initializer, Merged, OldFunction, OldGlobal,
    Presence, Program, Relocation, Struct,
};
pub use text::{ParseError, parse};
pub use types::{FloatKind, Type};
pub use verify::VerifyError;
