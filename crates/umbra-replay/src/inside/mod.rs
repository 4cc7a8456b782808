//! The sandbox's own process, which the library starts again from the binary it is in.
//!
//! Three processes, each the child of the one before:
//!
//! - the *keeper* enters user, network, ipc, uts and mount namespaces once, then takes requests;
//! - the *init* of a run, process 1 of a new pid namespace: makes root and tree, watches the program,
//!   reads back what it left, answers;
//! - the *program*, always process 2.
//!
//! Under Landlock there are the same three without namespaces. When the asking process dies, the
//! socket ends and the keeper with it; when the keeper dies, its init is killed; when an init dies,
//! the kernel kills everything in its pid namespace.
//!
//! **Invariant:** no process here has a second thread, so a fork copies a consistent state.

mod account;
mod asked;
mod beneath;
mod bounds;
mod child;
mod descriptors;
mod disk;
mod failure;
mod filter;
mod group;
mod identity;
mod init;
mod keeper;
mod process;
mod processes;
mod read_back;
mod remove;
mod restrict;
mod root;
mod scratch;
mod store;
mod streams;
mod terminals;
mod trace;
mod watch;
mod write_tree;

pub use keeper::sandbox_main;
pub use process::landlock_version;
pub use scratch::PREFIX as SCRATCH_PREFIX;
