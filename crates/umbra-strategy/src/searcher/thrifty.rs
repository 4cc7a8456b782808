//! Little to do again.
//!
//! A state that was written down is made again by executing its path from the start, and what several paths have in
//! common is executed once ([`crate::worker`]). So the states that wait cost, if the run is
//! killed, the length of the tree of their paths. This wrapper keeps that short: where it is more than a
//! sixty-fourth of all work so far, and more than what was allowed anyhow, the newest state is next and has a long turn.
//! A search that goes deep keeps states along one path only.

use std::collections::HashMap;

use umbra_expr::IdMap;

use super::depth_first::DepthFirst;
use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};

/// The part of all work that may be done again.
const PART: u64 = 64;

/// Instructions of a turn that goes deep.
const LONG_TURN: u64 = 1_000_000;

/// How much may be done again after a run was killed, beside a sixty-fourth of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Instructions that may be executed again in any case.
    pub instructions: u64,
    /// Instructions that were executed before this process.
    pub before: u64,
}

/// A wrapper that goes deep where too much would have to be done again.
pub(crate) struct Thrifty {
    inner: Box<dyn Searcher>,
    deep: DepthFirst,
    tree: Prefixes,
    allowed: u64,
    /// Whether the last selection went deep.
    is_deep: bool,
}

impl Thrifty {
    pub fn new(inner: Box<dyn Searcher>, again: Again) -> Self {
        let tree = Prefixes { work: again.before, ..Prefixes::default() };
        Self {
            inner,
            deep: DepthFirst::default(),
            tree,
            allowed: again.instructions,
            is_deep: false,
        }
    }
}

impl Searcher for Thrifty {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        self.tree.add(state);
        self.inner.add(state, view);
        self.deep.add(state, view);
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        self.is_deep = self.tree.length > self.allowed.max(self.tree.work / PART);
        if self.is_deep {
            let state = self.deep.select(view)?;
            self.inner.remove(state);
            return Some(state);
        }
        let state = self.inner.select(view)?;
        self.deep.remove(state);
        Some(state)
    }

    fn remove(&mut self, state: StateId) {
        self.inner.remove(state);
        self.deep.remove(state);
    }

    fn forget(&mut self, state: StateId) {
        self.tree.forget(state);
        self.inner.forget(state);
        self.deep.forget(state);
    }

    fn batch(&self) -> Batch {
        if self.is_deep { Batch::Instructions(LONG_TURN) } else { self.inner.batch() }
    }

    fn wants_contexts(&self) -> bool {
        self.inner.wants_contexts()
    }

    fn is_urgent(&self) -> bool {
        self.inner.is_urgent()
    }
}

/// The paths of all states that there are, as a tree, and its length.
#[derive(Default)]
struct Prefixes {
    forks: HashMap<u64, Node>,
    next: u64,
    seats: IdMap<StateId, Seat>,
    /// Instructions on all paths to states that there are; what they have in common counts once.
    length: u64,
    /// Instructions seen so far, on paths that have ended too.
    work: u64,
}

/// A fork.
struct Node {
    /// The one before, on the same path.
    parent: Option<u64>,
    /// Instructions since then.
    length: u64,
    /// Forks and states right behind it.
    users: u32,
}

/// Where a state is in the tree.
struct Seat {
    /// The last fork on its path, and the instructions up to there.
    fork: Option<u64>,
    at: u64,
    /// The instructions up to where it was last seen.
    seen: u64,
}

impl Prefixes {
    fn add(&mut self, state: &StateView) {
        let now = state.instructions;
        if let Some(seat) = self.seats.get_mut(&state.id) {
            let more = now.saturating_sub(seat.seen);
            seat.seen += more;
            self.grow(more);
            return;
        }
        let parent = state.parent.and_then(|parent| self.seats.get_mut(&parent));
        let seat = match parent {
            Some(parent) => {
                let node =
                    Node { parent: parent.fork, length: now.saturating_sub(parent.at), users: 2 };
                let more = now.saturating_sub(parent.seen);
                let fork = Some(self.next);
                *parent = Seat { fork, at: now, seen: now.max(parent.seen) };
                self.forks.insert(self.next, node);
                self.next += 1;
                self.grow(more);
                Seat { fork, at: now, seen: now }
            }
            None => {
                self.grow(now);
                Seat { fork: None, at: 0, seen: now }
            }
        };
        self.seats.insert(state.id, seat);
    }

    fn grow(&mut self, instructions: u64) {
        self.length += instructions;
        self.work += instructions;
    }

    fn forget(&mut self, state: StateId) {
        let Some(Seat { mut fork, at, seen }) = self.seats.remove(&state) else { return };
        self.length = self.length.saturating_sub(seen.saturating_sub(at));
        while let Some(node) = fork.and_then(|fork| self.forks.get_mut(&fork)) {
            node.users -= 1;
            if node.users > 0 {
                return;
            }
            self.length = self.length.saturating_sub(node.length);
            let parent = node.parent;
            fork.map(|fork| self.forks.remove(&fork));
            fork = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::breadth_first::BreadthFirst;
    use super::super::testing::Setting;
    use super::*;

    fn view(id: u64, parent: Option<u64>, instructions: u64) -> StateView {
        StateView { parent: parent.map(StateId), instructions, ..StateView::new(StateId(id)) }
    }

    #[test]
    fn what_paths_have_in_common_counts_once() {
        let mut tree = Prefixes::default();
        tree.add(&view(1, None, 0));
        tree.add(&view(2, Some(1), 100));
        tree.add(&view(3, Some(1), 150));
        tree.add(&view(1, None, 170));
        assert_eq!((tree.length, tree.work), (170, 170));
        // The other side of the first fork goes on for a while.
        tree.add(&view(2, Some(1), 130));
        assert_eq!(tree.length, 200);
        // The path up to the second fork is that of the third state.
        tree.forget(StateId(1));
        assert_eq!((tree.length, tree.work), (180, 200));
        tree.forget(StateId(3));
        assert_eq!(tree.length, 130);
        tree.forget(StateId(2));
        assert_eq!((tree.length, tree.work), (0, 200));
        assert!(tree.forks.is_empty() && tree.seats.is_empty());
    }

    #[test]
    fn it_goes_deep_where_too_much_would_be_done_again() {
        for (before, first) in [(0, 3), (100_000, 1)] {
            let again = Again { instructions: 10, before };
            let inner: Box<dyn Searcher> = Box::new(BreadthFirst::default());
            let mut setting = Setting::new(Thrifty::new(inner, again));
            setting.add_with(1, |view| view.instructions = 100);
            setting.add_all(2..=3);
            assert_eq!(setting.select(), Some(first));
            assert_eq!(setting.searcher.is_deep, first == 3);
        }
    }
}
