//! States in the order in which they came.

use std::collections::BTreeMap;

use umbra_expr::IdMap;

use crate::queue::StateId;

/// A line that states join at the end, and leave at either end or from the middle.
#[derive(Debug, Default)]
pub(super) struct Line {
    order: BTreeMap<u64, StateId>,
    places: IdMap<StateId, u64>,
    next: u64,
}

impl Line {
    /// Joins at the end; a state that is in the line already keeps its place.
    pub fn push(&mut self, state: StateId) {
        if self.places.contains_key(&state) {
            return;
        }
        self.order.insert(self.next, state);
        self.places.insert(state, self.next);
        self.next += 1;
    }

    /// Takes out the state that came first.
    pub fn pop_first(&mut self) -> Option<StateId> {
        let (_, state) = self.order.pop_first()?;
        self.places.remove(&state);
        Some(state)
    }

    /// Takes out the state that came last.
    pub fn pop_last(&mut self) -> Option<StateId> {
        let (_, state) = self.order.pop_last()?;
        self.places.remove(&state);
        Some(state)
    }

    /// Takes out this state, if it is in the line.
    pub fn remove(&mut self, state: StateId) -> bool {
        let place = self.places.remove(&state);
        place.is_some_and(|place| self.order.remove(&place).is_some())
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_leave_at_both_ends_and_from_the_middle() {
        let mut line = Line::default();
        for number in 1..=5 {
            line.push(StateId(number));
        }
        line.push(StateId(1));
        assert!(line.remove(StateId(3)));
        assert!(!line.remove(StateId(3)));
        assert_eq!(line.pop_first(), Some(StateId(1)));
        assert_eq!(line.pop_last(), Some(StateId(5)));
        assert_eq!(line.pop_last(), Some(StateId(4)));
        assert!(!line.is_empty());
        assert_eq!(line.pop_first(), Some(StateId(2)));
        assert_eq!((line.pop_first(), line.pop_last()), (None, None));
    }
}
