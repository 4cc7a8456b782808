//! Behaviours of programs, compared.
//!
//! An [`Outcome`] is all that was seen of one run. [`compare`] says in what two of them differ,
//! [`judge`] what the outcomes of two versions on one case come to, [`cluster`] and [`minimise`] make
//! a few small examples of many, and a [`Spectrum`] says which changed line explains a difference.
//!
//! **Invariant:** runs nothing. Who wants another run is given a function that makes it.

mod compare;
mod outcome;
mod triage;

pub use compare::{Aspect, Channel, Difference, Judgement, Patience, compare, judge};
pub use outcome::{
    Blocks, Captured, Content, Frame, MemoryCount, Note, Outcome, SanitizerReport, Tree, TreeCut,
    TreeEntry, TreeKind, Usage,
};
pub use triage::{
    Candidate, ChangedLine, Cluster, Explanation, Judged, Minimised, Ran, Signature, Spectrum,
    Urgency, cluster, minimise,
};
