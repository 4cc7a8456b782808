//! The machine: states, memory, the step function and its checks.
//!
//! Knows nothing of the host's files and prints nothing; what the program asks of its operating
//! system goes through [`Environment`].

mod environment;
mod memory;

pub use environment::{Answer, BadAddress, Environment, SignalDelivery, UserMemory};
pub use memory::{Access, AccessKind, Fault, FaultKind, Life, Object, ObjectKind, Trace, UninitialisedReads, Memory, Contents};
