//! Arithmetic, comparisons, conversions.

use umbra_ir::{BinaryOp, CastOp, FloatOp, Operand, Predicate, RegisterId, Type};

use super::{Lowered, Lowering};
use crate::code::op::{Op, Rare, Slot};

/// 64 minus the width of a narrow type.
pub fn shift_of(ty: Type) -> u8 {
    64 - ty.bits() as u8
}

/// What x86 makes of a constant shift amount.
fn shift_amount(amount: u64, ty: Type) -> u64 {
    if ty.bits() > 32 { amount & 63 } else { amount & 31 }
}

fn is_commutative(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}

impl Lowering<'_> {
    pub(super) fn lower_binary(
        &mut self,
        destination: RegisterId,
        op: BinaryOp,
        left: Operand,
        right: Operand,
    ) -> Lowered {
        let ty = self.body.registers[destination];
        if ty.words() > 1 {
            let (a, b) = (self.read(left)?, self.read(right)?);
            let d = self.write(destination);
            self.emit_rare(Rare::Binary { op, bits: ty.bits(), d, a, b });
            return Ok(());
        }
        let swap = is_commutative(op) && matches!(left, Operand::Constant(_));
        let (left, right) = if swap { (right, left) } else { (left, right) };
        let shift = shift_of(ty);
        if let Some(value) = self.immediate(right)
            && let Operand::Register(_) = left
        {
            let a = self.read(left)?;
            let d = self.slots.of(destination);
            let amount = shift_amount(value, ty);
            let op = match op {
                BinaryOp::Add => Some(Op::AddImm { shift, d, a, value }),
                BinaryOp::Sub => Some(Op::AddImm { shift, d, a, value: value.wrapping_neg() }),
                BinaryOp::Mul => Some(Op::MulImm { shift, d, a, value }),
                BinaryOp::And => Some(Op::AndImm { d, a, value }),
                BinaryOp::Or => Some(Op::OrImm { d, a, value }),
                BinaryOp::Xor => Some(Op::XorImm { d, a, value }),
                BinaryOp::Shl => Some(Op::ShlImm { shift, d, a, value: amount }),
                BinaryOp::LShr => Some(Op::LShrImm { d, a, value: amount }),
                BinaryOp::AShr => Some(Op::AShrImm { shift, d, a, value: amount }),
                _ => None,
            };
            if let Some(op) = op {
                self.write(destination);
                self.emit(op);
                return Ok(());
            }
        }
        let (a, b) = (self.read(left)?, self.read(right)?);
        let d = self.write(destination);
        self.emit(match op {
            BinaryOp::Add => Op::Add { shift, d, a, b },
            BinaryOp::Sub => Op::Sub { shift, d, a, b },
            BinaryOp::Mul => Op::Mul { shift, d, a, b },
            BinaryOp::And => Op::And { d, a, b },
            BinaryOp::Or => Op::Or { d, a, b },
            BinaryOp::Xor => Op::Xor { d, a, b },
            BinaryOp::Shl => Op::Shl { shift, d, a, b },
            BinaryOp::LShr => Op::LShr { shift, d, a, b },
            BinaryOp::AShr => Op::AShr { shift, d, a, b },
            BinaryOp::UDiv => Op::UDiv { d, a, b },
            BinaryOp::URem => Op::URem { d, a, b },
            BinaryOp::SDiv => Op::SDiv { shift, d, a, b },
            BinaryOp::SRem => Op::SRem { shift, d, a, b },
        });
        Ok(())
    }

    pub(super) fn lower_compare(
        &mut self,
        destination: RegisterId,
        predicate: Predicate,
        left: Operand,
        right: Operand,
    ) -> Lowered {
        let ty = self.type_of(left);
        if ty.words() > 1 {
            let (a, b) = (self.read(left)?, self.read(right)?);
            let d = self.write(destination);
            self.emit_rare(Rare::Compare { predicate, bits: ty.bits(), d, a, b });
            return Ok(());
        }
        let shift = shift_of(ty);
        let a = self.read(left)?;
        if let Some(value) = self.immediate(right) {
            let d = self.write(destination);
            self.emit(Op::CompareImm { predicate, shift, d, a, value });
        } else {
            let b = self.read(right)?;
            let d = self.write(destination);
            self.emit(Op::Compare { predicate, shift, d, a, b });
        }
        Ok(())
    }

    pub(super) fn lower_float(
        &mut self,
        destination: RegisterId,
        op: FloatOp,
        left: Operand,
        right: Operand,
    ) -> Lowered {
        let Type::Float(kind) = self.body.registers[destination] else {
            return Ok(());
        };
        let (a, b) = (self.read(left)?, self.read(right)?);
        let d = self.write(destination);
        self.emit(Op::Float { op, kind, d, a, b });
        Ok(())
    }

    pub(super) fn lower_cast(
        &mut self,
        destination: RegisterId,
        op: CastOp,
        operand: Operand,
    ) -> Lowered {
        let (from, to) = (self.type_of(operand), self.body.registers[destination]);
        let narrow = from.words() == 1 && to.words() == 1;
        match op {
            CastOp::Bitcast if from.words() == to.words() => self.lower_copy(destination, operand),
            CastOp::ZExt if narrow => self.lower_copy(destination, operand),
            CastOp::Trunc if to.words() == 1 => {
                let a = self.read(operand)?;
                let d = self.write(destination);
                self.emit(Op::AndImm { d, a, value: u64::MAX >> shift_of(to) });
                Ok(())
            }
            CastOp::SExt if narrow => {
                let a = self.read(operand)?;
                let d = self.write(destination);
                self.emit(Op::SignExtend { from: shift_of(from), to: shift_of(to), d, a });
                Ok(())
            }
            _ => {
                let a = self.read(operand)?;
                let d = self.write(destination);
                self.emit_rare(Rare::Cast { op, from, to, d, a });
                Ok(())
            }
        }
    }

    pub(super) fn lower_select(
        &mut self,
        destination: RegisterId,
        condition: Operand,
        left: Operand,
        right: Operand,
    ) -> Lowered {
        let words = self.body.registers[destination].words() as Slot;
        let (c, a, b) = (self.read(condition)?, self.read(left)?, self.read(right)?);
        let d = self.write(destination);
        for word in 0..words {
            self.emit(Op::Select { d: d + word, c, a: a + word, b: b + word });
        }
        Ok(())
    }

    pub(super) fn lower_change(
        &mut self,
        destination: RegisterId,
        old: Operand,
        new: Operand,
    ) -> Lowered {
        let small = |operand| self.immediate(operand).and_then(|value| u32::try_from(value).ok());
        if let (Some(old), Some(new)) = (small(old), small(new)) {
            let d = self.write(destination);
            self.emit(Op::ChangeImm { d, old, new });
            return Ok(());
        }
        let words = self.body.registers[destination].words() as Slot;
        let (old, new) = (self.read(old)?, self.read(new)?);
        let d = self.write(destination);
        for word in 0..words {
            self.emit(Op::Change { d: d + word, old: old + word, new: new + word });
        }
        Ok(())
    }

    pub(super) fn lower_copy(&mut self, destination: RegisterId, operand: Operand) -> Lowered {
        match self.immediate(operand) {
            Some(value) => {
                let d = self.write(destination);
                self.emit(Op::Constant { d, value });
            }
            None => {
                let words = self.body.registers[destination].words() as Slot;
                let a = self.read(operand)?;
                let d = self.write(destination);
                for word in (0..words).filter(|_| a != d) {
                    self.emit(Op::Move { d: d + word, a: a + word });
                }
            }
        }
        Ok(())
    }
}
