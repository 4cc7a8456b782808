//! Dominators, by the algorithm of Cooper, Harvey and Kennedy ("A simple, fast dominance
//! algorithm", 2001), and where ways that parted come together again.

use crate::id::{BlockId, Id};
use crate::instruction::Terminator;
use crate::program::{Block, Body};

/// Marks a node that the root does not reach.
const UNREACHED: usize = usize::MAX;

/// The dominator tree of a graph, by position in reverse postorder.
pub(crate) struct Dominators {
    /// Position of each node; `UNREACHED` for some.
    positions: Vec<usize>,
    /// Position of each position's immediate dominator; the root's is itself.
    immediate: Vec<usize>,
    /// Depth of each position in the tree.
    depths: Vec<u32>,
    /// The node at each position.
    order: Vec<usize>,
}

impl Dominators {
    /// Those of the blocks of a body, which has one, and whose edges lead to blocks.
    pub(crate) fn of(body: &Body) -> Self {
        Self::of_graph(&successors(body), 0)
    }

    /// Those of a graph, given as the successors of each node.
    fn of_graph(successors: &[Vec<usize>], root: usize) -> Self {
        let order = reverse_postorder(successors, root);
        let mut positions = vec![UNREACHED; successors.len()];
        for (position, &node) in order.iter().enumerate() {
            positions[node] = position;
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (position, &node) in order.iter().enumerate() {
            for &next in &successors[node] {
                predecessors[positions[next]].push(position);
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
        Self { positions, immediate, depths, order }
    }

    /// The immediate dominator of a node, if it is reached and not the root.
    fn immediate(&self, node: usize) -> Option<usize> {
        let position = self.positions[node];
        (position != UNREACHED && position != 0).then(|| self.order[self.immediate[position]])
    }

    /// Whether the entry reaches a block.
    pub(crate) fn reached(&self, block: BlockId) -> bool {
        self.positions[block.index()] != UNREACHED
    }

    /// Whether every path to `block`, which is reached, passes through `dominator`.
    pub(crate) fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
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

fn reverse_postorder(successors: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut visited = vec![false; successors.len()];
    visited[root] = true;
    let mut order = Vec::with_capacity(successors.len());
    // Each entry is a node and how many of its successors are still to be visited.
    let mut stack = vec![(root, successors[root].len())];
    while let Some((node, rest)) = stack.last_mut() {
        match rest.checked_sub(1) {
            Some(at) => {
                *rest = at;
                let next = successors[*node][at];
                if !visited[next] {
                    visited[next] = true;
                    stack.push((next, successors[next].len()));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The blocks that each block leads to.
fn successors(body: &Body) -> Vec<Vec<usize>> {
    let of = |block: &Block| {
        block.terminator.edges().into_iter().map(|edge| edge.block.index()).collect()
    };
    body.blocks.values().map(of).collect()
}

impl Body {
    /// For each block the next one that is on all ways from it to a return; ways that end the program do not count.
    pub fn rejoins(&self) -> Vec<Option<BlockId>> {
        let (forth, end) = (successors(self), self.blocks.len());
        let mut back = vec![Vec::new(); end + 1];
        for (block, successors) in forth.iter().enumerate() {
            successors.iter().for_each(|&next| back[next].push(block));
        }
        let returns = |block: &Block| matches!(block.terminator, Terminator::Return(_));
        let returning = self.blocks.iter().filter(|(_, block)| returns(block));
        back[end] = returning.map(|(id, _)| id.index()).collect();
        let dominators = Dominators::of_graph(&back, end);
        let rejoin = |block| dominators.immediate(block).filter(|&next| next != end);
        (0..end).map(|block| rejoin(block).map(BlockId::from_index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_rejoin_where_all_of_them_come_by() {
        let text = "\
fn0 @main(r0: i1) -> i32 {
bb0 weight 1:
  branch r0, bb1(), bb2()
bb1 weight 1:
  branch r0, bb3(), bb4()
bb2 weight 1:
  branch r0, bb5(), bb4()
bb3 weight 1:
  jump bb1()
bb4 weight 1:
  return i32 0
bb5 weight 1:
  unreachable
}
";
        let program = crate::parse(text).unwrap();
        let body = program.functions.values().next().unwrap().body.as_ref().unwrap();
        let rejoins: Vec<Option<usize>> =
            body.rejoins().into_iter().map(|block| block.map(BlockId::index)).collect();
        assert_eq!(rejoins, [Some(4), Some(4), Some(4), Some(1), None, None]);
    }
}
