//! Choices.

use super::{Rule, RuleFn};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const ITE: &[(Rule, RuleFn)] = &[
    (Rule::IteTrivial, trivial),
    (Rule::IteNot, not),
    (Rule::IteOfBits, of_bits),
    (Rule::IteExtension, extension),
    (Rule::IteNested, nested),
    (Rule::IteMerge, merge),
    (Rule::IteEqual, equal),
];

/// match:  an operation whose operands are constants but for one ite(c, k1, k2)
/// result: ite(c, the operation with k1, the operation with k2)
pub(super) fn lift_constants(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let mut place = None;
    for (position, &operand) in t.operands().iter().enumerate() {
        if x.is_constant(operand) {
            continue;
        }
        if place.is_some() || x.kind(operand) != Kind::Ite {
            return None;
        }
        place = Some(position);
    }
    let place = place?;
    let choice = x.operands(t.operands[place]);
    if !x.is_constant(choice[1]) || !x.is_constant(choice[2]) {
        return None;
    }
    let mut with = |branch: ExprId| {
        let mut operands = t.operands;
        operands[place] = branch;
        x.build(t.kind, t.width, t.extra, &operands[..t.kind.arity()])
    };
    let (a, b) = (with(choice[1]), with(choice[2]));
    Some(x.ite(choice[0], a, b))
}

/// match:  ite(1, a, b), ite(0, a, b), ite(c, a, a)
/// result: a, b, a
fn trivial(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    match x.constant_u64(t.a()) {
        Some(0) => Some(t.c()),
        Some(_) => Some(t.b()),
        None => (t.b() == t.c()).then(|| t.b()),
    }
}

/// match:  ite(~c, a, b)
/// result: ite(c, b, a)
fn not(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (x.kind(t.a()) == Kind::Not).then(|| x.ite(x.operand(t.a(), 0), t.c(), t.b()))
}

/// match:  ite(c, a, b) of single bits, where one of a and b is a constant or the condition
/// result: and, or
fn of_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.width != 1 {
        return None;
    }
    let (condition, a, b) = (t.a(), t.b(), t.c());
    let negated = |x: &mut Expressions| x.not(condition);
    if x.is_one(a) || a == condition {
        Some(x.or(condition, b))
    } else if x.is_zero(a) {
        let negated = negated(x);
        Some(x.and(negated, b))
    } else if x.is_zero(b) || b == condition {
        Some(x.and(condition, a))
    } else if x.is_one(b) {
        let negated = negated(x);
        Some(x.or(negated, a))
    } else {
        None
    }
}

/// match:  ite(c, 1, 0), ite(c, 0, 1), ite(c, ones, 0), ite(c, 0, ones)
/// result: zext(c), zext(~c), sext(c), sext(~c)
fn extension(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (value, condition) = if x.is_zero(t.c()) {
        (t.b(), t.a())
    } else if x.is_zero(t.b()) {
        (t.c(), x.not(t.a()))
    } else {
        return None;
    };
    if x.is_one(value) {
        Some(x.zext(condition, t.width))
    } else if x.is_all_ones(value) {
        Some(x.sext(condition, t.width))
    } else {
        None
    }
}

/// match:  ite(c, ite(c, a, _), b), ite(c, a, ite(c, _, b))
/// result: ite(c, a, b)
fn nested(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let same = |x: &Expressions, e: ExprId| x.kind(e) == Kind::Ite && x.operand(e, 0) == t.a();
    if same(x, t.b()) {
        return Some(x.ite(t.a(), x.operand(t.b(), 1), t.c()));
    }
    same(x, t.c()).then(|| x.ite(t.a(), t.b(), x.operand(t.c(), 2)))
}

/// match:  ite(c, a, ite(d, a, b)), ite(c, a, ite(d, b, a)),
///         ite(c, ite(d, a, b), b), ite(c, ite(d, b, a), b)
/// result: ite(c | d, a, b), ite(c | ~d, a, b), ite(c & d, a, b), ite(c & ~d, a, b)
fn merge(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (condition, a, b) = (t.a(), t.b(), t.c());
    if x.kind(b) == Kind::Ite {
        let inner = x.operands(b);
        if inner[1] == a {
            let either = x.or(condition, inner[0]);
            return Some(x.ite(either, a, inner[2]));
        }
        if inner[2] == a {
            let negated = x.not(inner[0]);
            let either = x.or(condition, negated);
            return Some(x.ite(either, a, inner[1]));
        }
    }
    if x.kind(a) == Kind::Ite {
        let inner = x.operands(a);
        if inner[2] == b {
            let both = x.and(condition, inner[0]);
            return Some(x.ite(both, inner[1], b));
        }
        if inner[1] == b {
            let negated = x.not(inner[0]);
            let both = x.and(condition, negated);
            return Some(x.ite(both, inner[2], b));
        }
    }
    None
}

/// match:  ite(a = b, a, b), ite(a = b, b, a)
/// result: b, a
fn equal(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Eq {
        return None;
    }
    let (a, b) = (x.operand(t.a(), 0), x.operand(t.a(), 1));
    ((a, b) == (t.b(), t.c()) || (b, a) == (t.b(), t.c())).then(|| t.c())
}
