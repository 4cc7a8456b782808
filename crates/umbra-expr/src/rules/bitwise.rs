//! Bitwise operations, and logic on single bits.

use smallvec::SmallVec;

use super::linear::Linear;
use super::split::{splits, splits_at};
use super::{Rule, RuleFn, float, ite};
use crate::bits::mask;
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const NOT: &[(Rule, RuleFn)] = &[
    (Rule::NotNot, not_not),
    (Rule::NotCompare, not_compare),
    (Rule::NotLogic, not_logic),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::LinearForm, not_sum),
    (Rule::FloatClassLogic, float::class_logic),
];

pub(super) const AND_OR: &[(Rule, RuleFn)] = &[
    (Rule::BitwiseIdentity, identity),
    (Rule::BitwiseComplement, complement),
    (Rule::BitwiseAbsorb, absorb),
    (Rule::BitwiseNots, nots),
    (Rule::LogicRanges, logic_ranges),
    (Rule::FloatClassLogic, float::class_logic),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::BitwiseConstants, constants),
    (Rule::BitwiseSplit, split),
    (Rule::MaskRuns, mask_runs),
];

pub(super) const XOR: &[(Rule, RuleFn)] = &[
    (Rule::BitwiseIdentity, identity),
    (Rule::BitwiseComplement, complement),
    (Rule::BitwiseAbsorb, absorb),
    (Rule::BitwiseNots, nots),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::BitwiseConstants, constants),
    (Rule::BitwiseSplit, split),
];

/// match:  ~~a
/// result: a
fn not_not(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (x.kind(t.a()) == Kind::Not).then(|| x.operand(t.a(), 0))
}

/// match:  ~(a < b), ~(a <= b)
/// result: b <= a, b < a
fn not_compare(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let kind = match x.kind(t.a()) {
        Kind::Ult => Kind::Ule,
        Kind::Ule => Kind::Ult,
        Kind::Slt => Kind::Sle,
        Kind::Sle => Kind::Slt,
        _ => return None,
    };
    // Not through the builder: it makes less-or-equal by negating.
    let (a, b) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    Some(x.intern(kind, 1, [b.raw(), a.raw(), 0]))
}

/// match:  ~(a & b), ~(a | b) of single bits, where a and b are orders or negations
/// result: ~a | ~b, ~a & ~b
fn not_logic(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let kind = x.kind(t.a());
    if t.width != 1 || !matches!(kind, Kind::And | Kind::Or) {
        return None;
    }
    let (a, b) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    let free =
        |e: ExprId| matches!(x.kind(e), Kind::Not | Kind::Ult | Kind::Ule | Kind::Slt | Kind::Sle);
    if !free(a) || !free(b) {
        return None;
    }
    let (a, b) = (x.not(a), x.not(b));
    Some(if kind == Kind::And { x.or(a, b) } else { x.and(a, b) })
}

/// match:  ~a, a sum of at most 64 bits
/// result: the linear normal form of -a - 1
fn not_sum(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width > 64 || !matches!(x.kind(t.a()), Kind::Add | Kind::Sub | Kind::Neg) {
        return None;
    }
    let mut sum = Linear::new(t.width);
    let fits = sum.add(x, t.a(), mask(t.width));
    sum.constant = sum.constant.wrapping_sub(1) & mask(t.width);
    let (plus, _) = sum.split();
    // Without positive terms and with this constant the written form is the complement itself.
    if !fits || plus.terms.is_empty() && sum.constant == mask(t.width) {
        return None;
    }
    Some(sum.build(x))
}

/// match:  a & 0, a & ones, a & a, a | 0, a | ones, a | a, a ^ 0, a ^ ones, a ^ a
/// result: 0, a, a, a, ones, a, a, ~a, 0
fn identity(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    let same = a == b;
    match t.kind {
        Kind::And if same || x.is_all_ones(b) => Some(a),
        Kind::And if x.is_zero(b) => Some(b),
        Kind::Or if same || x.is_zero(b) => Some(a),
        Kind::Or if x.is_all_ones(b) => Some(b),
        Kind::Xor if same => Some(x.zero(t.width)),
        Kind::Xor if x.is_zero(b) => Some(a),
        Kind::Xor if x.is_all_ones(b) => Some(x.not(a)),
        _ => None,
    }
}

