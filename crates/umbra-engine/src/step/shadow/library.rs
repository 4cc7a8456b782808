//! Calls of a library on what differs between the versions.
//!
//! What a library decides inside is no decision of the program, so the versions need not part for good there. They
//! go on together as long as they go the same way; where they do not, each runs alone to where all
//! ways come together again. What is left over (an end, a jump out of the call, too many partings) runs alone to the end of the
//! outermost call.
//!
//! From the first thing on that differs, every decision in such a call is *each version's own*, even one on bytes that
//! are the same in both: beside a test, following only the state's own side would constrain the path by what the library asks
//! of one version, and hide divergences behind the call.

use umbra_ir::Id;

use crate::environment::Byte;
use crate::shadow::{Alone, Bound, Call, Until};
use crate::state::Frame;
use crate::step::{Machine, Step, Stop};

/// Versions that ran one after the other so often in one call run alone to its end: each time costs more than some
/// hundred instructions.
const MOST_PARTINGS: u32 = 256;

impl Machine<'_> {
    /// The outermost of the library's calls on top of the stack.
    pub(super) fn library_call(&self) -> Option<Call> {
        self.library_call_on(&self.state.frames)
    }

    fn library_call_on(&self, frames: &[Frame]) -> Option<Call> {
        let is_library =
            |function: umbra_ir::FunctionId| self.image.functions[function.index()].library;
        let depth = frames.iter().rposition(|frame| !is_library(frame.function));
        let depth = depth.map_or(0, |own| own + 1);
        frames.get(depth).map(|frame| Call { depth, serial: frame.serial })
    }

    /// The versions are about to decide, together, on something that differs. Says whether that is inside a library.
    pub(super) fn enter_difference(&mut self) -> Step<bool> {
        let Some(call) = self.library_call() else { return Ok(false) };
        if self.is_comparison() {
            return Err(Stop::Apart);
        }
        self.bind(call);
        Ok(true)
    }

    /// The same where the versions run one after the other.
    pub(super) fn note_parting(&mut self) {
        let Some(call) = self.library_call() else { return };
        let bound = self.bind(call);
        bound.partings += 1;
    }

    fn bind(&mut self, call: Call) -> &mut Bound {
        let bound = &mut self.state.shadow.bound;
        let bound = bound.get_or_insert(Bound { call, partings: 0, ran: (0, 0) });
        if bound.call != call {
            *bound = Bound { call, partings: 0, ran: (0, 0) };
        }
        bound
    }

    /// Whether the decisions of the versions, which run together, are each one's own.
    pub(in crate::step) fn is_bound(&self) -> bool {
        self.both_run() && self.has_bound_call(&self.state.frames)
    }

    /// Whether a call of a library in which they met something that differs is on a stack.
    pub(super) fn has_bound_call(&self, frames: &[Frame]) -> bool {
        let Some(Bound { call, .. }) = self.state.shadow.bound else { return false };
        let frame = frames.get(call.depth);
        frame.is_some_and(|frame| frame.serial == call.serial)
    }

    /// Until where the versions run alone from the operation at `pc`, which is in a call of a library.
    pub(super) fn until_in_library(&self, outermost: Call) -> Until {
        let partings = match self.state.shadow.bound {
            Some(bound) if bound.call == outermost => bound.partings,
            _ => 0,
        };
        if partings >= MOST_PARTINGS {
            return Until::Return(outermost);
        }
        let depth = self.state.frames.len() - 1;
        let call = Call { depth, serial: self.state.frames[depth].serial };
        if self.is_comparison() {
            return Until::Return(call);
        }
        if !self.is_decision() {
            return Until::Operation;
        }
        match self.image.rejoin_of(self.state.pc) {
            Some(block) => Until::Block(call, block),
            None => Until::Return(call),
        }
    }

    /// Whether the current function compares strings: each version alone does that in one step.
    fn is_comparison(&self) -> bool {
        let function = self.state.frames.last().map(|frame| frame.function);
        function.is_some_and(|function| self.image.functions[function.index()].comparison.is_some())
    }

    /// Whether each version alone ran a part of a library's call only. That this led them to different places, or one of them to its
    /// end, is not the program's doing yet.
    pub(super) fn is_part_of_call(&self, alone: &Alone) -> bool {
        let call = self.library_call_on(&alone.checkpoint.frames);
        match alone.until {
            Until::Operation | Until::Block(..) => call.is_some(),
            Until::Return(inner) => call.is_some_and(|call| call != inner),
            _ => false,
        }
    }

    /// Then they run on to where the program called the library.
    pub(super) fn run_rest_of_call(&mut self, alone: &Alone) {
        if let Some(call) = self.library_call_on(&alone.checkpoint.frames) {
            self.run_on(alone, Until::Return(call));
        }
    }

    /// The bytes at an address that is another number in each version.
    pub(in crate::step) fn read_of_both(
        &mut self,
        addresses: [u64; 2],
        length: u64,
    ) -> Step<Vec<Byte>> {
        if self.is_comparison() {
            return Err(Stop::Apart);
        }
        // What is wrong with one of them is that version's error.
        let [old, new] = addresses.map(|address| self.state.memory.cells(address, length));
        let (Ok(old), Ok(new)) = (old, new) else { return Err(Stop::Apart) };
        self.enter_difference()?;
        let changes = self.changes_here();
        let (old, new) = (self.shared.bytes(old), self.shared.bytes(new));
        let pairs = old.into_iter().zip(new);
        let bytes = pairs.map(|(old, new)| self.shared.pair_bytes(old, new, &changes)).collect();
        // Only a join asks whether what it has made is equal.
        self.shared.fresh.clear();
        Ok(bytes)
    }
}
