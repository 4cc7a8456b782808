//! The constraints of a path by the input bytes that they depend on.
//!
//! Constraints that share a byte, directly or through others, are a group: a tree whose nodes are the
//! constraints. When a constraint is added, the trees that it touches are joined, the smaller below
//! the larger. Every link remembers when it was made, so the groups of the first constraints of a
//! path can be had as well: later links do not count. Links can be taken back in order.

use std::collections::BTreeMap;

use umbra_expr::{ArrayId, SymbolRange};

use super::prefix::Facts;

/// Ranges of more bytes than this are not entered byte by byte.
const WIDE: u32 = 16;

/// The constraints of a path by the input bytes they depend on.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By constraint.
    nodes: Vec<Node>,
    /// The first constraint about a byte.
    bytes: BTreeMap<(ArrayId, u32), u32>,
    /// The first constraint about a range of many bytes.
    wide: Vec<(SymbolRange, u32)>,
    /// Constraints that depend on nothing.
    free: Vec<u32>,
    /// What was entered, to be taken back: links and bytes, each with the constraint it came with.
    links: Vec<(u32, u32)>,
    entered: Vec<((ArrayId, u32), u32)>,
}

/// A constraint in the tree of its group.
#[derive(Debug)]
struct Node {
    parent: u32,
    /// The constraint with which it was linked to its parent.
    since: u32,
    /// Nodes below it, itself included.
    size: u32,
    /// In the order in which they were linked.
    children: Vec<u32>,
}

impl Facts for Groups {
    fn truncate(&mut self, length: usize) {
        let length = length as u32;
        while let Some((child, since)) = self.links.pop_if(|(_, since)| *since >= length) {
            let (parent, size) =
                (self.nodes[child as usize].parent, self.nodes[child as usize].size);
            debug_assert_eq!(self.nodes[child as usize].since, since);
            self.nodes[child as usize].parent = child;
            self.nodes[parent as usize].size -= size;
            self.nodes[parent as usize].children.pop();
        }
        while let Some((byte, _)) = self.entered.pop_if(|(_, since)| *since >= length) {
            self.bytes.remove(&byte);
        }
        self.wide.truncate(self.wide.partition_point(|&(_, since)| since < length));
        self.free.truncate(self.free.partition_point(|&since| since < length));
        self.nodes.truncate(length as usize);
    }
}

impl Groups {
    /// The root of a constraint's group, as it was when there were so many constraints.
    fn find(&self, mut node: u32, length: u32) -> u32 {
        loop {
            let Node { parent, since, .. } = self.nodes[node as usize];
            if parent == node || since >= length {
                return node;
            }
            node = parent;
        }
    }

    fn join(&mut self, a: u32, b: u32, since: u32) {
        let (a, b) = (self.find(a, u32::MAX), self.find(b, u32::MAX));
        if a == b {
            return;
        }
        let smaller = self.nodes[a as usize].size < self.nodes[b as usize].size;
        let (from, to) = if smaller { (a, b) } else { (b, a) };
        self.nodes[to as usize].size += self.nodes[from as usize].size;
        self.nodes[to as usize].children.push(from);
        self.nodes[from as usize].parent = to;
        self.nodes[from as usize].since = since;
        self.links.push((from, since));
    }

