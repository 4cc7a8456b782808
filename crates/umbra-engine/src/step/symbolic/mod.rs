//! Operations on expressions.
//!
//! A register can hold an expression instead of a word: `State::values` has it then, and its bit in
//! `Frame::symbolic` is set. The loop over words tests those bits once per block, against the slots
//! that the block touches; such a block comes here, and so does the rest of a block after a load of
//! a symbolic byte. Here every operation is looked at: if all its operands are numbers, it is left to
//! the loop over words; otherwise its family has a file that builds the result.
//!
//! An expression in a slot has any width up to 64 bits; bits above it are zero, as for words. Where
//! an operation can only be done on numbers, the state forks on the value of the expression
//! ([`Machine::fix`]).
//!
//! Forks are made before an operation changes anything: the other state is parked in front of the
//! same operation and does it again under its own assignment.

mod arithmetic;
mod call_inputs;
mod characters;
mod compare_strings;
mod control;
mod decide;
mod float;
mod inputs;
mod intrinsics;
mod lazy;
mod left;
mod memory;
mod rare;
mod resolve;
#[cfg(test)]
mod tests;
mod values;

pub(super) use values::width_of;

use super::{Machine, Step};
use crate::code::{Op, Word};

impl Machine<'_> {
    /// Steps from the current operation on, until a block is entered that touches no expression, or
    /// the frame holds none. Says whether the machine is to stop: it stands before a block then, as it always does when
    /// it stops, so that whoever makes a state again finds where it stood.
    #[cold]
    #[inline(never)]
    pub(super) fn run_symbolic(&mut self, limit: u64) -> Step<bool> {
        while self.state.frames.last().is_some_and(|frame| frame.symbolic != 0) {
            self.entered = None;
            self.step_symbolic()?;
            if let Some(target) = self.entered {
                self.paused |= self.forks.wants_pause();
                if self.paused || self.state.instructions >= limit {
                    return Ok(true);
                }
                let touches = self.image.headers[target as usize].touches;
                if self.symbolic_slots() & touches == 0 {
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }

    /// Does the operation at `pc`, whatever its operands are.
    pub(super) fn step_symbolic(&mut self) -> Step {
        let op = self.image.ops[self.state.pc as usize];
        let (image, base) = (self.image, self.base());
        let mut symbolic = false;
        image.visit_reads(&op, &mut |slot| {
            symbolic |= self.state.values[base + slot as usize].is_some();
        });
        if symbolic {
            return self.symbolic_operation(op);
        }
        self.forget_writes(&op);
        self.step_words()
    }

    /// Does the load at `pc`, which found expressions at an address that is a number.
    pub(super) fn load_expressions(&mut self) -> Step {
        if self.compare_in_one_step()? {
            return Ok(());
        }
        self.symbolic_operation(self.image.ops[self.state.pc as usize])
    }

    /// Does an operation with expressions among its operands, or a load of expressions.
    pub(super) fn symbolic_operation(&mut self, op: Op) -> Step {
        match op {
            Op::Move { d, a } => {
                self.copy_slot(d, a);
                self.next()
            }
            Op::Call { function, site } => match self.call_on_character(function, site)? {
                true => Ok(()),
                false if self.image.is_plain_call(function, site) => self.call_plainly(site),
                false => self.call(function, site),
            },
            Op::CallIndirect { a, site } => {
                if let Some(address) = self.symbol(a) {
                    self.check_lazy_call(address)?;
                }
                let address = match self.symbol(a) {
                    Some(address) if self.differs(address) => self.callee_of_both(address)?,
                    _ => self.fix(a)?,
                };
                self.call_indirect(address, site)
            }
            Op::CallBuiltin { builtin, site } => self.symbolic_builtin(builtin, site),
            Op::AllocaCount { d, count, local } => {
                let count = self.fix(count)?;
                self.forget(d);
                self.alloca(d, local, count)
            }
            Op::Float { op, kind, d, a, b } => self.symbolic_float(op, kind, d, a, b),
            Op::FloatCompare { predicate, kind, d, a, b } => {
                self.symbolic_float_compare(predicate, kind, d, a, b)
            }
            Op::Relate { relation, a, b } => {
                self.relate_expressions(relation, [a, b]);
                self.next()
            }
            Op::Synchronize { a } => {
                let address = match self.state.threads {
                    None => 0,
                    Some(_) => self.fix(a)?,
                };
                self.synchronize(address)
            }
            Op::Rare { index } => self.symbolic_rare(index),
            Op::Jump { .. }
            | Op::MoveJump { .. }
            | Op::Switch { .. }
            | Op::Return { .. }
            | Op::ReturnVoid
            | Op::ReturnWords { .. } => self.symbolic_control(op),
            Op::Load8 { .. }
            | Op::Load16 { .. }
            | Op::Load32 { .. }
            | Op::Load64 { .. }
            | Op::LoadIndex8 { .. }
            | Op::LoadIndex16 { .. }
            | Op::LoadIndex32 { .. }
            | Op::LoadIndex64 { .. }
            | Op::Store8 { .. }
            | Op::Store16 { .. }
            | Op::Store32 { .. }
            | Op::Store64 { .. }
            | Op::StoreIndex8 { .. }
            | Op::StoreIndex16 { .. }
            | Op::StoreIndex32 { .. }
            | Op::StoreIndex64 { .. } => self.symbolic_access(op),
            _ if op.is_branch() => self.symbolic_control(op),
            _ => self.symbolic_arithmetic(op),
        }
    }

    /// Makes the call at `pc`, which only copies words, and hands over the expressions among them.
    fn call_plainly(&mut self, site: u32) -> Step {
        let (image, caller) = (self.image, self.base());
        self.step_words()?;
        for (slot, word) in (0..).zip(&image.sites[site as usize].words) {
            if let Word::Slot(from) = word
                && let Some(value) = self.state.values[caller + *from as usize]
            {
                self.put(slot, value);
            }
        }
        Ok(())
    }

    /// Goes on with the next operation.
    fn next(&mut self) -> Step {
        self.state.pc += 1;
        Ok(())
    }
}
