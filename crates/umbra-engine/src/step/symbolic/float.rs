//! Floating-point operations.

use umbra_expr::ExprId;
use umbra_ir::{CastOp, FloatKind, FloatOp, FloatPredicate, Intrinsic, Type};

use crate::code::Slot;
use crate::step::float::format;
use crate::step::{Machine, Step};

impl Machine<'_> {
    pub(super) fn symbolic_float(
        &mut self,
        op: FloatOp,
        kind: FloatKind,
        d: Slot,
        a: Slot,
        b: Slot,
    ) -> Step {
        let (a, b) = (self.wide_expression(a, kind.bits()), self.wide_expression(b, kind.bits()));
        let expressions = &mut self.shared.expressions;
        let result = match op {
            FloatOp::Add => expressions.fadd(a, b),
            FloatOp::Sub => expressions.fsub(a, b),
            FloatOp::Mul => expressions.fmul(a, b),
            FloatOp::Div => expressions.fdiv(a, b),
            FloatOp::Rem => expressions.frem(a, b),
        };
        self.put_wide(d, result);
        self.next()
    }

    pub(super) fn symbolic_float_compare(
        &mut self,
        predicate: FloatPredicate,
        kind: FloatKind,
        d: Slot,
        a: Slot,
        b: Slot,
    ) -> Step {
        let (a, b) = (self.wide_expression(a, kind.bits()), self.wide_expression(b, kind.bits()));
        let result = self.compare_floats(predicate, a, b);
        self.put(d, result);
        self.next()
    }

    fn compare_floats(&mut self, predicate: FloatPredicate, a: ExprId, b: ExprId) -> ExprId {
        let x = &mut self.shared.expressions;
        let unordered = |x: &mut umbra_expr::Expressions, ordered: ExprId| {
            let nan = x.funordered(a, b);
            x.or(nan, ordered)
        };
        match predicate {
            FloatPredicate::False => x.false_(),
            FloatPredicate::True => x.true_(),
            FloatPredicate::Oeq => x.feq(a, b),
            FloatPredicate::Ogt => x.flt(b, a),
            FloatPredicate::Oge => x.fle(b, a),
            FloatPredicate::Olt => x.flt(a, b),
            FloatPredicate::Ole => x.fle(a, b),
            FloatPredicate::One => {
                let (less, greater) = (x.flt(a, b), x.flt(b, a));
                x.or(less, greater)
            }
            FloatPredicate::Ord => {
                let nan = x.funordered(a, b);
                x.not(nan)
            }
            FloatPredicate::Uno => x.funordered(a, b),
            FloatPredicate::Ueq => {
                let equal = x.feq(a, b);
                unordered(x, equal)
            }
            FloatPredicate::Ugt => {
                let greater = x.flt(b, a);
                unordered(x, greater)
            }
            FloatPredicate::Uge => {
                let greater = x.fle(b, a);
                unordered(x, greater)
            }
            FloatPredicate::Ult => {
                let less = x.flt(a, b);
                unordered(x, less)
            }
            FloatPredicate::Ule => {
                let less = x.fle(a, b);
                unordered(x, less)
            }
            FloatPredicate::Une => {
                let equal = x.feq(a, b);
                x.not(equal)
            }
        }
    }

    /// A conversion that involves a float; `None` if it has no expression.
    pub(super) fn convert_float(&mut self, op: CastOp, to: Type, value: ExprId) -> Option<ExprId> {
        let expressions = &mut self.shared.expressions;
        Some(match (op, to) {
            (CastOp::FpToSi, _) => expressions.float_to_signed(value, to.bits()),
            (CastOp::FpToUi, _) => expressions.float_to_unsigned(value, to.bits()),
            (CastOp::SiToFp, Type::Float(kind)) => expressions.signed_to_float(value, format(kind)),
            (CastOp::UiToFp, Type::Float(kind)) => {
                expressions.unsigned_to_float(value, format(kind))
            }
            (CastOp::FpExt | CastOp::FpTrunc, Type::Float(kind)) => {
                expressions.float_to_float(value, format(kind))
            }
            _ => return None,
        })
    }

    /// An intrinsic on floats; `None` if it has no expression.
    pub(super) fn float_expression(
        &mut self,
        intrinsic: Intrinsic,
        kind: FloatKind,
        a: &[Slot],
    ) -> Option<ExprId> {
        let bits = kind.bits();
        let x = self.wide_expression(a[0], bits);
        let operand = |machine: &mut Self, index: usize| {
            a.get(index).map(|&slot| machine.wide_expression(slot, bits))
        };
        Some(match intrinsic {
            Intrinsic::FloatAbs => self.shared.expressions.fabs(x),
            Intrinsic::FloatSqrt => self.shared.expressions.fsqrt(x),
            Intrinsic::FloatFloor => self.shared.expressions.ffloor(x),
            Intrinsic::FloatCeil => self.shared.expressions.fceil(x),
            Intrinsic::FloatTrunc => self.shared.expressions.ftrunc(x),
            Intrinsic::FloatRint => self.shared.expressions.fround_even(x),
            Intrinsic::FloatRound => self.shared.expressions.fround_away(x),
            Intrinsic::FloatCopySign => {
                let sign = operand(self, 1)?;
                let expressions = &mut self.shared.expressions;
                let sign = expressions.extract(sign, bits - 1, 1);
                let magnitude = expressions.extract(x, 0, bits - 1);
                expressions.concat(sign, magnitude)
            }
            Intrinsic::FloatMinimum => {
                let y = operand(self, 1)?;
                self.shared.expressions.fmin(x, y)
            }
            Intrinsic::FloatMaximum => {
                let y = operand(self, 1)?;
                self.shared.expressions.fmax(x, y)
            }
            Intrinsic::FloatFusedMultiplyAdd => {
                let (y, z) = (operand(self, 1)?, operand(self, 2)?);
                self.shared.expressions.ffma(x, y, z)
            }
            Intrinsic::FloatMultiplyAdd => {
                let (y, z) = (operand(self, 1)?, operand(self, 2)?);
                let product = self.shared.expressions.fmul(x, y);
                self.shared.expressions.fadd(product, z)
            }
            Intrinsic::FloatIsClass => {
                let classes = self.word(*a.get(1)?);
                self.shared.expressions.fis_class(x, classes as u32)
            }
            _ => return None,
        })
    }
}
