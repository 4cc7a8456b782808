//! What of the code is worth another look once a test has passed (ZESTI, ICSE'12): accesses whose address is computed, and blocks
//! from which there is no way back.
//!
//! An access with a symbolic address shows itself when it is done. One with an address that is a number does not, and nobody
//! looks while numbers are worked on. So it is found here, in the code: where a block has one, it is enough to know that
//! the block ran.

use std::collections::HashSet;

use umbra_ir::{FunctionId, Id};

use super::image::Image;
use super::op::{Op, Slot, Target};

/// How far a way is followed to see where it must lead.
const MOST_STEPS: usize = 64;

/// Functions after which there is nothing more, called where something is wrong.
const ENDINGS: [&str; 6] = [
    "abort",
    "__assert_fail",
    "__assert",
    "klee_report_error",
    "umbra_report_error",
    "_Fork_abort",
];

impl Image {
    /// For each block of these functions whether it accesses memory at an address that an index was added to, before its
    /// first call that returns into it (see [`Self::accesses_computed_after`]).
    pub fn computed_accesses(&self, wanted: &dyn Fn(FunctionId) -> bool) -> Vec<bool> {
        let mut blocks = vec![false; self.headers.len()];
        for (id, _) in self.program.functions.iter().filter(|(id, _)| wanted(*id)) {
            let stepped = self.stepped_pointers(id);
            for target in self.targets_of(id) {
                let pc = self.headers[target as usize].pc;
                blocks[target as usize] = self.accesses_computed(pc, &stepped);
            }
        }
        blocks
    }

    /// The operations behind calls of these functions from which a block goes on to such an access.
    pub fn accesses_computed_after(&self, wanted: &dyn Fn(FunctionId) -> bool) -> HashSet<u32> {
        let mut places = HashSet::new();
        for (id, _) in self.program.functions.iter().filter(|(id, _)| wanted(*id)) {
            let stepped = self.stepped_pointers(id);
            for pc in self.operations_of(id) {
                if is_call(&self.ops[pc as usize]) && self.accesses_computed(pc + 1, &stepped) {
                    places.insert(pc + 1);
                }
            }
        }
        places
    }

    /// For each block and edge whether all that can follow is the end of the program, called for by itself.
    pub fn hopeless_blocks(&self) -> Vec<bool> {
        (0..self.headers.len() as Target).map(|target| self.is_hopeless(target)).collect()
    }

    fn is_hopeless(&self, target: Target) -> bool {
        let mut pc = self.headers[target as usize].pc;
        let mut has_called = false;
        for _ in 0..MOST_STEPS {
            let Some(op) = self.ops.get(pc as usize) else { return false };
            pc = match *op {
                Op::Jump { to } | Op::MoveJump { to, .. } => self.headers[to as usize].pc,
                Op::Call { site, .. } | Op::CallBuiltin { site, .. } => {
                    let callee = self.sites[site as usize].callee;
                    if callee.is_some_and(|function| self.is_ending(function)) {
                        return true;
                    }
                    has_called = true;
                    pc + 1
                }
                // After a call it says that the call does not return: that of `exit`, perhaps.
                Op::Unreachable => return !has_called,
                ref op if ends_block(op) => return false,
                _ => pc + 1,
            };
        }
        false
    }

    fn is_ending(&self, function: FunctionId) -> bool {
        ENDINGS.contains(&self.program.functions[function].name.as_str())
    }

    /// The blocks and edges of a function, as coverage names them.
    fn targets_of(&self, function: FunctionId) -> impl Iterator<Item = Target> + '_ {
        let operations = self.operations_of(function);
        let first = self.headers.partition_point(|header| header.pc < operations.start);
        let last = self.headers.partition_point(|header| header.pc < operations.end);
        first as Target..last as Target
    }

    /// The operations of a function.
    fn operations_of(&self, function: FunctionId) -> std::ops::Range<u32> {
        let none = self.functions[function.index()].entry.is_none();
        let position = self.starts.iter().position(|&(_, id)| id == function);
        let Some(position) = position.filter(|_| !none) else { return 0..0 };
        let end = self.starts.get(position + 1).map_or(self.ops.len() as u32, |&(start, _)| start);
        self.starts[position].0..end
    }

    /// Slots with pointers that something is added to again and again (`*p++`), or that were computed with an index.
    fn stepped_pointers(&self, function: FunctionId) -> HashSet<Slot> {
        let operations = self.operations_of(function);
        let ops = &self.ops[operations.start as usize..operations.end as usize];
        let mut stepped = HashSet::new();
        loop {
            let before = stepped.len();
            for op in ops {
                match *op {
                    Op::Index { d, .. } | Op::AddImm { shift: 0, d, .. } => stepped.insert(d),
                    Op::Move { d, a } | Op::MoveJump { d, a, .. } => {
                        stepped.contains(&a) && stepped.insert(d)
                    }
                    _ => false,
                };
            }
            if stepped.len() == before {
                return stepped;
            }
        }
    }

    /// Whether there is such an access from an operation on, before the next call or the end of the block.
    fn accesses_computed(&self, pc: u32, stepped: &HashSet<Slot>) -> bool {
        for op in &self.ops[pc as usize..] {
            match op {
                Op::LoadIndex8 { .. }
                | Op::LoadIndex16 { .. }
                | Op::LoadIndex32 { .. }
                | Op::LoadIndex64 { .. }
                | Op::StoreIndex8 { .. }
                | Op::StoreIndex16 { .. }
                | Op::StoreIndex32 { .. }
                | Op::StoreIndex64 { .. } => return true,
                op if op.base_pointer().is_some_and(|slot| stepped.contains(&slot)) => return true,
                op if is_call(op) || ends_block(op) => return false,
                _ => {}
            }
        }
        false
    }
}

/// Whether what comes behind it may come after other blocks.
fn is_call(op: &Op) -> bool {
    matches!(op, Op::Call { .. } | Op::CallIndirect { .. })
}

fn ends_block(op: &Op) -> bool {
    op.is_branch()
        || matches!(
            op,
            Op::Jump { .. }
                | Op::MoveJump { .. }
                | Op::Switch { .. }
                | Op::Version { .. }
                | Op::Return { .. }
                | Op::ReturnVoid
                | Op::ReturnWords { .. }
                | Op::Unreachable
                | Op::Unsupported { .. }
        )
}
