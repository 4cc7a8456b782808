//! Blocks that read expressions.
//!
//! A register can hold an expression instead of a word: its bit in `Frame::symbolic` is set then.
//! The loop over words tests those bits once per block, against the slots that the block reads, so
//! concrete code pays nothing for them. What to do with such a block is decided here.

use super::{Machine, Step};

impl Machine<'_> {
    /// Runs the block that starts at `pc` with the expressions it reads. There are no expressions
    /// to compute with yet, so the path ends.
    #[cold]
    #[inline(never)]
    pub(super) fn step_symbolic(&mut self) -> Step {
        Err(self.stop_unsupported("symbolic data".to_owned()))
    }
}
