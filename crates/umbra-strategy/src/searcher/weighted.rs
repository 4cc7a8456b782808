//! Lots among states of different weight.

use umbra_expr::IdMap;

use crate::queue::StateId;
use crate::random::Random;

/// Weights are whole numbers below this, so that a million states cannot overflow their sum and
/// sums never drift, as those of floats would.
pub(super) const MAX_WEIGHT: u64 = 1 << 40;

/// States with a weight and something that the weight is computed from.
///
/// A complete binary tree of sums: adding, removing and drawing take time logarithmic in the
/// number of states.
#[derive(Debug)]
pub(super) struct Weighted<T> {
    /// Node `n` has the children `2n` and `2n + 1`; the leaves are the upper half.
    sums: Vec<u64>,
    states: Vec<Option<(StateId, T)>>,
    places: IdMap<StateId, usize>,
    free: Vec<usize>,
}

impl<T> Default for Weighted<T> {
    fn default() -> Self {
        Self { sums: vec![0; 2], states: vec![None], places: IdMap::default(), free: vec![0] }
    }
}

impl<T> Weighted<T> {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds a state, or changes its weight if it is there already.
    pub fn insert(&mut self, state: StateId, weight: u64, value: T) {
        self.remove(state);
        if self.free.is_empty() {
            self.double();
        }
        let place = self.free.pop().expect("doubling makes room");
        self.states[place] = Some((state, value));
        self.places.insert(state, place);
        self.set(place, weight);
    }

    /// Takes a state out, if it is there.
    pub fn remove(&mut self, state: StateId) -> bool {
        let Some(place) = self.places.remove(&state) else { return false };
        self.states[place] = None;
        self.free.push(place);
        self.set(place, 0);
        true
    }

    /// Takes a state out by lot.
    pub fn draw(&mut self, random: &mut Random) -> Option<StateId> {
        let total = self.sums[1];
        if total == 0 {
            return None;
        }
        let mut lot = random.below(total);
        let mut node = 1;
        while node < self.states.len() {
            node *= 2;
            if lot >= self.sums[node] {
                lot -= self.sums[node];
                node += 1;
            }
        }
        let (state, _) = self.states[node - self.states.len()].as_ref()?;
        let state = *state;
        self.remove(state);
        Some(state)
    }

    /// Computes all weights again.
    pub fn weigh(&mut self, mut weight: impl FnMut(&T) -> u64) {
        let leaves = self.states.len();
        for (place, state) in self.states.iter().enumerate() {
            let weight = state.as_ref().map_or(0, |(_, value)| bounded(weight(value)));
            self.sums[leaves + place] = weight;
        }
        self.add_up();
    }

    fn set(&mut self, place: usize, weight: u64) {
        let mut node = self.states.len() + place;
        let occupied = self.states[place].is_some();
        self.sums[node] = if occupied { bounded(weight) } else { 0 };
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    fn double(&mut self) {
        let leaves = self.states.len();
        let mut sums = vec![0; 4 * leaves];
        sums[2 * leaves..3 * leaves].copy_from_slice(&self.sums[leaves..]);
        self.sums = sums;
        self.free.extend((leaves..2 * leaves).rev());
        self.states.resize_with(2 * leaves, || None);
        self.add_up();
    }

    fn add_up(&mut self) {
        for node in (1..self.states.len()).rev() {
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }
}

/// Nobody is without a chance.
fn bounded(weight: u64) -> u64 {
    weight.clamp(1, MAX_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_drawn_in_proportion_to_their_weights() {
        let mut counts = [0u32; 3];
        let mut random = Random::new(9);
        for _ in 0..10_000 {
            let mut weighted = Weighted::default();
            for (state, weight) in [10u64, 0, 989].into_iter().enumerate() {
                weighted.insert(StateId(state as u64), weight, ());
            }
            let drawn = weighted.draw(&mut random).expect("three wait");
            counts[drawn.0 as usize] += 1;
            assert_eq!(weighted.len(), 2);
        }
        assert!((50..150).contains(&counts[0]), "{counts:?}");
        assert!((1..40).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn every_state_is_drawn_once() {
        let mut random = Random::new(2);
        let mut weighted = Weighted::default();
        for state in 0..1000 {
            weighted.insert(StateId(state), state, state);
        }
        assert!(weighted.remove(StateId(500)));
        assert!(!weighted.remove(StateId(500)));
        weighted.insert(StateId(7), 1, 7);
        weighted.weigh(|value| 1000 - value);
        let mut drawn = Vec::new();
        while let Some(state) = weighted.draw(&mut random) {
            drawn.push(state.0);
        }
        drawn.sort_unstable();
        assert_eq!(drawn, (0..1000).filter(|&state| state != 500).collect::<Vec<_>>());
    }

    #[test]
    fn weights_can_be_computed_again() {
        let mut random = Random::new(4);
        let mut weighted = Weighted::default();
        weighted.insert(StateId(1), MAX_WEIGHT, 1);
        weighted.insert(StateId(2), 1, 2);
        weighted.weigh(|&value| if value == 2 { MAX_WEIGHT } else { 1 });
        assert_eq!(weighted.draw(&mut random), Some(StateId(2)));
    }
}
