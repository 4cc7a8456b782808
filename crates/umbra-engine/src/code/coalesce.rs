//! Which registers can share a slot, so that no move between them is needed.
//!
//! A block parameter and the operand that an edge assigns to it, or the two sides of a copy, may
//! share a slot when they do not interfere: when neither is live where the other is defined
//! (in SSA form this is the same as never being live together). Classes of registers grow by such
//! pairs as long as no two members interfere.
//!
//! Positions inside a block: instruction `i` reads at `2i` and writes at `2i + 1`, parameters are
//! written at -1, the terminator reads after everything. What an instruction reads may share a slot
//! with what it writes, except where its lowering takes several steps.

use umbra_ir::{BlockId, Body, CastOp, Id, Operand, Operation, RegisterId};

/// Live sets of more bits than this in all are not computed; the function keeps its moves.
const MAX_BITS: usize = 1 << 28;

/// Pairs of classes with more pairs of members than this are left apart.
const MAX_PAIRS: usize = 1 << 10;

/// Where a register is defined.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Definition {
    block: BlockId,
    position: i32,
}

/// The representative of each register's class; `folded` are registers without a slot, whose
/// operands are read where they themselves are.
pub fn coalesce(body: &Body, folded: &dyn Fn(RegisterId) -> bool) -> Vec<RegisterId> {
    let identity = body.registers.ids().collect();
    if body.registers.len().saturating_mul(body.blocks.len()) > MAX_BITS {
        return identity;
    }
    let liveness = Liveness::compute(body, folded);
    let mut classes = Classes { parent: identity, members: vec![Vec::new(); body.registers.len()] };
    for register in body.registers.ids() {
        classes.members[register.index()].push(register);
    }
    for block in body.blocks.values() {
        for edge in block.terminator.edges() {
            let parameters = &body.blocks[edge.block].parameters;
            for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                if let Operand::Register(argument) = argument {
                    classes.join(body, &liveness, parameter, argument);
                }
            }
        }
        for instruction in &block.instructions {
            if let Some((to, from)) = copied(body, &instruction.operation) {
                classes.join(body, &liveness, to, from);
            }
        }
    }
    body.registers.ids().map(|register| classes.find(register)).collect()
}

/// The two sides of an operation that only moves a word.
fn copied(body: &Body, operation: &Operation) -> Option<(RegisterId, RegisterId)> {
    let (to, from) = match operation {
        Operation::Copy { destination, operand: Operand::Register(from) }
        | Operation::Cast {
            destination,
            op: CastOp::ZExt | CastOp::Bitcast,
            operand: Operand::Register(from),
        } => (*destination, *from),
        _ => return None,
    };
    let narrow = body.registers[to].words() == 1 && body.registers[from].words() == 1;
    narrow.then_some((to, from))
}

struct Classes {
    parent: Vec<RegisterId>,
    members: Vec<Vec<RegisterId>>,
}

impl Classes {
    fn find(&self, mut register: RegisterId) -> RegisterId {
        while self.parent[register.index()] != register {
            register = self.parent[register.index()];
        }
        register
    }

    fn join(&mut self, body: &Body, liveness: &Liveness, one: RegisterId, other: RegisterId) {
        let (one, other) = (self.find(one), self.find(other));
        if one == other || body.registers[one].words() != body.registers[other].words() {
            return;
        }
        let (left, right) = (&self.members[one.index()], &self.members[other.index()]);
        if left.len() * right.len() > MAX_PAIRS
            || left.iter().any(|&a| right.iter().any(|&b| liveness.interfere(a, b)))
        {
            return;
        }
        let (small, large) = if left.len() < right.len() { (one, other) } else { (other, one) };
        let moved = std::mem::take(&mut self.members[small.index()]);
        self.members[large.index()].extend(moved);
        self.parent[small.index()] = large;
    }
}

struct Liveness {
    live_in: Rows,
    live_out: Rows,
    definitions: Vec<Option<Definition>>,
    /// The last position at which each register is read in each block that reads it, by register.
    reads: Vec<Vec<(BlockId, i32)>>,
}

