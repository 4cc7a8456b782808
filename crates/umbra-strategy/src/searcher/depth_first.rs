//! The newest state first.
//!
//! One whose turn is over waits behind all others: a path without an end does not keep them from theirs.

use umbra_expr::IdSet;

use super::Searcher;
use super::line::Line;
use crate::queue::{StateId, StateView, View};

/// Keeps few states, and shares most of its work with the path before.
#[derive(Debug, Default)]
pub(super) struct DepthFirst {
    fresh: Line,
    /// Those that have had a turn, in the order in which these ended.
    interrupted: Line,
    /// States that have had a turn.
    selected: IdSet<StateId>,
}

impl Searcher for DepthFirst {
    fn add(&mut self, state: &StateView, _: &View<'_>) {
        match self.selected.contains(&state.id) {
            true => self.interrupted.push(state.id),
            false => self.fresh.push(state.id),
        }
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        let state = self.fresh.pop_last().or_else(|| self.interrupted.pop_first())?;
        self.selected.insert(state);
        Some(state)
    }

    fn remove(&mut self, state: StateId) {
        self.fresh.remove(state);
        self.interrupted.remove(state);
        // It has its turn elsewhere.
        self.selected.insert(state);
    }

    fn forget(&mut self, state: StateId) {
        self.remove(state);
        self.selected.remove(&state);
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

    #[test]
    fn a_state_whose_turn_is_over_waits_for_the_others() {
        let mut setting = Setting::new(DepthFirst::default());
        setting.add_all(1..=3);
        assert_eq!(setting.select(), Some(3));
        setting.add_all(3..=4);
        assert_eq!(setting.select(), Some(4));
        setting.add_all(4..=4);
        assert_eq!(setting.select_all(), [2, 1, 3, 4]);
    }
}
