//! The least weight through a function.
//!
//! The weight of a way over a call depends on the callee's ways, and those on their own calls, with
//! recursion. All of them are found at once, from the smallest to the largest, by Knuth's
//! generalisation of Dijkstra's algorithm (A Generalization of Dijkstra's Algorithm, Information
//! Processing Letters 6, 1977): a sum of weights is never less than one of them, so the least
//! weight that is not final yet becomes final.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::flow::{Exit, Flow, INFINITE, add};

/// For every node the least weight to the return of its function, and for every group of callees
/// the least weight through one of them.
pub(crate) fn least_weights(flow: &Flow) -> (Vec<u32>, Vec<u32>) {
    let mut search = Search::new(flow);
    for (node, code) in flow.nodes.iter().enumerate() {
        if code.exit == Exit::Return {
            search.offer(node as u32, code.weight);
        }
    }
    for (group, callees) in flow.groups.iter().enumerate() {
        // An external function is the machine's own; its work is not counted.
        let external = callees.iter().any(|callee| flow.entry(callee.function).is_none());
        // Of a call without a known callee we do not know that it never returns.
        if external || callees.is_empty() {
            search.offer(flow.group_node(group as u32), 0);
        }
    }
    while let Some(Reverse((weight, node))) = search.queue.pop() {
        if search.to_end[node as usize] == weight {
            search.settle(node, weight);
        }
    }
    let through = search.to_end.split_off(flow.nodes.len());
    (search.to_end, through)
}

struct Search<'a> {
    flow: &'a Flow,
    /// By node; behind the nodes what is known of the groups.
    to_end: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// The groups that each function is in. Whatever a call reaches, it comes back, so how sure we are
    /// of a callee does not count here.
    groups: Vec<Vec<u32>>,
    /// The calls of each group, by the node that they end.
    calls: Vec<Vec<u32>>,
    /// The function that starts at a node.
    entries: Vec<Option<u32>>,
    settled: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(flow: &'a Flow) -> Self {
        let mut groups = vec![Vec::new(); flow.function_count()];
        let mut entries = vec![None; flow.nodes.len()];
        for (group, callees) in flow.groups.iter().enumerate() {
            for callee in callees {
                let index = umbra_ir::Id::index(callee.function);
                groups[index].push(group as u32);
                if let Some(entry) = flow.entry(callee.function) {
                    entries[entry as usize] = Some(index as u32);
                }
            }
        }
        let mut calls = vec![Vec::new(); flow.groups.len()];
        for (node, code) in flow.nodes.iter().enumerate() {
            if let Exit::Call { group } = code.exit {
                calls[group as usize].push(node as u32);
            }
        }
        let places = flow.nodes.len() + flow.groups.len();
        Self {
            flow,
            to_end: vec![INFINITE; places],
            queue: BinaryHeap::new(),
            groups,
            calls,
            entries,
            settled: vec![false; places],
        }
    }

    /// There is a way of this weight from a node to the return, or through a group.
    fn offer(&mut self, node: u32, weight: u32) {
        if weight < self.to_end[node as usize] {
            self.to_end[node as usize] = weight;
            self.queue.push(Reverse((weight, node)));
        }
    }

    /// The weight of a node or group is final.
    fn settle(&mut self, node: u32, weight: u32) {
        if std::mem::replace(&mut self.settled[node as usize], true) {
            return;
        }
        let flow = self.flow;
        if let Some(group) = (node as usize).checked_sub(flow.nodes.len()) {
            for call in std::mem::take(&mut self.calls[group]) {
                self.pass(call);
            }
            return;
        }
        for &(from, jump) in flow.jumps.of(node) {
            self.offer(from, add(weight, jump));
        }
        if let Some(before) = node.checked_sub(1)
            && matches!(flow.nodes[before as usize].exit, Exit::Call { .. })
        {
            self.pass(before);
        }
        let Some(function) = self.entries[node as usize] else { return };
        for group in std::mem::take(&mut self.groups[function as usize]) {
            self.offer(flow.group_node(group), weight);
        }
    }

    /// Something new is known of what follows a call, or of the callee.
    fn pass(&mut self, call: u32) {
        let node = self.flow.nodes[call as usize];
        let Exit::Call { group } = node.exit else { return };
        let group = self.flow.group_node(group) as usize;
        if self.settled[group] && self.settled[call as usize + 1] {
            let (through, after) = (self.to_end[group], self.to_end[call as usize + 1]);
            self.offer(call, add(add(node.weight, through), after));
        }
    }
}
