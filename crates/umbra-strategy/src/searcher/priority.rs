//! What comes before and after all others, whatever the searcher.
//!
//! The other side of a check is where an error is: it is solved already and ends at once, so it runs
//! first. The other side of a value that was fixed is all other values (file names, sizes): there
//! are many and they rarely lead anywhere new, so they come last; but one selection in
//! [`SHARE`] is theirs all the same, since the others may never end.

use umbra_engine::ForkReason;

use super::line::Line;
use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// One of so many selections is of a state that comes last.
const SHARE: u64 = 64;

/// Checks first, other values last, the rest as the searcher says.
pub(super) struct Priority {
    urgent: Line,
    inner: Box<dyn Searcher>,
    last: Line,
    selections: u64,
}

impl Priority {
    pub fn new(inner: Box<dyn Searcher>) -> Self {
        Self { urgent: Line::default(), inner, last: Line::default(), selections: 0 }
    }
}

impl Searcher for Priority {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        match state.reason {
            Some(ForkReason::Check | ForkReason::Pointer) => self.urgent.push(state.id),
            Some(ForkReason::Value) => self.last.push(state.id),
            _ => self.inner.add(state, view),
        }
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        if let Some(state) = self.urgent.pop_first() {
            return Some(state);
        }
        self.selections += 1;
        if self.selections.is_multiple_of(SHARE)
            && let Some(state) = self.last.pop_first()
        {
            return Some(state);
        }
        self.inner.select(view).or_else(|| self.last.pop_first())
    }

    fn remove(&mut self, state: StateId) {
        if !self.urgent.remove(state) && !self.last.remove(state) {
            self.inner.remove(state);
        }
    }

    fn forget(&mut self, state: StateId) {
        self.urgent.remove(state);
        self.last.remove(state);
        self.inner.forget(state);
    }

    fn batch(&self) -> Batch {
        self.inner.batch()
    }

    fn wants_contexts(&self) -> bool {
        self.inner.wants_contexts()
    }

    fn is_urgent(&self) -> bool {
        !self.urgent.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::depth_first::DepthFirst;
    use super::super::testing::Setting;
    use super::*;

    fn setting() -> Setting<Priority> {
        let mut setting = Setting::new(Priority::new(Box::new(DepthFirst::default())));
        setting.add_with(1, |view| view.reason = Some(ForkReason::Branch));
        setting.add_with(2, |view| view.reason = Some(ForkReason::Value));
        setting.add_with(3, |view| view.reason = Some(ForkReason::Check));
        setting.add_with(4, |view| view.reason = Some(ForkReason::Pointer));
        setting.add_with(5, |view| view.reason = None);
        setting
    }

    #[test]
    fn checks_come_first_and_values_last() {
        let mut setting = setting();
        assert!(setting.searcher.is_urgent());
        assert_eq!(setting.select(), Some(3));
        assert_eq!(setting.select(), Some(4));
        assert!(!setting.searcher.is_urgent());
        assert_eq!(setting.select_all(), [5, 1, 2]);
    }

    #[test]
    fn any_state_can_be_taken_out() {
        let mut setting = setting();
        for state in [2, 3, 5] {
            setting.remove(state);
        }
        assert_eq!(setting.select_all(), [4, 1]);
    }

    #[test]
    fn values_get_a_small_share() {
        let mut setting = setting();
        setting.remove(3);
        setting.remove(4);
        let mut selected = Vec::new();
        for state in 100..100 + 2 * SHARE {
            setting.add_all(state..=state);
            selected.extend(setting.select());
        }
        assert_eq!(selected.iter().position(|&state| state == 2), Some(SHARE as usize - 1));
    }
}
