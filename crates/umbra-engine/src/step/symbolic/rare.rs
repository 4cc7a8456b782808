//! Operations on values of more than one word, conversions, and intrinsics.

use umbra_expr::ExprId;
use umbra_ir::{BinaryOp, CastOp, Intrinsic, Type};

use crate::code::{Rare, Slot};
use crate::environment::Byte;
use crate::step::{Machine, Step};

impl Machine<'_> {
    pub(super) fn symbolic_rare(&mut self, index: u32) -> Step {
        let image = self.image;
        let rare = &image.rares[index as usize];
        match *rare {
            Rare::Binary { op, bits, d, a, b } => {
                let (a, b) = (self.wide_expression(a, bits), self.wide_expression(b, bits));
                let value = self.binary(op, a, b)?;
                self.put_wide(d, value);
            }
            Rare::Compare { predicate, bits, d, a, b } => {
                let (a, b) = (self.wide_expression(a, bits), self.wide_expression(b, bits));
                let value = self.compare(predicate, a, b);
                self.put(d, value);
            }
            Rare::Cast { op, from, to, d, a } => {
                let value = self.wide_expression(a, from.bits());
                let value = match op {
                    CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast => self.fit(value, to.bits()),
                    CastOp::SExt => self.shared.expressions.sext(value, to.bits()),
                    _ => match self.convert_float(op, to, value) {
                        Some(value) => value,
                        None => return self.fix_operands(),
                    },
                };
                self.put_wide(d, value);
            }
            Rare::FloatNegate { kind, d, a } => {
                let value = self.wide_expression(a, kind.bits());
                let value = self.shared.expressions.fneg(value);
                self.put_wide(d, value);
            }
            Rare::Load { ty, d, a } => {
                let address = self.expression(a, 64);
                let bytes = self.read_at(address, ty.store_bytes().into())?;
                self.put_bytes(ty, d, &bytes);
            }
            Rare::Store { ty, v, a } => {
                let address = self.expression(a, 64);
                let value = self.wide_expression(v, ty.bits());
                let value = self.fit(value, 8 * ty.store_bytes());
                let bytes = self.split(value);
                self.write_at(address, &bytes)?;
            }
            Rare::Intrinsic { intrinsic, ty, ref d, ref a, .. } => {
                return self.symbolic_intrinsic(intrinsic, ty, d, a);
            }
        }
        self.next()
    }

    /// Puts loaded bytes into the slots of a value.
    pub(in crate::step) fn put_bytes(&mut self, ty: Type, d: Slot, bytes: &[Byte]) {
        let value = self.join(bytes);
        let value = self.fit(value, ty.bits());
        self.put_wide(d, value);
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Step<ExprId> {
        match op {
            BinaryOp::UDiv | BinaryOp::URem => self.check_divisor(b)?,
            BinaryOp::SDiv | BinaryOp::SRem => {
                self.check_divisor(b)?;
                self.check_quotient(a, b)?;
            }
            _ => {}
        }
        let expressions = &mut self.shared.expressions;
        Ok(match op {
            BinaryOp::Add => expressions.add(a, b),
            BinaryOp::Sub => expressions.sub(a, b),
            BinaryOp::Mul => expressions.mul(a, b),
            BinaryOp::And => expressions.and(a, b),
            BinaryOp::Or => expressions.or(a, b),
            BinaryOp::Xor => expressions.xor(a, b),
            BinaryOp::Shl => expressions.shl(a, b),
            BinaryOp::LShr => expressions.lshr(a, b),
            BinaryOp::AShr => expressions.ashr(a, b),
            BinaryOp::UDiv => expressions.udiv(a, b),
            BinaryOp::URem => expressions.urem(a, b),
            BinaryOp::SDiv => expressions.sdiv(a, b),
            BinaryOp::SRem => expressions.srem(a, b),
        })
    }

    /// Makes all operands of the current operation numbers and does it on those.
    pub(super) fn fix_operands(&mut self) -> Step {
        let op = self.image.ops[self.state.pc as usize];
        let image = self.image;
        let mut slots = Vec::new();
        image.visit_reads(&op, &mut |slot| slots.push(slot));
        for slot in slots {
            self.fix(slot)?;
        }
        self.forget_writes(&op);
        self.step_words()
    }

    fn symbolic_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        ty: Type,
        d: &[Slot],
        a: &[Slot],
    ) -> Step {
        let pointers = match intrinsic {
            Intrinsic::MemoryCopy | Intrinsic::MemoryMove => 2,
            Intrinsic::MemorySet => 1,
            _ => 0,
        };
        if pointers > 0 {
            let addresses: Vec<ExprId> =
                a[..pointers].iter().map(|&slot| self.expression(slot, 64)).collect();
            let length = self.expression(a[2], 64);
            self.check_ranges(&addresses, length)?;
        }
        if intrinsic == Intrinsic::MemorySet && self.symbol(a[1]).is_some() {
            let (to, length) = (self.fix(a[0])?, self.fix(a[2])?);
            let byte = self.expression(a[1], 8);
            self.fill_memory(to, byte, length)?;
            return self.next();
        }
        let value = match ty {
            Type::Float(kind) => self.float_expression(intrinsic, kind, a),
            _ => self.integer_expression(intrinsic, ty.bits(), a),
        };
        let Some(value) = value else {
            return self.fix_operands();
        };
        if let Some(&flag) = d.get(1) {
            match self.overflow(intrinsic, ty.bits(), a) {
                Some(overflow) => self.put(flag, overflow),
                None => return self.fix_operands(),
            }
        }
        self.put_wide(d[0], value);
        self.next()
    }

    /// Sets `length` bytes to an expression.
    pub(super) fn fill_memory(&mut self, to: u64, byte: ExprId, length: u64) -> Step {
        let room = self.state.memory.object(to).map_or(0, |object| object.size);
        // Too long a range is an error whatever the bytes are; it need not be laid out first.
        let bytes = vec![Byte::Symbolic(byte); length.min(room + 1) as usize];
        let written = self.state.memory.write_bytes(to, &bytes);
        written.map_err(|fault| self.fault(*fault))
    }
}
