//! Filling and copying memory.
//!
//! One call can touch gigabytes. So large ranges are done in pieces, and between two of them the
//! alarm of whoever limits the run is looked at. A range that is not allowed, or not the same in both
//! versions, is refused as a whole before anything is changed.

use super::{Machine, Step, Stop};
use crate::memory::{Access, AccessKind};
use crate::termination::Termination;

/// Bytes that are done without a look at the alarm.
const PIECE: u64 = 4 << 20;

/// The limit that ends a path in the middle of an operation: that of the run.
const END_OF_RUN: &str = "run";

impl Machine<'_> {
    /// Sets `length` bytes to one value.
    pub(super) fn set_memory(&mut self, to: u64, byte: u8, length: u64) -> Step {
        let write = Access { kind: AccessKind::Write, address: to, size: length };
        if length <= PIECE || self.state.memory.check(write).is_err() {
            let filled = self.state.memory.fill(to, byte, length);
            return filled.map_err(|fault| self.fault(*fault));
        }
        for start in (0..length).step_by(PIECE as usize) {
            self.check_alarm()?;
            let piece = PIECE.min(length - start);
            let filled = self.state.memory.fill(to + start, byte, piece);
            filled.map_err(|fault| self.fault(*fault))?;
        }
        Ok(())
    }

    /// Copies bytes, expressions among them; the ranges may overlap.
    pub(super) fn copy_memory(&mut self, to: u64, from: u64, length: u64) -> Step {
        let read = Access { kind: AccessKind::Read, address: from, size: length };
        let write = Access { kind: AccessKind::Write, address: to, size: length };
        let memory = &self.state.memory;
        if length <= PIECE
            || to.abs_diff(from) < length
            || memory.check(read).is_err()
            || memory.check(write).is_err()
        {
            return self.copy_piece(to, from, length);
        }
        for start in (0..length).step_by(PIECE as usize) {
            self.check_alarm()?;
            self.copy_piece(to + start, from + start, PIECE.min(length - start))?;
        }
        Ok(())
    }

    /// Ends the path if no state is to go on.
    fn check_alarm(&self) -> Step {
        match self.shared.is_alarmed() {
            true => Err(Stop::end(Termination::Limit(END_OF_RUN))),
            false => Ok(()),
        }
    }
}
