//! How control goes through the whole program.
//!
//! A block is cut after each of its calls, so that there is a node for every place at which a state
//! can stand for long: the start of a block, or the place where a call returns to. In instructions, a
//! node weighs as many as it stands for, the call at its end included; the nodes of a block add up to
//! the weight of the block. In branches, only a node weighs that has a condition at its end.
//!
//! A way into a callee that only the type of an indirect call speaks for weighs more than any ordinary
//! way, so that it comes last.
//!
//! What a call passes through its callee is known before any targets are (see [`crate::through`]),
//! so the way over a call is an edge like any other, and the distances to any targets are plain
//! shortest paths.

use std::collections::HashMap;

use umbra_ir::{Block, BlockId, Body, FunctionId, Id, Operation, Program, Terminator};

use crate::call_graph::CallGraph;
use crate::through;

/// No way leads there.
pub(crate) const INFINITE: u32 = u32::MAX;

/// What a callee weighs that only its type speaks for.
///
/// There is room for 255 of them on a way; longer ways count as equally long.
pub(crate) const BY_TYPE: u32 = 1 << 24;

/// The weight of two ways, one after the other; neither is infinite.
pub(crate) fn add(one: u32, other: u32) -> u32 {
    one.saturating_add(other).min(INFINITE - 1)
}

/// What the weights of ways count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Instructions.
    Instructions,
    /// Conditions that lead to more than one block, as in KATCH (Marinescu and Cadar, "KATCH:
    /// High-Coverage Testing of Software Patches", FSE 2013).
    Branches,
}

/// A place in the program: the start of a block, or where one of its calls returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What happens at the end of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// One of a group of functions is called, then the next node follows.
    Call { group: u32 },
    /// Control goes to other blocks, if anywhere.
    Jump,
    /// The function returns.
    Return,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub weight: u32,
    pub exit: Exit,
}

/// A function that a call may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reached {
    pub function: FunctionId,
    /// What a way into it weighs beyond its own code.
    pub extra: u32,
}

/// Edges by the node that they lead to: `items[starts[n]..starts[n + 1]]` lead to `n`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incoming {
    starts: Vec<u32>,
    /// Where an edge comes from, and its weight.
    items: Vec<(u32, u32)>,
}

