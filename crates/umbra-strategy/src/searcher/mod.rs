//! Searchers: which state is next.
//!
//! A searcher knows ids and views, never the states themselves; the worker tells it which states were
//! added, taken by others and gone. Searchers compose: [`Search`] names the compositions.
//!
//! A selected state wakes only if the solver finds an input for it, and most sides of branches
//! nobody can take. So a selection has to be cheap: none takes longer than the logarithm of the number
//! of states, or the depth of the fork tree.

mod batching;
mod breadth_first;
mod coverage_new;
mod depth_first;
mod distance;
mod interleaving;
mod line;
mod nearest;
mod priority;
mod random_path;
mod search;
#[cfg(test)]
mod testing;
mod thrifty;
mod weighted;

pub use search::{Search, SearchKind, UnknownSearch};
pub use thrifty::Again;
pub(crate) use thrifty::Thrifty;

use crate::queue::{StateId, StateView, View};

/// How long a selected state runs before the next selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// Until its path ends.
    ToTheEnd,
    /// For about so many instructions.
    Instructions(u64),
    /// Until it forks.
    UntilFork,
}

/// Decides which state is next.
pub trait Searcher: Send {
    /// A state waits: a new one, or one that has run for a while.
    fn add(&mut self, state: &StateView, view: &View<'_>);

    /// Takes the next state out; `None` if none waits.
    fn select(&mut self, view: &View<'_>) -> Option<StateId>;

    /// A state that may be waiting was taken by someone else.
    fn remove(&mut self, state: StateId);

    /// A state, waiting or running, is gone and will not be added again.
    fn forget(&mut self, state: StateId) {
        self.remove(state);
    }

    /// How long a selected state runs.
    fn batch(&self) -> Batch {
        Batch::ToTheEnd
    }

    /// Whether states are to be added with the stack of calls that they stand in.
    fn wants_contexts(&self) -> bool {
        false
    }

    /// Whether a state waits that should not have to wait for the running one.
    fn is_urgent(&self) -> bool {
        false
    }
}