/// match:  a & ~a, a | ~a, a ^ ~a
/// result: 0, ones, ones
fn complement(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if !x.are_complements(t.a(), t.b()) {
        return None;
    }
    Some(if t.kind == Kind::And { x.zero(t.width) } else { x.all_ones(t.width) })
}

/// match:  a & (a | b), a & (a & b), a & (~a | b), a & (~a & b), the same for or; a ^ (a ^ b)
/// result: a, a & b, a & b, 0; b
fn absorb(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let dual = match t.kind {
        Kind::And => Kind::Or,
        Kind::Or => Kind::And,
        _ => Kind::Xor,
    };
    for (a, other) in [(t.a(), t.b()), (t.b(), t.a())] {
        let kind = x.kind(other);
        if kind != t.kind && kind != dual {
            continue;
        }
        let (p, q) = (x.operand(other, 0), x.operand(other, 1));
        for (same, rest) in [(p, q), (q, p)] {
            if t.kind == Kind::Xor {
                if same == a {
                    return Some(rest);
                }
                continue;
            }
            if same == a {
                return Some(if kind == dual { a } else { other });
            }
            if x.are_complements(same, a) {
                return Some(if kind == dual {
                    x.build(t.kind, t.width, 0, &[a, rest])
                } else if t.kind == Kind::And {
                    x.zero(t.width)
                } else {
                    x.all_ones(t.width)
                });
            }
        }
    }
    None
}

/// match:  ~a & ~b, ~a | ~b, ~a ^ b
/// result: ~(a | b), ~(a & b), ~(a ^ b)
fn nots(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let inner = |x: &Expressions, e: ExprId| (x.kind(e) == Kind::Not).then(|| x.operand(e, 0));
    let (a, b) = (inner(x, t.a()), inner(x, t.b()));
    let result = match (t.kind, a, b) {
        (Kind::And, Some(a), Some(b)) => x.or(a, b),
        (Kind::Or, Some(a), Some(b)) => x.and(a, b),
        (Kind::Xor, Some(a), Some(b)) => return Some(x.xor(a, b)),
        (Kind::Xor, Some(a), None) => x.xor(a, t.b()),
        (Kind::Xor, None, Some(b)) => x.xor(t.a(), b),
        _ => return None,
    };
    Some(x.not(result))
}

/// match:  (a op k1) op k2
/// result: a op (k1 op k2)
fn constants(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if !x.is_constant(t.b()) || x.kind(t.a()) != t.kind {
        return None;
    }
    let (a, constant) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    if !x.is_constant(constant) {
        return None;
    }
    let constant = x.build(t.kind, t.width, 0, &[constant, t.b()]);
    Some(x.build(t.kind, t.width, 0, &[a, constant]))
}

/// match:  a op b, where both fall into parts at the same place
/// result: concat(high parts op, low parts op)
fn split(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    let places = splits(x, a).into_iter().chain(splits(x, b));
    let at = places.into_iter().find(|&at| splits_at(x, a, at) && splits_at(x, b, at))?;
    let (high_a, high_b) = (x.extract(a, at, t.width - at), x.extract(b, at, t.width - at));
    let (low_a, low_b) = (x.extract(a, 0, at), x.extract(b, 0, at));
    let high = x.build(t.kind, t.width - at, 0, &[high_a, high_b]);
    let low = x.build(t.kind, at, 0, &[low_a, low_b]);
    Some(x.concat(high, low))
}

/// More runs than this stay a mask: every run is an expression.
const MAX_RUNS: usize = 3;

