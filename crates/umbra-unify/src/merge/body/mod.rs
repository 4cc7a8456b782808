//! The merged body of two functions.
//!
//! Nodes are pairs of items and items of one version; each becomes a block of a draft. A pair whose
//! operands differ reads changes; where the versions go on to different nodes, a block leads each its own way. Local variables
//! of fixed size that the entry makes are made at the start, those of both versions, so that no call parts for them.

mod edges;
mod end;

use std::collections::HashMap;

use umbra_ir::{
    BlockId, Body, Id, Instruction, LocationId, Operand, Operation, Presence, RegisterId, Type,
};

use super::Signatures;
use super::draft::{Draft, DraftBlock, DraftEnd, DraftStep};
use super::operation::Changes;
use super::ssa::to_ssa;
use super::target::{Target, rename};
use crate::Version;
use crate::code::{Code, Content, ItemId};
use crate::correspondence::{Alignment, Place, Strength};

/// A merged body, and where its parts come from.
pub struct MergedBody {
    /// The body.
    pub body: Body,
    /// The blocks of either version: where their instructions are.
    pub blocks: [Vec<Vec<BlockId>>; 2],
    /// For each `alloca` of the entry block, in order, where it is in either version.
    pub allocas: Vec<[Option<Place>; 2]>,
    /// For each block the instructions that it passes, as they are in either version.
    pub passed: Vec<Vec<[Option<Place>; 2]>>,
    /// How many operands became changes.
    pub changes: u64,
    /// How many blocks lead the versions their own ways.
    pub version_branches: u64,
}

/// Merges two functions.
pub fn merge(
    old: &Code<'_>,
    new: &Code<'_>,
    alignment: &Alignment,
    signatures: &Signatures,
    target: &mut Target<'_>,
) -> MergedBody {
    let mut builder = Builder::new(old, new, alignment, signatures, target);
    builder.entry();
    for node in 0..builder.nodes.len() {
        builder.node(node);
    }
    builder.finish()
}

/// Items that are one.
#[derive(Clone, Copy)]
struct Node {
    old: Option<ItemId>,
    new: Option<ItemId>,
    strength: Strength,
    turned: bool,
}

struct Builder<'a, 'p> {
    old: &'a Code<'a>,
    new: &'a Code<'a>,
    signatures: &'a Signatures,
    target: &'a mut Target<'p>,
    nodes: Vec<Node>,
    /// The node of each item.
    old_nodes: Vec<usize>,
    new_nodes: Vec<usize>,
    /// The variable of each register.
    old_variables: HashMap<RegisterId, RegisterId>,
    new_variables: HashMap<RegisterId, RegisterId>,
    /// Variables of both versions.
    shared: Vec<bool>,
    draft: Draft,
    /// The blocks of nodes begin behind the entry.
    first: usize,
    allocas: Vec<[Option<Place>; 2]>,
    /// Blocks of the draft that are on edges, and the blocks without items that these edges of either
    /// version lead through.
    passages: Vec<(usize, [Vec<BlockId>; 2])>,
    changes: u64,
}

impl<'a, 'p> Builder<'a, 'p> {
    fn new(
        old: &'a Code<'a>,
        new: &'a Code<'a>,
        alignment: &Alignment,
        signatures: &'a Signatures,
        target: &'a mut Target<'p>,
    ) -> Self {
        let mut builder = Self {
            old,
            new,
            signatures,
            target,
            nodes: Vec::new(),
            old_nodes: vec![usize::MAX; old.items.len()],
            new_nodes: vec![usize::MAX; new.items.len()],
            old_variables: HashMap::new(),
            new_variables: HashMap::new(),
            shared: Vec::new(),
            draft: Draft::default(),
            first: 1,
            allocas: Vec::new(),
            passages: Vec::new(),
            changes: 0,
        };
        builder.make_nodes(alignment);
        builder.make_variables(alignment);
        builder
    }

