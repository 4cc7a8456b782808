//! Equality and order.

use super::linear::Linear;
use super::range::{signed_range, unsigned_range};
use super::split::{splits, splits_at};
use super::{Rule, RuleFn, ite, product};
use crate::bits::{Bits, mask, signed};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const EQ: &[(Rule, RuleFn)] = &[
    (Rule::CompareSame, same),
    (Rule::EqOfBits, eq_of_bits),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::CompareRange, eq_range),
    (Rule::EqExtension, eq_extension),
    (Rule::EqSplit, eq_split),
    (Rule::EqBitwise, eq_bitwise),
    (Rule::EqIte, eq_ite),
    (Rule::EqIteBranch, eq_ite_branch),
    (Rule::EqProduct, product::eq_product),
    (Rule::EqLinear, eq_linear),
];

pub(super) const ULT: &[(Rule, RuleFn)] = &[
    (Rule::CompareSame, same),
    (Rule::OrderOfBits, order_of_bits),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::CompareRange, ult_range),
    (Rule::CompareEnds, ult_ends),
    (Rule::CompareConstant, constant_left),
    (Rule::CompareExtension, ult_extension),
    (Rule::CompareConcat, ult_concat),
    (Rule::CompareSum, ult_sum),
    (Rule::CompareWindow, window),
];

pub(super) const SLT: &[(Rule, RuleFn)] = &[
    (Rule::CompareSame, same),
    (Rule::OrderOfBits, order_of_bits),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::CompareRange, slt_range),
    (Rule::CompareEnds, slt_ends),
    (Rule::CompareSign, sign),
    (Rule::CompareConstant, constant_left),
    (Rule::CompareUnsigned, unsigned),
    (Rule::CompareExtension, slt_extension),
    (Rule::CompareSum, slt_sum),
];

pub(super) const LESS_OR_EQUAL: &[(Rule, RuleFn)] = &[(Rule::CompareNegated, negated)];

/// match:  a = a, a < a
/// result: true, false
fn same(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (t.a() == t.b()).then(|| x.boolean(t.kind == Kind::Eq))
}

/// match:  a = b of single bits
/// result: a if b is 1, ~a if b is 0, else ~(a ^ b)
fn eq_of_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.width(t.a()) != 1 {
        return None;
    }
    match x.constant_u64(t.b()) {
        Some(1) => Some(t.a()),
        Some(_) => Some(x.not(t.a())),
        None => {
            let different = x.xor(t.a(), t.b());
            Some(x.not(different))
        }
    }
}

/// match:  a < b of single bits
/// result: ~a & b; if signed a & ~b
fn order_of_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.width(t.a()) != 1 {
        return None;
    }
    let (less, greater) = if t.kind == Kind::Ult { (t.a(), t.b()) } else { (t.b(), t.a()) };
    let less = x.not(less);
    Some(x.and(less, greater))
}

/// match:  a = k, where a never is k
/// result: false
fn eq_range(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let value = x.constant_u64(t.b())?;
    let (low, high) = unsigned_range(x, t.a());
    let (signed_low, signed_high) = signed_range(x, t.a());
    let possible = (low..=high).contains(&value)
        && (signed_low..=signed_high).contains(&signed(value, x.width(t.a())));
    (!possible).then(|| x.false_())
}

/// The inner expression of an extension of this kind.
fn extended(x: &Expressions, e: ExprId, kind: Kind) -> Option<ExprId> {
    (x.kind(e) == kind).then(|| x.operand(e, 0))
}

/// Two operands at a smaller width, if both are what that width extends to.
fn narrowed(x: &mut Expressions, a: ExprId, b: ExprId, kind: Kind) -> Option<(ExprId, ExprId)> {
    let inner_width = |x: &Expressions, e: ExprId| extended(x, e, kind).map(|inner| x.width(inner));
    let needed = |x: &Expressions, e: ExprId, width: u32| match x.constant_bits(e) {
        Some(value) => {
            let low = value.extract(0, width);
            let full = value.width();
            (if kind == Kind::ZExt { low.zext(full) } else { low.sext(full) }) == value
        }
        None => inner_width(x, e).is_some_and(|inner| inner <= width),
    };
    // Both extensions of the same kind, or one of them and a constant.
    let width = inner_width(x, a).into_iter().chain(inner_width(x, b)).max()?;
    if !needed(x, a, width) || !needed(x, b, width) {
        return None;
    }
    Some((x.extract(a, 0, width), x.extract(b, 0, width)))
}

