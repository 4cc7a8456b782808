//! Floating-point numbers, in the words of the IR.
//!
//! The arithmetic is that of expressions ([`umbra_expr::float`]), so that the machine and the value
//! of an expression cannot differ.

use std::cmp::Ordering::{Equal, Greater, Less};

use umbra_expr::{Kind, float};
use umbra_ir::{CastOp, FloatKind, FloatOp, FloatPredicate, Type};

/// The format, in the words of expressions.
#[inline]
pub fn format(kind: FloatKind) -> umbra_expr::FloatKind {
    match kind {
        FloatKind::Half => umbra_expr::FloatKind::Half,
        FloatKind::Single => umbra_expr::FloatKind::Single,
        FloatKind::Double => umbra_expr::FloatKind::Double,
        FloatKind::X87 => umbra_expr::FloatKind::X87,
    }
}

/// `a op b`, on the bits of the numbers.
#[inline]
pub fn binary(op: FloatOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    let op = match op {
        FloatOp::Add => Kind::FAdd,
        FloatOp::Sub => Kind::FSub,
        FloatOp::Mul => Kind::FMul,
        FloatOp::Div => Kind::FDiv,
        FloatOp::Rem => Kind::FRem,
    };
    float::binary(op, format(kind), a, b)
}

/// `a predicate b`.
pub fn compare(predicate: FloatPredicate, kind: FloatKind, a: u128, b: u128) -> bool {
    let order = float::order(format(kind), a, b);
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => order == Some(Equal),
        FloatPredicate::Ogt => order == Some(Greater),
        FloatPredicate::Oge => matches!(order, Some(Greater | Equal)),
        FloatPredicate::Olt => order == Some(Less),
        FloatPredicate::Ole => matches!(order, Some(Less | Equal)),
        FloatPredicate::One => matches!(order, Some(Less | Greater)),
        FloatPredicate::Ord => order.is_some(),
        FloatPredicate::Uno => order.is_none(),
        FloatPredicate::Ueq => matches!(order, None | Some(Equal)),
        FloatPredicate::Ugt => matches!(order, None | Some(Greater)),
        FloatPredicate::Uge => order != Some(Less),
        FloatPredicate::Ult => matches!(order, None | Some(Less)),
        FloatPredicate::Ule => order != Some(Greater),
        FloatPredicate::Une => order != Some(Equal),
        FloatPredicate::True => true,
    }
}

/// The number with its sign bit flipped.
pub fn negate(kind: FloatKind, a: u128) -> u128 {
    a ^ (1 << (kind.bits() - 1))
}

/// The number without its sign bit.
pub fn absolute(kind: FloatKind, a: u128) -> u128 {
    a & !(1 << (kind.bits() - 1))
}

/// Conversions from or to floats; integers have at most 128 bits.
pub fn cast(op: CastOp, from: Type, to: Type, a: u128) -> u128 {
    match (op, from, to) {
        (CastOp::FpExt | CastOp::FpTrunc, Type::Float(from), Type::Float(to)) => {
            float::convert(format(from), format(to), a)
        }
        (CastOp::FpToSi, Type::Float(kind), _) => float::to_signed(format(kind), a, to.bits()),
        (CastOp::FpToUi, Type::Float(kind), _) => float::to_unsigned(format(kind), a, to.bits()),
        (CastOp::SiToFp, _, Type::Float(kind)) => float::from_signed(format(kind), a, from.bits()),
        (CastOp::UiToFp, _, Type::Float(kind)) => float::from_unsigned(format(kind), a),
        _ => a,
    }
}
