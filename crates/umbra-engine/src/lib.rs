//! The machine: states, memory, the step function and its checks.
//!
//! Knows nothing of the host's files and prints nothing; what the program asks of its operating
//! system goes through [`Environment`].

mod code;
mod coverage;
mod environment;
mod memory;
mod state;
mod step;
mod termination;

pub use code::{Image, Place};
pub use coverage::LineCoverage;
pub use environment::{Answer, BadAddress, Byte, Environment, SignalDelivery, UserMemory};
pub use memory::{
    Access, AccessKind, Contents, Fault, FaultKind, Life, Memory, Object, ObjectKind, Trace,
    UninitialisedReads,
};
pub use state::{Limits, State};
pub use step::{Machine, Process};
pub use termination::{ErrorKind, ErrorReport, ObjectReport, Termination};
