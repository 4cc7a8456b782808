//! Little to do again.
//!
//! A state that was written down is made again by executing its path from the start, and what several paths have in
//! common is executed once ([`crate::worker`]). So the states that wait cost, if the run is
//! killed, the length of the tree of their paths. This wrapper keeps that short: where it is more than a
//! sixty-fourth of all work so far, and more than what was allowed anyhow, the newest state is next and has a long turn.
//! A search that goes deep keeps states along one path only.

use std::collections::VecDeque;

use umbra_expr::IdMap;

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
    deep: Deep,
    tree: Prefixes,
    allowed: u64,
    /// Whether the last selection went deep.
    is_deep: bool,
}

impl Thrifty {
    pub fn new(inner: Box<dyn Searcher>, again: Again) -> Self {
        let tree = Prefixes { work: again.before, ..Prefixes::default() };
        Self { inner, deep: Deep::default(), tree, allowed: again.instructions, is_deep: false }
    }
}

impl Searcher for Thrifty {
    fn add(&mut self, state: &StateView, view: &View<'_>) {
        let is_known = self.tree.add(state);
        self.inner.add(state, view);
        self.deep.add(state.id, is_known);
    }

    fn select(&mut self, view: &View<'_>) -> Option<StateId> {
        self.is_deep = self.tree.length > self.allowed.max(self.tree.work / PART);
        if self.is_deep {
            let state = self.deep.select()?;
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
        self.deep.remove(state);
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

/// The newest state first, and behind all others those that have had a turn, in the order in which these ended: so does
/// `DepthFirst`. It is seldom asked, so a state that has left keeps its place in the
/// line until somebody comes to it.
#[derive(Default)]
struct Deep {
    fresh: Vec<Ticket>,
    interrupted: VecDeque<Ticket>,
    /// The ticket of each state that waits.
    waiting: IdMap<StateId, u64>,
    next: u64,
}

/// A place in a line; void if the state has another one, or none.
#[derive(Clone, Copy)]
struct Ticket {
    state: StateId,
    number: u64,
}

impl Deep {
    fn add(&mut self, state: StateId, had_a_turn: bool) {
        if self.waiting.contains_key(&state) {
            return;
        }
        self.next += 1;
        let ticket = Ticket { state, number: self.next };
        self.waiting.insert(state, ticket.number);
        match had_a_turn {
            true => self.interrupted.push_back(ticket),
            false => self.fresh.push(ticket),
        }
        let most = 2 * self.waiting.len() + 64;
        if self.fresh.len() + self.interrupted.len() > most {
            self.fresh.retain(|ticket| is_valid(&self.waiting, ticket));
            self.interrupted.retain(|ticket| is_valid(&self.waiting, ticket));
        }
    }

    fn select(&mut self) -> Option<StateId> {
        loop {
            let ticket = self.fresh.pop().or_else(|| self.interrupted.pop_front())?;
            if is_valid(&self.waiting, &ticket) {
                self.waiting.remove(&ticket.state);
                return Some(ticket.state);
            }
        }
    }

    fn remove(&mut self, state: StateId) {
        self.waiting.remove(&state);
    }
}

fn is_valid(waiting: &IdMap<StateId, u64>, ticket: &Ticket) -> bool {
    waiting.get(&ticket.state) == Some(&ticket.number)
}

/// The paths of all states that there are, as a tree, and its length.
#[derive(Default)]
struct Prefixes {
    forks: IdMap<u64, Node>,
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
    /// Adds a state, or what it has done since; says whether it was there already.
    fn add(&mut self, state: &StateView) -> bool {
        let now = state.instructions;
        if let Some(seat) = self.seats.get_mut(&state.id) {
            let more = now.saturating_sub(seat.seen);
            seat.seen += more;
            self.grow(more);
            return true;
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
        false
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
    fn the_newest_state_is_next_and_those_that_had_a_turn_are_last() {
        let mut deep = Deep::default();
        (1..=3).for_each(|id| deep.add(StateId(id), false));
        assert_eq!(deep.select(), Some(StateId(3)));
        deep.add(StateId(3), true);
        deep.add(StateId(4), false);
        // Somebody else selects the second one, which comes back.
        deep.remove(StateId(2));
        deep.add(StateId(2), true);
        let rest: Vec<u64> = std::iter::from_fn(|| deep.select()).map(|id| id.0).collect();
        assert_eq!(rest, [4, 1, 3, 2]);
        assert!(deep.waiting.is_empty());
    }

    #[test]
    fn places_of_states_that_have_left_are_given_up() {
        let mut deep = Deep::default();
        for id in 1..=10_000 {
            deep.add(StateId(id), false);
            deep.remove(StateId(id));
        }
        assert!(deep.fresh.len() < 100, "{}", deep.fresh.len());
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
