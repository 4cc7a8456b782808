//! Sets that flow along edges: the core of the points-to analysis.
//!
//! Each node has a set of numbers. An edge says that the set of one node is part of another's. What is
//! new in a node is handed out once, with the node's uses, so that the owner of the graph can add
//! edges that follow from it. Nodes are taken in topological order of the edges, and nodes on a cycle
//! become one, from time to time, as the graph grows.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::components::components;

/// The size of a set that is large.
pub(super) const LARGE: usize = 64;

/// Edges added before cycles are looked for again, at least.
const PAUSE: usize = 2_000;

/// Something that the owner of the graph has to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event<U> {
    /// A set has become large: its owner may want to rename elements.
    Large(Vec<u32>),
    /// New elements of a node, and its uses.
    Fresh(Vec<u32>, Vec<U>),
}

#[derive(Clone, Debug)]
pub(super) struct Graph<U> {
    parents: Vec<u32>,
    /// By node, sorted.
    sets: Vec<Vec<u32>>,
    /// The part of each set that was not handed out, sorted.
    fresh: Vec<Vec<u32>>,
    successors: Vec<Vec<u32>>,
    uses: Vec<Vec<U>>,
    edges: HashSet<(u32, u32)>,
    /// The order in which nodes are taken.
    ranks: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    queued: Vec<bool>,
    /// What elements have become.
    names: Vec<u32>,
    /// The size of each set at which it is said to be large again.
    limits: Vec<usize>,
    /// How many edges there were when cycles were looked for.
    looked: usize,
    /// Elements that were moved: what the analysis costs, but for the clock.
    pub work: u64,
}

impl<U: Clone> Graph<U> {
    pub fn new() -> Self {
        Self {
            parents: Vec::new(),
            sets: Vec::new(),
            fresh: Vec::new(),
            successors: Vec::new(),
            uses: Vec::new(),
            edges: HashSet::new(),
            ranks: Vec::new(),
            queue: BinaryHeap::new(),
            queued: Vec::new(),
            names: Vec::new(),
            limits: Vec::new(),
            looked: 0,
            work: 0,
        }
    }

    pub fn add_nodes(&mut self, count: usize) -> u32 {
        let first = self.parents.len();
        let all = first + count;
        self.parents.extend(first as u32..all as u32);
        self.sets.resize(all, Vec::new());
        self.fresh.resize(all, Vec::new());
        self.successors.resize(all, Vec::new());
        self.uses.resize(all, Vec::new());
        self.ranks.resize(all, 0);
        self.queued.resize(all, false);
        self.limits.resize(all, LARGE);
        first as u32
    }

    /// The node that a node has become.
    pub fn find(&self, node: u32) -> u32 {
        let mut node = node;
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    pub fn set(&self, node: u32) -> &[u32] {
        &self.sets[self.find(node) as usize]
    }

    /// An element is from now on the same as another.
    pub fn rename(&mut self, element: u32, to: u32) {
        let next = self.names.len() as u32;
        self.names.extend(next..=element.max(to).max(next));
        self.names[element as usize] = to;
    }

    fn name(&self, element: u32) -> u32 {
        let mut element = element;
        while let Some(&name) = self.names.get(element as usize)
            && name != element
        {
            element = name;
        }
        element
    }

    fn is_renamed(&self, elements: &[u32]) -> bool {
        elements.iter().any(|&element| self.name(element) != element)
    }

    /// Elements by their present names, in order.
    fn named(&self, elements: &[u32]) -> Vec<u32> {
        let mut named: Vec<u32> = elements.iter().map(|&element| self.name(element)).collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// Adds elements, given in order.
    pub fn insert(&mut self, node: u32, elements: &[u32]) {
        let node = self.find(node);
        let index = node as usize;
        let named = self.is_renamed(elements).then(|| self.named(elements));
        let added = merge(&mut self.sets[index], named.as_deref().unwrap_or(elements));
        self.work += elements.len() as u64;
        if !added.is_empty() {
            merge(&mut self.fresh[index], &added);
            self.wake(node);
        }
    }

    fn wake(&mut self, node: u32) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push(Reverse((self.ranks[node as usize], node)));
        }
    }

    pub fn add_edge(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        if from != to && self.edges.insert((from, to)) {
            self.successors[from as usize].push(to);
            // The rest follows when it is handed out.
            let elements = without(&self.sets[from as usize], &self.fresh[from as usize]);
            self.insert(to, &elements);
        }
    }