    /// Constraints among the first so many, one or more of each group that a range touches.
    fn about(&self, range: SymbolRange, length: u32) -> impl Iterator<Item = u32> + '_ {
        let SymbolRange { array, start, end } = range;
        let bytes = self.bytes.range((array, start)..(array, end)).map(|(_, &node)| node);
        let wide = self.wide.iter().filter(move |(other, _)| {
            other.array == array && other.start < end && start < other.end
        });
        bytes.chain(wide.map(|&(_, node)| node)).filter(move |&node| node < length)
    }

    /// Adds the next constraint, which depends on these bytes.
    pub fn add(&mut self, support: &[SymbolRange]) {
        let own = self.nodes.len() as u32;
        self.nodes.push(Node { parent: own, since: own, size: 1, children: Vec::new() });
        if support.is_empty() {
            self.free.push(own);
        }
        for &range in support {
            let known = self.wide.iter().find(|(other, _)| *other == range).map(|&(_, node)| node);
            // All that touches a range that is known was joined with the constraint it came with.
            if let Some(known) = known {
                self.join(own, known, own);
                continue;
            }
            let met: Vec<u32> = self.about(range, own).collect();
            for other in met {
                self.join(own, other, own);
            }
            if range.end - range.start > WIDE {
                self.wide.push((range, own));
                continue;
            }
            for offset in range.start..range.end {
                self.bytes.entry((range.array, offset)).or_insert_with(|| {
                    self.entered.push(((range.array, offset), own));
                    own
                });
            }
        }
    }

    /// Of the first so many constraints, those in a group that shares a byte with the support, in
    /// order, and those that depend on nothing.
    pub fn touched(&self, support: &[SymbolRange], length: usize) -> Vec<usize> {
        let length = length as u32;
        let met = support.iter().flat_map(|&range| self.about(range, length));
        let mut roots: Vec<u32> = met.map(|node| self.find(node, length)).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut members: Vec<u32> =
            self.free.iter().copied().filter(|&node| node < length).collect();
        let mut open = roots;
        while let Some(node) = open.pop() {
            members.push(node);
            let children = self.nodes[node as usize].children.iter().copied();
            open.extend(children.take_while(|&child| self.nodes[child as usize].since < length));
        }
        members.sort_unstable();
        members.into_iter().map(|node| node as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_expr::Expressions;

    fn range(array: ArrayId, start: u32, end: u32) -> SymbolRange {
        SymbolRange { array, start, end }
    }

    #[test]
    fn long_paths_make_no_long_chains() {
        let input = Expressions::new().input("in", 5000);
        let mut groups = Groups::default();
        for start in 0..4000 {
            // Each constraint shares a byte with the one before.
            groups.add(&[range(input, start, start + 2)]);
        }
        groups.add(&[range(input, 4500, 4530)]);
        let depth = |mut node: u32| {
            let mut depth = 0;
            while groups.nodes[node as usize].parent != node {
                node = groups.nodes[node as usize].parent;
                depth += 1;
            }
            depth
        };
        let deepest = (0..groups.nodes.len() as u32).map(depth).max();
        assert!(deepest <= Some(12), "{deepest:?}");
        let touched = |ranges: &[SymbolRange]| groups.touched(ranges, 4001).len();
        assert_eq!(touched(&[range(input, 17, 18), range(input, 3999, 4400)]), 4000);
        assert_eq!(touched(&[range(input, 4001, 4501)]), 1);
        assert_eq!(touched(&[range(input, 4000, 4501)]), 4001);
        assert_eq!(touched(&[range(input, 4001, 4500)]), 0);
    }

    /// The same by comparing all with all, again and again.
    fn naive(supports: &[Vec<SymbolRange>], goal: &[SymbolRange]) -> Vec<usize> {
        let overlaps = |a: &[SymbolRange], b: &[SymbolRange]| {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
            pairs.into_iter().any(|(a, b)| a.array == b.array && a.start < b.end && b.start < a.end)
        };
        let mut inside = vec![false; supports.len()];
        loop {
            let before = inside.clone();
            for (index, support) in supports.iter().enumerate() {
                let others = supports.iter().zip(&before).filter(|(_, inside)| **inside);
                let met = others.map(|(other, _)| other).any(|other| overlaps(support, other));
                inside[index] |= support.is_empty() || met || overlaps(support, goal);
            }
            if inside == before {
                return (0..supports.len()).filter(|&index| inside[index]).collect();
            }
        }
    }

    #[test]
    fn random_groups_are_those_of_all_with_all_at_every_length() {
        let mut exprs = Expressions::new();
        let arrays = [exprs.input("a", 100), exprs.input("b", 100)];
        let mut random = fastrand::Rng::with_seed(7);
        let mut lot = |below: u32| random.u32(..below);
        for _ in 0..40 {
            let mut groups = Groups::default();
            let mut supports: Vec<Vec<SymbolRange>> = Vec::new();
            for _ in 0..60 {
                if lot(20) == 0 {
                    let length = lot(supports.len() as u32 + 1) as usize;
                    groups.truncate(length);
                    supports.truncate(length);
                }
                let ranges = (0..lot(3)).map(|_| {
                    let length = if lot(12) == 0 { 17 + lot(3) } else { 1 + lot(4) };
                    let start = lot(80);
                    range(arrays[lot(2) as usize], start, start + length)
                });
                let support: Vec<SymbolRange> = ranges.collect();
                groups.add(&support);
                supports.push(support);
                let start = lot(90);
                let goal = [range(arrays[lot(2) as usize], start, start + 1 + lot(20))];
                let length = lot(supports.len() as u32 + 1) as usize;
                assert_eq!(groups.touched(&goal, length), naive(&supports[..length], &goal));
            }
        }
    }
}
