//! Which code belongs to one version only.
//!
//! A branch whose condition is computed from `__umbra_version()` in its own block, with constants
//! only, takes one side in the old version and perhaps another in the new one. A block that only one
//! of them can reach is that version's own; all others are *matched*: the same place in both.

use std::collections::{HashMap, HashSet};

use umbra_ir::{
    BinaryOp, Block, BlockId, Body, Callee, CastOp, FunctionId, Id, Operand, Operation, RegisterId,
    Terminator, Type,
};

use super::builtin::Builtin;
use super::image::{Image, Place};
use super::op::{Op, Target};
use crate::step::compare;

/// What is known of the versions of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versions {
    /// Branches on the version, as operations.
    branches: HashSet<u32>,
    /// Blocks that are in one version only.
    own: HashSet<Target>,
}

impl Image {
    /// Whether the operation at `pc` is a branch on the version.
    pub(crate) fn is_version_branch(&self, pc: u32) -> bool {
        self.versions.branches.contains(&pc)
    }

    /// Whether a target is a block (and not an edge) that both versions have.
    pub(crate) fn is_matched(&self, target: Target) -> bool {
        let function = self.function_of(self.headers[target as usize].pc);
        let body = self.program.functions[function].body.as_ref();
        let first = self.functions[function.index()].entry;
        let (Some(body), Some(first)) = (body, first) else { return false };
        let is_block = target >= first && ((target - first) as usize) < body.blocks.len();
        is_block && !self.versions.own.contains(&target)
    }

    /// The changes of the program: where they are, and the blocks that they are in.
    pub fn changes(&self) -> Vec<(Place, Target)> {
        let is_change = |op: &Op| matches!(op, Op::CallBuiltin { builtin: Builtin::Version, .. });
        let mut changes = Vec::new();
        for (pc, _) in (0..).zip(&self.ops).filter(|(_, op)| is_change(op)) {
            let after = self.headers.iter().enumerate().filter(|(_, header)| header.pc <= pc);
            let target = after.max_by_key(|(_, header)| header.pc).map(|(target, _)| target);
            let place = self.places(pc).into_iter().next();
            changes.extend(place.zip(target.map(|target| target as Target)));
        }
        changes
    }

    /// Finds the branches on the version, and what only one version reaches.
    pub(super) fn find_versions(&mut self) {
        let program = std::sync::Arc::clone(&self.program);
        let version = program
            .functions
            .ids()
            .find(|id| self.functions[id.index()].builtin == Some(Builtin::Version));
        let Some(version) = version else { return };
        for (function, definition) in program.functions.iter() {
            let Some(body) = &definition.body else { continue };
            let Some(entry) = self.functions[function.index()].entry else { continue };
            let evaluator = Evaluator { program: &program, body, version };
            if body.blocks.values().any(|block| evaluator.calls_version(block)) {
                self.find_in(&evaluator, function, entry);
            }
        }
    }

    fn find_in(&mut self, evaluator: &Evaluator<'_>, function: FunctionId, entry: Target) {
        let sides: HashMap<BlockId, [bool; 2]> = evaluator
            .body
            .blocks
            .iter()
            .filter_map(|(id, block)| Some((id, evaluator.sides(block)?)))
            .collect();
        for &block in sides.keys() {
            let Some(target) = self.block_target(function, block) else { continue };
            let start = self.headers[target as usize].pc as usize;
            let length = self.ops[start..].iter().position(Op::is_branch);
            self.versions.branches.extend(length.map(|length| (start + length) as u32));
        }
        let reached = [0, 1].map(|version| reached(evaluator.body, &sides, version));
        for block in evaluator.body.blocks.ids() {
            if reached[0].contains(&block) != reached[1].contains(&block) {
                self.versions.own.insert(entry + block.index() as Target);
            }
        }
    }
}

/// The blocks that a version can reach.
fn reached(body: &Body, sides: &HashMap<BlockId, [bool; 2]>, version: usize) -> HashSet<BlockId> {
    let mut reached = HashSet::new();
    let mut waiting: Vec<BlockId> = body.blocks.ids().take(1).collect();
    while let Some(block) = waiting.pop() {
        if !reached.insert(block) {
            continue;
        }
        match (&body.blocks[block].terminator, sides.get(&block)) {
            (Terminator::Branch { then, otherwise, .. }, Some(sides)) => {
                waiting.push(if sides[version] { then.block } else { otherwise.block });
            }
            (terminator, _) => {
                waiting.extend(terminator.edges().into_iter().map(|edge| edge.block));
            }
        }
    }
    reached
}

/// Computes what depends on the version only.
struct Evaluator<'a> {
    program: &'a umbra_ir::Program,
    body: &'a Body,
    version: FunctionId,
}

impl Evaluator<'_> {
    fn is_version(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Call { callee: Callee::Direct(called), .. }
            if *called == self.version)
    }

    fn calls_version(&self, block: &Block) -> bool {
        block.instructions.iter().any(|instruction| self.is_version(&instruction.operation))
    }

    /// The sides that the versions take at the end of a block, if these are not the same.
    fn sides(&self, block: &Block) -> Option<[bool; 2]> {
        let Terminator::Branch { condition: Operand::Register(condition), .. } = block.terminator
        else {
            return None;
        };
        let old = self.value(block, condition, 0)? != 0;
        let new = self.value(block, condition, 1)? != 0;
        (old != new).then_some([old, new])
    }

    fn value(&self, block: &Block, register: RegisterId, version: u64) -> Option<u64> {
        let defines = |operation: &Operation| {
            let mut found = false;
            operation.visit_destinations(&mut |destination| found |= destination == register);
            found
        };
        let mut operations = block.instructions.iter().map(|instruction| &instruction.operation);
        let operation = operations.find(|operation| defines(operation))?;
        let operand = |operand: &Operand| match *operand {
            Operand::Register(register) => self.value(block, register, version),
            Operand::Constant(id) => match &self.program.constants[id].value {
                umbra_ir::ConstantValue::Word(word) => Some(*word),
                _ => None,
            },
        };
        let mask = |value: u64, ty: Type| match ty.bits() {
            bits @ 1..64 => value & ((1 << bits) - 1),
            _ => value,
        };
        let ty = self.body.registers[register];
        match operation {
            operation if self.is_version(operation) => Some(version),
            Operation::Copy { operand: from, .. } => operand(from),
            Operation::Cast { op: CastOp::Trunc | CastOp::ZExt, operand: from, .. } => {
                Some(mask(operand(from)?, ty))
            }
            Operation::Binary { op: BinaryOp::Xor, left, right, .. } => {
                Some(mask(operand(left)? ^ operand(right)?, ty))
            }
            Operation::Compare { predicate, left, right, .. } => {
                let bits = self.program.type_of(self.body, *left).bits();
                let shift = 64u32.checked_sub(bits)? as u8;
                Some(compare(*predicate, shift, operand(left)?, operand(right)?).into())
            }
            _ => None,
        }
    }
}
