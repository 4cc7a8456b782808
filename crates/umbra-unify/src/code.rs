//! A function as a graph of items: what the aligner and the merger see of it.
//!
//! An item is an instruction or a terminator that does something. Jumps are no items but edges, so
//! that blocks which an inserted `if` splits still align. What comes after an item is another item, and
//! what the block parameters on the way become.

use std::collections::{HashMap, HashSet};

use umbra_ir::{
    Block, BlockId, Body, Edge, Id, LocationId, Operand, Operation, Program, RegisterId,
    Terminator, Type,
};

use crate::correspondence::Place;
use crate::lines::{Line, line_of};

/// The position of an item in [`Code::items`].
pub type ItemId = u32;

/// A function of one version.
pub struct Code<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its body.
    pub body: &'a Body,
    /// Its items, in the order of the text.
    pub items: Vec<Place>,
    by_place: HashMap<Place, ItemId>,
    /// Blocks whose jump is an item: one on each cycle that holds no other item.
    loops: HashSet<BlockId>,
    /// What assigns each register.
    definitions: HashMap<RegisterId, Definition>,
}

/// What assigns a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// An item.
    Item(ItemId),
    /// A parameter of this block, at this position.
    Parameter(BlockId, u32),
}

/// What comes after an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The next item.
    pub to: ItemId,
    /// What block parameters become, all at once.
    pub assignments: Vec<(RegisterId, Operand)>,
    /// Blocks on the way that have no items.
    pub via: Vec<BlockId>,
}

