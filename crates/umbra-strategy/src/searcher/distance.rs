//! States that are near to code that has not run.
//!
//! Lots weighted by the inverse square of the distance to the nearest block of the program's own
//! code that has not run, as KLEE's minimum distance to uncovered. The distance is the least number
//! of instructions, through calls and back along the state's stack (`umbra-analysis`).
//!
//! Distances change only when something new runs. They are computed again at the earliest after a
//! number of selections that grows with the number of states, so that their share of the work stays
//! bounded; until then a state may be weighed by a block that has run.

use std::sync::Arc;

use umbra_analysis::{Distances, NodeId};

use super::weighted::{MAX_WEIGHT, Weighted};
use super::{Batch, Searcher};
use crate::contexts::{ContextId, Contexts};
use crate::queue::{StateId, StateView, View};
use crate::random::Random;
use crate::terrain::Terrain;

/// Selections between two computations of the distances, at least.
const PAUSE: usize = 100;

/// Selections between two computations, at least, as a share of the states.
const SHARE: usize = 16;

/// Where a state stands.
#[derive(Clone, Copy, Debug)]
struct Stand {
    node: Option<NodeId>,
    context: ContextId,
}

/// States by the distance to code that has not run.
pub(super) struct DistanceWeighted {
    terrain: Arc<Terrain>,
    states: Weighted<Stand>,
    distances: Distances,
    /// For each stack the distance from where its innermost call returns to.
    beyond: Vec<Option<u32>>,
    /// What had run when the distances were computed.
    covered: Option<usize>,
    selections: usize,
    random: Random,
}

impl DistanceWeighted {
    pub fn new(seed: u64, terrain: Arc<Terrain>) -> Self {
        Self {
            distances: Distances::new(terrain.flow(), []),
            terrain,
            states: Weighted::default(),
            beyond: vec![None],
            covered: None,
            selections: 0,
            random: Random::new(seed),
        }
    }

    fn node(&self, place: u32, view: &View<'_>) -> Option<NodeId> {
        let position = view.image.position(place)?;
        self.terrain.flow().node(position.function, position.block, position.calls)
    }

    /// Finds the distances again if they may have changed and it is time.
    fn refresh(&mut self, view: &View<'_>) {
        let due = PAUSE.max(self.states.len() / SHARE);
        let changed = self.covered != Some(view.coverage.count());
        if !changed || (self.covered.is_some() && self.selections < due) {
            return;
        }
        self.covered = Some(view.coverage.count());
        self.selections = 0;
        let targets = self.terrain.uncovered(view.coverage);
        self.distances = Distances::new(self.terrain.flow(), targets);
        self.beyond.truncate(1);
        self.extend(view.contexts, view);
        let Self { states, distances, beyond, terrain, .. } = self;
        states.weigh(|stand| weight(terrain, distances, beyond, *stand));
    }

    /// Finds the distances from stacks that are new.
    fn extend(&mut self, contexts: &Contexts, view: &View<'_>) {
        let known = self.beyond.len() - 1;
        for (around, place) in contexts.iter().skip(known) {
            let node = self.node(place, view);
            let distance = distance(
                &self.terrain,
                &self.distances,
                &self.beyond,
                Stand { node, context: around },
            );
            self.beyond.push(distance);
        }
    }
}

/// The distance of a state: within its function, or out of it and on from where it was called.
fn distance(
    terrain: &Terrain,
    distances: &Distances,
    beyond: &[Option<u32>],
    stand: Stand,
) -> Option<u32> {
    let node = stand.node?;
    let out = terrain.flow().to_end(node);
    let outside = beyond.get(stand.context.index()).copied().flatten();
    let outside = out.zip(outside).map(|(out, beyond)| out.saturating_add(beyond));
    [distances.of(node), outside].into_iter().flatten().min()
}

fn weight(terrain: &Terrain, distances: &Distances, beyond: &[Option<u32>], stand: Stand) -> u64 {
    match distance(terrain, distances, beyond, stand) {
        Some(distance) => MAX_WEIGHT / u64::from(distance.max(1)).pow(2),
        None => 0,
    }
}

impl Searcher for DistanceWeighted {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        self.extend(view.contexts, view);
        let target = state.target.and_then(|target| view.image.target_block(target));
        let node = match target {
            Some((function, block)) => self.terrain.flow().node(function, block, 0),
            None => self.node(state.place, view),
        };
        let stand = Stand { node, context: state.context };
        let weight = weight(&self.terrain, &self.distances, &self.beyond, stand);
        self.states.insert(state.id, weight, stand);
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        self.selections += 1;
        self.refresh(view);
        self.states.draw(&mut self.random)
    }

    fn remove(&mut self, state: StateId) {
        self.states.remove(state);
    }

    fn batch(&self) -> Batch {
        Batch::UntilFork
    }

    fn wants_contexts(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Setting;
    use super::*;

    fn setting(seed: u64) -> Setting<DistanceWeighted> {
        Setting::with(|image| {
            let terrain = Terrain::new(image, &|_| true);
            DistanceWeighted::new(seed, Arc::new(terrain))
        })
    }

    /// How often state 1 is selected before state 2, of a hundred times.
    fn first(prepare: impl Fn(&mut Setting<DistanceWeighted>)) -> u32 {
        let mut count = 0;
        for seed in 0..100 {
            let mut setting = setting(seed);
            prepare(&mut setting);
            count += u32::from(setting.select() == Some(1));
        }
        count
    }

    #[test]
    fn the_nearer_state_is_drawn_more_often() {
        // All but the last block of `main` ran; the state in block 3 is before it, the one in block
        // 1 is far away.
        let near = first(|setting| {
            setting.cover_all_but(4);
            setting.add_with(1, |view| view.target = Some(3));
            setting.add_with(2, |view| view.target = Some(1));
        });
        assert!(near > 95, "{near} of 100");
    }

    #[test]
    fn distances_follow_the_coverage() {
        let mut setting = setting(1);
        for block in [0, 1, 2, 3, 5] {
            setting.cover(block);
        }
        setting.add_with(1, |view| view.target = Some(3));
        setting.add_with(2, |view| view.target = Some(5));
        assert_eq!(setting.select(), Some(1));
        setting.cover(4);
        // Nothing leads to code that has not run: all states are equal.
        setting.searcher.selections = PAUSE;
        setting.add_with(1, |view| view.target = Some(3));
        assert_eq!(setting.select_all().len(), 2);
        assert_eq!(
            setting.searcher.distances.of(setting.searcher.node_of_target(3, &setting.image)),
            None
        );
    }

    #[test]
    fn a_way_back_to_the_caller_counts() {
        let near = first(|setting| {
            setting.cover_all_but(4);
            let context = setting.return_to_block(3);
            setting.add_with(1, |view| (view.target, view.context) = (Some(5), context));
            setting.add_with(2, |view| view.target = Some(5));
        });
        assert!(near > 95, "{near} of 100");
    }

    impl DistanceWeighted {
        fn node_of_target(&self, target: u32, image: &umbra_engine::Image) -> NodeId {
            let (function, block) = image.target_block(target).expect("the block is there");
            self.terrain.flow().node(function, block, 0).expect("the node is there")
        }
    }
}
