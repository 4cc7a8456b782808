//! Intrinsics of the processor that common programs use: masks of sign bits, shifts of all lanes, and the CRC-32C
//! instructions.

use super::Unsupported;
use super::functions::{FunctionLoader, Leaves};
use crate::instruction::{BinaryOp, CastOp, Operand, Predicate};
use crate::llvm::Value;
use crate::types::Type;

const WORD: Type = Type::Integer(32);

/// The polynomial of CRC-32C, its lowest bit first.
const CASTAGNOLI: u64 = 0x82f6_3b78;

impl<'m> FunctionLoader<'_, 'm> {
    /// Translates an intrinsic, named without `llvm.x86.`.
    pub(super) fn x86(&mut self, call: Value<'m>, name: &str) -> Result<Leaves, Unsupported> {
        match name {
            "sse.movmsk.ps" | "sse2.movmsk.pd" | "sse2.pmovmskb.128" => self.sign_mask(call),
            "sse2.pslli.w" | "sse2.pslli.d" | "sse2.pslli.q" => self.shift(call, BinaryOp::Shl),
            "sse2.psrli.w" | "sse2.psrli.d" | "sse2.psrli.q" => self.shift(call, BinaryOp::LShr),
            "sse2.psrai.w" | "sse2.psrai.d" => self.shift(call, BinaryOp::AShr),
            _ => match name.strip_prefix("sse42.crc32.") {
                Some("32.8" | "32.16" | "32.32" | "64.8" | "64.64") => self.crc(call),
                _ => Err(Unsupported(format!("intrinsic `llvm.x86.{name}`"))),
            },
        }
    }

    /// The sign bits of all lanes, that of the first lane lowest.
    fn sign_mask(&mut self, call: Value<'m>) -> Result<Leaves, Unsupported> {
        let mut mask = self.number(WORD, 0);
        for (place, (ty, lane)) in (0..).zip(self.lanes_of(call, 0)?) {
            let bits = Type::Integer(ty.bits());
            let lane = self.emit_cast(CastOp::Bitcast, lane, ty, bits);
            let amount = self.number(bits, u64::from(ty.bits() - 1));
            let sign = self.emit_binary(bits, BinaryOp::LShr, lane, amount);
            let sign = self.emit_cast(CastOp::Bitcast, sign, bits, WORD);
            let amount = self.number(WORD, place);
            let sign = self.emit_binary(WORD, BinaryOp::Shl, sign, amount);
            mask = self.emit_binary(WORD, BinaryOp::Or, mask, sign);
        }
        Ok(mask.into())
    }

    /// Shifts all lanes by one number. Too large a number shifts everything out.
    fn shift(&mut self, call: Value<'m>, op: BinaryOp) -> Result<Leaves, Unsupported> {
        let count = self.operand(call, 1)?;
        let lanes = self.lanes_of(call, 0)?;
        let ty = lanes.first().ok_or_else(|| Unsupported("a malformed shift".into()))?.0;
        let bits = u64::from(ty.bits());
        let width = self.number(WORD, bits);
        let fits = self.emit_compare(Predicate::Ult, count, width);
        let last = self.number(WORD, bits - 1);
        let amount = self.emit_select(WORD, fits, count, last);
        let amount = self.emit_cast(CastOp::Bitcast, amount, WORD, ty);
        let zero = self.number(ty, 0);
        let mut shifted = Vec::with_capacity(lanes.len());
        for (_, lane) in lanes {
            let lane = self.emit_binary(ty, op, lane, amount);
            shifted.push(match op {
                // The sign is what is left, and a shift by all but one place leaves it too.
                BinaryOp::AShr => lane,
                _ => self.emit_select(ty, fits, lane, zero),
            });
        }
        Ok(shifted.into())
    }

    /// The checksum so far and as many bits as the second argument has.
    fn crc(&mut self, call: Value<'m>) -> Result<Leaves, Unsupported> {
        let result = Self::scalar_type(call)?;
        let data = call.operand(1).ok_or_else(|| Unsupported("a malformed checksum".into()))?;
        let (start, bits) = (self.operand(call, 0)?, Self::scalar_type(data)?);
        let data = self.scalar(data)?;
        let mut crc = self.emit_cast(CastOp::Bitcast, start, result, WORD);
        for shift in (0..bits.bits()).step_by(8) {
            let amount = self.number(bits, u64::from(shift));
            let byte = self.emit_binary(bits, BinaryOp::LShr, data, amount);
            let byte = self.emit_cast(CastOp::Bitcast, byte, bits, Type::Integer(8));
            let byte = self.emit_cast(CastOp::Bitcast, byte, Type::Integer(8), WORD);
            crc = self.emit_binary(WORD, BinaryOp::Xor, crc, byte);
            for _ in 0..8 {
                crc = self.crc_bit(crc);
            }
        }
        Ok(self.emit_cast(CastOp::Bitcast, crc, WORD, result).into())
    }

    fn crc_bit(&mut self, crc: Operand) -> Operand {
        let (zero, one) = (self.number(WORD, 0), self.number(WORD, 1));
        let low = self.emit_binary(WORD, BinaryOp::And, crc, one);
        let all_or_none = self.emit_binary(WORD, BinaryOp::Sub, zero, low);
        let polynomial = self.number(WORD, CASTAGNOLI);
        let term = self.emit_binary(WORD, BinaryOp::And, all_or_none, polynomial);
        let rest = self.emit_binary(WORD, BinaryOp::LShr, crc, one);
        self.emit_binary(WORD, BinaryOp::Xor, rest, term)
    }
}
