//! Searchers: which state is next.
//!
//! A searcher knows ids and views, never the states themselves; the worker tells it which states were
//! added and takes those it selects. Searchers compose: [`Search`] names the compositions.

mod breadth_first;
mod depth_first;

use crate::queue::{StateId, StateView, View};

/// Decides which state is next.
pub trait Searcher: Send {
    /// A state waits.
    fn add(&mut self, state: &StateView);

    /// Takes the next state out; `None` if none waits.
    fn select(&mut self, view: &View<'_>) -> Option<StateId>;

    /// Whether a state that has just forked goes back to wait with the others.
    fn pauses_at_forks(&self) -> bool {
        false
    }
}

/// The searchers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Search {
    /// The newest state first.
    #[default]
    DepthFirst,
    /// The oldest state first.
    BreadthFirst,
}

impl Search {
    /// A searcher of this kind.
    pub fn searcher(self, _seed: u64) -> Box<dyn Searcher> {
        match self {
            Self::DepthFirst => Box::new(depth_first::DepthFirst::default()),
            Self::BreadthFirst => Box::new(breadth_first::BreadthFirst::default()),
        }
    }
}