    fn make_nodes(&mut self, alignment: &Alignment) {
        for pair in &alignment.pairs {
            let (Some(a), Some(b)) = (self.old.at(pair.old), self.new.at(pair.new)) else {
                continue;
            };
            let (strength, turned) = (pair.strength, pair.turned);
            self.add_node(Node { old: Some(a), new: Some(b), strength, turned });
        }
        let strength = Strength::Weak;
        for item in self
            .old
            .ids()
            .filter(|&item| self.old_nodes[item as usize] == usize::MAX)
            .collect::<Vec<_>>()
        {
            self.add_node(Node { old: Some(item), new: None, strength, turned: false });
        }
        for item in self
            .new
            .ids()
            .filter(|&item| self.new_nodes[item as usize] == usize::MAX)
            .collect::<Vec<_>>()
        {
            self.add_node(Node { old: None, new: Some(item), strength, turned: false });
        }
    }

    fn add_node(&mut self, node: Node) {
        let at = self.nodes.len();
        if let Some(item) = node.old {
            self.old_nodes[item as usize] = at;
        }
        if let Some(item) = node.new {
            self.new_nodes[item as usize] = at;
        }
        self.nodes.push(node);
    }

    fn make_variables(&mut self, alignment: &Alignment) {
        for (register, ty) in self.new.body.registers.iter() {
            let variable = self.variable(*ty);
            self.new_variables.insert(register, variable);
        }
        let mut same: HashMap<RegisterId, RegisterId> =
            alignment.parameters.iter().copied().collect();
        for node in &self.nodes {
            if let (Some(a), Some(b)) = (node.old, node.new)
                && let (Content::Operation(a), Content::Operation(b)) =
                    (self.old.content(a), self.new.content(b))
            {
                let pairs = a.destinations().iter().copied().zip(b.destinations().iter().copied());
                same.extend(pairs);
            }
        }
        let (left, right) = (self.old.parameters(), self.new.parameters());
        let mut extra = Vec::new();
        for (register, &position) in left.iter().zip(&alignment.old_signature) {
            match right.get(position as usize) {
                Some(other) => {
                    same.insert(*register, *other);
                }
                None => extra.push((position, *register)),
            }
        }
        for (register, ty) in self.old.body.registers.iter() {
            let variable = match same.get(&register) {
                Some(other) => {
                    let variable = self.new_variables[other];
                    self.shared[variable.index()] = true;
                    variable
                }
                None => self.variable(*ty),
            };
            self.old_variables.insert(register, variable);
        }
        extra.sort_unstable();
        let own = right.iter().map(|register| self.new_variables[register]);
        let old = extra.iter().map(|(_, register)| self.old_variables[register]);
        self.draft.parameters = own.chain(old).collect();
    }

    fn variable(&mut self, ty: Type) -> RegisterId {
        self.shared.push(false);
        self.draft.variables.push(ty)
    }

    /// An operand of a version as one of the draft.
    fn operand(&mut self, version: Version, operand: Operand) -> Operand {
        match (version, operand) {
            (Version::Old, Operand::Register(id)) => Operand::Register(self.old_variables[&id]),
            (Version::Old, Operand::Constant(id)) => {
                Operand::Constant(self.target.old_constant(id))
            }
            (Version::New, Operand::Register(id)) => Operand::Register(self.new_variables[&id]),
            (Version::New, Operand::Constant(id)) => Operand::Constant(id),
        }
    }

    fn operation(&mut self, version: Version, operation: &Operation) -> Operation {
        match version {
            Version::Old => {
                let variables = &self.old_variables;
                self.target.old_operation(operation, &|register| variables[&register])
            }
            Version::New => {
                let mut operation = operation.clone();
                rename(&mut operation, &|r| self.new_variables[&r], &mut |constant| constant);
                operation
            }
        }
    }

