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

/// The numbers that a lane of half the size can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saturation {
    Signed,
    Unsigned,
}

impl<'m> FunctionLoader<'_, 'm> {
    /// Translates an intrinsic, named without `llvm.x86.`.
    pub(super) fn x86(&mut self, call: Value<'m>, name: &str) -> Result<Leaves, Unsupported> {
        match name {
            "sse.movmsk.ps" | "sse2.movmsk.pd" | "sse2.pmovmskb.128" => self.sign_mask(call),
            "sse2.pslli.w" | "sse2.pslli.d" | "sse2.pslli.q" => self.shift(call, BinaryOp::Shl),
            "sse2.psrli.w" | "sse2.psrli.d" | "sse2.psrli.q" => self.shift(call, BinaryOp::LShr),
            "sse2.psrai.w" | "sse2.psrai.d" => self.shift(call, BinaryOp::AShr),
            "sse2.packsswb.128" | "sse2.packssdw.128" => self.pack(call, Saturation::Signed),
            "sse2.packuswb.128" => self.pack(call, Saturation::Unsigned),
            "sse2.pavg.b" | "sse2.pavg.w" => self.averages(call),
            "sse2.pmulh.w" => self.high_products(call, CastOp::SExt),
            "sse2.pmulhu.w" => self.high_products(call, CastOp::ZExt),
            "sse2.pmadd.wd" => self.sums_of_products(call),
            "sse2.psad.bw" => self.sums_of_differences(call),
            "sse.sfence" | "sse2.mfence" | "sse2.lfence" | "sse2.pause" => Ok(Leaves::NONE),
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

    /// The lanes of two vectors side by side, each extended to 32 bits, and their type.
    fn wide_pairs(
        &mut self,
        call: Value<'m>,
        extend: CastOp,
    ) -> Result<(Type, Vec<(Operand, Operand)>), Unsupported> {
        let (left, right) = (self.lanes_of(call, 0)?, self.lanes_of(call, 1)?);
        let ty = left.first().ok_or_else(|| Unsupported("a malformed vector".into()))?.0;
        let mut pairs = Vec::with_capacity(left.len());
        for ((_, left), (_, right)) in left.into_iter().zip(right) {
            let left = self.emit_cast(extend, left, ty, WORD);
            pairs.push((left, self.emit_cast(extend, right, ty, WORD)));
        }
        Ok((ty, pairs))
    }

    /// `(a + b + 1) / 2` of each lane.
    fn averages(&mut self, call: Value<'m>) -> Result<Leaves, Unsupported> {
        let (ty, pairs) = self.wide_pairs(call, CastOp::ZExt)?;
        let one = self.number(WORD, 1);
        let mut averages = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            let sum = self.emit_binary(WORD, BinaryOp::Add, a, b);
            let sum = self.emit_binary(WORD, BinaryOp::Add, sum, one);
            let half = self.emit_binary(WORD, BinaryOp::LShr, sum, one);
            averages.push(self.emit_cast(CastOp::Trunc, half, WORD, ty));
        }
        Ok(averages.into())
    }

    /// The upper 16 bits of each product.
    fn high_products(&mut self, call: Value<'m>, extend: CastOp) -> Result<Leaves, Unsupported> {
        let (ty, pairs) = self.wide_pairs(call, extend)?;
        let half = self.number(WORD, 16);
        let mut products = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            let product = self.emit_binary(WORD, BinaryOp::Mul, a, b);
            let high = self.emit_binary(WORD, BinaryOp::LShr, product, half);
            products.push(self.emit_cast(CastOp::Trunc, high, WORD, ty));
        }
        Ok(products.into())
    }

    /// The sum of the products of two lanes next to each other.
    fn sums_of_products(&mut self, call: Value<'m>) -> Result<Leaves, Unsupported> {
        let (_, pairs) = self.wide_pairs(call, CastOp::SExt)?;
        let mut products = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            products.push(self.emit_binary(WORD, BinaryOp::Mul, a, b));
        }
        let sums = products
            .chunks_exact(2)
            .map(|two| self.emit_binary(WORD, BinaryOp::Add, two[0], two[1]));
        let sums: Vec<Operand> = sums.collect();
        Ok(sums.into())
    }

    /// For each eight bytes the sum of how far they are apart, as a number of 64 bits.
    fn sums_of_differences(&mut self, call: Value<'m>) -> Result<Leaves, Unsupported> {
        let (_, pairs) = self.wide_pairs(call, CastOp::ZExt)?;
        let mut sums = Vec::with_capacity(2);
        for eight in pairs.chunks(8) {
            let mut sum = self.number(WORD, 0);
            for &(a, b) in eight {
                let less = self.emit_compare(Predicate::Ult, a, b);
                let (up, down) = (
                    self.emit_binary(WORD, BinaryOp::Sub, b, a),
                    self.emit_binary(WORD, BinaryOp::Sub, a, b),
                );
                let apart = self.emit_select(WORD, less, up, down);
                sum = self.emit_binary(WORD, BinaryOp::Add, sum, apart);
            }
            sums.push(self.emit_cast(CastOp::ZExt, sum, WORD, Type::Integer(64)));
        }
        Ok(sums.into())
    }

    /// The lanes of both vectors, as numbers of half the size; those that do not fit become the nearest that do.
    fn pack(&mut self, call: Value<'m>, saturation: Saturation) -> Result<Leaves, Unsupported> {
        let mut lanes = self.lanes_of(call, 0)?;
        lanes.extend(self.lanes_of(call, 1)?);
        let mut packed = Vec::with_capacity(lanes.len());
        for (ty, lane) in lanes {
            let half = ty.bits() / 2;
            let (low, high) = match saturation {
                Saturation::Signed => (-(1i64 << (half - 1)), (1i64 << (half - 1)) - 1),
                Saturation::Unsigned => (0, (1i64 << half) - 1),
            };
            let (low, high) = (self.number(ty, low as u64), self.number(ty, high as u64));
            let below = self.emit_compare(Predicate::Slt, lane, low);
            let lane = self.emit_select(ty, below, low, lane);
            let above = self.emit_compare(Predicate::Sgt, lane, high);
            let lane = self.emit_select(ty, above, high, lane);
            packed.push(self.emit_cast(CastOp::Trunc, lane, ty, Type::Integer(half)));
        }
        Ok(packed.into())
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
