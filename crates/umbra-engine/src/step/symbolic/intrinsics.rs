//! Intrinsics on integers.

use umbra_expr::{ExprId, Expressions};
use umbra_ir::Intrinsic;

use crate::code::Slot;
use crate::step::Machine;

impl Machine<'_> {
    /// An intrinsic on integers of `bits` bits; `None` if it has no expression.
    pub(super) fn integer_expression(
        &mut self,
        intrinsic: Intrinsic,
        bits: u32,
        a: &[Slot],
    ) -> Option<ExprId> {
        let operands: Vec<ExprId> =
            a.iter().map(|&slot| self.wide_expression(slot, bits)).collect();
        let x = *operands.first()?;
        let y = operands.get(1).copied().unwrap_or(x);
        let e = &mut self.shared.expressions;
        Some(match intrinsic {
            Intrinsic::SAddOverflow | Intrinsic::UAddOverflow => e.add(x, y),
            Intrinsic::SSubOverflow | Intrinsic::USubOverflow => e.sub(x, y),
            Intrinsic::SMulOverflow | Intrinsic::UMulOverflow => e.mul(x, y),
            Intrinsic::SAddSaturate
            | Intrinsic::UAddSaturate
            | Intrinsic::SSubSaturate
            | Intrinsic::USubSaturate => saturate(e, intrinsic, x, y),
            Intrinsic::Abs => {
                let (zero, negated) = (e.constant(bits, 0), e.neg(x));
                let negative = e.slt(x, zero);
                e.ite(negative, negated, x)
            }
            Intrinsic::SMax => {
                let less = e.slt(x, y);
                e.ite(less, y, x)
            }
            Intrinsic::SMin => {
                let less = e.slt(x, y);
                e.ite(less, x, y)
            }
            Intrinsic::UMax => {
                let less = e.ult(x, y);
                e.ite(less, y, x)
            }
            Intrinsic::UMin => {
                let less = e.ult(x, y);
                e.ite(less, x, y)
            }
            Intrinsic::PopCount => {
                let mut sum = e.constant(bits, 0);
                for position in 0..bits {
                    let bit = e.extract(x, position, 1);
                    let bit = e.zext(bit, bits);
                    sum = e.add(sum, bit);
                }
                sum
            }
            Intrinsic::LeadingZeros => first_set(e, x, (0..bits).rev().collect()),
            Intrinsic::TrailingZeros => first_set(e, x, (0..bits).collect()),
            Intrinsic::ByteSwap => {
                let mut whole = e.extract(x, bits - 8, 8);
                for byte in (0..bits / 8 - 1).rev() {
                    let part = e.extract(x, 8 * byte, 8);
                    whole = e.concat(part, whole);
                }
                whole
            }
            Intrinsic::BitReverse => {
                let mut whole = e.extract(x, bits - 1, 1);
                for position in (0..bits - 1).rev() {
                    let part = e.extract(x, position, 1);
                    whole = e.concat(part, whole);
                }
                whole
            }
            Intrinsic::FunnelShiftLeft | Intrinsic::FunnelShiftRight => {
                let amount = *operands.get(2)?;
                funnel(e, intrinsic, x, y, amount)
            }
            Intrinsic::PointerMask => e.and(x, y),
            _ => return None,
        })
    }

    /// Whether checked arithmetic overflows.
    pub(super) fn overflow(
        &mut self,
        intrinsic: Intrinsic,
        bits: u32,
        a: &[Slot],
    ) -> Option<ExprId> {
        let (x, y) =
            (self.wide_expression(*a.first()?, bits), self.wide_expression(*a.get(1)?, bits));
        overflows(&mut self.shared.expressions, intrinsic, x, y)
    }
}

/// The number of positions, in this order, before the first bit that is set; all if none is.
fn first_set(e: &mut Expressions, x: ExprId, order: Vec<u32>) -> ExprId {
    let bits = e.width(x);
    let mut count = e.constant(bits, order.len() as u64);
    for (index, &position) in order.iter().enumerate().rev() {
        let bit = e.extract(x, position, 1);
        let here = e.constant(bits, index as u64);
        count = e.ite(bit, here, count);
    }
    count
}