    /// From now on what is new in a node comes with this use; what was handed out already is returned.
    pub fn add_use(&mut self, node: u32, at: U) -> Vec<u32> {
        let index = self.find(node) as usize;
        self.uses[index].push(at);
        let fresh = &self.fresh[index];
        let old = self.sets[index].iter().filter(|element| fresh.binary_search(element).is_err());
        old.copied().collect()
    }

    /// Two nodes become one.
    pub fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return;
        }
        let size = |node: u32| self.sets[node as usize].len() + self.uses[node as usize].len();
        let (keep, gone) = match size(one) >= size(other) {
            true => (one as usize, other as usize),
            false => (other as usize, one as usize),
        };
        self.parents[gone] = keep as u32;
        // What only one of them had is new to the uses and successors of the other.
        let gone_set = std::mem::take(&mut self.sets[gone]);
        let mut fresh = std::mem::take(&mut self.fresh[gone]);
        if !self.uses[gone].is_empty() || !self.successors[gone].is_empty() {
            merge(&mut fresh, &without(&self.sets[keep], &gone_set));
        }
        merge(&mut fresh, &merge(&mut self.sets[keep], &gone_set));
        self.work += gone_set.len() as u64 + fresh.len() as u64;
        merge(&mut self.fresh[keep], &fresh);
        for to in std::mem::take(&mut self.successors[gone]) {
            let to = self.find(to);
            if to as usize != keep && self.edges.insert((keep as u32, to)) {
                self.successors[keep].push(to);
            }
        }
        let uses = std::mem::take(&mut self.uses[gone]);
        self.uses[keep].extend(uses);
        if !self.fresh[keep].is_empty() {
            self.wake(keep as u32);
        }
    }

    /// What has happened to a node. What is new in it has gone on along the edges, unless its set is large.
    pub fn next(&mut self) -> Option<Event<U>> {
        if self.edges.len() > self.looked + PAUSE.max(self.looked / 2) {
            self.unite_cycles();
        }
        while let Some(Reverse((_, node))) = self.queue.pop() {
            let index = node as usize;
            self.queued[index] = false;
            let mut fresh = std::mem::take(&mut self.fresh[index]);
            if self.is_renamed(&fresh) {
                // What a name stands for may have been handed out by that name.
                let old = without(&self.sets[index], &fresh);
                fresh = without(&self.named(&fresh), &old);
                self.sets[index] = self.named(&self.sets[index]);
            }
            if fresh.is_empty() {
                continue;
            }
            let size = self.sets[index].len();
            let limit = LARGE.max(2 * size);
            if size > self.limits[index] {
                self.limits[index] = limit;
                self.fresh[index] = fresh;
                self.wake(node);
                return Some(Event::Large(self.sets[index].clone()));
            }
            // A set that shrank may become large again.
            self.limits[index] = self.limits[index].min(limit);
            let successors = std::mem::take(&mut self.successors[index]);
            for &to in &successors {
                if self.find(to) != node {
                    self.insert(to, &fresh);
                }
            }
            self.successors[index] = successors;
            return Some(Event::Fresh(fresh, self.uses[index].clone()));
        }
        None
    }

    fn unite_cycles(&mut self) {
        self.looked = self.edges.len();
        let nodes = self.parents.len() as u32;
        for node in 0..nodes {
            self.parents[node as usize] = self.find(node);
        }
        for node in 0..nodes as usize {
            let mut list = std::mem::take(&mut self.successors[node]);
            list.iter_mut().for_each(|to| *to = self.parents[*to as usize]);
            list.sort_unstable();
            list.dedup();
            self.successors[node] = list;
        }
        self.work += u64::from(nodes) + self.edges.len() as u64;
        let found = components(&self.successors);
        let count = found.iter().copied().max().map_or(0, |last| last + 1);
        let mut first = vec![None; count as usize];
        for node in 0..nodes {
            if self.parents[node as usize] != node {
                continue;
            }
            let component = found[node as usize];
            self.ranks[node as usize] = count - component;
            match first[component as usize] {
                None => first[component as usize] = Some(node),
                Some(keep) => self.unite(keep, node),
            }
        }
        let waiting = std::mem::take(&mut self.queue);
        for Reverse((_, node)) in waiting {
            self.queued[node as usize] = false;
            let node = self.find(node);
            if !self.fresh[node as usize].is_empty() {
                self.wake(node);
            }
        }
    }
}

