//! The code that is put into a recorded program, to run before it.
//!
//! The binary of this crate is a few pages without any library. `umbra-record` puts them into a copy
//! of the program as one more segment and enters the program there. The shim starts a tracer (see
//! `umbra-tracer`), waits until that traces the process, and goes on to the program: nothing of the
//! process but the code of the shim is another than it would have been.
//!
//! The library is what both sides know: the [`Slot`] that says what a shim stands for, the stop at
//! which a program begins, and how an invocation is counted that nobody watches.
//!
//! **Invariant:** whatever fails here, the program runs.
#![cfg_attr(not(test), no_std)]

mod debugger;
mod slot;
mod unwatched;

pub use debugger::names_debugger;
pub use slot::{ENTRY, PatchError, SIZE, Slot, empty};
pub use unwatched::Unwatched;

/// The tracer's executable below the folder of a recording.
pub const TRACER: &str = "umbra-tracer";
/// The folder of finished recordings below the folder of a recording.
pub const RAW: &str = "raw";
/// What the name of a file ends with that counts an invocation nobody watches. It starts with numbers:
/// time, process, program, reason.
pub const UNWATCHED: &str = ".unwatched";
/// In register r8 when a shim stops itself by `SIGSTOP` because its program is about to begin; r9 has
/// the program's number, r10 is 1 if a filter picks its calls and 0 if it is to stop at each.
pub const BEGINS: u64 = 0x7562_6d75_6e69_6765;
/// The highest descriptor that a shim looks at for streams.
pub const HIGHEST_DESCRIPTOR: u32 = 63;
/// What a tracer says through the pipe when it traces the process.
pub const WATCHED: u8 = b'w';
/// What the shim's child says through the pipe when the tracer cannot be executed.
pub const NOT_EXECUTED: u8 = b'x';
