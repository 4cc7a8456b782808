//! Address arithmetic, loads, stores and local variables.

use umbra_ir::{Operand, Operation, RegisterId, Scaled, Type};

use super::{Lowered, Lowering};
use crate::code::op::{Local, Op, Rare, Slot};

/// How a load or store finds its address.
enum Mode {
    Offset { a: Slot, offset: i64 },
    Index { a: Slot, index: Slot, scale: i32, offset: i32 },
}

impl Lowering<'_> {
    pub(super) fn lower_offset(
        &mut self,
        destination: RegisterId,
        base: Operand,
        constant: i64,
        indices: &[Scaled],
    ) -> Lowered {
        let mut constant = constant;
        let mut indices: Vec<Scaled> = indices.to_vec();
        // Constant indices are seldom left over by the loader, but they are allowed.
        indices.retain(|scaled| match self.immediate(scaled.index) {
            Some(value) => {
                let shift = 64 - self.type_of(scaled.index).bits().min(64);
                let value = ((value << shift) as i64) >> shift;
                constant = constant.wrapping_add(value.wrapping_mul(scaled.scale));
                false
            }
            None => true,
        });
        let mut a = self.read(base)?;
        let d = self.slots.of(destination);
        for scaled in &indices {
            let index = self.wide_index(scaled.index)?;
            let offset = i32::try_from(constant).unwrap_or(0);
            match i32::try_from(scaled.scale) {
                Ok(scale) => self.emit(Op::Index { d, a, index, scale, offset }),
                Err(_) => {
                    let product = self.scratch(1)?;
                    let value = scaled.scale as u64;
                    self.emit(Op::MulImm { shift: 0, d: product, a: index, value });
                    self.emit(Op::Index { d, a, index: product, scale: 1, offset });
                }
            }
            constant -= i64::from(offset);
            a = d;
        }
        if constant != 0 || indices.is_empty() {
            self.emit(Op::AddImm { shift: 0, d, a, value: constant as u64 });
        }
        self.write(destination);
        Ok(())
    }

    /// An index as a 64-bit number.
    fn wide_index(&mut self, index: Operand) -> Lowered<Slot> {
        let ty = self.type_of(index);
        let a = self.read(index)?;
        if ty.bits() >= 64 {
            // Of a wider index the low word is all that counts.
            return Ok(a);
        }
        let d = self.scratch(1)?;
        self.emit(Op::SignExtend { from: 64 - ty.bits() as u8, to: 0, d, a });
        Ok(d)
    }

    /// The addressing mode for an address, which may be folded arithmetic.
    fn mode(&mut self, address: Operand) -> Lowered<Mode> {
        if let Operand::Register(register) = address
            && let Some(Operation::Offset { base, constant, indices, .. }) =
                self.folded.get(&register).copied()
        {
            let (base, constant) = (*base, *constant);
            let a = self.read(base)?;
            return Ok(match indices.as_slice() {
                [only] => Mode::Index {
                    a,
                    index: self.read(only.index)?,
                    scale: only.scale as i32,
                    offset: constant as i32,
                },
                _ => Mode::Offset { a, offset: constant },
            });
        }
        Ok(Mode::Offset { a: self.read(address)?, offset: 0 })
    }

    /// The slot of an address that no addressing mode is taken for.
    fn plain_address(&mut self, address: Operand) -> Lowered<Slot> {
        match self.mode(address)? {
            Mode::Offset { a, offset: 0 } => Ok(a),
            Mode::Offset { a, offset } => {
                let d = self.scratch(1)?;
                self.emit(Op::AddImm { shift: 0, d, a, value: offset as u64 });
                Ok(d)
            }
            Mode::Index { a, index, scale, offset } => {
                let d = self.scratch(1)?;
                self.emit(Op::Index { d, a, index, scale, offset });
                Ok(d)
            }
        }
    }

    pub(super) fn lower_load(&mut self, destination: RegisterId, address: Operand) -> Lowered {
        let ty = self.body.registers[destination];
        if !is_plain(ty) {
            let a = self.plain_address(address)?;
            let d = self.write(destination);
            self.emit_rare(Rare::Load { ty, d, a });
            return Ok(());
        }
        let mode = self.mode(address)?;
        let d = self.write(destination);
        self.emit(match (mode, ty.bits()) {
            (Mode::Offset { a, offset }, 16) => Op::Load16 { d, a, offset },
            (Mode::Offset { a, offset }, 32) => Op::Load32 { d, a, offset },
            (Mode::Offset { a, offset }, 64) => Op::Load64 { d, a, offset },
            (Mode::Offset { a, offset }, _) => Op::Load8 { d, a, offset },
            (Mode::Index { a, index, scale, offset }, bits) => match bits {
                16 => Op::LoadIndex16 { d, a, index, scale, offset },
                32 => Op::LoadIndex32 { d, a, index, scale, offset },
                64 => Op::LoadIndex64 { d, a, index, scale, offset },
                _ => Op::LoadIndex8 { d, a, index, scale, offset },
            },
        });
        Ok(())
    }

    pub(super) fn lower_store(&mut self, value: Operand, address: Operand) -> Lowered {
        let ty = self.type_of(value);
        let v = self.read(value)?;
        if !is_plain(ty) {
            let a = self.plain_address(address)?;
            self.emit_rare(Rare::Store { ty, v, a });
            return Ok(());
        }
        let mode = self.mode(address)?;
        self.emit(match (mode, ty.bits()) {
            (Mode::Offset { a, offset }, 16) => Op::Store16 { v, a, offset },
            (Mode::Offset { a, offset }, 32) => Op::Store32 { v, a, offset },
            (Mode::Offset { a, offset }, 64) => Op::Store64 { v, a, offset },
            (Mode::Offset { a, offset }, _) => Op::Store8 { v, a, offset },
            (Mode::Index { a, index, scale, offset }, bits) => match bits {
                16 => Op::StoreIndex16 { v, a, index, scale, offset },
                32 => Op::StoreIndex32 { v, a, index, scale, offset },
                64 => Op::StoreIndex64 { v, a, index, scale, offset },
                _ => Op::StoreIndex8 { v, a, index, scale, offset },
            },
        });
        Ok(())
    }

    pub(super) fn lower_alloca(
        &mut self,
        destination: RegisterId,
        size: u64,
        count: Option<Operand>,
        align: u32,
        name: &str,
    ) -> Lowered {
        let constant = count.map(|count| self.immediate(count));
        let (size, count) = match (count, constant) {
            (_, Some(Some(elements))) => (size.saturating_mul(elements), None),
            (count, _) => (size, count),
        };
        let local = self.image.locals.len() as u32;
        self.image.locals.push(Local {
            name: name.to_owned(),
            function: self.function,
            size,
            align,
        });
        match count {
            Some(count) => {
                let count = self.read(count)?;
                let d = self.write(destination);
                self.emit(Op::AllocaCount { d, count, local });
            }
            None => {
                let d = self.write(destination);
                self.emit(Op::Alloca { d, local });
            }
        }
        Ok(())
    }
}

/// Whether loads and stores of the type have operations of their own: whole bytes, a power of two
/// of them, at most eight.
fn is_plain(ty: Type) -> bool {
    matches!(ty.bits(), 8 | 16 | 32 | 64)
}