/// What an item does.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// An instruction.
    Operation(&'a Operation),
    /// A terminator.
    Terminator(&'a Terminator),
}

/// The instructions of each block of a function, as [`Unified::passed`](crate::Unified::passed) speaks of them: jumps are
/// left out, and so are local variables of fixed size that the first block makes.
pub fn instructions(program: &Program, body: &Body) -> Vec<Vec<Place>> {
    let code = Code::new(program, body);
    let mut blocks = vec![Vec::new(); body.blocks.len()];
    for (item, &place) in code.ids().zip(&code.items) {
        if !code.is_local_variable(item) {
            blocks[place.block.index()].push(place);
        }
    }
    blocks
}

impl<'a> Code<'a> {
    /// The items of a function that has a body.
    pub fn new(program: &'a Program, body: &'a Body) -> Self {
        let loops = silent_loops(body);
        let mut code = Self {
            program,
            body,
            items: Vec::new(),
            by_place: HashMap::new(),
            loops,
            definitions: HashMap::new(),
        };
        for (block, content) in body.blocks.iter() {
            for (position, &register) in content.parameters.iter().enumerate() {
                let parameter = Definition::Parameter(block, position as u32);
                code.definitions.insert(register, parameter);
            }
            for index in 0..code.item_count(block, content) {
                let place = Place { block, index: index as u32 };
                let item = code.items.len() as ItemId;
                code.items.push(place);
                code.by_place.insert(place, item);
                if let Some(instruction) = content.instructions.get(index) {
                    instruction.operation.visit_destinations(&mut |register| {
                        code.definitions.insert(register, Definition::Item(item));
                    });
                }
            }
        }
        code
    }

    fn item_count(&self, id: BlockId, block: &Block) -> usize {
        let jumps = matches!(block.terminator, Terminator::Jump(_)) && !self.loops.contains(&id);
        block.instructions.len() + usize::from(!jumps)
    }

    /// The item at a place.
    pub fn at(&self, place: Place) -> Option<ItemId> {
        self.by_place.get(&place).copied()
    }

    /// All items.
    pub fn ids(&self) -> std::ops::Range<ItemId> {
        0..self.items.len() as ItemId
    }

    /// Whether an item of the first block makes a local variable of fixed size.
    pub fn is_local_variable(&self, item: ItemId) -> bool {
        self.items[item as usize].block.index() == 0
            && matches!(
                self.content(item),
                Content::Operation(Operation::Alloca { count: None, .. })
            )
    }

    /// The registers of the function's parameters.
    pub fn parameters(&self) -> Vec<RegisterId> {
        let entry = self.body.blocks.values().next();
        entry.map_or(Vec::new(), |block| block.parameters.clone())
    }

    /// The block of an item.
    pub fn block(&self, item: ItemId) -> &'a Block {
        &self.body.blocks[self.items[item as usize].block]
    }

    /// What an item does.
    pub fn content(&self, item: ItemId) -> Content<'a> {
        let block = self.block(item);
        match block.instructions.get(self.items[item as usize].index as usize) {
            Some(instruction) => Content::Operation(&instruction.operation),
            None => Content::Terminator(&block.terminator),
        }
    }

    /// Where an item comes from.
    pub fn location(&self, item: ItemId) -> Option<LocationId> {
        let block = self.block(item);
        match block.instructions.get(self.items[item as usize].index as usize) {
            Some(instruction) => instruction.location,
            None => block.location,
        }
    }

    /// The source line of an item.
    pub fn line(&self, item: ItemId) -> Option<Line> {
        line_of(self.program, self.location(item))
    }

    /// What assigns a register.
    pub fn definition(&self, register: RegisterId) -> Option<Definition> {
        self.definitions.get(&register).copied()
    }

    /// The operation that assigns a register.
    pub fn operation_of(&self, operand: Operand) -> Option<&'a Operation> {
        let Operand::Register(register) = operand else { return None };
        let Definition::Item(item) = self.definition(register)? else { return None };
        match self.content(item) {
            Content::Operation(operation) => Some(operation),
            Content::Terminator(_) => None,
        }
    }

    /// The type of an operand.
    pub fn ty(&self, operand: Operand) -> Type {
        self.program.type_of(self.body, operand)
    }

    /// The first item, and what parameters become on the way to it.
    pub fn start(&self) -> Step {
        self.enter(BlockId::from_index(0), Vec::new())
    }

    /// The ways out of an item, in order.
    pub fn steps(&self, item: ItemId) -> Vec<Step> {
        let place = self.items[item as usize];
        let block = self.block(item);
        match (place.index as usize) < block.instructions.len() {
            true => {
                let next = Place { index: place.index + 1, ..place };
                match (self.at(next), &block.terminator) {
                    (Some(to), _) => vec![Step { to, assignments: Vec::new(), via: Vec::new() }],
                    (None, Terminator::Jump(edge)) => vec![self.follow(edge)],
                    (None, _) => Vec::new(),
                }
            }
            false => block.terminator.edges().into_iter().map(|edge| self.follow(edge)).collect(),
        }
    }

    /// Follows an edge to the next item.
    fn follow(&self, edge: &Edge) -> Step {
        let parameters = &self.body.blocks[edge.block].parameters;
        let assignments = parameters.iter().copied().zip(edge.arguments.iter().copied());
        self.enter(edge.block, assignments.collect())
    }

    fn enter(&self, block: BlockId, assignments: Vec<(RegisterId, Operand)>) -> Step {
        let (mut block, mut assignments, mut via) = (block, assignments, Vec::new());
        loop {
            if let Some(to) = self.at(Place { block, index: 0 }) {
                return Step { to, assignments, via };
            }
            let Terminator::Jump(edge) = &self.body.blocks[block].terminator else {
                unreachable!("a block without items jumps")
            };
            let value = |operand: Operand| match operand {
                Operand::Register(register) => assignments
                    .iter()
                    .find(|(assigned, _)| *assigned == register)
                    .map_or(operand, |(_, value)| *value),
                Operand::Constant(_) => operand,
            };
            let parameters = self.body.blocks[edge.block].parameters.iter().copied();
            let more: Vec<_> =
                parameters.zip(edge.arguments.iter().map(|&argument| value(argument))).collect();
            assignments.extend(more);
            via.push(block);
            block = edge.block;
        }
    }
}

/// One block of each cycle of jumps that holds nothing else.
fn silent_loops(body: &Body) -> HashSet<BlockId> {
    let next = |id: BlockId| match &body.blocks[id] {
        Block { instructions, terminator: Terminator::Jump(edge), .. }
            if instructions.is_empty() =>
        {
            Some(edge.block)
        }
        _ => None,
    };
    let mut found = HashSet::new();
    let mut done: HashSet<BlockId> = HashSet::new();
    for start in body.blocks.ids() {
        let mut path = HashSet::new();
        let mut at = start;
        while !done.contains(&at) && path.insert(at) {
            match next(at) {
                Some(to) if path.contains(&to) => {
                    found.insert(at);
                    break;
                }
                Some(to) => at = to,
                None => break,
            }
        }
        done.extend(path);
    }
    found
}
