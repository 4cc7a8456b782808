//! Random walks from the start of the program: at every fork both sides have the same chance.
//!
//! As KLEE's random path (Cadar, Dunbar, Engler, OSDI'08). A state that parted early is as likely as
//! all states together that parted from it later, so loops that fork in every round do not take
//! the whole run.
//!
//! The forks of all states that are not gone form a binary tree. A node knows whether any leaf below
//! it waits, which is all that a walk needs; with counts instead, every change would have to go up
//! to the root, where this one stops at the first node that knows already. A fork of which one
//! side is gone is taken out of the tree, so the tree is never larger than twice the states.

use umbra_expr::IdMap;

use super::{Batch, Searcher};
use crate::queue::{StateId, StateView, View};
use crate::random::Random;

/// An index of a node.
type NodeId = u32;

#[derive(Clone, Copy, Debug)]
enum Shape {
    Leaf(StateId),
    Fork([NodeId; 2]),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: Option<NodeId>,
    shape: Shape,
    /// Invariant: of a fork, whether this holds for one of its sides.
    waiting: bool,
}

/// The tree of forks.
#[derive(Debug)]
pub(super) struct RandomPath {
    nodes: Vec<Node>,
    /// Nodes that are not in use.
    free: Vec<NodeId>,
    root: Option<NodeId>,
    leaves: IdMap<StateId, NodeId>,
    random: Random,
}

