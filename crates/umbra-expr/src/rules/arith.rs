//! Sums, products and divisions.

use super::linear::Linear;
use super::range::{signed_range, unsigned_range};
use super::split::{splits, splits_at};
use super::{Rule, RuleFn, ite};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const ADD: &[(Rule, RuleFn)] = &[
    (Rule::ArithOfBits, of_bits),
    (Rule::ArithIdentity, identity),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::SumSplit, sum_split),
    (Rule::LinearForm, linear_form),
];

pub(super) const SUB: &[(Rule, RuleFn)] = &[
    (Rule::ArithOfBits, of_bits),
    (Rule::ArithIdentity, identity),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::LinearForm, linear_form),
];

pub(super) const MUL: &[(Rule, RuleFn)] = SUB;

pub(super) const UNSIGNED_DIVISION: &[(Rule, RuleFn)] = &[
    (Rule::DivisionIdentity, division_identity),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::DivisionPowerOfTwo, division_power_of_two),
    (Rule::DivisionByLarger, division_by_larger),
    (Rule::DivisionNarrow, division_narrow),
];

pub(super) const SIGNED_DIVISION: &[(Rule, RuleFn)] = &[
    (Rule::DivisionIdentity, division_identity),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::DivisionUnsigned, division_unsigned),
];

/// match:  add, sub, neg or mul of single bits
/// result: xor, xor, the bit, and
fn of_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width != 1 {
        return None;
    }
    Some(match t.kind {
        Kind::Neg => t.a(),
        Kind::Mul => x.and(t.a(), t.b()),
        _ => x.xor(t.a(), t.b()),
    })
}

/// match:  a + 0, a - 0, a - a, 0 - a, a * 0, a * 1, --a
/// result: a, a, 0, -a, 0, a, a
fn identity(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    match t.kind {
        Kind::Add if x.is_zero(b) => Some(a),
        Kind::Sub if x.is_zero(b) => Some(a),
        Kind::Sub if a == b => Some(x.zero(t.width)),
        Kind::Sub if x.is_zero(a) => Some(x.neg(b)),
        Kind::Mul if x.is_zero(b) => Some(b),
        Kind::Mul if x.is_one(b) => Some(a),
        Kind::Neg if x.kind(a) == Kind::Neg => Some(x.operand(a, 0)),
        _ => None,
    }
}

/// match:  a sum, difference, negation or product with a constant of at most 64 bits
/// result: its linear normal form, when that is something else
fn linear_form(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width > 64 {
        return None;
    }
    let mut sum = Linear::new(t.width);
    let fits = match t.kind {
        Kind::Add => sum.add(x, t.a(), 1) && sum.add(x, t.b(), 1),
        Kind::Sub => sum.add(x, t.a(), 1) && sum.add(x, t.b(), 1u64.wrapping_neg()),
        Kind::Neg => sum.add(x, t.a(), 1u64.wrapping_neg()),
        _ => {
            let factor = x.constant_u64(t.b())?;
            sum.add(x, t.a(), factor)
        }
    };
    if !fits {
        return None;
    }
    // Terms that are the operands themselves: the sum is as it should be.
    if unchanged(x, t, &sum) {
        return None;
    }
    Some(sum.build(x))
}

/// Whether the written form of the sum is the term itself.
fn unchanged(x: &Expressions, t: &Term, sum: &Linear) -> bool {
    let minus_one = crate::bits::mask(t.width);
    let constant = x.constant_u64(t.b());
    match (t.kind, sum.terms.as_slice()) {
        (Kind::Add, &[(a, 1)]) => a == t.a() && constant == Some(sum.constant),
        (Kind::Add, &[(a, 1), (b, 1)]) => a == t.a() && b == t.b() && sum.constant == 0,
        (Kind::Sub, &[(a, 1), (b, f)]) | (Kind::Sub, &[(b, f), (a, 1)]) => {
            a == t.a() && b == t.b() && f == minus_one && sum.constant == 0
        }
        (Kind::Neg, &[(a, f)]) => a == t.a() && f == minus_one && sum.constant == 0,
        (Kind::Mul, &[(a, factor)]) => {
            let plain = !factor.is_power_of_two()
                && crate::bits::signed(factor, t.width) > 0
                && sum.constant == 0;
            a == t.a() && plain && constant == Some(factor)
        }
        _ => false,
    }
}

