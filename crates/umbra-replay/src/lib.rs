//! Native runs of test cases: sandboxed, limited, observed.
//!
//! A [`Sandbox`] runs a [`Case`](umbra_case::Case) on a [`Program`] within [`Limits`] and says what
//! happened as an [`Outcome`](umbra_compare::Outcome). Generated inputs are hostile, so nothing runs outside of a sandbox:
//! where none is available, there is an error that says why.
//!
//! The work is done by a process of its own, for which the binary that uses this crate is started
//! again (see [`Launcher`], [`sandbox_main`]).

mod error;
mod facts;
mod inside;
mod job;
mod limits;
mod pool;
mod program;
mod sandbox;
mod sanitizer;
mod siblings;
mod wire;

pub use error::Error;
pub use facts::{Fact, Presence, facts};
pub use inside::sandbox_main;
pub use limits::{Confinement, Limits};
pub use pool::{Pool, Run};
pub use program::{Program, Siblings};
pub use sandbox::{Launcher, Sandbox};
pub use sanitizer::Symbolizer;
