//! The oldest state first.

use super::line::Line;
use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// Advances all paths by one fork before any by two.
#[derive(Debug, Default)]
pub(super) struct BreadthFirst(Line);

impl Searcher for BreadthFirst {
    fn add(&mut self, state: &StateView, _: &View<'_>) {
        self.0.push(state.id);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        self.0.pop_first()
    }

    fn remove(&mut self, state: StateId) {
        self.0.remove(state);
    }

    fn batch(&self) -> Batch {
        Batch::UntilFork
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Setting;
    use super::*;

    #[test]
    fn the_oldest_state_is_next() {
        let mut setting = Setting::new(BreadthFirst::default());
        setting.add_all(1..=3);
        assert_eq!(setting.select(), Some(1));
        setting.add_all(4..=4);
        setting.remove(2);
        assert_eq!(setting.select_all(), [3, 4]);
    }
}