/// The result of an operation in twice the width, where it is exact.
fn exact(
    e: &mut Expressions,
    intrinsic: Intrinsic,
    x: ExprId,
    y: ExprId,
) -> Option<(ExprId, bool)> {
    let width = 2 * e.width(x);
    let signed = matches!(
        intrinsic,
        Intrinsic::SAddOverflow
            | Intrinsic::SSubOverflow
            | Intrinsic::SMulOverflow
            | Intrinsic::SAddSaturate
            | Intrinsic::SSubSaturate
    );
    let (x, y) = match signed {
        true => (e.sext(x, width), e.sext(y, width)),
        false => (e.zext(x, width), e.zext(y, width)),
    };
    let value = match intrinsic {
        Intrinsic::SAddOverflow
        | Intrinsic::UAddOverflow
        | Intrinsic::SAddSaturate
        | Intrinsic::UAddSaturate => e.add(x, y),
        Intrinsic::SSubOverflow
        | Intrinsic::USubOverflow
        | Intrinsic::SSubSaturate
        | Intrinsic::USubSaturate => e.sub(x, y),
        Intrinsic::SMulOverflow | Intrinsic::UMulOverflow => e.mul(x, y),
        _ => return None,
    };
    Some((value, signed))
}

fn overflows(e: &mut Expressions, intrinsic: Intrinsic, x: ExprId, y: ExprId) -> Option<ExprId> {
    // Sums and differences without the wide detour: the solver sees one adder.
    match intrinsic {
        Intrinsic::UAddOverflow | Intrinsic::UAddSaturate => {
            let sum = e.add(x, y);
            return Some(e.ult(sum, x));
        }
        Intrinsic::USubOverflow | Intrinsic::USubSaturate => return Some(e.ult(x, y)),
        _ => {}
    }
    let bits = e.width(x);
    let (value, signed) = exact(e, intrinsic, x, y)?;
    let low = e.extract(value, 0, bits);
    let back = if signed { e.sext(low, 2 * bits) } else { e.zext(low, 2 * bits) };
    Some(e.ne(back, value))
}

fn saturate(e: &mut Expressions, intrinsic: Intrinsic, x: ExprId, y: ExprId) -> ExprId {
    let bits = e.width(x);
    let plain = match intrinsic {
        Intrinsic::SAddSaturate | Intrinsic::UAddSaturate => e.add(x, y),
        _ => e.sub(x, y),
    };
    let Some(overflow) = overflows(e, intrinsic, x, y) else { return plain };
    let zero = e.constant(bits, 0);
    let ones = e.not(zero);
    let bound = match intrinsic {
        Intrinsic::UAddSaturate => ones,
        Intrinsic::USubSaturate => zero,
        _ => {
            let (one, top) = (e.constant(bits, 1), e.constant(bits, u64::from(bits) - 1));
            let minimum = e.shl(one, top);
            let maximum = e.not(minimum);
            let negative = e.slt(x, zero);
            e.ite(negative, minimum, maximum)
        }
    };
    e.ite(overflow, bound, plain)
}

fn funnel(
    e: &mut Expressions,
    intrinsic: Intrinsic,
    high: ExprId,
    low: ExprId,
    amount: ExprId,
) -> ExprId {
    let bits = e.width(high);
    let width = e.constant(bits, u64::from(bits));
    let amount = e.urem(amount, width);
    let amount = e.zext(amount, 2 * bits);
    let whole = e.concat(high, low);
    match intrinsic {
        Intrinsic::FunnelShiftLeft => {
            let shifted = e.shl(whole, amount);
            e.extract(shifted, bits, bits)
        }
        _ => {
            let shifted = e.lshr(whole, amount);
            e.extract(shifted, 0, bits)
        }
    }
}
