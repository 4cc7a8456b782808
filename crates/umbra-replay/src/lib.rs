//! Native runs of test cases: sandboxed, limited, observed.
//!
//! A [`Sandbox`] runs a [`Case`](umbra_case::Case) on a [`Program`] within [`Limits`] and says what
//! happened as an [`Outcome`]. Generated inputs are hostile, so nothing runs outside of a sandbox:
//! where none is to be had, there is an error that says why.
//!
//! [`judge`] says what two versions' outcomes on one case come to, [`cluster`] and [`minimise`] make
//! a few small examples of many.
//!
//! The work is done by a process of its own, for which the binary that uses this crate is started
//! again (see [`Launcher`], [`sandbox_main`]).

mod compare;
mod error;
mod facts;
mod inside;
mod job;
mod limits;
mod outcome;
mod pool;
mod program;
mod sandbox;
mod sanitizer;
mod siblings;
mod triage;
mod wire;

pub use compare::{
    Aspect, Channel, Class, Difference, Judgement, Patience, Version, compare, judge,
};
pub use error::Error;
pub use facts::{Fact, Finding, facts};
pub use inside::sandbox_main;
pub use limits::{Confinement, Limits, MemoryCount};
pub use outcome::{
    Blocks, Captured, Content, Ended, Frame, LimitKind, Note, Outcome, Place, SanitizerReport,
    Tree, TreeCut, TreeEntry, TreeKind, Usage,
};
pub use pool::{Pool, Run};
pub use program::{Program, Siblings};
pub use sandbox::{Launcher, Sandbox};
pub use sanitizer::Symbolizer;
pub use triage::{
    Candidate, Cause, ChangedLine, Cluster, Judged, Minimised, Ran, Signature, Spectrum, cluster,
    minimise,
};
