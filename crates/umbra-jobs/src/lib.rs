//! The work on a program or a patch, as values and as a library.
//!
//! A *job* ([`RunJob`], [`DiffJob`], [`ReplayJob`], [`CheckJob`]) says what to do: this program, these tests or symbolic inputs,
//! this strategy, this budget. A *result* ([`JobResult`], [`ReplayResult`]) says what came of it: cases, findings,
//! divergences, what was reached and what was cut. Both can be written, read back and compared; a
//! [`Logbook`] keeps them in the folder of a run, from where another process goes on if this one is killed.
//!
//! [`explore`] follows the paths of a program, [`run_once`] runs it once. [`compare`] does a job of two versions: it
//! chooses tests, explores, writes test cases, runs them natively on both versions and ranks what they show. [`replay`]
//! runs cases natively, judges what they do on two versions, and says which changed line explains it. An [`Error`]
//! carries what it is about.
//!
//! **Invariant:** knows no flags and no terminal. Prints nothing, reads no variables. It does not
//! re-export the crates below it: whoever uses it needs none of them.

mod amplify;
mod calls;
mod cases;
mod check;
mod control;
mod diff;
mod error;
mod explore;
mod finding;
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
mod reach;
mod replay;
mod result;
mod revision;
mod search;
mod started;
mod usage;

pub use amplify::{
    AmplifyJob, AmplifyProgram, AmplifyProject, AmplifyWatch, CheckName, UnknownCheck, amplify,
    amplify_project,
};
pub use calls::choose_calls;
pub use cases::{Found, Named, find_cases, make_recordings, program_of, read_case, recordings};
pub use check::{
    CheckJob, CheckTests, CheckWatch, Exported, Project, REACH, REPORT, ReachOrder, Recorded,
    SEARCH, SearchOrder, Told, accept, accepted, carry_out, carry_out_reach, check, checks, export,
    forget, load, mark,
};
pub use control::{Budget, Control, Guard, Need, Stopped, Watched};
pub use diff::{
    Differences, NotReplayed, Pair, add_run, compare, default_follow_limits, entries, explain,
};
pub use error::{Boxed, Error};
pub use explore::{Line, Paths, RunWatch, Standing, explore, prepare_log};
pub use inputs::{Input, Inputs};
pub use job::{
    CallChoice, CallSource, DiffJob, NativeLimits, Near, OpenTests, RunJob, SearchLimits,
    SeedChoice, Start, Strategy, Subject, TestChoice, Tests, Threading, WhichTests,
};
pub use journal::{Damage, Ended, Job, Journal, JournalError, Kept, Logbook};
pub use native::Sandboxes;
pub use once::{Host, LIMITED, Once, OnceJob, StreamAction, World, run_once};
pub use patch::Patch;
pub use program::{Identity, LOAD, Loaded, Tools};
pub use reach::{ReachIn, ReachJob, ReachWatch, Wanted, reach, reach_in_project};
pub use replay::{
    CaseCluster, CaseCounts, ChangedLines, Comparison, LineRuns, Predicted, Prediction, ReplayJob,
    ReplayOn, ReplayResult, ReplayWatch, Replayed, Shown, replay,
};
pub use result::{Divergence, JobResult};
pub use revision::{Building, BuiltRevision, Programs, ShowBuild};
pub use search::{SearchName, UnknownSearch};
pub use usage::usage;
