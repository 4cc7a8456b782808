//! The states that wait.

use umbra_engine::{Coverage, ForkReason, Parked};
use umbra_expr::ExprId;

/// A state of a worker; ids are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u64);

impl std::fmt::Display for StateId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "st{}", self.0)
    }
}

/// What a searcher may know of a state.
#[derive(Clone, Copy, Debug)]
pub struct StateView {
    /// The state.
    pub id: StateId,
    /// The state it was forked from.
    pub parent: Option<StateId>,
    /// Why it exists; `None` for a state that was interrupted or has not started.
    pub reason: Option<ForkReason>,
    /// Where in the code it stands.
    pub place: u32,
    /// The block it enters first, if that is known.
    pub target: Option<u32>,
    /// How often its path has forked.
    pub depth: u32,
    /// Instructions on its path.
    pub instructions: u64,
    /// Instructions on its path since it, or the state it was forked from, ran something new.
    pub stale: u64,
}

/// What a searcher may know of the run.
pub struct View<'a> {
    /// Which blocks ran.
    pub coverage: &'a Coverage,
}

/// A state that waits.
pub(crate) struct Waiting {
    pub view: StateView,
    pub parked: Parked,
    /// What its own assignment may not satisfy yet: the number of constraints before, and the
    /// condition. `None` if it can run at once.
    pub goal: Option<(usize, ExprId)>,
}
