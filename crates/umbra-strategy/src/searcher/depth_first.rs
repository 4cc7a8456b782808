//! The newest state first.

use super::Searcher;
use super::line::Line;
use crate::queue::{StateId, StateView, View};

/// Keeps few states, and shares most of its work with the path before.
#[derive(Debug, Default)]
pub(super) struct DepthFirst(Line);

impl Searcher for DepthFirst {
    fn add(&mut self, state: &StateView, _: &View<'_>) {
        self.0.push(state.id);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        self.0.pop_last()
    }

    fn remove(&mut self, state: StateId) {
        self.0.remove(state);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Setting;
    use super::*;

    #[test]
    fn the_newest_state_is_next() {
        let mut setting = Setting::new(DepthFirst::default());
        setting.add_all(1..=3);
        assert_eq!(setting.select(), Some(3));
        setting.add_all(4..=4);
        setting.remove(2);
        assert_eq!(setting.select_all(), [4, 1]);
    }
}
