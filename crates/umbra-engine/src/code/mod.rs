//! Code: a program in the form that the machine steps through.

mod builtin;
mod coalesce;
mod globals;
mod image;
mod live;
mod lower;
mod op;
mod operands;
mod position;
mod sanitizer;
mod sensitive;
mod slots;
mod versions;

pub use builtin::{
    ARGUMENT, Builtin, CharacterFunction, Comparison, InputCall, LEFT, OBJECT, RESULT,
};
pub(crate) use globals::OldGlobal;
pub use image::{Image, Inputs, Place};
pub(crate) use lower::external_call;
pub use op::{CallSite, Op, Rare, Slot, SwitchTable, Target, Word};
pub use position::Position;
