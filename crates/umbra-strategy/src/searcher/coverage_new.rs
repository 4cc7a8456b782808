//! States that are likely to run something new.
//!
//! First those whose next block is the program's own and has not run yet: a lot among such blocks, so that one that many
//! states try to enter in vain does not keep the others from their turn, then a lot among the states
//! in front of it. If there are none, a lot among all others, in which a state that ran something new
//! a short while ago has the larger chance: the inverse of the instructions since then. KLEE's
//! searcher for new coverage draws by the same measure.

use std::sync::Arc;

use umbra_expr::IdMap;

use super::weighted::{MAX_WEIGHT, Weighted};
use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};
use crate::random::Random;
use crate::terrain::Terrain;

/// States in front of blocks that have not run, and the others by age.
#[derive(Debug)]
pub(super) struct CoverageNew {
    /// Blocks that had not run when a state was added that enters them.
    targets: Vec<u32>,
    /// The states in front of each; those that are not in `fresh` are gone.
    by_target: IdMap<u32, Vec<StateId>>,
    /// The weight that a state has once its block has run.
    fresh: IdMap<StateId, u64>,
    others: Weighted<()>,
    /// Says which code is the program's own; without it, all is.
    terrain: Option<Arc<Terrain>>,
    random: Random,
}

impl CoverageNew {
    pub fn new(seed: u64, terrain: Option<Arc<Terrain>>) -> Self {
        Self {
            targets: Vec::new(),
            by_target: IdMap::default(),
            fresh: IdMap::default(),
            others: Weighted::default(),
            terrain,
            random: Random::new(seed),
        }
    }

    /// Whether a block is new, and worth running for that.
    fn is_new(&self, target: u32, view: &View<'_>) -> bool {
        !view.coverage.is_covered(target)
            && self.terrain.as_ref().is_none_or(|terrain| {
                let block = view.image.target_block(target);
                block.is_some_and(|(function, _)| terrain.is_own(function))
            })
    }

    /// Takes out a state whose next block has not run.
    fn select_fresh(&mut self, view: &View<'_>) -> Option<StateId> {
        while !self.targets.is_empty() {
            let place = self.random.below(self.targets.len() as u64) as usize;
            let target = self.targets[place];
            let states = self.by_target.entry(target).or_default();
            if view.coverage.is_covered(target) {
                for state in std::mem::take(states) {
                    if let Some(weight) = self.fresh.remove(&state) {
                        self.others.insert(state, weight, ());
                    }
                }
            }
            while !states.is_empty() {
                let place = self.random.below(states.len() as u64) as usize;
                let state = states.swap_remove(place);
                if self.fresh.remove(&state).is_some() {
                    return Some(state);
                }
            }
            self.by_target.remove(&target);
            self.targets.swap_remove(place);
        }
        None
    }
}

impl Searcher for CoverageNew {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        let weight = MAX_WEIGHT / (1 + state.stale);
        let fresh = state.target.filter(|&target| self.is_new(target, view));
        let Some(target) = fresh else {
            self.others.insert(state.id, weight, ());
            return;
        };
        self.fresh.insert(state.id, weight);
        self.by_target
            .entry(target)
            .or_insert_with(|| {
                self.targets.push(target);
                Vec::new()
            })
            .push(state.id);
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        self.select_fresh(view).or_else(|| self.others.draw(&mut self.random))
    }

    fn remove(&mut self, state: StateId) {
        if self.fresh.remove(&state).is_none() {
            self.others.remove(state);
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
    fn states_in_front_of_new_blocks_come_first() {
        for seed in 0..20 {
            let mut setting = Setting::new(CoverageNew::new(seed, None));
            setting.add_all(1..=5);
            setting.add_with(6, |view| view.target = Some(2));
            setting.add_with(7, |view| view.target = Some(3));
            let mut first = [setting.select(), setting.select()];
            first.sort_unstable();
            assert_eq!(first, [Some(6), Some(7)]);
            assert_eq!(setting.select_all().len(), 5);
        }
    }

    #[test]
    fn new_blocks_of_libraries_give_no_preference() {
        let mut first = 0;
        for seed in 0..500 {
            // `main` is the program's own, `leaf` (block 5) is not.
            let mut setting = Setting::with(|image| {
                let main = image.program.function("main");
                let terrain = Terrain::new(image, &|function| Some(function) == main);
                CoverageNew::new(seed, Some(Arc::new(terrain)))
            });
            setting.add_with(1, |view| view.target = Some(5));
            setting.add_with(2, |view| view.target = None);
            first += u32::from(setting.select() == Some(1));
            setting.add_with(3, |view| view.target = Some(3));
            assert_eq!(setting.select(), Some(3));
        }
        assert!((200..300).contains(&first), "{first} of 500");
    }

    #[test]
    fn a_block_that_has_run_meanwhile_gives_no_preference() {
        let mut first = 0;
        for seed in 0..500 {
            let mut setting = Setting::new(CoverageNew::new(seed, None));
            setting.add_with(1, |view| view.target = Some(2));
            setting.add_with(2, |view| view.target = Some(2));
            setting.add_with(3, |view| view.target = None);
            setting.remove(2);
            setting.cover(2);
            setting.add_with(4, |view| view.target = Some(2));
            first += u32::from(setting.select() == Some(1));
            assert_eq!(setting.select_all().len(), 2);
        }
        assert!((120..220).contains(&first), "{first} of 500");
    }

    #[test]
    fn what_ran_something_new_is_drawn_more_often() {
        let mut recent = 0;
        for seed in 0..500 {
            let mut setting = Setting::new(CoverageNew::new(seed, None));
            setting.add_with(1, |view| view.stale = 999);
            setting.add_with(2, |view| view.stale = 9);
            recent += u32::from(setting.select() == Some(2));
        }
        assert!(recent > 480, "{recent} of 500");
    }
}
