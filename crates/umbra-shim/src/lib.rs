//! What stands in for a recorded program in its build tree.
//!
//! The binary of this crate, patched with a [`Slot`], takes the place of a program of interest. It
//! becomes the real program by `execve`, so that process id, parent, session, descriptors and signals
//! are the real program's own; before that it starts a watcher, two forks away, which traces it and
//! writes down what it started from and which files it touched, as a [`raw::Recording`].
//!
//! The library is shared with `umbra-record`, which patches the binary, reads the recordings and
//! makes test cases of them.
//!
//! **Invariant:** whatever fails here, the real program runs. What was not recorded is written down
//! with its reason.
//!
//! **Invariant:** values of environment variables that are neither on the allow-list nor `PATH` are
//! never written.

pub mod raw;
pub mod settings;
pub mod slot;

#[cfg(umbra_entry)]
mod entry;
mod filter;
mod start;
mod supervise;
mod system;
mod watch;

pub use start::main;
