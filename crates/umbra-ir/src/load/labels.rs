//! Addresses of labels, and jumps through them.
//!
//! The address of a label is a small number: its place among the labels that its function jumps to through an
//! address, counted from 1. So it is not null, differences of labels are numbers as on a real machine, and a jump
//! through an address is a switch. Labels that no such jump leads to come after these.

use std::collections::{BTreeMap, HashMap};

use super::functions::FunctionLoader;
use super::{Context, Unsupported, constants};
use crate::id::LocationId;
use crate::instruction::{CastOp, Operand, Operation, Terminator};
use crate::llvm::{Block as LlvmBlock, Opcode, Value};
use crate::types::Type;

/// The numbers of a function's blocks, as labels.
pub(super) type Labels<'m> = HashMap<LlvmBlock<'m>, u64>;

/// Numbers the blocks of a function.
fn number(function: Value<'_>) -> Labels<'_> {
    let blocks = function.blocks();
    let last = blocks.iter().filter_map(|block| block.instructions().last());
    let jumps = last.filter(|last| last.opcode() == Some(Opcode::LLVMIndirectBr));
    let targets: Vec<LlvmBlock<'_>> = jumps.flat_map(Value::successors).collect();
    let mut labels = Labels::new();
    for block in targets.into_iter().chain(blocks) {
        let next = labels.len() as u64 + 1;
        labels.entry(block).or_insert(next);
    }
    labels
}

impl<'m> Context<'m> {
    fn labels_of(&mut self, function: Value<'m>) -> &Labels<'m> {
        self.labels.entry(function).or_insert_with(|| number(function))
    }

    /// The number that stands for the address of a label.
    pub(super) fn label(&mut self, value: Value<'m>) -> Result<u64, Unsupported> {
        let label = value.label().and_then(|(function, block)| {
            let labels = self.labels_of(function);
            labels.get(&block).copied()
        });
        label.ok_or_else(|| Unsupported("address of a label".into()))
    }
}

impl<'m> FunctionLoader<'_, 'm> {
    /// A jump through an address. One that is no label's leads to a block that ends as undefined.
    pub(super) fn computed_jump(&mut self, value: Value<'m>) -> Result<Terminator, Unsupported> {
        let address = self.operand(value, 0)?;
        self.location = self.location.or_else(|| self.only_goto(value));
        let destination = self.define(Type::Integer(64));
        self.emit(Operation::Cast { destination, op: CastOp::Bitcast, operand: address });
        let labels = self.context.labels_of(self.function);
        let targets: BTreeMap<u64, LlvmBlock<'m>> =
            value.successors().into_iter().map(|target| (labels[&target], target)).collect();
        let mut cases = Vec::with_capacity(targets.len());
        for (label, target) in targets {
            let label = constants::number(Type::Integer(64), &[label]);
            let label = self.context.intern_id(Type::Integer(64), label);
            cases.push((label, self.edge(target)?));
        }
        let default = self.made_block(Terminator::Unreachable);
        Ok(Terminator::Switch { value: Operand::Register(destination), cases, default })
    }
    /// Where the jump is in the source, if it is one. Clang makes one instruction without a place of all of a function.
    fn only_goto(&mut self, jump: Value<'m>) -> Option<LocationId> {
        match jump.operand(0)?.incoming().as_slice() {
            [(block, _)] => self.context.location_of(block.instructions().last()?),
            _ => None,
        }
    }
}
