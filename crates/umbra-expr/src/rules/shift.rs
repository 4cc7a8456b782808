//! Shifts.

use super::{Rule, RuleFn, ite};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const SHIFT: &[(Rule, RuleFn)] = &[
    (Rule::ShiftConstant, constant),
    (Rule::ShiftZero, zero),
    (Rule::LiftIteConstants, ite::lift_constants),
];

/// match:  a << k, a >> k
/// result: a * 2^k, or the bits that are left, extended; zeros or sign bits from the width on
fn constant(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let amount = x.constant_bits(t.b())?;
    let (a, width) = (t.a(), t.width);
    let amount = match amount.to_u64() {
        Some(amount) if amount < u64::from(width) => amount as u32,
        _ if t.kind == Kind::AShr => {
            let sign = x.extract(a, width - 1, 1);
            return Some(x.sext(sign, width));
        }
        _ => return Some(x.zero(width)),
    };
    if amount == 0 {
        return Some(a);
    }
    let left = width - amount;
    Some(match t.kind {
        // A product, so that it takes part in linear forms.
        Kind::Shl if width <= 64 => {
            let factor = x.constant(width, 1 << amount);
            x.mul(a, factor)
        }
        Kind::Shl => {
            let (low, zeros) = (x.extract(a, 0, left), x.zero(amount));
            x.concat(low, zeros)
        }
        Kind::LShr => {
            let high = x.extract(a, amount, left);
            x.zext(high, width)
        }
        _ => {
            let high = x.extract(a, amount, left);
            x.sext(high, width)
        }
    })
}

/// match:  0 << a, 0 >> a, ones >> a with sign bits
/// result: 0, 0, ones
fn zero(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (x.is_zero(t.a()) || t.kind == Kind::AShr && x.is_all_ones(t.a())).then(|| t.a())
}
