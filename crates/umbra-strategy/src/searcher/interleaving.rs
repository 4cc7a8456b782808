//! Several searchers in turn.

use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// Searchers that share all states: what one takes, the others lose.
pub(super) struct Interleaving {
    searchers: Vec<Box<dyn Searcher>>,
    next: usize,
}

impl Interleaving {
    pub fn new(searchers: Vec<Box<dyn Searcher>>) -> Self {
        Self { searchers, next: 0 }
    }
}

impl Searcher for Interleaving {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        self.searchers.iter_mut().for_each(|searcher| searcher.add(state, view));
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        let turn = self.next;
        self.next = (self.next + 1) % self.searchers.len().max(1);
        let state = self.searchers.get_mut(turn)?.select(view)?;
        for (index, searcher) in self.searchers.iter_mut().enumerate() {
            if index != turn {
                searcher.remove(state);
            }
        }
        Some(state)
    }

    fn remove(&mut self, state: StateId) {
        self.searchers.iter_mut().for_each(|searcher| searcher.remove(state));
    }

    fn forget(&mut self, state: StateId) {
        self.searchers.iter_mut().for_each(|searcher| searcher.forget(state));
    }

    fn batch(&self) -> Batch {
        Batch::UntilFork
    }

    fn wants_contexts(&self) -> bool {
        self.searchers.iter().any(|searcher| searcher.wants_contexts())
    }
}

#[cfg(test)]
mod tests {
    use super::super::breadth_first::BreadthFirst;
    use super::super::depth_first::DepthFirst;
    use super::super::testing::Setting;
    use super::*;

    #[test]
    fn searchers_take_turns_and_share_states() {
        let searchers: Vec<Box<dyn Searcher>> =
            vec![Box::new(DepthFirst::default()), Box::new(BreadthFirst::default())];
        let mut setting = Setting::new(Interleaving::new(searchers));
        setting.add_all(1..=6);
        setting.remove(2);
        assert_eq!(setting.select(), Some(6));
        assert_eq!(setting.select(), Some(1));
        // A state that ran comes back behind the others.
        setting.add_all(6..=6);
        assert_eq!(setting.select_all(), [5, 3, 4, 6]);
    }
}
