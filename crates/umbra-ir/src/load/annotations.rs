//! Two versions in one source text, as `umbra.h` has it.
//!
//! A call of `__umbra_version` is a change between 0 and 1. A branch whose condition is computed from
//! it in its own block, with constants only, leads each version its own way; so does a selection. What
//! was computed for them alone is left out. Every block that both versions reach is a strong place:
//! whoever wrote the annotations has said what corresponds.

use std::collections::HashMap;

use umbra_words::Version;

use super::Context;
use crate::constant::ConstantValue;
use crate::id::{BlockId, FunctionId, Id, RegisterId, Table};
use crate::instruction::{BinaryOp, Callee, CastOp, Operand, Operation, Predicate, Terminator};
use crate::program::{Block, Body};
use crate::types::Type;

/// The function that says which version runs: 0 is the old one, 1 the new one.
const VERSION: &str = "__umbra_version";

impl Context<'_> {
    /// Turns annotations into changes and branches on the version.
    pub(super) fn read_annotations(&mut self) {
        let Some(version) = self.program.function(VERSION) else { return };
        let ids: Vec<FunctionId> =
            self.program.functions.ids().filter(|&id| id != version).collect();
        for id in ids {
            let Some(mut body) = self.program.functions[id].body.take() else { continue };
            if calls(&body, version) {
                self.annotate(&mut body, version);
            }
            self.program.functions[id].body = Some(body);
        }
    }

    fn annotate(&mut self, body: &mut Body, version: FunctionId) {
        let registers = body.registers.clone();
        for (_, block) in body.blocks.iter_mut() {
            self.replace_calls(block, &registers, version);
        }
        let mut known = Vec::new();
        for (_, block) in body.blocks.iter_mut() {
            let values = self.values(block, &registers);
            known.extend(values.keys().copied());
            resolve(block, &values);
        }
        drop_unread(body, &known);
        body.mark_own_blocks();
    }

    /// The version itself is a change.
    fn replace_calls(
        &mut self,
        block: &mut Block,
        registers: &Table<RegisterId, Type>,
        version: FunctionId,
    ) {
        for instruction in &mut block.instructions {
            let Operation::Call { destinations, callee, .. } = &instruction.operation else {
                continue;
            };
            let (&Callee::Direct(called), &[destination]) = (callee, destinations.as_slice())
            else {
                continue;
            };
            let ty = registers[destination];
            if called == version && matches!(ty, Type::Integer(_)) {
                let [old, new] =
                    [0, 1].map(|number| self.intern(ty, super::constants::number(ty, &[number])));
                instruction.operation = Operation::Change { destination, old, new };
            }
        }
    }

    /// The registers of a block that depend on the version only, and what they are in each.
    fn values(
        &self,
        block: &Block,
        registers: &Table<RegisterId, Type>,
    ) -> HashMap<RegisterId, [u64; 2]> {
        let mut values = HashMap::new();
        for instruction in &block.instructions {
            let &[destination] = instruction.operation.destinations() else { continue };
            let computed = Version::BOTH
                .map(|side| self.value(&instruction.operation, registers, side, &values));
            if let [Some(old), Some(new)] = computed {
                values.insert(destination, [old, new]);
            }
        }
        values
    }

    /// What an operation on the version yields.
    fn value(
        &self,
        operation: &Operation,
        registers: &Table<RegisterId, Type>,
        side: Version,
        values: &HashMap<RegisterId, [u64; 2]>,
    ) -> Option<u64> {
        let constant = |operand: &Operand| match *operand {
            Operand::Register(_) => None,
            Operand::Constant(id) => match &self.program.constants[id].value {
                ConstantValue::Word(word) => Some(*word),
                _ => None,
            },
        };
        // Only what comes from the version counts; a constant may stand beside it.
        let from_version = |operand: &Operand| match operand {
            Operand::Register(register) => values.get(register).map(|sides| sides[side as usize]),
            Operand::Constant(_) => None,
        };
        let both = |left: &Operand, right: &Operand| match (from_version(left), from_version(right))
        {
            (None, None) => None,
            (left_value, right_value) => {
                Some((left_value.or(constant(left))?, right_value.or(constant(right))?))
            }
        };
        let cut = |value: u64, destination: RegisterId| match registers[destination].bits() {
            bits @ 1..64 => value & ((1 << bits) - 1),
            _ => value,
        };
        match operation {
            Operation::Change { old, new, .. } => {
                constant(if side == Version::Old { old } else { new })
            }
            Operation::Copy { operand, .. } => from_version(operand),
            Operation::Cast { destination, op: CastOp::Trunc | CastOp::ZExt, operand } => {
                Some(cut(from_version(operand)?, *destination))
            }
            Operation::Binary { destination, op: BinaryOp::Xor, left, right } => {
                let (left, right) = both(left, right)?;
                Some(cut(left ^ right, *destination))
            }
            Operation::Compare { predicate, left, right, .. } => {
                let (left, right) = both(left, right)?;
                match predicate {
                    Predicate::Eq => Some(u64::from(left == right)),
                    Predicate::Ne => Some(u64::from(left != right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn calls(body: &Body, version: FunctionId) -> bool {
    let mut instructions = body.blocks.values().flat_map(|block| &block.instructions);
    instructions.any(|instruction| {
        matches!(instruction.operation, Operation::Call { callee: Callee::Direct(called), .. }
            if called == version)
    })
}

/// Selections and the branch of a block, where they depend on the version only.
fn resolve(block: &mut Block, values: &HashMap<RegisterId, [u64; 2]>) {
    let sides = |condition: Operand| match condition {
        Operand::Register(register) => values.get(&register).filter(|[old, new]| old != new),
        Operand::Constant(_) => None,
    };
    for instruction in &mut block.instructions {
        if let Operation::Select { destination, condition, left, right } = instruction.operation
            && let Some(&[old, new]) = sides(condition)
        {
            let selected = |side: u64| if side != 0 { left } else { right };
            let (old, new) = (selected(old), selected(new));
            instruction.operation = Operation::Change { destination, old, new };
        }
    }
    if let Terminator::Branch { condition, then, otherwise } = &block.terminator
        && let Some(&[old, new]) = sides(*condition)
    {
        let taken = |side: u64| if side != 0 { then.clone() } else { otherwise.clone() };
        block.terminator = Terminator::Version { old: taken(old), new: taken(new) };
    }
}

/// Leaves out what was computed from the version and is not read any more.
fn drop_unread(body: &mut Body, known: &[RegisterId]) {
    loop {
        let mut read = vec![false; body.registers.len()];
        let mut note = |operand: Operand| {
            if let Operand::Register(register) = operand {
                read[register.index()] = true;
            }
        };
        for block in body.blocks.values() {
            for instruction in &block.instructions {
                instruction.operation.visit_operands(&mut note);
            }
            block.terminator.visit_operands(&mut note);
        }
        let mut dropped = false;
        let blocks: Vec<BlockId> = body.blocks.ids().collect();
        for id in blocks {
            body.blocks[id].instructions.retain(|instruction| {
                let unread = matches!(instruction.operation.destinations(), [register]
                    if known.contains(register) && !read[register.index()]);
                dropped |= unread;
                !unread
            });
        }
        if !dropped {
            return;
        }
    }
}
