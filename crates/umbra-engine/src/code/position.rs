//! From places in the lowered code back to blocks of the program.

use umbra_ir::{BlockId, FunctionId, Id};

use super::image::Image;
use super::op::{Op, Target};

/// A place in the program: between two calls of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// How many calls of the block lie before the place.
    pub calls: u32,
}

impl Image {
    /// The block that a target of a jump is, or leads to if it is an edge.
    pub fn target_block(&self, target: u32) -> Option<(FunctionId, BlockId)> {
        let header = self.headers.get(target as usize)?;
        let function = self.function_of(header.pc);
        let first = self.functions[function.index()].entry?;
        let blocks = self.program.functions[function].body.as_ref()?.blocks.len();
        let index = target.checked_sub(first)? as usize;
        if index < blocks {
            return Some((function, BlockId::from_index(index)));
        }
        let ops = self.ops[header.pc as usize..].iter();
        let to = ops.clone().find_map(|op| match op {
            Op::Jump { to } | Op::MoveJump { to, .. } => Some(*to),
            _ => None,
        })?;
        let index = to.checked_sub(first).map(|index| index as usize);
        index.filter(|&index| index < blocks).map(|index| (function, BlockId::from_index(index)))
    }

    /// The target that a block is, if its function was lowered.
    pub fn block_target(&self, function: FunctionId, block: BlockId) -> Option<u32> {
        let target = self.functions[function.index()].entry? + block.index() as Target;
        // A function that is too large to be lowered has one block that stands for all.
        (self.target_block(target) == Some((function, block))).then_some(target)
    }

    /// Where in the program an operation is.
    pub fn position(&self, place: u32) -> Option<Position> {
        let after = self.headers.partition_point(|header| header.pc <= place);
        let target = after.checked_sub(1)?;
        let (function, block) = self.target_block(target as u32)?;
        let first = self.functions[function.index()].entry?;
        let blocks = self.program.functions[function].body.as_ref()?.blocks.len();
        // On an edge nothing of the block has run.
        let edge = target >= first as usize + blocks;
        let ran =
            if edge { &[] } else { &self.ops[self.headers[target].pc as usize..place as usize] };
        let calls = ran.iter().filter(|op| is_call(op)).count() as u32;
        Some(Position { function, block, calls })
    }
}

/// Whether an operation was a call in the program; one of an external function is unsupported.
fn is_call(op: &Op) -> bool {
    matches!(
        op,
        Op::Call { .. } | Op::CallIndirect { .. } | Op::CallBuiltin { .. } | Op::Unsupported { .. }
    )
}
