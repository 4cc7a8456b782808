//! Expressions in the slots of the current frame.

use umbra_expr::ExprId;
use umbra_ir::Id;

use crate::code::{Op, Slot};
use crate::step::Machine;
use crate::undefined::Relation;

/// The bit of a slot in `Frame::symbolic`.
fn bit(slot: Slot) -> u64 {
    1 << (slot % 64)
}

/// The narrowest usual width that holds a number.
pub(in crate::step) fn width_of(value: u64) -> u32 {
    match value {
        0..=0xff => 8,
        0x100..=0xffff => 16,
        0x1_0000..=0xffff_ffff => 32,
        _ => 64,
    }
}

impl Machine<'_> {
    pub(super) fn base(&self) -> usize {
        self.state.frames.last().map_or(0, |frame| frame.base as usize)
    }

    /// The expression in a slot; `None` if there is a number.
    pub(super) fn symbol(&self, slot: Slot) -> Option<ExprId> {
        self.state.values[self.base() + slot as usize]
    }

    pub(super) fn word(&self, slot: Slot) -> u64 {
        self.state.registers[self.base() + slot as usize]
    }

    /// What is in the slot, as an expression of this many bits: cut, or extended by zeros.
    pub(super) fn expression(&mut self, slot: Slot, width: u32) -> ExprId {
        match self.symbol(slot) {
            Some(value) => self.fit(value, width),
            None => {
                let word = self.word(slot);
                self.shared.expressions.constant(width, word)
            }
        }
    }

    /// Notes what is done with two pointers, as they are under the state's own input. What differs
    /// between the versions is looked at when each has come to a number.
    pub(super) fn relate_expressions(&mut self, relation: Relation, slots: [Slot; 2]) {
        let values = slots.map(|slot| self.symbol(slot));
        if values.iter().flatten().any(|&value| self.differs(value)) {
            return;
        }
        let words = slots.map(|slot| self.word(slot));
        let assignment = self.state.path.assignment();
        let mut run = self.shared.evaluator.resume(&self.shared.expressions, assignment);
        let number = |index: usize| values[index].map(|value| run.value_u64(value));
        let addresses = [0, 1].map(number);
        let addresses = [0, 1].map(|index| addresses[index].unwrap_or(words[index]));
        self.shared.unrelated.relate(self.state.pc, relation, addresses);
    }

    /// A width that what is in the slot fits into.
    pub(super) fn width(&self, slot: Slot) -> u32 {
        match self.symbol(slot) {
            Some(value) => self.shared.expressions.width(value),
            None => width_of(self.word(slot)),
        }
    }

    /// A width that what is in the slot, and the number, fit into.
    pub(super) fn width_with(&self, slot: Slot, value: u64) -> u32 {
        self.width(slot).max(width_of(value))
    }

    /// The expression cut, or extended by zeros.
    pub(in crate::step) fn fit(&mut self, value: ExprId, width: u32) -> ExprId {
        let expressions = &mut self.shared.expressions;
        match expressions.width(value).cmp(&width) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => expressions.zext(value, width),
            std::cmp::Ordering::Greater => expressions.extract(value, 0, width),
        }
    }

    /// Puts an expression of at most 64 bits into a slot.
    pub(in crate::step) fn put(&mut self, slot: Slot, value: ExprId) {
        let index = self.base() + slot as usize;
        match self.shared.expressions.constant_u64(value) {
            Some(number) => {
                self.state.registers[index] = number;
                self.state.values[index] = None;
            }
            None => {
                self.state.values[index] = Some(value);
                if let Some(frame) = self.state.frames.last_mut() {
                    frame.symbolic |= bit(slot);
                }
            }
        }
    }

    /// Puts a number into a slot.
    pub(super) fn put_word(&mut self, slot: Slot, value: u64) {
        let index = self.base() + slot as usize;
        self.state.registers[index] = value;
        self.state.values[index] = None;
    }

    pub(super) fn copy_slot(&mut self, d: Slot, a: Slot) {
        match self.symbol(a) {
            Some(value) => self.put(d, value),
            None => self.put_word(d, self.word(a)),
        }
    }

    /// A value of several words, as one expression.
    pub(super) fn wide_expression(&mut self, slot: Slot, bits: u32) -> ExprId {
        if bits <= 64 {
            return self.expression(slot, bits);
        }
        let mut whole = self.expression(slot, 64);
        for word in 1..bits.div_ceil(64) {
            let width = (bits - 64 * word).min(64);
            let part = self.expression(slot + word as Slot, width);
            whole = self.shared.expressions.concat(part, whole);
        }
        whole
    }

    /// Puts an expression of any width into the slots from `slot` on.
    pub(super) fn put_wide(&mut self, slot: Slot, value: ExprId) {
        let bits = self.shared.expressions.width(value);
        for word in 0..bits.div_ceil(64) {
            let width = (bits - 64 * word).min(64);
            let part = self.shared.expressions.extract(value, 64 * word, width);
            self.put(slot + word as Slot, part);
        }
    }

    /// There is a number in the slot, or will be.
    pub(super) fn forget(&mut self, slot: Slot) {
        let index = self.base() + slot as usize;
        self.state.values[index] = None;
    }

    /// Forgets the expressions in the slots that an operation on numbers writes.
    pub(super) fn forget_writes(&mut self, op: &Op) {
        let (image, base) = (self.image, self.base());
        image.visit_writes(op, &mut |slot| self.state.values[base + slot as usize] = None);
    }

    /// Numbers were put into the slots for the results of a call.
    pub(in crate::step) fn forget_results(&mut self, site: u32) {
        let image = self.image;
        for &slot in &image.sites[site as usize].results {
            self.forget(slot);
        }
    }

    /// Forgets all expressions of the current frame, which is about to go.
    #[cold]
    #[inline(never)]
    pub(in crate::step) fn forget_expressions(&mut self) {
        let Some(frame) = self.state.frames.last_mut() else { return };
        frame.symbolic = 0;
        let words = self.image.functions[frame.function.index()].frame as usize;
        let base = frame.base as usize;
        self.state.values[base..base + words].fill(None);
    }

    /// Which slots hold expressions, exactly: bits of slots that no longer do are cleared.
    pub(super) fn symbolic_slots(&mut self) -> u64 {
        let Some(frame) = self.state.frames.last_mut() else { return 0 };
        let words = self.image.functions[frame.function.index()].frame as usize;
        let base = frame.base as usize;
        let mut symbolic = 0;
        for (slot, value) in self.state.values[base..base + words].iter().enumerate() {
            symbolic |= u64::from(value.is_some()) << (slot % 64);
        }
        frame.symbolic = symbolic;
        symbolic
    }

    /// The value of an expression of at most 64 bits under the state's assignment.
    pub(in crate::step) fn evaluate(&mut self, value: ExprId) -> u64 {
        let shared = &mut *self.shared;
        let assignment = self.state.path.assignment();
        shared.evaluator.resume(&shared.expressions, assignment).value_u64(value)
    }
}