/// match:  a & k, a | k, where k consists of at most three runs of equal bits
/// result: the concatenation of bits of a and runs of zeros (or ones)
fn mask_runs(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let constant = x.constant_bits(t.b())?;
    let mut runs: SmallVec<[(u32, u32); MAX_RUNS]> = SmallVec::new();
    let mut low = 0;
    while low < t.width {
        if runs.len() == MAX_RUNS {
            return None;
        }
        let mut end = low + 1;
        while end < t.width && constant.bit(end) == constant.bit(low) {
            end += 1;
        }
        runs.push((low, end - low));
        low = end;
    }
    let mut result: Option<ExprId> = None;
    for (low, width) in runs {
        let keep = constant.bit(low) == (t.kind == Kind::And);
        let part = if keep {
            x.extract(t.a(), low, width)
        } else if t.kind == Kind::And {
            x.zero(width)
        } else {
            x.all_ones(width)
        };
        result = Some(match result {
            Some(below) => x.concat(part, below),
            None => part,
        });
    }
    result
}

/// An equality or comparison with a constant, as the range of values of what is compared.
fn as_range(x: &Expressions, e: ExprId) -> Option<(ExprId, u64, u64)> {
    if !matches!(x.kind(e), Kind::Eq | Kind::Ult | Kind::Ule) {
        return None;
    }
    let (a, b) = (x.operand(e, 0), x.operand(e, 1));
    match x.kind(e) {
        Kind::Eq => x.constant_u64(b).map(|value| (a, value, value)),
        Kind::Ult => match x.constant_u64(b) {
            Some(end @ 1..) => Some((a, 0, end - 1)),
            _ => None,
        },
        _ => x.constant_u64(a).map(|value| (b, value, mask(x.width(b)))),
    }
}

/// match:  two comparisons of one expression with constants, joined by and (or by or)
/// result: false, an equality or the narrower one (true or the wider one), where it is one of these
fn logic_ranges(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width != 1 {
        return None;
    }
    let (a, b) = (t.a(), t.b());
    let negated = |x: &Expressions, e: ExprId| match x.kind(e) {
        Kind::Not => as_range(x, x.operand(e, 0)),
        _ => None,
    };
    match (as_range(x, a), as_range(x, b)) {
        (Some((e, low_a, high_a)), Some((f, low_b, high_b))) if e == f => {
            let (low, high) = (low_a.max(low_b), high_a.min(high_b));
            let a_in_b = low_b <= low_a && high_a <= high_b;
            let b_in_a = low_a <= low_b && high_b <= high_a;
            match t.kind {
                Kind::And if low > high => Some(x.false_()),
                Kind::And if a_in_b => Some(a),
                Kind::And if b_in_a => Some(b),
                Kind::And if low == high => {
                    let value = x.constant(x.width(e), low);
                    Some(x.eq(e, value))
                }
                Kind::Or if a_in_b => Some(b),
                Kind::Or if b_in_a => Some(a),
                Kind::Or => {
                    let touch = low <= high || high.checked_add(1) == Some(low);
                    let full = low_a.min(low_b) == 0 && high_a.max(high_b) == mask(x.width(e));
                    (touch && full).then(|| x.true_())
                }
                _ => None,
            }
        }
        // One of them negated: an equality, since comparisons absorb their negation.
        (Some((e, low, high)), None) => {
            let (f, value, _) = negated(x, b)?;
            (e == f).then(|| outside(x, t.kind, a, b, (low, high), value))?
        }
        (None, Some((e, low, high))) => {
            let (f, value, _) = negated(x, a)?;
            (e == f).then(|| outside(x, t.kind, b, a, (low, high), value))?
        }
        _ => None,
    }
}

/// A range joined with "not this value".
fn outside(
    x: &mut Expressions,
    kind: Kind,
    range: ExprId,
    different: ExprId,
    (low, high): (u64, u64),
    value: u64,
) -> Option<ExprId> {
    let contained = (low..=high).contains(&value);
    match (kind, contained) {
        (Kind::And, false) => Some(range),
        (Kind::Or, false) => Some(different),
        (Kind::Or, true) => Some(x.true_()),
        _ => None,
    }
}
