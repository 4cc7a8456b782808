//! Builds of C programs for analysis: the compiler wrapper, the bitcode libc and
//! the tools both need.
//!
//! A program under analysis is linked, libc included, into one bitcode module.
//! [`Wrapper`] is the compiler that build systems are given: it turns an ordinary
//! compiler command line into a [`Plan`], and for every program linked there is
//! afterwards a native static executable and beside it, as `<exe>.bc`, the
//! prepared module. [`prepare`] does the same for a bitcode file that somebody
//! hands in, [`compile`] for a few C files.
//!
//! This crate reads no environment variables and prints nothing: what it needs to
//! know is in [`Toolchain`].

mod cache;
mod check;
mod compile;
mod error;
mod libc;
mod limits;
mod prepare;
mod tools;
mod wrapper;

pub use cache::Cache;
pub use check::{Check, CheckState, check};
pub use compile::{Program, compile};
pub use error::Error;
pub use libc::{Libc, LibcBuild, build_libc};
pub use limits::{Limits, exec_limited};
pub use prepare::prepare;
pub use tools::{Toolchain, Tools};
pub use wrapper::{Linked, Plan, ProgramLink, Tool, Wrapper, link_program};
