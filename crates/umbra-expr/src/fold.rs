//! What each kind computes, on values.
//!
//! The one place that says it: constant folding and evaluation both come here, so they cannot
//! disagree. [`narrow`] is the fast path, for operands and results of at most 64 bits.

use crate::bits::{Bits, mask, signed};
use crate::float;
use crate::kind::{FloatKind, Kind};

/// What an operation needs to know besides the values of its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub kind: Kind,
    /// Width of the result.
    pub width: u32,
    /// Width of the first operand.
    pub from: u32,
    /// The lowest bit of an extraction, or the classes of a class test.
    pub extra: u32,
}

/// The format of an operand or result; the builder has checked that there is one.
fn format(width: u32) -> FloatKind {
    FloatKind::of_width(width).expect("the builder checks the width of floats")
}

fn shift(amount: u64, width: u32, shifted: impl Fn(u32) -> u64, beyond: u64) -> u64 {
    if amount >= u64::from(width) { beyond } else { shifted(amount as u32) }
}

/// The result for operands and result of at most 64 bits.
#[inline]
pub(crate) fn narrow(shape: Shape, a: u64, b: u64, c: u64) -> u64 {
    let Shape { kind, width, from, extra } = shape;
    let cut = mask(width);
    let sign = |value: u64| signed(value, from);
    match kind {
        Kind::Not => !a & cut,
        Kind::Neg => a.wrapping_neg() & cut,
        Kind::And => a & b,
        Kind::Or => a | b,
        Kind::Xor => a ^ b,
        Kind::Add => a.wrapping_add(b) & cut,
        Kind::Sub => a.wrapping_sub(b) & cut,
        Kind::Mul => a.wrapping_mul(b) & cut,
        Kind::UDiv => a.checked_div(b).unwrap_or(cut),
        Kind::URem => a.checked_rem(b).unwrap_or(a),
        Kind::SDiv if b == 0 => {
            if sign(a) < 0 {
                1
            } else {
                cut
            }
        }
        Kind::SDiv => sign(a).wrapping_div(sign(b)) as u64 & cut,
        Kind::SRem if b == 0 => a,
        Kind::SRem => sign(a).wrapping_rem(sign(b)) as u64 & cut,
        Kind::Shl => shift(b, width, |amount| a << amount & cut, 0),
        Kind::LShr => shift(b, width, |amount| a >> amount, 0),
        Kind::AShr => {
            let amount = b.min(u64::from(width) - 1);
            (sign(a) >> amount) as u64 & cut
        }
        Kind::Concat => a << (width - from) | b,
        Kind::Extract => a >> extra & cut,
        Kind::ZExt => a,
        Kind::SExt => sign(a) as u64 & cut,
        Kind::Eq => u64::from(a == b),
        Kind::Ult => u64::from(a < b),
        Kind::Ule => u64::from(a <= b),
        Kind::Slt => u64::from(sign(a) < sign(b)),
        Kind::Sle => u64::from(sign(a) <= sign(b)),
        Kind::Ite => {
            if a == 1 {
                b
            } else {
                c
            }
        }
        _ => floats(shape, u128::from(a), u128::from(b), u128::from(c)) as u64,
    }
}

/// The result of a float kind.
fn floats(shape: Shape, a: u128, b: u128, c: u128) -> u128 {
    let Shape { kind, width, from, extra } = shape;
    match kind {
        Kind::FAdd | Kind::FSub | Kind::FMul | Kind::FDiv | Kind::FRem => {
            float::binary(kind, format(width), a, b)
        }
        Kind::FSqrt => float::sqrt(format(width), a),
        Kind::FFma => float::fused_multiply_add(format(width), a, b, c),
        Kind::FRoundEven | Kind::FFloor | Kind::FCeil | Kind::FTrunc | Kind::FRoundAway => {
            float::round(kind, format(width), a)
        }
        Kind::FMin => float::extremum(format(width), a, b, false),
        Kind::FMax => float::extremum(format(width), a, b, true),
        Kind::FEq | Kind::FLt | Kind::FLe => u128::from(float::compare(kind, format(from), a, b)),
        Kind::FIsClass => u128::from(float::is_class(format(from), a, extra)),
        Kind::SToF => float::from_signed(format(width), a, from),
        Kind::UToF => float::from_unsigned(format(width), a),
        Kind::FToS => float::to_signed(format(from), a, width),
        Kind::FToU => float::to_unsigned(format(from), a, width),
        Kind::FToF => float::convert(format(from), format(width), a),
        _ => unreachable!("{} is computed by its owner", kind.info().name),
    }
}

/// The result for operands and result of any width.
pub(crate) fn wide(shape: Shape, operands: &[Bits]) -> Bits {
    let Shape { kind, width, extra, .. } = shape;
    let a = &operands[0];
    let b = || &operands[1];
    let boolean = |value: bool| Bits::from_u128(1, u128::from(value));
    match kind {
        Kind::Not => a.not(),
        Kind::Neg => a.neg(),
        Kind::And => a.and(b()),
        Kind::Or => a.or(b()),
        Kind::Xor => a.xor(b()),
        Kind::Add => a.add(b()),
        Kind::Sub => a.sub(b()),
        Kind::Mul => a.mul(b()),
        Kind::UDiv => a.udiv(b()),
        Kind::URem => a.urem(b()),
        Kind::SDiv => a.sdiv(b()),
        Kind::SRem => a.srem(b()),
        Kind::Shl => a.shl(b()),
        Kind::LShr => a.lshr(b()),
        Kind::AShr => a.ashr(b()),
        Kind::Concat => a.concat(b()),
        Kind::Extract => a.extract(extra, width),
        Kind::ZExt => a.zext(width),
        Kind::SExt => a.sext(width),
        Kind::Eq => boolean(a == b()),
        Kind::Ult => boolean(a.ult(b())),
        Kind::Ule => boolean(!b().ult(a)),
        Kind::Slt => boolean(a.slt(b())),
        Kind::Sle => boolean(!b().slt(a)),
        Kind::Ite => operands[if a.is_zero() { 2 } else { 1 }].clone(),
        _ => {
            let value = |index: usize| operands.get(index).map_or(0, Bits::low_u128);
            Bits::from_u128(width, floats(shape, value(0), value(1), value(2)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast path computes what the general one does.
    #[test]
    fn narrow_and_wide_agree() {
        let binary = [
            Kind::And,
            Kind::Or,
            Kind::Xor,
            Kind::Add,
            Kind::Sub,
            Kind::Mul,
            Kind::UDiv,
            Kind::URem,
            Kind::SDiv,
            Kind::SRem,
            Kind::Shl,
            Kind::LShr,
            Kind::AShr,
            Kind::Eq,
            Kind::Ult,
            Kind::Ule,
            Kind::Slt,
            Kind::Sle,
        ];
        for from in [1, 3, 4] {
            for kind in binary {
                let width = if kind.is_predicate() { 1 } else { from };
                let shape = Shape { kind, width, from, extra: 0 };
                for a in 0..1u64 << from {
                    for b in 0..1u64 << from {
                        let operands = [a, b].map(|value| Bits::new(from, &[value]));
                        let expected = wide(shape, &operands).low_u64();
                        assert_eq!(narrow(shape, a, b, 0), expected, "{kind:?} {a} {b} at {from}");
                    }
                }
            }
        }
    }
}
