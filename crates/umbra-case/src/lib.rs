//! Test cases: everything a process starts from, and how it is expected to end.
//!
//! A [`Case`] is a value. It is written as a folder that a person can read and that runs without
//! Umbra, against any executable:
//!
//! | file | what it holds |
//! |---|---|
//! | `case.json` | everything but the contents below (schema `umbra/case/1`) |
//! | `files/` | the tree that the program finds |
//! | `stdin` | standard input, if the case has any |
//! | `descriptors/3` | what can be read from another descriptor |
//! | `expected/stdout`, `expected/stderr` | what the program is predicted to write |
//! | `expected/tree` | the tree that it is predicted to leave, as a [`Listing`] |
//! | `objects.ktest` | the objects that the program made symbolic itself, for KLEE's tools |
//! | `run.sh` | `./run.sh PROGRAM` runs the case |
//!
//! `objects.ktest` and `run.sh` are made from the rest and never read back. In `files/` the owner
//! can always read and write, so that a folder of cases can be copied and removed; the modes that
//! count are in `case.json`, and `run.sh` sets them.
//!
//! Many cases, as recorded from a test suite, are kept in a [`Store`], every content once.
//!
//! KLEE's own test cases come in and go out through [`KTest`].
//!
//! **Invariant:** nothing here runs a program, and nothing outside the folder that was named is
//! written or read, whatever paths a case contains.

mod call;
mod case;
mod check;
mod descriptor;
mod entry;
mod error;
mod expected;
mod folder;
mod id;
mod json;
mod ktest;
mod line;
mod listing;
mod order;
mod own;
pub mod root;
mod script;
mod settings;
mod shell;
mod store;
mod text;
mod value;

pub use call::{Call, CallArgument};
pub use case::{Case, Object, Origin, Stdin};
pub use descriptor::{Access, Descriptor, Device};
pub use entry::{Entry, EntryKind, NotATimestamp, Owner, Timestamp};
pub use error::{Error, InvalidCase};
pub use expected::Expected;
pub use id::{CaseId, NotACaseId};
pub use json::SCHEMA;
pub use ktest::{KTest, KTestError};
pub use listing::Listing;
pub use order::listing_order;
pub use own::{make_own_folder, own_folder};
pub use settings::{Resource, Settings};
pub use shell::argument as shell_word;
pub use store::{ObjectId, Store};
