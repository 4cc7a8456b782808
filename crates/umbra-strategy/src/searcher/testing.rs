//! A setting in which searchers are tested: a program of six blocks.

use std::ops::RangeInclusive;
use std::sync::Arc;

use umbra_engine::{Coverage, Image, Inputs, Memory, UninitialisedReads};

use super::Searcher;
use crate::contexts::{ContextId, Contexts};
use crate::queue::{StateId, StateView, View};

/// The targets 0 to 4 are the blocks of `main`, 5 is the block of `leaf`.
const PROGRAM: &str = "
    fn0 @main(r0: i1) {
    bb0 weight 10:
      branch r0, bb1(), bb2()
    bb1 weight 1000:
      jump bb3()
    bb2 weight 10:
      jump bb3()
    bb3 weight 10:
      call fn1@leaf()
      branch r0, bb4(), bb2()
    bb4 weight 10:
      return
    }
    fn1 @leaf() {
    bb0 weight 10:
      return
    }";

/// A searcher, and the views it is given.
pub(super) struct Setting<S> {
    pub searcher: S,
    pub image: Image,
    coverage: Coverage,
    contexts: Contexts,
}

impl<S: Searcher> Setting<S> {
    pub fn new(searcher: S) -> Self {
        Self::with(|_| searcher)
    }

    pub fn with(searcher: impl FnOnce(&Image) -> S) -> Self {
        let program = umbra_ir::parse(PROGRAM).expect("the text is right");
        let mut memory = Memory::new(1 << 20, UninitialisedReads::Zero);
        let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
        let coverage = Coverage::new(&image);
        Self { searcher: searcher(&image), image, coverage, contexts: Contexts::default() }
    }

    pub fn add_with(&mut self, state: u64, change: impl FnOnce(&mut StateView)) {
        let mut view = StateView::new(StateId(state));
        change(&mut view);
        let Self { coverage, image, contexts, .. } = self;
        self.searcher.add(&view, &View { coverage, image, contexts });
    }

    pub fn add(&mut self, state: u64, parent: Option<u64>) {
        self.add_with(state, |view| view.parent = parent.map(StateId));
    }

    pub fn add_all(&mut self, states: RangeInclusive<u64>) {
        states.for_each(|state| self.add(state, None));
    }

    pub fn select(&mut self) -> Option<u64> {
        let Self { coverage, image, contexts, .. } = self;
        self.searcher.select(&View { coverage, image, contexts }).map(|state| state.0)
    }

    pub fn select_all(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.select()).collect()
    }

    pub fn remove(&mut self, state: u64) {
        self.searcher.remove(StateId(state));
    }

    /// A block runs.
    pub fn cover(&mut self, target: u32) {
        self.coverage.add(target);
    }

    /// All blocks run but one.
    pub fn cover_all_but(&mut self, target: u32) {
        (0..6).filter(|&other| other != target).for_each(|other| self.cover(other));
    }

    /// The stack of a call that returns into a block of `main`, behind its only call.
    pub fn return_to_block(&mut self, block: u32) -> ContextId {
        let inside = |&place: &u32| {
            let position = self.image.position(place);
            position.is_some_and(|position| {
                let found = self.image.block_target(position.function, position.block);
                found == Some(block) && position.calls == 1
            })
        };
        let place = (0..100).find(inside).expect("the block has a call");
        self.contexts.intern([place].into_iter())
    }
}
