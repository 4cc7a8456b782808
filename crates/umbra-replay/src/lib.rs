//! Native runs of test cases: sandboxed, limited, observed.

mod outcome;

pub use outcome::{
    Blocks, Captured, Content, Ended, Frame, LimitKind, Note, Outcome, Place, SanitizerReport,
    Tree, TreeCut, TreeEntry, TreeKind, Usage,
};
