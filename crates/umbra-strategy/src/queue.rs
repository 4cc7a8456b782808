//! The states that wait.

use std::cell::OnceCell;

use umbra_engine::{Coverage, ForkReason, Image, Parked};
use umbra_expr::ExprId;

use crate::contexts::{ContextId, Contexts};
use crate::saved::SavedState;

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
    /// The state it was forked from; `None` for the first one and those from other workers.
    pub parent: Option<StateId>,
    /// Why it exists; `None` for a state that was interrupted or has not started.
    pub reason: Option<ForkReason>,
    /// Where in the code it stands.
    pub place: u32,
    /// The block it enters first, if that is known.
    pub target: Option<u32>,
    /// Who called it; only where a searcher asks for it.
    pub context: ContextId,
    /// How often its path has forked.
    pub depth: u32,
    /// Instructions on its path.
    pub instructions: u64,
    /// Instructions on its path since it, or the state it was forked from, ran something new.
    pub stale: u64,
    /// Whether it ran something that no state had run before, since it was forked.
    pub is_new: bool,
    /// Branches between it and where a change ran, on its path or on that of the test that it was forked from. What is
    /// forked from it later counts on from there.
    pub near: u32,
}

impl StateView {
    /// A state about which nothing is known yet.
    pub(crate) fn new(id: StateId) -> Self {
        Self {
            id,
            parent: None,
            reason: None,
            place: 0,
            target: None,
            context: ContextId::OUTERMOST,
            depth: 0,
            instructions: 0,
            stale: 0,
            is_new: false,
            near: 0,
        }
    }
}

/// What a searcher may know of the run.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Which blocks ran.
    pub coverage: &'a Coverage,
    /// The program.
    pub image: &'a Image,
    /// The stacks that states stand in.
    pub contexts: &'a Contexts,
}

/// A state that waits.
pub(crate) struct Waiting {
    pub view: StateView,
    pub parked: Parked,
    /// What its own assignment may not satisfy yet: the number of constraints before, and the
    /// condition. `None` if it can run at once.
    pub goal: Option<(usize, ExprId)>,
    /// What it adds to the memory in use.
    pub bytes: usize,
    /// The state as data, once a snapshot has asked for it: it does not change while it waits.
    pub saved: OnceCell<SavedState>,
}