/// match:  zext(a) = zext(b), sext(a) = sext(b), zext(a) = k, sext(a) = k
/// result: the equality at the narrow width; false when k is no such extension
fn eq_extension(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    for kind in [Kind::ZExt, Kind::SExt] {
        if let Some((a, b)) = narrowed(x, t.a(), t.b(), kind) {
            return Some(x.eq(a, b));
        }
        if x.kind(t.a()) == kind && x.is_constant(t.b()) {
            return Some(x.false_());
        }
    }
    None
}

/// match:  a = b, where both fall into parts at the same place
/// result: high parts equal and low parts equal
fn eq_split(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    let width = x.width(a);
    let places = splits(x, a).into_iter().chain(splits(x, b));
    let at = places.into_iter().find(|&at| splits_at(x, a, at) && splits_at(x, b, at))?;
    let (low_a, low_b) = (x.extract(a, 0, at), x.extract(b, 0, at));
    let (high_a, high_b) = (x.extract(a, at, width - at), x.extract(b, at, width - at));
    let (low, high) = (x.eq(low_a, low_b), x.eq(high_a, high_b));
    Some(x.and(high, low))
}

/// match:  a ^ k1 = k2, a ^ b = 0, a & k1 = k2, a | k1 = k2
/// result: a = k1 ^ k2, a = b, false when k2 has bits that cannot be
fn eq_bitwise(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let value = x.constant_bits(t.b())?;
    let kind = x.kind(t.a());
    if !matches!(kind, Kind::And | Kind::Or | Kind::Xor) {
        return None;
    }
    let (a, b) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    if kind == Kind::Xor && value.is_zero() {
        return Some(x.eq(a, b));
    }
    let constant = x.constant_bits(b)?;
    let impossible = match kind {
        Kind::Xor => {
            let constant = x.constant_of(&constant.xor(&value));
            return Some(x.eq(a, constant));
        }
        Kind::And => constant.and(&value) != value,
        _ => constant.or(&value) != value,
    };
    impossible.then(|| x.false_())
}

/// match:  ite(c, k1, a) = k2, ite(c, a, k1) = k2
/// result: c | a = k2 or ~c & a = k2, and likewise
fn eq_ite(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Ite || !x.is_constant(t.b()) {
        return None;
    }
    let choice = x.operands(t.a());
    let (condition, constant, rest) = if x.is_constant(choice[1]) {
        (choice[0], choice[1], choice[2])
    } else if x.is_constant(choice[2]) {
        (x.not(choice[0]), choice[2], choice[1])
    } else {
        return None;
    };
    let equal = x.eq(rest, t.b());
    if constant == t.b() {
        return Some(x.or(condition, equal));
    }
    let negated = x.not(condition);
    Some(x.and(negated, equal))
}

/// match:  ite(c, a, b) = a, ite(c, a, b) = b
/// result: c | a = b, ~c | a = b
fn eq_ite_branch(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    for (choice, other) in [(t.a(), t.b()), (t.b(), t.a())] {
        if x.kind(choice) != Kind::Ite {
            continue;
        }
        let operands = x.operands(choice);
        let condition = if operands[1] == other {
            operands[0]
        } else if operands[2] == other {
            x.not(operands[0])
        } else {
            continue;
        };
        let equal = x.eq(operands[1], operands[2]);
        return Some(x.or(condition, equal));
    }
    None
}

/// match:  a = b, one of them a sum of at most 64 bits
/// result: true or false when they differ by a constant, or by an odd number of a power of two
///         that divides all terms; a term = k when only one with an odd factor is left; else the
///         terms on their sides, with the first one positive
fn eq_linear(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let width = x.width(t.a());
    let is_sum = |x: &Expressions, e: ExprId| {
        matches!(x.kind(e), Kind::Add | Kind::Sub | Kind::Neg | Kind::Not | Kind::Mul)
    };
    if width > 64 || !(is_sum(x, t.a()) || is_sum(x, t.b())) {
        return None;
    }
    let mut sum = Linear::new(width);
    if !sum.add(x, t.a(), 1) || !sum.add(x, t.b(), mask(width)) {
        return None;
    }
    let Some(&(first, factor)) = sum.terms.first() else {
        return Some(x.boolean(sum.constant == 0));
    };
    let common = sum.terms.iter().map(|term| term.1.trailing_zeros()).min().unwrap_or(0);
    if sum.constant.trailing_zeros() < common {
        return Some(x.false_());
    }
    if sum.terms.len() == 1 && factor & 1 == 1 {
        let inverse = Bits::new(width, &[factor]).inverse();
        let value = inverse.mul(&Bits::new(width, &[sum.constant])).neg();
        let value = x.constant_of(&value);
        if (first, value) == (t.a(), t.b()) {
            return None;
        }
        return Some(x.eq(first, value));
    }
    if signed(factor, width) < 0 && factor != 1 << (width - 1) {
        sum.scale(mask(width));
    }
    let (mut plus, mut minus) = sum.split();
    minus.constant = sum.constant.wrapping_neg() & mask(width);
    let (plus, minus) = (plus.build(x), minus.build(x));
    if (plus, minus) == (t.a(), t.b()) || (minus, plus) == (t.a(), t.b()) {
        return None;
    }
    Some(x.eq(plus, minus))
}

