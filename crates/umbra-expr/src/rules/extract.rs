//! Taking bits, putting them together, extending.

use smallvec::SmallVec;

use super::range::signed_range;
use super::{Rule, RuleFn, ite};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

pub(super) const EXTRACT: &[(Rule, RuleFn)] = &[
    (Rule::ExtractWhole, whole),
    (Rule::ExtractExtract, extract_extract),
    (Rule::ExtractConcat, extract_concat),
    (Rule::ExtractExtension, extract_extension),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::ExtractBitwise, extract_bitwise),
    (Rule::ExtractIte, extract_ite),
    (Rule::ExtractSum, extract_sum),
];

pub(super) const CONCAT: &[(Rule, RuleFn)] = &[
    (Rule::ConcatNest, nest),
    (Rule::ConcatMerge, merge),
    (Rule::ConcatZeros, zeros),
    (Rule::ConcatSigns, signs),
    (Rule::LiftIteConstants, ite::lift_constants),
];

pub(super) const EXTEND: &[(Rule, RuleFn)] = &[
    (Rule::ExtendExtend, extend_extend),
    (Rule::ExtendUnsigned, extend_unsigned),
    (Rule::LiftIteConstants, ite::lift_constants),
];

/// match:  all bits of a
/// result: a
fn whole(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    (x.width(t.a()) == t.width).then(|| t.a())
}

/// match:  bits of bits of a
/// result: bits of a
fn extract_extract(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Extract {
        return None;
    }
    let low = x.extract_low(t.a()) + t.extra;
    Some(x.extract(x.operand(t.a(), 0), low, t.width))
}

/// match:  bits of concat(a, b)
/// result: bits of a, bits of b, or their concatenation
fn extract_concat(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (mut e, mut low) = (t.a(), t.extra);
    // Down the concatenation as long as the bits are in one part.
    while x.kind(e) == Kind::Concat {
        let (high_part, low_part) = (x.operand(e, 0), x.operand(e, 1));
        let border = x.width(low_part);
        if low + t.width <= border {
            e = low_part;
        } else if low >= border {
            e = high_part;
            low -= border;
        } else if e == t.a() || low != t.extra || t.width != x.width(e) {
            let below = x.extract(low_part, low, border - low);
            let above = x.extract(high_part, 0, low + t.width - border);
            return Some(x.concat(above, below));
        } else {
            break;
        }
    }
    (e != t.a()).then(|| x.extract(e, low, t.width))
}

/// match:  bits of zext(a), sext(a)
/// result: bits of a, extended as far as they reach beyond it
fn extract_extension(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let kind = x.kind(t.a());
    if kind != Kind::ZExt && kind != Kind::SExt {
        return None;
    }
    let inner = x.operand(t.a(), 0);
    let border = x.width(inner);
    if t.extra + t.width <= border {
        return Some(x.extract(inner, t.extra, t.width));
    }
    if kind == Kind::ZExt {
        if t.extra >= border {
            return Some(x.zero(t.width));
        }
        let part = x.extract(inner, t.extra, border - t.extra);
        return Some(x.zext(part, t.width));
    }
    let low = t.extra.min(border - 1);
    let part = x.extract(inner, low, border - low);
    Some(x.sext(part, t.width))
}

/// Whether taking these bits leaves no more than taking bits of something smaller.
fn has_simple_bits(x: &Expressions, e: ExprId, low: u32, width: u32, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    if width == x.width(e) {
        return true;
    }
    let part = |position: usize, low: u32, width: u32| {
        has_simple_bits(x, x.operand(e, position), low, width, depth - 1)
    };
    match x.kind(e) {
        Kind::Constant | Kind::Extract => true,
        Kind::ZExt | Kind::SExt => {
            let border = x.width(x.operand(e, 0));
            low >= border || part(0, low, width.min(border - low))
        }
        Kind::Concat => {
            let border = x.width(x.operand(e, 1));
            let end = low + width;
            let below = low >= border || part(1, low, end.min(border) - low);
            let above = end <= border || part(0, low.max(border) - border, end - low.max(border));
            below && above
        }
        Kind::Not => part(0, low, width),
        Kind::And | Kind::Or | Kind::Xor => part(0, low, width) && part(1, low, width),
        Kind::Add | Kind::Sub | Kind::Mul if low == 0 => part(0, 0, width) && part(1, 0, width),
        Kind::Neg if low == 0 => part(0, 0, width),
        Kind::Ite => part(1, low, width) && part(2, low, width),
        _ => false,
    }
}

/// How deep to look for simple bits.
const DEPTH: u32 = 8;

/// match:  bits of ~a, a & b, a | b, a ^ b, where these bits of a and b are simple
/// result: the operation on the bits
fn extract_bitwise(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let kind = x.kind(t.a());
    if !matches!(kind, Kind::Not | Kind::And | Kind::Or | Kind::Xor) {
        return None;
    }
    push_in(x, t, kind)
}

/// match:  bits of ite(c, a, b), where these bits of a and b are simple
/// result: ite(c, bits of a, bits of b)
fn extract_ite(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Ite || !has_simple_bits(x, t.a(), t.extra, t.width, DEPTH) {
        return None;
    }
    let operands = x.operands(t.a());
    let a = x.extract(operands[1], t.extra, t.width);
    let b = x.extract(operands[2], t.extra, t.width);
    Some(x.ite(operands[0], a, b))
}