impl Liveness {
    fn compute(body: &Body, folded: &dyn Fn(RegisterId) -> bool) -> Self {
        let mut definitions = vec![None; body.registers.len()];
        let mut reads: Vec<Vec<(BlockId, i32)>> = vec![Vec::new(); body.registers.len()];
        for (id, block) in body.blocks.iter() {
            for &parameter in &block.parameters {
                definitions[parameter.index()] = Some(Definition { block: id, position: -1 });
            }
            let mut read = |operand: Operand, position: i32| {
                if let Operand::Register(register) = operand {
                    match reads[register.index()].last_mut() {
                        Some((last, at)) if *last == id => *at = (*at).max(position),
                        _ => reads[register.index()].push((id, position)),
                    }
                }
            };
            let mut deferred: Vec<(RegisterId, &Operation)> = Vec::new();
            for (index, instruction) in (0..).zip(&block.instructions) {
                let operation = &instruction.operation;
                operation.visit_destinations(&mut |register| {
                    let position = 2 * index + 1;
                    definitions[register.index()] = Some(Definition { block: id, position });
                    if folded(register) {
                        deferred.push((register, operation));
                    }
                });
                let steps =
                    matches!(operation, Operation::Offset { indices, .. } if indices.len() > 1);
                let position = if steps { 2 * index + 2 } else { 2 * index };
                operation.visit_operands(&mut |operand| read(operand, position));
            }
            let end = 2 * block.instructions.len() as i32 + 2;
            block.terminator.visit_operands(&mut |operand| read(operand, end));
            // What a folded register is made of is read where the register is: in this block,
            // at the latest at its end.
            for (_, operation) in deferred {
                operation.visit_operands(&mut |operand| read(operand, end));
            }
        }
        let (live_in, live_out) = solve(body, &definitions, &reads);
        Self { live_in, live_out, definitions, reads }
    }

    fn interfere(&self, a: RegisterId, b: RegisterId) -> bool {
        let (Some(at_a), Some(at_b)) = (self.definitions[a.index()], self.definitions[b.index()])
        else {
            return true;
        };
        at_a == at_b || self.is_live_at(b, at_b, at_a) || self.is_live_at(a, at_a, at_b)
    }

    /// Whether a register, defined at `own`, is live right behind `point`.
    fn is_live_at(&self, register: RegisterId, own: Definition, point: Definition) -> bool {
        let before = if own.block == point.block {
            own.position < point.position
        } else {
            self.live_in.contains(point.block, register)
        };
        let after = || {
            self.live_out.contains(point.block, register)
                || self.reads[register.index()]
                    .iter()
                    .any(|&(block, at)| block == point.block && at > point.position)
        };
        before && after()
    }
}

/// Live registers at the start and end of each block, by iteration to the fixed point.
fn solve(
    body: &Body,
    definitions: &[Option<Definition>],
    reads: &[Vec<(BlockId, i32)>],
) -> (Rows, Rows) {
    let mut live_in = Rows::new(body.blocks.len(), body.registers.len());
    let mut live_out = Rows::new(body.blocks.len(), body.registers.len());
    // Walking back from each read to the definition touches only blocks in which the register is
    // live, so the cost is that of the answer.
    let mut predecessors = vec![Vec::new(); body.blocks.len()];
    for (id, block) in body.blocks.iter() {
        for edge in block.terminator.edges() {
            predecessors[edge.block.index()].push(id);
        }
    }
    let mut pending = Vec::new();
    for register in body.registers.ids() {
        let Some(definition) = definitions[register.index()] else { continue };
        let elsewhere = reads[register.index()].iter().map(|&(block, _)| block);
        pending.extend(elsewhere.filter(|&block| block != definition.block));
        while let Some(block) = pending.pop() {
            if !live_in.insert(block, register) {
                continue;
            }
            for &predecessor in &predecessors[block.index()] {
                live_out.insert(predecessor, register);
                if predecessor != definition.block {
                    pending.push(predecessor);
                }
            }
        }
    }
    (live_in, live_out)
}

/// A set of registers for each block.
struct Rows {
    words: Vec<u64>,
    row: usize,
}

impl Rows {
    fn new(blocks: usize, registers: usize) -> Self {
        let row = registers.div_ceil(64);
        Self { words: vec![0; blocks * row], row }
    }

    fn contains(&self, block: BlockId, register: RegisterId) -> bool {
        let word = self.words[block.index() * self.row + register.index() / 64];
        word >> (register.index() % 64) & 1 == 1
    }

    /// Adds a register; whether it is new.
    fn insert(&mut self, block: BlockId, register: RegisterId) -> bool {
        let word = &mut self.words[block.index() * self.row + register.index() / 64];
        let bit = 1 << (register.index() % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}