/// match:  a < b, where the ranges of a and b decide
/// result: true, false
fn ult_range(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.width(t.a()) > 64 {
        return wide_ends(x, t);
    }
    let ((low_a, high_a), (low_b, high_b)) = (unsigned_range(x, t.a()), unsigned_range(x, t.b()));
    if high_a < low_b {
        Some(x.true_())
    } else if low_a >= high_b {
        Some(x.false_())
    } else {
        None
    }
}

/// match:  a < 0, ones < a, beyond 64 bits
/// result: false
fn wide_ends(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (x.is_zero(t.b()) || x.is_all_ones(t.a())).then(|| x.false_())
}

/// match:  a < b signed, where the ranges of a and b decide
/// result: true, false
fn slt_range(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.width(t.a()) > 64 {
        return None;
    }
    let ((low_a, high_a), (low_b, high_b)) = (signed_range(x, t.a()), signed_range(x, t.b()));
    if high_a < low_b {
        Some(x.true_())
    } else if low_a >= high_b {
        Some(x.false_())
    } else {
        None
    }
}

/// match:  a < k, k < a, where only one value of a is on one of the sides
/// result: a = that value, or its negation
fn ult_ends(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.width(t.a()) > 64 {
        return None;
    }
    let range = |x: &Expressions, e: ExprId| {
        let (low, high) = unsigned_range(x, e);
        (i128::from(low), i128::from(high))
    };
    let value = |x: &Expressions, e: ExprId| x.constant_u64(e).map(i128::from);
    ends(x, t, range, value)
}

/// match:  a < k, k < a signed, where only one value of a is on one of the sides
/// result: a = that value, or its negation
fn slt_ends(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let width = x.width(t.a());
    if width > 64 {
        return None;
    }
    let range = |x: &Expressions, e: ExprId| {
        let (low, high) = signed_range(x, e);
        (i128::from(low), i128::from(high))
    };
    let value = |x: &Expressions, e: ExprId| {
        x.constant_u64(e).map(|value| i128::from(signed(value, width)))
    };
    ends(x, t, range, value)
}

fn ends(
    x: &mut Expressions,
    t: &Term,
    range: impl Fn(&Expressions, ExprId) -> (i128, i128),
    value: impl Fn(&Expressions, ExprId) -> Option<i128>,
) -> Option<ExprId> {
    let width = x.width(t.a());
    let (e, number, equal) = if let Some(value) = value(x, t.b()) {
        let (low, high) = range(x, t.a());
        if low + 1 == value {
            (t.a(), low, true)
        } else if high == value {
            (t.a(), value, false)
        } else {
            return None;
        }
    } else {
        let value = value(x, t.a())?;
        let (low, high) = range(x, t.b());
        if high == value + 1 {
            (t.b(), high, true)
        } else if low == value {
            (t.b(), value, false)
        } else {
            return None;
        }
    };
    let number = x.constant(width, number as u64);
    Some(if equal { x.eq(e, number) } else { x.ne(e, number) })
}

/// match:  k < a
/// result: k + 1 <= a
fn constant_left(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let value = x.constant_bits(t.a())?;
    let next = value.add(&Bits::from_u128(value.width(), 1));
    // The largest number is less than nothing.
    let wraps = if t.kind == Kind::Ult { next.is_zero() } else { next.slt(&value) };
    if wraps {
        return Some(x.false_());
    }
    let next = x.constant_of(&next);
    Some(if t.kind == Kind::Ult { x.ule(next, t.b()) } else { x.sle(next, t.b()) })
}

/// match:  a <= b
/// result: ~(b < a), which is a <= b again when b < a has nothing simpler
fn negated(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let less = if t.kind == Kind::Ule { x.ult(t.b(), t.a()) } else { x.slt(t.b(), t.a()) };
    Some(x.not(less))
}

/// match:  a < 0 signed
/// result: the sign bit of a
fn sign(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    x.is_zero(t.b()).then(|| x.extract(t.a(), x.width(t.a()) - 1, 1))
}

