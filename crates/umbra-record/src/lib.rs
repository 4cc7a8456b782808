//! Recording what a test suite feeds to the programs it tests.
//!
//! [`Recorder`] puts a shim (see `umbra-shim`) into each program of interest, runs the suite's
//! command, puts the programs back, and turns what the shims' tracers (see `umbra-tracer`) have written
//! into test cases in a [`Store`](umbra_case::Store). The suite notices nothing: every invocation is the
//! real program with its real effects.
//!
//! Everything of a run is in a folder of its own below the store. A run that was killed leaves that
//! folder; the next one puts the programs back and removes it.
//!
//! **Invariant:** knows nothing of engines, builds or terminals. No value of an environment variable
//! that is not on the allow-list is stored, except `PATH` of programs that run others.

mod config;
mod convert;
mod elf;
mod error;
mod graft;
mod installation;
mod late;
mod recorder;
mod run_folder;
mod silence;
mod suite;
mod summary;

pub use config::{DEFAULT_VARIABLES, RecordConfig, Sample};
pub use convert::{Baseline, Incomplete, convert};
pub use error::Error;
pub use installation::{Installation, Removed};
pub use late::add as add_program;
pub use recorder::{Progress, Recorder, Surround};
pub use summary::Summary;
pub use umbra_tracer::{raw, settings};
