//! Longer turns.

use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// Gives a state that was selected a number of instructions before the next selection.
///
/// To change between states costs a question to the solver and a cold cache, so it should not
/// happen at every fork.
pub(super) struct Batching {
    inner: Box<dyn Searcher>,
    instructions: u64,
}

impl Batching {
    pub fn new(inner: Box<dyn Searcher>, instructions: u64) -> Self {
        Self { inner, instructions }
    }
}

impl Searcher for Batching {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        self.inner.add(state, view);
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        self.inner.select(view)
    }

    fn remove(&mut self, state: StateId) {
        self.inner.remove(state);
    }

    fn forget(&mut self, state: StateId) {
        self.inner.forget(state);
    }

    fn batch(&self) -> Batch {
        Batch::Instructions(self.instructions)
    }

    fn wants_contexts(&self) -> bool {
        self.inner.wants_contexts()
    }
}

#[cfg(test)]
mod tests {
    use super::super::breadth_first::BreadthFirst;
    use super::super::testing::Setting;
    use super::*;

    #[test]
    fn only_the_length_of_turns_changes() {
        let inner = Box::new(BreadthFirst::default());
        assert_eq!(inner.batch(), Batch::UntilFork);
        let mut setting = Setting::new(Batching::new(inner, 500));
        assert_eq!(setting.searcher.batch(), Batch::Instructions(500));
        setting.add_all(1..=4);
        setting.remove(2);
        assert_eq!(setting.select_all(), [1, 3, 4]);
    }
}