impl Incoming {
    /// Sorts edges (to, from, weight) by where they lead.
    pub fn new(nodes: usize, edges: &[(u32, u32, u32)]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for &(to, ..) in edges {
            starts[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut items = vec![(0, 0); edges.len()];
        for &(to, from, weight) in edges {
            items[next[to as usize] as usize] = (from, weight);
            next[to as usize] += 1;
        }
        Self { starts, items }
    }

    /// What leads to a node.
    pub fn of(&self, node: u32) -> &[(u32, u32)] {
        let node = node as usize;
        &self.items[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// The control flow of a whole program.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) nodes: Vec<Node>,
    /// The first node of each block, by function.
    blocks: Vec<Vec<u32>>,
    /// The functions that a call of each group may reach.
    pub(crate) groups: Vec<Vec<Reached>>,
    /// Jumps between blocks; weights are those of their source.
    pub(crate) jumps: Incoming,
    /// All ways a target can be reached by: jumps, over calls, into callees. Behind the nodes come
    /// the groups.
    pub(crate) ways: Incoming,
    /// The least weight from the start of a node to the return of its function.
    to_end: Vec<u32>,
}

impl Flow {
    /// The control flow of a program; its ways are measured in instructions.
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        Self::in_measure(program, calls, Measure::Instructions)
    }

    /// The control flow of a program.
    pub fn in_measure(program: &Program, calls: &CallGraph, measure: Measure) -> Self {
        let mut flow = Self {
            nodes: Vec::new(),
            blocks: vec![Vec::new(); program.functions.len()],
            groups: Vec::new(),
            jumps: Incoming::default(),
            ways: Incoming::default(),
            to_end: Vec::new(),
        };
        let mut builder = Builder { program, calls, measure, groups: HashMap::new() };
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for block in body.blocks.values() {
                flow.blocks[id.index()].push(flow.nodes.len() as u32);
                builder.add_block(&mut flow, id, body, block);
            }
        }
        let jumps = flow.find_jumps(program);
        flow.jumps = Incoming::new(flow.nodes.len(), &jumps);
        let (to_end, through) = through::least_weights(&flow);
        flow.to_end = to_end;
        flow.ways = flow.find_ways(jumps, &through);
        flow
    }

    fn find_jumps(&self, program: &Program) -> Vec<(u32, u32, u32)> {
        let mut edges = Vec::new();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let starts = &self.blocks[id.index()];
            for (block, code) in body.blocks.iter() {
                let last = self.last_node(id, block);
                let weight = self.nodes[last as usize].weight;
                for edge in code.terminator.edges() {
                    edges.push((starts[edge.block.index()], last, weight));
                }
            }
        }
        edges
    }

    fn find_ways(&self, jumps: Vec<(u32, u32, u32)>, through: &[u32]) -> Incoming {
        let mut edges = jumps;
        for (index, node) in self.nodes.iter().enumerate() {
            let Exit::Call { group } = node.exit else { continue };
            let index = index as u32;
            edges.push((self.group_node(group), index, node.weight));
            let through = through[group as usize];
            if through != INFINITE {
                edges.push((index + 1, index, add(node.weight, through)));
            }
        }
        for (group, callees) in self.groups.iter().enumerate() {
            for callee in callees {
                if let Some(entry) = self.entry(callee.function) {
                    edges.push((entry, self.group_node(group as u32), callee.extra));
                }
            }
        }
        Incoming::new(self.nodes.len() + self.groups.len(), &edges)
    }

    /// The first node of a function, if it has a body.
    pub(crate) fn entry(&self, function: FunctionId) -> Option<u32> {
        self.blocks[function.index()].first().copied()
    }

    /// Where a group of callees is among the nodes of a search.
    pub(crate) fn group_node(&self, group: u32) -> u32 {
        self.nodes.len() as u32 + group
    }

    /// How many functions there are, external ones included.
    pub(crate) fn function_count(&self) -> usize {
        self.blocks.len()
    }

    /// The node at whose end a block ends.
    fn last_node(&self, function: FunctionId, block: BlockId) -> u32 {
        let starts = &self.blocks[function.index()];
        let mut node = starts[block.index()];
        while matches!(self.nodes[node as usize].exit, Exit::Call { .. }) {
            node += 1;
        }
        node
    }

    /// The place in a block behind this many of its calls; `None` if it has fewer.
    pub fn node(&self, function: FunctionId, block: BlockId, calls: u32) -> Option<NodeId> {
        let start = *self.blocks.get(function.index())?.get(block.index())?;
        let before = self.nodes.get(start as usize..(start + calls) as usize)?;
        let inside = before.iter().all(|node| matches!(node.exit, Exit::Call { .. }));
        inside.then_some(NodeId(start + calls))
    }

    /// How many places there are; see [`NodeId`].
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the program has no code.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The least weight from a place to the return of its function, that of
    /// callees on the way included; `None` if it cannot return.
    pub fn to_end(&self, node: NodeId) -> Option<u32> {
        Some(self.to_end[node.index()]).filter(|&weight| weight != INFINITE)
    }
}

struct Builder<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    measure: Measure,
    groups: HashMap<Vec<Reached>, u32>,
}

impl Builder<'_> {
    /// Adds the nodes of a block.
    fn add_block(&mut self, flow: &mut Flow, function: FunctionId, body: &Body, block: &Block) {
        let mut rest = match self.measure {
            Measure::Instructions => block.weight,
            Measure::Branches => u32::from(is_branch(&block.terminator)),
        };
        let mut weight = 0;
        for instruction in &block.instructions {
            weight += u32::from(self.measure == Measure::Instructions);
            let operation = &instruction.operation;
            if matches!(operation, Operation::Call { .. }) {
                let group = self.group(flow, function, body, operation);
                let weight = std::mem::take(&mut weight).min(rest);
                rest -= weight;
                flow.nodes.push(Node { weight, exit: Exit::Call { group } });
            }
        }
        let exit = match block.terminator {
            Terminator::Return(_) => Exit::Return,
            _ => Exit::Jump,
        };
        flow.nodes.push(Node { weight: rest, exit });
    }

    fn group(
        &mut self,
        flow: &mut Flow,
        function: FunctionId,
        body: &Body,
        call: &Operation,
    ) -> u32 {
        let callees = self.calls.callees_of_call(self.program, function, body, call);
        let reached = |extra| move |&function: &FunctionId| Reached { function, extra };
        let known = callees.known.iter().map(reached(0));
        let callees: Vec<_> = known.chain(callees.by_type.iter().map(reached(BY_TYPE))).collect();
        if let Some(&group) = self.groups.get(&callees) {
            return group;
        }
        let group = flow.groups.len() as u32;
        flow.groups.push(callees.clone());
        self.groups.insert(callees, group);
        group
    }
}

/// Whether a condition decides between blocks.
pub(crate) fn is_branch(terminator: &Terminator) -> bool {
    let edges = terminator.edges();
    matches!(terminator, Terminator::Branch { .. } | Terminator::Switch { .. })
        && edges.iter().any(|edge| edge.block != edges[0].block)
}
