//! File tests: one small C program each, with what is expected of it on the lines concerned.
//!
//! Directives (`//@ args: a b`) stand on top, see [`directives`]; a mark (`//~ use-after-free`)
//! stands on the line of a finding, or, as `//~^ use-after-free`, on the line below it. Every
//! finding must be claimed by a mark and every mark must be found. Beside a test whose run is not
//! that of the native program lies `NAME.expected`: the whole report, normalised. A test without
//! marks must run as its native program does: same output, same exit status.
//!
//! `BLESS=1` rewrites the expected reports, never the marks.

pub(crate) mod check;
mod diff;
pub mod directives;
pub(crate) mod process;
mod report;
pub mod suite;

pub use check::{Toolbox, Verdict, check};
pub use process::{two_at_a_time, umbra_command};
