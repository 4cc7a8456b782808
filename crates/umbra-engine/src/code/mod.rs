//! Code: a program in the form that the machine steps through.

mod builtin;
mod coalesce;
mod image;
mod lower;
mod op;
mod slots;

pub use builtin::Builtin;
pub use image::{Image, Place};
pub(crate) use lower::external_call;
pub use op::{CallSite, Op, Rare, Slot, Target};
