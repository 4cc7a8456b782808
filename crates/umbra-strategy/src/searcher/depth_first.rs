//! The newest state first.

use super::Searcher;
use crate::queue::{StateId, StateView, View};

/// Keeps few states, and shares most of its work with the path before.
#[derive(Debug, Default)]
pub(super) struct DepthFirst {
    states: Vec<StateId>,
}

impl Searcher for DepthFirst {
    fn add(&mut self, state: &StateView) {
        self.states.push(state.id);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        self.states.pop()
    }
}