/// Adds what is not there yet, and returns that.
fn merge(set: &mut Vec<u32>, elements: &[u32]) -> Vec<u32> {
    let added = without(elements, set);
    match set.last() {
        _ if added.is_empty() => {}
        Some(last) if *last > added[0] => {
            let old = std::mem::take(set);
            set.reserve(old.len() + added.len());
            let mut rest = added.iter().peekable();
            for element in old {
                while let Some(&new) = rest.next_if(|&&new| new < element) {
                    set.push(new);
                }
                set.push(element);
            }
            set.extend(rest);
        }
        _ => set.extend_from_slice(&added),
    }
    added
}

/// The elements of a set that another does not have.
fn without(set: &[u32], other: &[u32]) -> Vec<u32> {
    if set.len() * 8 < other.len() {
        let missing = |element: &&u32| other.binary_search(element).is_err();
        return set.iter().filter(missing).copied().collect();
    }
    let mut rest = other.iter().peekable();
    let mut missing = Vec::new();
    for &element in set {
        while rest.next_if(|&&there| there < element).is_some() {}
        if rest.peek() != Some(&&element) {
            missing.push(element);
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the graph and notes what each use was handed.
    fn run(graph: &mut Graph<u32>) -> Vec<(u32, Vec<u32>)> {
        let mut handed = Vec::new();
        while let Some(event) = graph.next() {
            let Event::Fresh(fresh, uses) = event else { continue };
            handed.extend(uses.into_iter().map(|at| (at, fresh.clone())));
        }
        handed
    }

    #[test]
    fn elements_flow_along_edges_and_are_handed_out_once() {
        let mut graph = Graph::new();
        graph.add_nodes(3);
        graph.insert(0, &[1, 5]);
        graph.add_edge(0, 1);
        assert_eq!(graph.add_use(1, 10), []);
        graph.add_edge(1, 2);
        assert_eq!(run(&mut graph), [(10, vec![1, 5])]);
        graph.insert(0, &[3, 5]);
        assert_eq!(run(&mut graph), [(10, vec![3])]);
        assert_eq!(graph.set(2), [1, 3, 5]);
        assert_eq!(graph.add_use(2, 11), [1, 3, 5]);
    }

    #[test]
    fn a_united_node_has_what_both_had() {
        let mut graph = Graph::new();
        graph.add_nodes(3);
        graph.add_use(0, 10);
        graph.add_use(1, 11);
        graph.add_edge(1, 2);
        graph.insert(0, &[1, 2]);
        graph.insert(1, &[2, 3]);
        run(&mut graph);
        graph.unite(0, 1);
        assert_eq!(run(&mut graph), [(10, vec![1, 3]), (11, vec![1, 3])]);
        assert_eq!(graph.set(1), [1, 2, 3]);
        assert_eq!(graph.set(2), [1, 2, 3]);
    }

    #[test]
    fn a_large_set_is_said_to_be_large_before_it_goes_on() {
        let mut graph: Graph<u32> = Graph::new();
        graph.add_nodes(2);
        graph.add_edge(0, 1);
        graph.add_use(1, 10);
        let many: Vec<u32> = (0..=LARGE as u32).collect();
        graph.insert(0, &many);
        assert_eq!(graph.next(), Some(Event::Large(many.clone())));
        many.iter().for_each(|&element| graph.rename(element, 1000));
        assert_eq!(run(&mut graph), [(10, vec![1000])]);
        graph.insert(0, &[3, 2000]);
        assert_eq!(run(&mut graph), [(10, vec![2000])]);
        assert_eq!(graph.set(1), [1000, 2000]);
    }

    #[test]
    fn cycles_become_one_node() {
        let mut graph: Graph<u32> = Graph::new();
        graph.add_nodes(4);
        for (from, to) in [(0, 1), (1, 2), (2, 1), (2, 3)] {
            graph.add_edge(from, to);
        }
        graph.insert(0, &[7]);
        graph.unite_cycles();
        assert_eq!(graph.find(1), graph.find(2));
        run(&mut graph);
        assert_eq!(graph.set(3), [7]);
    }
}
