//! Arithmetic and comparisons.

use umbra_expr::ExprId;
use umbra_ir::Predicate;

use crate::code::{Op, Slot};
use crate::fork::ForkReason;
use crate::shadow::Mode;
use crate::step::{Machine, Step};
use crate::termination::ErrorKind;

/// What x86 makes of a shift amount.
fn amount_mask(width: u32) -> u64 {
    if width > 32 { 63 } else { 31 }
}

impl Machine<'_> {
    pub(super) fn symbolic_arithmetic(&mut self, op: Op) -> Step {
        let width = |shift: u8| 64 - u32::from(shift);
        let (d, value) = match op {
            Op::Add { shift, d, a, b } => (d, self.add(width(shift), a, b)),
            Op::AddImm { shift, d, a, value } => {
                let (x, y) = self.with_number(width(shift), a, value);
                (d, self.shared.expressions.add(x, y))
            }
            Op::Sub { shift, d, a, b } => {
                let (x, y) = self.pair(width(shift), a, b);
                (d, self.shared.expressions.sub(x, y))
            }
            Op::Mul { shift, d, a, b } => {
                let (x, y) = self.pair(width(shift), a, b);
                (d, self.shared.expressions.mul(x, y))
            }
            Op::MulImm { shift, d, a, value } => {
                let (x, y) = self.with_number(width(shift), a, value);
                (d, self.shared.expressions.mul(x, y))
            }
            Op::And { d, a, b } => {
                // Bits above the narrower operand are zero in the result.
                let (x, y) = self.pair(self.width(a).min(self.width(b)), a, b);
                (d, self.shared.expressions.and(x, y))
            }
            Op::AndImm { d, a, value } => {
                let (x, y) = self.with_number(self.width(a), a, value);
                (d, self.shared.expressions.and(x, y))
            }
            Op::Or { d, a, b } => {
                let (x, y) = self.pair(self.width(a).max(self.width(b)), a, b);
                (d, self.shared.expressions.or(x, y))
            }
            Op::OrImm { d, a, value } => {
                let (x, y) = self.with_number(self.width_with(a, value), a, value);
                (d, self.shared.expressions.or(x, y))
            }
            Op::Xor { d, a, b } => {
                let (x, y) = self.pair(self.width(a).max(self.width(b)), a, b);
                (d, self.shared.expressions.xor(x, y))
            }
            Op::XorImm { d, a, value } => {
                let (x, y) = self.with_number(self.width_with(a, value), a, value);
                (d, self.shared.expressions.xor(x, y))
            }
            Op::Shl { shift, d, a, b } => {
                let (x, y) = self.shift_operands(width(shift), a, b);
                (d, self.shared.expressions.shl(x, y))
            }
            Op::ShlImm { shift, d, a, value } => {
                let (x, y) = self.with_number(width(shift), a, value);
                (d, self.shared.expressions.shl(x, y))
            }
            Op::LShr { shift, d, a, b } => {
                let (x, y) = self.shift_operands(width(shift), a, b);
                (d, self.shared.expressions.lshr(x, y))
            }
            Op::LShrImm { d, a, value } => {
                let width = self.width(a).max(8);
                let (x, y) = self.with_number(width, a, value);
                (d, self.shared.expressions.lshr(x, y))
            }
            Op::AShr { shift, d, a, b } => {
                let (x, y) = self.shift_operands(width(shift), a, b);
                (d, self.shared.expressions.ashr(x, y))
            }
            Op::AShrImm { shift, d, a, value } => {
                let (x, y) = self.with_number(width(shift), a, value);
                (d, self.shared.expressions.ashr(x, y))
            }
            Op::UDiv { d, a, b } => {
                let (x, y) = self.divisible(self.width(a).max(self.width(b)), a, b)?;
                (d, self.shared.expressions.udiv(x, y))
            }
            Op::URem { d, a, b } => {
                let (x, y) = self.divisible(self.width(a).max(self.width(b)), a, b)?;
                (d, self.shared.expressions.urem(x, y))
            }
            Op::SDiv { shift, d, a, b } => {
                let (x, y) = self.divisible_signed(width(shift), a, b)?;
                (d, self.shared.expressions.sdiv(x, y))
            }
            Op::SRem { shift, d, a, b } => {
                let (x, y) = self.divisible_signed(width(shift), a, b)?;
                (d, self.shared.expressions.srem(x, y))
            }
            Op::Compare { predicate, shift, d, a, b } => {
                (d, self.compare_slots(predicate, shift, a, b))
            }
            Op::CompareImm { predicate, shift, d, a, value } => {
                (d, self.compare_number(predicate, shift, a, value))
            }
            Op::SignExtend { from, to, d, a } => {
                let x = self.expression(a, width(from));
                let x = match from >= to {
                    true => self.shared.expressions.sext(x, width(to)),
                    false => self.fit(x, width(to)),
                };
                (d, x)
            }
            Op::Select { d, c, a, b } => return self.select(d, c, a, b),
            Op::Change { d, old, new } => return self.change(d, old, new),
            Op::Index { d, a, index, scale, offset } => (d, self.index(a, index, scale, offset)),
            _ => return Err(self.stop_unsupported("symbolic data".to_owned())),
        };
        self.put(d, value);
        self.next()
    }

    fn pair(&mut self, width: u32, a: Slot, b: Slot) -> (ExprId, ExprId) {
        (self.expression(a, width), self.expression(b, width))
    }

    fn with_number(&mut self, width: u32, a: Slot, value: u64) -> (ExprId, ExprId) {
        let a = self.expression(a, width);
        (a, self.shared.expressions.constant(width, value))
    }

    fn add(&mut self, width: u32, a: Slot, b: Slot) -> ExprId {
        let (a, b) = self.pair(width, a, b);
        self.shared.expressions.add(a, b)
    }

    fn shift_operands(&mut self, width: u32, a: Slot, b: Slot) -> (ExprId, ExprId) {
        let (a, b) = self.pair(width, a, b);
        let mask = self.shared.expressions.constant(width, amount_mask(width));
        (a, self.shared.expressions.and(b, mask))
    }

    /// `a + index * scale + offset`.
    pub(super) fn index(&mut self, a: Slot, index: Slot, scale: i32, offset: i32) -> ExprId {
        let (a, index) = self.pair(64, a, index);
        let expressions = &mut self.shared.expressions;
        let scale = expressions.constant(64, i64::from(scale) as u64);
        let product = expressions.mul(index, scale);
        let sum = expressions.add(a, product);
        let offset = expressions.constant(64, i64::from(offset) as u64);
        expressions.add(sum, offset)
    }

    fn select(&mut self, d: Slot, c: Slot, a: Slot, b: Slot) -> Step {
        if self.symbol(c).is_none() {
            self.copy_slot(d, if self.word(c) != 0 { a } else { b });
            return self.next();
        }
        let condition = self.condition(c);
        let (x, y) = self.pair(self.width(a).max(self.width(b)), a, b);
        let value = match self.differs(condition) {
            true => self.select_of_both(condition, x, y),
            false => self.shared.expressions.ite(condition, x, y),
        };
        self.put(d, value);
        self.next()
    }

    /// Each version's own value; where both run, the pair of them.
    pub(in crate::step) fn change(&mut self, d: Slot, old: Slot, new: Slot) -> Step {
        match self.state.shadow.mode {
            Mode::Old => self.copy_slot(d, old),
            Mode::New => self.copy_slot(d, new),
            Mode::Both => {
                let (old, new) = self.pair(self.width(old).max(self.width(new)), old, new);
                self.put_change(d, old, new);
            }
        }
        self.next()
    }

    /// The same for numbers, where both run.
    pub(in crate::step) fn change_numbers(&mut self, d: Slot, old: u32, new: u32) -> Step {
        let [old, new] =
            [old, new].map(|number| self.shared.expressions.constant(32, number.into()));
        self.put_change(d, old, new);
        self.next()
    }

    /// This is where pairs come to be.
    fn put_change(&mut self, d: Slot, old: ExprId, new: ExprId) {
        let expressions = &mut self.shared.expressions;
        let (old, new) = (expressions.project_old(old), expressions.project_new(new));
        let pair = expressions.pair(old, new);
        self.note_change(pair);
        self.put(d, pair);
    }

    /// Whether what is in the slot is not zero.
    pub(super) fn condition(&mut self, slot: Slot) -> ExprId {
        let value = self.expression(slot, self.width(slot));
        self.not_zero(value)
    }

    pub(super) fn not_zero(&mut self, value: ExprId) -> ExprId {
        let expressions = &mut self.shared.expressions;
        if expressions.width(value) == 1 {
            return value;
        }
        let zero = expressions.constant(expressions.width(value), 0);
        expressions.ne(value, zero)
    }

    fn divisible(&mut self, width: u32, a: Slot, b: Slot) -> Step<(ExprId, ExprId)> {
        let (a, b) = self.pair(width, a, b);
        self.check_divisor(b)?;
        Ok((a, b))
    }

    /// A divisor must not be zero.
    pub(super) fn check_divisor(&mut self, divisor: ExprId) -> Step {
        let valid = self.not_zero(divisor);
        match self.decide(valid, ForkReason::Check)? {
            true => Ok(()),
            false => Err(self.error(ErrorKind::DivisionByZero, String::new())),
        }
    }

    /// The quotient of a signed division must fit.
    pub(super) fn check_quotient(&mut self, dividend: ExprId, divisor: ExprId) -> Step {
        let expressions = &mut self.shared.expressions;
        let width = expressions.width(dividend);
        let one = expressions.constant(width, 1);
        let minus_one = expressions.neg(one);
        let shift = expressions.constant(width, u64::from(width) - 1);
        let minimum = expressions.shl(one, shift);
        let extreme = expressions.eq(dividend, minimum);
        let flips = expressions.eq(divisor, minus_one);
        let overflow = expressions.and(extreme, flips);
        match self.decide(overflow, ForkReason::Check)? {
            false => Ok(()),
            true => Err(self.error(ErrorKind::DivisionOverflow, String::new())),
        }
    }

    fn divisible_signed(&mut self, width: u32, a: Slot, b: Slot) -> Step<(ExprId, ExprId)> {
        let (a, b) = self.divisible(width, a, b)?;
        self.check_quotient(a, b)?;
        Ok((a, b))
    }

    pub(super) fn compare_slots(&mut self, p: Predicate, shift: u8, a: Slot, b: Slot) -> ExprId {
        let width = match is_signed(p) {
            true => 64 - u32::from(shift),
            false => self.width(a).max(self.width(b)),
        };
        let (a, b) = self.pair(width, a, b);
        self.compare(p, a, b)
    }

    pub(super) fn compare_number(
        &mut self,
        p: Predicate,
        shift: u8,
        a: Slot,
        value: u64,
    ) -> ExprId {
        let width = match is_signed(p) {
            true => 64 - u32::from(shift),
            false => self.width_with(a, value),
        };
        let (a, b) = self.with_number(width, a, value);
        self.compare(p, a, b)
    }

    pub(super) fn compare(&mut self, predicate: Predicate, a: ExprId, b: ExprId) -> ExprId {
        let expressions = &mut self.shared.expressions;
        match predicate {
            Predicate::Eq => expressions.eq(a, b),
            Predicate::Ne => expressions.ne(a, b),
            Predicate::Ugt => expressions.ult(b, a),
            Predicate::Uge => expressions.ule(b, a),
            Predicate::Ult => expressions.ult(a, b),
            Predicate::Ule => expressions.ule(a, b),
            Predicate::Sgt => expressions.slt(b, a),
            Predicate::Sge => expressions.sle(b, a),
            Predicate::Slt => expressions.slt(a, b),
            Predicate::Sle => expressions.sle(a, b),
        }
    }
}

fn is_signed(predicate: Predicate) -> bool {
    matches!(predicate, Predicate::Sgt | Predicate::Sge | Predicate::Slt | Predicate::Sle)
}