    fn location(&mut self, version: Version, item: ItemId) -> Option<LocationId> {
        match version {
            Version::Old => {
                let location = self.old.location(item)?;
                Some(self.target.old_location(location))
            }
            Version::New => self.new.location(item),
        }
    }

    /// Where a node is in the texts: the location, and that of the old version if it is another.
    fn locations(&mut self, node: Node) -> (Option<LocationId>, Option<LocationId>) {
        let old = node.old.and_then(|item| self.location(Version::Old, item));
        let new = node.new.and_then(|item| self.location(Version::New, item));
        match (node.old, node.new) {
            (Some(_), Some(_)) => (new, old.filter(|old| Some(*old) != new)),
            (Some(_), None) => (old, None),
            _ => (new, None),
        }
    }

    /// The entry block: local variables of fixed size, and the way to the first nodes.
    fn entry(&mut self) {
        let blank = |presence| DraftBlock {
            presence,
            steps: Vec::new(),
            end: DraftEnd::Unreachable,
            location: None,
            old_location: None,
            weight: 0,
            nodes: Vec::new(),
        };
        self.draft.blocks.push(blank(Presence::Strong));
        for _ in 0..self.nodes.len() {
            self.draft.blocks.push(blank(Presence::Strong));
        }
        let mut steps = Vec::new();
        let mut presence = Presence::Strong;
        for at in 0..self.nodes.len() {
            let node = self.nodes[at];
            if !self.is_hoisted(node) {
                continue;
            }
            if node.strength == Strength::Weak {
                presence = Presence::Weak;
            }
            let place =
                |code: &Code<'_>, item: Option<ItemId>| item.map(|item| code.items[item as usize]);
            self.allocas.push([place(self.old, node.old), place(self.new, node.new)]);
            steps.extend(self.steps(node));
        }
        self.draft.blocks[0].weight = steps.len() as u32;
        self.draft.blocks[0].steps = steps;
        self.draft.blocks[0].presence = presence;
        let (old, new) = (self.old.start(), self.new.start());
        let edge = self.edge(Some(old), Some(new));
        self.draft.blocks[0].end = DraftEnd::Jump(edge);
    }