/// match:  a < b signed, both never negative
/// result: a < b unsigned
fn unsigned(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let never_negative = |x: &Expressions, e: ExprId| match x.constant_bits(e) {
        Some(value) => !value.is_negative(),
        None => x.kind(e) == Kind::ZExt || x.width(e) <= 64 && signed_range(x, e).0 >= 0,
    };
    (never_negative(x, t.a()) && never_negative(x, t.b())).then(|| x.ult(t.a(), t.b()))
}

/// match:  zext(a) < zext(b), sext(a) < sext(b), and with constants that fit, unsigned
/// result: a < b
fn ult_extension(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    // Sign extension keeps the unsigned order too.
    for kind in [Kind::ZExt, Kind::SExt] {
        if let Some((a, b)) = narrowed(x, t.a(), t.b(), kind) {
            return Some(x.ult(a, b));
        }
    }
    None
}

/// match:  sext(a) < sext(b), and with constants that fit, signed
/// result: a < b signed
fn slt_extension(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = narrowed(x, t.a(), t.b(), Kind::SExt)?;
    Some(x.slt(a, b))
}

/// match:  concat(a, b) < concat(a, c), concat(a, k1) < k2, concat(a, b) < k above zeros
/// result: b < c, a < k2 without its low bits, rounded up where k1 leaves room, a < k
fn ult_concat(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Concat {
        return None;
    }
    let (high, low) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    let at = x.width(low);
    if x.kind(t.b()) == Kind::Concat {
        let (other, below) = (x.operand(t.b(), 0), x.operand(t.b(), 1));
        return (high == other).then(|| x.ult(low, below));
    }
    let value = x.constant_bits(t.b())?;
    let upper = value.extract(at, value.width() - at);
    let rest = value.extract(0, at);
    if rest.is_zero() {
        let upper = x.constant_of(&upper);
        return Some(x.ult(high, upper));
    }
    let constant = x.constant_bits(low)?;
    let upper = x.constant_of(&upper);
    Some(if constant.ult(&rest) { x.ule(high, upper) } else { x.ult(high, upper) })
}

/// match:  a + k1 < k2, where the sum never wraps
/// result: a < k2 - k1
fn ult_sum(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (width, limit) = (x.width(t.a()), x.constant_u64(t.b())?);
    if x.kind(t.a()) != Kind::Add {
        return None;
    }
    let (a, constant) = (x.operand(t.a(), 0), x.constant_u64(x.operand(t.a(), 1))?);
    let high = unsigned_range(x, a).1.checked_add(constant)?;
    if high > mask(width) {
        return None;
    }
    // A limit up to the constant is decided by the range.
    let limit = x.constant(width, limit.checked_sub(constant)?);
    Some(x.ult(a, limit))
}

/// match:  a - k1 < k2, as C programs ask whether a character is a digit
/// result: k1 <= a & a < k1 + k2; with or when k1 + k2 wraps
fn window(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (width, size) = (x.width(t.a()), x.constant_u64(t.b())?);
    if x.kind(t.a()) != Kind::Add {
        return None;
    }
    let (a, constant) = (x.operand(t.a(), 0), x.constant_u64(x.operand(t.a(), 1))?);
    let start = constant.wrapping_neg() & mask(width);
    let end = start.wrapping_add(size) & mask(width);
    let wraps = end < start;
    let (start, end) = (x.constant(width, start), x.constant(width, end));
    let above = x.ule(start, a);
    // A window that ends with the numbers has no upper end.
    if x.is_zero(end) {
        return Some(above);
    }
    let below = x.ult(a, end);
    Some(if wraps { x.or(above, below) } else { x.and(above, below) })
}

/// match:  a + k1 < k2 signed, where neither the sum nor k2 - k1 overflows
/// result: a < k2 - k1 signed
fn slt_sum(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (width, limit) = (x.width(t.a()), x.constant_u64(t.b())?);
    if x.kind(t.a()) != Kind::Add {
        return None;
    }
    let (a, constant) = (x.operand(t.a(), 0), x.constant_u64(x.operand(t.a(), 1))?);
    let (constant, limit) = (i128::from(signed(constant, width)), i128::from(signed(limit, width)));
    let (low, high) = signed_range(x, a);
    let largest = i128::from(mask(width) >> 1);
    let fits = |value: i128| (-largest - 1..=largest).contains(&value);
    if !fits(i128::from(low) + constant)
        || !fits(i128::from(high) + constant)
        || !fits(limit - constant)
    {
        return None;
    }
    let limit = x.constant(width, (limit - constant) as u64);
    Some(x.slt(a, limit))
}
