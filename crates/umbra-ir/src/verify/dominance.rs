//! Dominators, by the algorithm of Cooper, Harvey and Kennedy ("A simple, fast dominance
//! algorithm", 2001).

use crate::id::{BlockId, Id};
use crate::program::Body;

/// Marks a block that the entry does not reach.
const UNREACHED: usize = usize::MAX;

/// The dominator tree of a body, by position in reverse postorder.
pub(super) struct Dominators {
    /// Position of each block; `UNREACHED` for some.
    positions: Vec<usize>,
    /// Position of each position's immediate dominator; the entry's is itself.
    immediate: Vec<usize>,
    /// Depth of each position in the tree.
    depths: Vec<u32>,
}

impl Dominators {
    /// The body has a block, and its edges lead to blocks.
    pub(super) fn of(body: &Body) -> Self {
        let order = reverse_postorder(body);
        let mut positions = vec![UNREACHED; body.blocks.len()];
        for (position, block) in order.iter().enumerate() {
            positions[block.index()] = position;
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (position, &block) in order.iter().enumerate() {
            for edge in body.blocks[block].terminator.edges() {
                predecessors[positions[edge.block.index()]].push(position);
            }
        }
        let mut immediate = vec![UNREACHED; order.len()];
        immediate[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..order.len() {
                let known = predecessors[position]
                    .iter()
                    .copied()
                    .filter(|&predecessor| immediate[predecessor] != UNREACHED);
                let new = known.reduce(|a, b| intersect(&immediate, a, b));
                if let Some(new) = new.filter(|&new| new != immediate[position]) {
                    immediate[position] = new;
                    changed = true;
                }
            }
        }
        // An immediate dominator comes before what it dominates in this order.
        let mut depths = vec![0; order.len()];
        for position in 1..order.len() {
            depths[position] = depths[immediate[position]] + 1;
        }
        Self { positions, immediate, depths }
    }

    /// Whether the entry reaches a block.
    pub(super) fn reached(&self, block: BlockId) -> bool {
        self.positions[block.index()] != UNREACHED
    }

    /// Whether every path to `block`, which is reached, passes through `dominator`.
    pub(super) fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        let dominator = self.positions[dominator.index()];
        let mut at = self.positions[block.index()];
        if dominator == UNREACHED || at == UNREACHED {
            return false;
        }
        while self.depths[at] > self.depths[dominator] {
            at = self.immediate[at];
        }
        at == dominator
    }
}

fn intersect(immediate: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = immediate[a];
        }
        while b > a {
            b = immediate[b];
        }
    }
    a
}

fn reverse_postorder(body: &Body) -> Vec<BlockId> {
    let entry = BlockId::from_index(0);
    let successors = |block: BlockId| -> Vec<BlockId> {
        let edges = body.blocks[block].terminator.edges();
        edges.into_iter().map(|edge| edge.block).collect()
    };
    let mut visited = vec![false; body.blocks.len()];
    visited[0] = true;
    let mut order = Vec::with_capacity(body.blocks.len());
    // Each entry is a block and its successors that are still to be visited.
    let mut stack = vec![(entry, successors(entry))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if !visited[next.index()] {
                    visited[next.index()] = true;
                    stack.push((next, successors(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
