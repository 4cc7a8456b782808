//! The machine: states, memory, the step function and its checks.
//!
//! Knows nothing of the host's files and prints nothing; what the program asks of its operating
//! system goes through [`Environment`].

mod code;
mod coverage;
mod digest;
mod environment;
mod fork;
mod lockstep;
mod memory;
mod numbers;
mod path;
mod shadow;
mod state;
mod step;
mod termination;
mod threads;
mod undefined;

pub use code::{ARGUMENT, Image, Inputs, LEFT, OBJECT, Place, Position, RESULT};
pub use coverage::{Coverage, LineCoverage};
pub use environment::{
    Answer, BadAddress, Byte, Environment, MemoryLimit, NoSystem, PageState, SignalDelivery,
    ThreadSignals, UserMemory,
};
pub use fork::{Decider, Fork, ForkReason, Forks, Found, NoForks, OtherSide};
pub use lockstep::{Apart, Lockstep};
pub use memory::{
    Access, AccessKind, Contents, Fault, FaultKind, Life, Memory, Object, ObjectKind, Trace,
    UninitialisedReads,
};
pub use numbers::Numbers;
pub use path::{Decision, Decisions, Described, Input, List, Path, Script, Standing, Trail};
pub use shadow::{Cause, Divergence, EndedVersion, Mode};
pub use state::{Limits, Parked, Shared, State};
pub use step::{Machine, OldFollowed, Process};
pub use termination::{ErrorKind, ErrorReport, ObjectReport, Termination};
pub use threads::{Schedule, UnknownSchedule};
pub use undefined::{Relation, Unrelated};
