//! The oldest state first.

use std::collections::VecDeque;

use super::Searcher;
use crate::queue::{StateId, StateView, View};

/// Advances all paths by one fork before any by two.
#[derive(Debug, Default)]
pub(super) struct BreadthFirst {
    states: VecDeque<StateId>,
}

impl Searcher for BreadthFirst {
    fn add(&mut self, state: &StateView) {
        self.states.push_back(state.id);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        self.states.pop_front()
    }

    fn pauses_at_forks(&self) -> bool {
        true
    }
}