/// match:  low bits of a + b, a - b, a * b, -a, where these bits of a and b are simple
/// result: the operation on the bits
fn extract_sum(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let kind = x.kind(t.a());
    if t.extra != 0 || !matches!(kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Neg) {
        return None;
    }
    push_in(x, t, kind)
}

fn push_in(x: &mut Expressions, t: &Term, kind: Kind) -> Option<ExprId> {
    if !has_simple_bits(x, t.a(), t.extra, t.width, DEPTH) {
        return None;
    }
    let mut operands = x.operands(t.a());
    for operand in operands.iter_mut() {
        *operand = x.extract(*operand, t.extra, t.width);
    }
    Some(x.build(kind, t.width, 0, &operands))
}

/// match:  concat(concat(a, b), c)
/// result: concat(a, concat(b, c))
fn nest(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::Concat {
        return None;
    }
    let mut parts: SmallVec<[ExprId; 8]> = SmallVec::new();
    let mut e = t.a();
    while x.kind(e) == Kind::Concat {
        parts.push(x.operand(e, 0));
        e = x.operand(e, 1);
    }
    let mut result = x.concat(e, t.b());
    while let Some(part) = parts.pop() {
        result = x.concat(part, result);
    }
    Some(result)
}

/// match:  concat(a, b) or concat(a, concat(b, c)), where a and b are adjacent bits of the same
///         expression, constants, or choices of constants by the same condition
/// result: those bits together, above c
fn merge(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (first, rest) = match x.kind(t.b()) {
        Kind::Concat => (x.operand(t.b(), 0), Some(x.operand(t.b(), 1))),
        _ => (t.b(), None),
    };
    let merged = merge_two(x, t.a(), first)?;
    Some(match rest {
        Some(rest) => x.concat(merged, rest),
        None => merged,
    })
}

fn merge_two(x: &mut Expressions, high: ExprId, low: ExprId) -> Option<ExprId> {
    if x.is_constant(high) && x.is_constant(low) {
        return Some(x.concat(high, low));
    }
    let (high_width, low_width) = (x.width(high), x.width(low));
    // The other part may have become something simpler than an extraction.
    if x.kind(high) == Kind::Extract {
        let (source, start) = (x.operand(high, 0), x.extract_low(high));
        if start >= low_width && x.extract(source, start - low_width, low_width) == low {
            return Some(x.extract(source, start - low_width, low_width + high_width));
        }
    }
    if x.kind(low) == Kind::Extract {
        let (source, end) = (x.operand(low, 0), x.extract_low(low) + low_width);
        if end + high_width <= x.width(source) && x.extract(source, end, high_width) == high {
            return Some(x.extract(source, end - low_width, low_width + high_width));
        }
    }
    if x.kind(high) == Kind::Ite && x.kind(low) == Kind::Ite {
        let (a, b) = (x.operands(high), x.operands(low));
        let constant = |e: ExprId| x.is_constant(e);
        if a[0] == b[0] && a[1..].iter().chain(&b[1..]).all(|&e| constant(e)) {
            let (then, otherwise) = (x.concat(a[1], b[1]), x.concat(a[2], b[2]));
            return Some(x.ite(a[0], then, otherwise));
        }
    }
    None
}

/// match:  concat(0, a), concat(zext(a), b), concat(k, zext(a))
/// result: zext(a), zext(concat(a, b)), concat(k above zeros, a)
fn zeros(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    if x.is_zero(a) {
        return Some(x.zext(b, t.width));
    }
    if x.kind(a) == Kind::ZExt {
        let joined = x.concat(x.operand(a, 0), b);
        return Some(x.zext(joined, t.width));
    }
    if x.is_constant(a) && x.kind(b) == Kind::ZExt {
        let inner = x.operand(b, 0);
        let zeros = x.zero(x.width(b) - x.width(inner));
        let constant = x.concat(a, zeros);
        return Some(x.concat(constant, inner));
    }
    None
}

/// match:  concat(s, a) or concat(sext(s), a), where s is the highest bit of a
/// result: sext(a)
fn signs(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    let sign = match x.kind(a) {
        Kind::SExt if x.width(x.operand(a, 0)) == 1 => x.operand(a, 0),
        _ if x.width(a) == 1 => a,
        _ => return None,
    };
    (x.extract(b, x.width(b) - 1, 1) == sign).then(|| x.sext(b, t.width))
}

/// match:  zext(zext(a)), sext(sext(a)), sext(zext(a))
/// result: zext(a), sext(a), zext(a)
fn extend_extend(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    match (t.kind, x.kind(t.a())) {
        (_, Kind::ZExt) => Some(x.zext(x.operand(t.a(), 0), t.width)),
        (Kind::SExt, Kind::SExt) => Some(x.sext(x.operand(t.a(), 0), t.width)),
        _ => None,
    }
}

/// match:  sext(a), a never negative
/// result: zext(a)
fn extend_unsigned(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let unsigned = t.kind == Kind::SExt && x.width(t.a()) <= 64 && signed_range(x, t.a()).0 >= 0;
    unsigned.then(|| x.zext(t.a(), t.width))
}