impl RandomPath {
    pub fn new(seed: u64) -> Self {
        Self {
            nodes: Vec::new(),
            free: Vec::new(),
            root: None,
            leaves: IdMap::default(),
            random: Random::new(seed),
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    fn new_node(&mut self, node: Node) -> NodeId {
        if let Shape::Leaf(state) = node.shape {
            // The id is known before the node is there: whichever place is free.
            let id = self.free.last().copied().unwrap_or(self.nodes.len() as NodeId);
            self.leaves.insert(state, id);
        }
        match self.free.pop() {
            Some(id) => {
                *self.node_mut(id) = node;
                id
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as NodeId
            }
        }
    }

    /// Makes a leaf for a state, beside the leaf of `beside`; the first one is the root.
    fn grow(&mut self, state: StateId, beside: Option<NodeId>) -> NodeId {
        let leaf = Node { parent: beside, shape: Shape::Leaf(state), waiting: false };
        let Some(fork) = beside else {
            let root = self.new_node(leaf);
            self.root = Some(root);
            return root;
        };
        // The node of the old leaf becomes the fork, so that nothing above has to change.
        let old = Node { parent: beside, ..*self.node(fork) };
        let sides = [self.new_node(old), self.new_node(leaf)];
        self.node_mut(fork).shape = Shape::Fork(sides);
        sides[1]
    }

    /// Follows a random path to a leaf, only through what waits if that is asked for.
    fn walk(&mut self, mut id: NodeId, waiting_only: bool) -> (NodeId, StateId) {
        loop {
            match self.node(id).shape {
                Shape::Leaf(state) => return (id, state),
                Shape::Fork([left, right]) if !waiting_only || self.both_wait(left, right) => {
                    id = [left, right][self.random.side()];
                }
                Shape::Fork([left, right]) => {
                    id = if self.node(left).waiting { left } else { right };
                }
            }
        }
    }

    fn both_wait(&self, left: NodeId, right: NodeId) -> bool {
        self.node(left).waiting && self.node(right).waiting
    }

    /// The state of a leaf waits.
    fn mark(&mut self, leaf: NodeId) {
        let mut next = Some(leaf);
        while let Some(id) = next.filter(|&id| !self.node(id).waiting) {
            self.node_mut(id).waiting = true;
            next = self.node(id).parent;
        }
    }

    /// The state of a leaf does not wait any more.
    fn unmark(&mut self, leaf: NodeId) {
        let mut next = Some(leaf);
        while let Some(id) = next.filter(|&id| self.node(id).waiting) {
            let other_side = match self.node(id).shape {
                Shape::Leaf(_) => false,
                Shape::Fork([left, right]) => self.node(left).waiting || self.node(right).waiting,
            };
            if other_side {
                return;
            }
            self.node_mut(id).waiting = false;
            next = self.node(id).parent;
        }
    }
}

impl Searcher for RandomPath {
    fn add(&mut self, state: &StateView, _: &View<'_>) {
        let leaf = match self.leaves.get(&state.id) {
            Some(&leaf) => leaf,
            None => {
                let parent = state.parent.and_then(|parent| self.leaves.get(&parent).copied());
                // A state from elsewhere is put beside one that is as likely as any.
                let beside = parent.or_else(|| Some(self.walk(self.root?, false).0));
                self.grow(state.id, beside)
            }
        };
        self.mark(leaf);
    }

    fn select(&mut self, _: &View<'_>) -> Option<StateId> {
        let root = self.root.filter(|&root| self.node(root).waiting)?;
        let (leaf, state) = self.walk(root, true);
        self.unmark(leaf);
        Some(state)
    }

    fn remove(&mut self, state: StateId) {
        if let Some(&leaf) = self.leaves.get(&state) {
            self.unmark(leaf);
        }
    }

    fn forget(&mut self, state: StateId) {
        let Some(leaf) = self.leaves.remove(&state) else { return };
        self.unmark(leaf);
        self.free.push(leaf);
        let Some(fork) = self.node(leaf).parent else {
            self.root = None;
            return;
        };
        let Shape::Fork([left, right]) = self.node(fork).shape else { return };
        let other = if left == leaf { right } else { left };
        let above = self.node(fork).parent;
        self.node_mut(other).parent = above;
        self.free.push(fork);
        match above.map(|above| &mut self.node_mut(above).shape) {
            Some(Shape::Fork(sides)) => {
                sides.iter_mut().filter(|side| **side == fork).for_each(|side| *side = other);
            }
            _ => self.root = Some(other),
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

    impl RandomPath {
        /// Checks the invariants of the tree; returns how many leaves it has.
        fn check(&self) -> usize {
            let mut leaves = 0;
            let mut stack: Vec<(NodeId, Option<NodeId>)> =
                self.root.iter().map(|&root| (root, None)).collect();
            while let Some((id, parent)) = stack.pop() {
                let node = self.node(id);
                assert_eq!(node.parent, parent);
                match node.shape {
                    Shape::Leaf(state) => {
                        leaves += 1;
                        assert_eq!(self.leaves.get(&state), Some(&id));
                    }
                    Shape::Fork(sides) => {
                        let waits = sides.iter().any(|&side| self.node(side).waiting);
                        assert_eq!(node.waiting, waits);
                        stack.extend(sides.map(|side| (side, Some(id))));
                    }
                }
            }
            assert_eq!(leaves, self.leaves.len());
            assert_eq!(self.nodes.len(), self.free.len() + (2 * leaves).saturating_sub(1));
            leaves
        }
    }

    #[test]
    fn a_state_that_parted_early_is_as_likely_as_all_later_ones() {
        let mut first = 0;
        for seed in 0..1000 {
            let mut setting = Setting::new(RandomPath::new(seed));
            setting.add(1, None);
            assert_eq!(setting.select(), Some(1));
            // State 1 parts from 2 at once, and then from a hundred others.
            for other in 2..=102 {
                setting.add(other, Some(1));
            }
            setting.searcher.check();
            first += u32::from(setting.select() == Some(2));
        }
        assert!((440..560).contains(&first), "{first} of 1000");
    }

    #[test]
    fn a_state_that_ran_and_waits_again_keeps_its_place() {
        let mut setting = Setting::new(RandomPath::new(3));
        setting.add(1, None);
        assert_eq!(setting.select(), Some(1));
        assert_eq!(setting.select(), None);
        setting.add(2, Some(1));
        setting.add(1, None);
        assert_eq!(setting.searcher.check(), 2);
        let mut order = setting.select_all();
        order.sort_unstable();
        assert_eq!(order, [1, 2]);
        // Both are running now.
        assert_eq!(setting.searcher.check(), 2);
        setting.searcher.forget(StateId(1));
        assert_eq!(setting.searcher.check(), 1);
        setting.add(3, Some(2));
        assert_eq!(setting.searcher.check(), 2);
        setting.searcher.forget(StateId(2));
        setting.searcher.forget(StateId(3));
        assert_eq!(setting.searcher.check(), 0);
        assert_eq!(setting.select(), None);
    }

    #[test]
    fn random_operations_keep_the_tree_in_order() {
        let mut random = Random::new(11);
        let mut setting = Setting::new(RandomPath::new(5));
        let mut alive: Vec<u64> = Vec::new();
        let mut waiting = std::collections::BTreeSet::new();
        for number in 1..2000 {
            let parent = match alive.len() as u64 {
                0 => None,
                count => Some(alive[random.below(count) as usize]),
            };
            setting.add(number, parent);
            alive.push(number);
            waiting.insert(number);
            match random.below(4) {
                0 => {
                    let selected = setting.select().expect("one waits");
                    assert!(waiting.remove(&selected));
                }
                1 => {
                    let gone = alive.swap_remove(random.below(alive.len() as u64) as usize);
                    waiting.remove(&gone);
                    setting.searcher.forget(StateId(gone));
                }
                2 => {
                    let taken = alive[random.below(alive.len() as u64) as usize];
                    waiting.remove(&taken);
                    setting.remove(taken);
                }
                _ => {}
            }
            assert_eq!(setting.searcher.check(), alive.len());
        }
        let mut rest = setting.select_all();
        rest.sort_unstable();
        assert_eq!(rest, waiting.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_million_states_on_one_path_are_no_burden() {
        let mut setting = Setting::new(RandomPath::new(1));
        setting.add(0, None);
        assert_eq!(setting.select(), Some(0));
        for other in 1..=1_000_000 {
            setting.add(other, Some(0));
        }
        setting.searcher.forget(StateId(0));
        let mut selected = std::collections::HashSet::new();
        while let Some(state) = setting.select() {
            assert!(selected.insert(state));
            setting.searcher.forget(StateId(state));
        }
        assert_eq!(selected.len(), 1_000_000);
        assert_eq!(setting.searcher.check(), 0);
    }
}