/// match:  a + b, where the low parts of both are known and one of them is zero
/// result: concat(high part of a + high part of b, the other low part)
fn sum_split(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    if x.is_constant(b) {
        return None;
    }
    for at in splits(x, a).into_iter().chain(splits(x, b)) {
        if !splits_at(x, a, at) || !splits_at(x, b, at) {
            continue;
        }
        let (low_a, low_b) = (x.extract(a, 0, at), x.extract(b, 0, at));
        let low = match (x.is_zero(low_a), x.is_zero(low_b)) {
            // Common zeros below are what multiples of one number have: a matter of linear forms.
            (true, true) | (false, false) => continue,
            (true, false) => low_b,
            (false, true) => low_a,
        };
        let (high_a, high_b) = (x.extract(a, at, t.width - at), x.extract(b, at, t.width - at));
        if !x.is_zero(high_a) && !x.is_zero(high_b) {
            continue;
        }
        let high = x.add(high_a, high_b);
        return Some(x.concat(high, low));
    }
    None
}

/// match:  a / 0, a / 1, a % 0, a % 1, a % a, 0 % a
/// result: ones (one or minus one if signed), a, a, 0, 0, 0
fn division_identity(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    let width = t.width;
    match t.kind {
        Kind::UDiv if x.is_zero(b) => Some(x.all_ones(width)),
        Kind::SDiv if x.is_zero(b) => {
            let (one, minus) = (x.constant(width, 1), x.all_ones(width));
            let zero = x.zero(width);
            let negative = x.slt(a, zero);
            Some(x.ite(negative, one, minus))
        }
        // At width one the constant one is also minus one; the quotient is the same.
        Kind::UDiv | Kind::SDiv if x.is_one(b) => Some(a),
        Kind::URem | Kind::SRem if x.is_zero(b) => Some(a),
        Kind::URem | Kind::SRem if x.is_one(b) || a == b => Some(x.zero(width)),
        Kind::URem | Kind::SRem if x.is_zero(a) => Some(a),
        _ => None,
    }
}

/// match:  a / 2^k, a % 2^k, unsigned
/// result: the bits of a from k on, the bits of a below k
fn division_power_of_two(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let divisor = x.constant_bits(t.b())?;
    let shift = divisor.trailing_zeros();
    if divisor.leading_zeros() + shift + 1 != t.width {
        return None;
    }
    let bits = match t.kind {
        Kind::UDiv => x.extract(t.a(), shift, t.width - shift),
        _ => x.extract(t.a(), 0, shift),
    };
    Some(x.zext(bits, t.width))
}

/// match:  a / b, a % b, unsigned, a always less than b
/// result: 0, a
fn division_by_larger(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width > 64 || unsigned_range(x, t.a()).1 >= unsigned_range(x, t.b()).0 {
        return None;
    }
    Some(if t.kind == Kind::UDiv { x.zero(t.width) } else { t.a() })
}

/// match:  a / b, a % b, signed, both never negative
/// result: the same, unsigned
fn division_unsigned(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width > 64 || signed_range(x, t.a()).0 < 0 || signed_range(x, t.b()).0 < 0 {
        return None;
    }
    // Dividing by zero gives all ones in both cases: the dividend is not negative.
    Some(if t.kind == Kind::SDiv { x.udiv(t.a(), t.b()) } else { x.urem(t.a(), t.b()) })
}

/// match:  zext(a) / zext(b), zext(a) % zext(b), unsigned; the divisor may be a constant, not zero
/// result: zext(a / b), zext(a % b) at the larger of the two widths
fn division_narrow(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let needed = |x: &Expressions, e: ExprId| match x.constant_bits(e) {
        Some(value) => t.width - value.leading_zeros(),
        None if x.kind(e) == Kind::ZExt => x.width(x.operand(e, 0)),
        None => t.width,
    };
    // Divided by zero the quotient is all ones, more of them at the larger width.
    let safe = t.kind == Kind::URem || x.is_constant(t.b());
    let width = needed(x, t.a()).max(needed(x, t.b())).max(1);
    if !safe || width == t.width {
        return None;
    }
    let (a, b) = (x.extract(t.a(), 0, width), x.extract(t.b(), 0, width));
    let result = if t.kind == Kind::UDiv { x.udiv(a, b) } else { x.urem(a, b) };
    Some(x.zext(result, t.width))
}