    /// Whether a node makes a local variable of fixed size in the entry block of its function.
    fn is_hoisted(&self, node: Node) -> bool {
        let fixed = |code: &Code<'_>, item: Option<ItemId>| {
            item.is_none_or(|item| code.is_local_variable(item))
        };
        fixed(self.old, node.old) && fixed(self.new, node.new)
    }

    /// The block of a node.
    fn node(&mut self, at: usize) {
        let node = self.nodes[at];
        let (location, old_location) = self.locations(node);
        let presence = match (node.old, node.new, node.strength) {
            (Some(_), Some(_), Strength::Strong) => Presence::Strong,
            (Some(_), Some(_), Strength::Weak) => Presence::Weak,
            (Some(_), None, _) => Presence::Old,
            _ => Presence::New,
        };
        let (steps, end) = match self.content(node) {
            Content::Operation(_) => {
                let steps = match self.is_hoisted(node) {
                    true => Vec::new(),
                    false => self.steps(node),
                };
                let old = node.old.map(|item| self.old.steps(item).remove(0));
                let new = node.new.map(|item| self.new.steps(item).remove(0));
                (steps, DraftEnd::Jump(self.edge(old, new)))
            }
            Content::Terminator(_) => self.end(node),
        };
        let nodes = if self.is_hoisted(node) { Vec::new() } else { vec![at] };
        let weight = nodes.len() as u32;
        self.draft.blocks[self.first + at] =
            DraftBlock { presence, steps, end, location, old_location, weight, nodes };
    }

    fn content(&self, node: Node) -> Content<'a> {
        match (node.old, node.new) {
            (_, Some(item)) => self.new.content(item),
            (Some(item), None) => self.old.content(item),
            (None, None) => unreachable!("a node has an item"),
        }
    }

    /// What a node that is an instruction does.
    fn steps(&mut self, node: Node) -> Vec<DraftStep> {
        let operation = |code: &Code<'a>, item: Option<ItemId>| match code.content(item?) {
            Content::Operation(operation) => Some(operation),
            Content::Terminator(_) => None,
        };
        let old = operation(self.old, node.old);
        let new = operation(self.new, node.new);
        let old = old.map(|operation| self.operation(Version::Old, operation));
        let new = new.map(|operation| self.operation(Version::New, operation));
        let (location, old_location) = self.locations(node);
        let mut out = Vec::new();
        match (old, new) {
            (Some(old), Some(new)) => {
                let (operation, operations) = self.with_changes(|changes| match node.strength {
                    // The same but for noise, which is the new version's.
                    Strength::Strong => changes.signatures.new_call(changes.target, new),
                    Strength::Weak => changes.merge(old, new),
                });
                out.extend(operations);
                out.push(operation);
            }
            (Some(old), None) => out.push(self.signatures.old_call(self.target, old)),
            (None, Some(new)) => out.push(self.signatures.new_call(self.target, new)),
            (None, None) => {}
        }
        let instruction =
            |operation| DraftStep::Instruction(Instruction { operation, location, old_location });
        out.into_iter().map(instruction).collect()
    }

    /// Makes changes; returns what was made of them, and the operations that they are.
    fn with_changes<T>(
        &mut self,
        make: impl FnOnce(&mut Changes<'_, 'p>) -> T,
    ) -> (T, Vec<Operation>) {
        let mut changes = Changes {
            target: self.target,
            variables: &mut self.draft.variables,
            signatures: self.signatures,
            out: Vec::new(),
            count: 0,
        };
        let made = make(&mut changes);
        let Changes { out, count, .. } = changes;
        self.changes += count;
        self.shared.resize(self.draft.variables.len(), false);
        (made, out)
    }

    fn finish(mut self) -> MergedBody {
        let places = self.draft.tidy();
        let version_branches = self
            .draft
            .blocks
            .iter()
            .filter(|block| matches!(block.end, DraftEnd::Version { .. }))
            .count() as u64;
        let mut blocks = [
            blocks_of(self.old, |item| places[self.first + self.old_nodes[item as usize]]),
            blocks_of(self.new, |item| places[self.first + self.new_nodes[item as usize]]),
        ];
        let passed = self.draft.blocks.iter().map(|block| self.passed(&block.nodes)).collect();
        for (passage, via) in &self.passages {
            for (blocks, via) in blocks.iter_mut().zip(via) {
                via.iter().for_each(|block| blocks[block.index()].extend(places[*passage]));
            }
        }
        let body = to_ssa(self.draft, self.target);
        let (allocas, changes) = (self.allocas, self.changes);
        MergedBody { body, blocks, passed, allocas, changes, version_branches }
    }

    /// Where some nodes are in either version.
    fn passed(&self, nodes: &[usize]) -> Vec<[Option<Place>; 2]> {
        let place = |code: &Code<'_>, item: Option<ItemId>| {
            let item = item.filter(|&item| !code.is_local_variable(item));
            item.map(|item| code.items[item as usize])
        };
        let nodes = nodes.iter().map(|&node| self.nodes[node]);
        nodes.map(|node| [place(self.old, node.old), place(self.new, node.new)]).collect()
    }
}

/// Where the items of each block have gone; those of a block without any are on edges. The entry of either version is also in the common one.
fn blocks_of(code: &Code<'_>, place: impl Fn(ItemId) -> Option<BlockId>) -> Vec<Vec<BlockId>> {
    let mut blocks = vec![Vec::new(); code.body.blocks.len()];
    blocks.iter_mut().take(1).for_each(|entry| entry.push(BlockId::from_index(0)));
    for item in code.ids() {
        blocks[code.items[item as usize].block.index()].extend(place(item));
    }
    for places in &mut blocks {
        places.sort_unstable();
        places.dedup();
    }
    blocks
}
