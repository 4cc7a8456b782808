//! What is known about the value of an expression from its shape alone.
//!
//! Ranges look a few operands deep, no further: rules ask at every comparison.

use crate::bits::{mask, signed};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::table::Expressions;

/// How many operations deep a range looks.
const DEPTH: u32 = 4;

/// The smallest and the largest unsigned value; only for widths up to 64.
pub(crate) fn unsigned_range(exprs: &Expressions, e: ExprId) -> (u64, u64) {
    unsigned(exprs, e, DEPTH)
}

fn unsigned(exprs: &Expressions, e: ExprId, depth: u32) -> (u64, u64) {
    let width = exprs.width(e);
    let full = (0, mask(width));
    if let Some(value) = exprs.constant_u64(e) {
        return (value, value);
    }
    if depth == 0 || width > 64 {
        return full;
    }
    let operand = |position: usize| exprs.operand(e, position);
    let range = |position: usize| unsigned(exprs, operand(position), depth - 1);
    match exprs.kind(e) {
        Kind::ZExt => range(0),
        Kind::Concat => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            let shift = exprs.width(operand(1));
            (low_a << shift | low_b, high_a << shift | high_b)
        }
        Kind::Ite => {
            let ((low_a, high_a), (low_b, high_b)) = (range(1), range(2));
            (low_a.min(low_b), high_a.max(high_b))
        }
        Kind::And => (0, range(0).1.min(range(1).1)),
        Kind::Or => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            let bits = 64 - (high_a | high_b).leading_zeros();
            (low_a.max(low_b), mask(bits))
        }
        Kind::Add => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            match high_a.checked_add(high_b) {
                Some(high) if high <= mask(width) => (low_a + low_b, high),
                _ => full,
            }
        }
        Kind::Sub => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            if low_a >= high_b { (low_a - high_b, high_a - low_b) } else { full }
        }
        Kind::Mul => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            match high_a.checked_mul(high_b) {
                Some(high) if high <= mask(width) => (low_a * low_b, high),
                _ => full,
            }
        }
        Kind::UDiv => match exprs.constant_u64(operand(1)) {
            Some(divisor @ 1..) => {
                let (low, high) = range(0);
                (low / divisor, high / divisor)
            }
            _ => full,
        },
        Kind::URem => match exprs.constant_u64(operand(1)) {
            Some(divisor @ 1..) => (0, range(0).1.min(divisor - 1)),
            _ => (0, range(0).1),
        },
        Kind::LShr => (0, range(0).1),
        _ => full,
    }
}

/// The smallest and the largest signed value; only for widths up to 64.
pub(crate) fn signed_range(exprs: &Expressions, e: ExprId) -> (i64, i64) {
    signed_at(exprs, e, DEPTH)
}

fn signed_at(exprs: &Expressions, e: ExprId, depth: u32) -> (i64, i64) {
    let width = exprs.width(e);
    if width > 64 {
        return (i64::MIN, i64::MAX);
    }
    if let Some(value) = exprs.constant_u64(e) {
        return (signed(value, width), signed(value, width));
    }
    let largest = (mask(width) >> 1) as i64;
    let full = (-largest - 1, largest);
    // What is never negative is the same in both readings.
    let (low, high) = unsigned(exprs, e, depth);
    if high <= largest as u64 {
        return (low as i64, high as i64);
    }
    if depth == 0 {
        return full;
    }
    let range = |position: usize| signed_at(exprs, exprs.operand(e, position), depth - 1);
    let within = |low: i128, high: i128| {
        let fits = low >= i128::from(full.0) && high <= i128::from(full.1);
        if fits { (low as i64, high as i64) } else { full }
    };
    match exprs.kind(e) {
        Kind::SExt => range(0),
        Kind::Ite => {
            let ((low_a, high_a), (low_b, high_b)) = (range(1), range(2));
            (low_a.min(low_b), high_a.max(high_b))
        }
        Kind::Add => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            within(i128::from(low_a) + i128::from(low_b), i128::from(high_a) + i128::from(high_b))
        }
        Kind::Sub => {
            let ((low_a, high_a), (low_b, high_b)) = (range(0), range(1));
            within(i128::from(low_a) - i128::from(high_b), i128::from(high_a) - i128::from(low_b))
        }
        Kind::Neg => {
            let (low, high) = range(0);
            within(-i128::from(high), -i128::from(low))
        }
        Kind::Not => {
            let (low, high) = range(0);
            (!high, !low)
        }
        _ => full,
    }
}
