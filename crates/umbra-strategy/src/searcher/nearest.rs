//! The state first that is the fewest branches away from a change; of several, the one that came first.

use std::collections::BTreeMap;

use umbra_expr::IdMap;

use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// States by [`StateView::near`].
#[derive(Debug, Default)]
pub(super) struct Nearest {
    order: BTreeMap<(u32, u64), StateId>,
    places: IdMap<StateId, (u32, u64)>,
    next: u64,
}

impl Searcher for Nearest {
    fn add(&mut self, state: &StateView, _: &View<'_>) {
        self.remove(state.id);
        let place = (state.near, self.next);
        self.next += 1;
        self.order.insert(place, state.id);
        self.places.insert(state.id, place);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        let (_, state) = self.order.pop_first()?;
        self.places.remove(&state);
        Some(state)
    }

    fn remove(&mut self, state: StateId) {
        if let Some(place) = self.places.remove(&state) {
            self.order.remove(&place);
        }
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
    fn the_state_that_is_nearest_to_a_change_is_next() {
        let mut setting = Setting::new(Nearest::default());
        for (state, near) in [(1, 7), (2, 3), (3, 3), (4, 0), (5, 9)] {
            setting.add_with(state, |view| view.near = near);
        }
        setting.remove(4);
        assert_eq!(setting.select(), Some(2));
        setting.add_with(6, |view| view.near = 8);
        assert_eq!(setting.select_all(), [3, 1, 6, 5]);
    }
}
