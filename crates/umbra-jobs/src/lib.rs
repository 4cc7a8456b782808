//! The work on a program or a patch, as values and as a library.
//!
//! A *job* ([`RunJob`], [`DiffJob`]) says what is to be done: this program, this test or these symbolic inputs, this
//! strategy, this budget. A *result* ([`JobResult`]) says what came of it: cases, findings, divergences,
//! what was reached and what was cut. Both can be written, read back and compared; a [`Logbook`] keeps them in
//! the folder of a run, from where another process goes on if this one is killed.
//!
//! [`explore`] follows the paths of a program, [`run_once`] runs it once. [`compare`] does a job of two versions: it chooses tests, explores, writes test cases, runs them
//! natively on both versions and ranks what they show. [`Native`] judges cases on two versions,
//! [`Patch`] finds the changed lines of a program that have code, [`Places`] says which of them explains a
//! difference.
//!
//! **Invariant:** knows no flags and no terminal. Prints nothing, reads no variables. It does not
//! re-export the crates below it: whoever uses it needs none of them.

mod cases;
mod control;
mod diff;
mod explore;
mod inputs;
mod job;
mod journal;
mod limits;
mod native;
mod once;
mod own;
mod patch;
mod places;
mod program;
mod result;
mod search;
mod usage;

pub use cases::{Found, Named, find_cases, in_store, program_of, read_case, recordings};
pub use control::{Budget, Control, Guard, Need, Stopped, Watched};
pub use diff::{Pair, compare, default_follow_limits, explain};
pub use explore::{Line, Paths, RunWatch, Standing, explore, prepare_log};
pub use inputs::{Input, Inputs};
pub use job::{
    DiffJob, NativeLimits, Near, OpenTests, RunJob, SearchLimits, SeedChoice, Start, Strategy,
    Subject, TestChoice, Tests, WhichTests,
};
pub use journal::{Damage, Ended, Job, Journal, JournalError, Kept, Logbook};
pub use native::{Executables, Native, Sandboxes, Trial, native_limits};
pub use once::{Host, LIMITED, Once, OnceJob, StreamAction, World, run_once};
pub use patch::Patch;
pub use places::{Places, Versions};
pub use program::{LOAD, Loaded};
pub use result::{Divergence, JobResult};
pub use search::{SearchName, UnknownSearch};
pub use usage::usage;
