//! Operations on values of more than one word, and on the rarer floats.

use umbra_ir::{CastOp, FloatKind, FloatOp, FloatPredicate, Type};

use super::{Machine, Step, float, wide};
use crate::code::{Op, Rare, Slot};
use crate::memory::FaultKind;
use crate::termination::ErrorKind;

impl Machine<'_> {
    /// The words of a value in the current frame.
    pub(super) fn words(&mut self, slot: Slot, ty: Type) -> &mut [u64] {
        &mut self.state.window()[slot as usize..slot as usize + ty.words()]
    }

    /// A value of at most 128 bits.
    pub(super) fn value(&mut self, slot: Slot, ty: Type) -> u128 {
        wide::to_u128(self.words(slot, ty))
    }

    pub(super) fn set_value(&mut self, slot: Slot, ty: Type, value: u128) {
        wide::put_u128(wide::mask_u128(value, ty.bits()), self.words(slot, ty));
    }

    #[inline(never)]
    pub(super) fn float_binary(
        &mut self,
        op: FloatOp,
        kind: FloatKind,
        d: Slot,
        a: Slot,
        b: Slot,
    ) -> Step {
        let ty = Type::Float(kind);
        let (a, b) = (self.value(a, ty), self.value(b, ty));
        self.set_value(d, ty, float::binary(op, kind, a, b));
        self.state.pc += 1;
        Ok(())
    }

    #[inline(never)]
    pub(super) fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        kind: FloatKind,
        d: Slot,
        a: Slot,
        b: Slot,
    ) -> Step {
        let ty = Type::Float(kind);
        let (a, b) = (self.value(a, ty), self.value(b, ty));
        self.state.window()[d as usize] = u64::from(float::compare(predicate, kind, a, b));
        self.state.pc += 1;
        Ok(())
    }

    /// Operations that are too rare for a place of their own in the loop.
    #[inline(never)]
    pub(super) fn seldom(&mut self, op: Op) -> Step {
        let image = self.image;
        match op {
            Op::Rare { index } => self.rare(&image.rares[index as usize]),
            Op::ThreadLocal { d, address } => self.thread_local(d, address),
            Op::Synchronize { a } => {
                let address = self.state.window()[a as usize];
                self.synchronize(address)
            }
            _ => unreachable!("the loop has it"),
        }
    }

    pub(super) fn rare(&mut self, rare: &Rare) -> Step {
        match *rare {
            Rare::Binary { op, bits, d, a, b } => {
                let ty = Type::Integer(bits);
                let (a, b) = (self.words(a, ty).to_vec(), self.words(b, ty).to_vec());
                let result = wide::binary(op, bits, &a, &b, self.words(d, ty));
                if let Err(error) = result {
                    let kind = match error {
                        wide::DivisionError::Zero => ErrorKind::DivisionByZero,
                        wide::DivisionError::Overflow => ErrorKind::DivisionOverflow,
                    };
                    return Err(self.error(kind, String::new()));
                }
            }
            Rare::Compare { predicate, bits, d, a, b } => {
                let ty = Type::Integer(bits);
                let a = self.words(a, ty).to_vec();
                let result = wide::compare(predicate, bits, &a, self.words(b, ty));
                self.state.window()[d as usize] = u64::from(result);
            }
            Rare::Cast { op, from, to, d, a } => self.cast(op, from, to, d, a)?,
            Rare::FloatNegate { kind, d, a } => {
                let ty = Type::Float(kind);
                let value = self.value(a, ty);
                self.set_value(d, ty, float::negate(kind, value));
            }
            Rare::Load { ty, d, a } => self.load_words(ty, d, a)?,
            Rare::Store { ty, v, a } => self.store_words(ty, v, a)?,
            Rare::Intrinsic { intrinsic, ty, ref d, ref a, bits } => {
                self.intrinsic(intrinsic, ty, bits, d, a)?;
            }
        }
        self.state.pc += 1;
        Ok(())
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, d: Slot, a: Slot) -> Step {
        match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast => {
                let source = self.words(a, from).to_vec();
                let signed = op == CastOp::SExt;
                wide::resize(&source, from.bits(), to.bits(), signed, self.words(d, to));
            }
            _ if from.bits() > 128 || to.bits() > 128 => {
                let what = "conversion between a float and an integer of more than 128 bits";
                return Err(self.stop_unsupported(what.to_owned()));
            }
            _ => {
                let value = self.value(a, from);
                self.set_value(d, to, float::cast(op, from, to, value));
            }
        }
        Ok(())
    }

    fn load_words(&mut self, ty: Type, d: Slot, a: Slot) -> Step {
        let address = self.state.window()[a as usize];
        let mut bytes = vec![0u8; ty.store_bytes() as usize];
        match self.state.memory.read(address, &mut bytes) {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Symbolic => {
                let bytes = self.read_bytes(address, ty.store_bytes().into())?;
                self.put_bytes(ty, d, &bytes);
                return Ok(());
            }
            Err(fault) => return Err(self.fault(*fault)),
        }
        let words = self.words(d, ty);
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut padded = [0u8; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(padded);
        }
        if let Some(last) = words.last_mut()
            && !ty.bits().is_multiple_of(64)
        {
            *last &= u64::MAX >> (64 - ty.bits() % 64);
        }
        Ok(())
    }

    fn store_words(&mut self, ty: Type, v: Slot, a: Slot) -> Step {
        let address = self.state.window()[a as usize];
        let mut bytes: Vec<u8> =
            self.words(v, ty).iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(ty.store_bytes() as usize);
        self.state.memory.write(address, &bytes).map_err(|fault| self.fault(*fault))
    }
}
