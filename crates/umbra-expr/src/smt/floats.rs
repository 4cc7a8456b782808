//! What the float operators of SMT-LIB build.

use rustc_apfloat::ieee::{Double, Half, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};

use super::SmtError;
use super::parse::{canonical_x87, float_kind};
use super::terms::{Operator, Value};
use crate::bits::Bits;
use crate::id::ExprId;
use crate::kind::{FloatClass, FloatKind, KINDS, Kind};

impl Operator<'_> {
    /// The result of a float operator.
    pub(super) fn float(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        if self.name == "to_fp" || self.name == "to_fp_unsigned" {
            return self.convert(operands);
        }
        if let [a, b] = operands
            && let Some((kind, _)) = self.name.split_once('.')
            && let Some(kind) = match kind {
                "fmin" => Some(Kind::FMin),
                "fmax" => Some(Kind::FMax),
                "fmod" => Some(Kind::FRem),
                _ => None,
            }
        {
            let bits = self.bits(&[a.clone(), b.clone()], true)?;
            let width = self.x.width(bits[0]);
            if FloatKind::of_width(width).is_none() {
                return self.wrong("operands with the width of a float");
            }
            return Ok(Value::Bits(self.x.build(kind, width, 0, &bits)));
        }
        if let (Some(numbers), &[Value::Bits(e)]) = (self.name.strip_prefix("fclass."), operands) {
            let classes = numbers.split_once('.').and_then(|numbers| numbers.1.parse().ok());
            return match classes {
                Some(classes) if FloatKind::of_width(self.x.width(e)).is_some() => {
                    Ok(Value::Bool(self.x.fis_class(e, classes)))
                }
                _ => self.unknown(),
            };
        }
        if let (Some((kind, widths)), &[Value::Bits(e)]) = (self.name.split_once('.'), operands)
            && let ("ftos" | "ftou", Some((_, width))) = (kind, widths.split_once('.'))
        {
            let width = width.parse().ok().filter(|width| (1..=128).contains(width));
            return match (width, FloatKind::of_width(self.x.width(e))) {
                (Some(width), Some(_)) if kind == "ftos" => {
                    Ok(Value::Bits(self.x.float_to_signed(e, width)))
                }
                (Some(width), Some(_)) => Ok(Value::Bits(self.x.float_to_unsigned(e, width))),
                _ => self.unknown(),
            };
        }
        match (self.name, operands) {
            ("x87.to_fp", &[Value::Bits(e)]) if self.x.width(e) == 80 => Ok(Value::Float(e)),
            ("x87.to_bv", &[Value::Float(e)]) if self.x.width(e) == 80 => Ok(Value::Bits(e)),
            ("fp.to_ieee_bv", &[Value::Float(e)]) if self.x.width(e) != 80 => Ok(Value::Bits(e)),
            ("fp.to_ieee_bv", &[Value::Float(e)]) => {
                let (head, fraction) = (self.x.extract(e, 64, 16), self.x.extract(e, 0, 63));
                Ok(Value::Bits(self.x.concat(head, fraction)))
            }
            ("fp", _) => {
                let bits = self.bits(operands, false)?;
                let [sign, exponent, fraction] = bits[..] else { return self.wrong("three parts") };
                let low = self.x.concat(exponent, fraction);
                let all = self.x.concat(sign, low);
                let precision = self.x.width(fraction) + 1;
                match float_kind(self.x.width(exponent), precision) {
                    Some(kind) if self.x.width(sign) == 1 => Ok(self.decode(kind, all)),
                    _ => Err(SmtError::Unsupported { line: self.line, what: "this float format" }),
                }
            }
            ("fp.to_sbv" | "fp.to_ubv", [Value::Mode(mode), Value::Float(e)]) => {
                let (Some(&width), "RTZ") = (self.indices.first(), *mode) else {
                    return Err(SmtError::Unsupported {
                        line: self.line,
                        what: "a conversion that does not cut",
                    });
                };
                Ok(Value::Bits(match self.name {
                    "fp.to_sbv" => self.x.float_to_signed(*e, width),
                    _ => self.x.float_to_unsigned(*e, width),
                }))
            }
            _ => self.float_operation(operands),
        }
    }

    /// A float from an encoding of sign, exponent and fraction.
    fn decode(&mut self, kind: FloatKind, bits: ExprId) -> Value {
        if kind != FloatKind::X87 {
            return Value::Float(bits);
        }
        let (head, fraction) = (self.x.extract(bits, 63, 16), self.x.extract(bits, 0, 63));
        let zero = self.x.constant(1, 0);
        let low = self.x.concat(zero, fraction);
        let all = self.x.concat(head, low);
        Value::Float(canonical_x87(self.x, all))
    }

    fn convert(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        let unsupported = |what| Err(SmtError::Unsupported { line: self.line, what });
        let kind = match self.indices[..] {
            [exponent, precision] => float_kind(exponent, precision),
            _ => None,
        };
        let Some(kind) = kind else { return unsupported("this float format") };
        match operands {
            [Value::Bits(e)] => {
                let width = kind.exponent_bits() + kind.precision();
                if self.x.width(*e) != width {
                    return self.wrong("an encoding of this format");
                }
                Ok(self.decode(kind, *e))
            }
            [Value::Mode("RNE"), Value::Float(e)] => {
                Ok(Value::Float(self.x.float_to_float(*e, kind)))
            }
            [Value::Mode("RNE"), Value::Bits(e)] if self.x.width(*e) <= 128 => {
                Ok(Value::Float(match self.name {
                    "to_fp" => self.x.signed_to_float(*e, kind),
                    _ => self.x.unsigned_to_float(*e, kind),
                }))
            }
            [Value::Mode("RNE"), Value::Real(text)] => match decimal(kind, text) {
                Some(bits) => {
                    Ok(Value::Float(self.x.constant_of(&Bits::from_u128(kind.bits(), bits))))
                }
                None => self.wrong("a decimal number"),
            },
            [Value::Mode(_), _] => unsupported("a conversion that does not round to nearest"),
            _ => self.wrong("something to convert"),
        }
    }

    fn float_operation(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        let (mode, operands) = match operands {
            [Value::Mode(mode), rest @ ..] => (*mode, rest),
            _ => ("", operands),
        };
        let mut floats = Vec::new();
        for operand in operands {
            match operand {
                Value::Float(e) => floats.push(*e),
                _ => return self.wrong("floats"),
            }
        }
        if floats.is_empty() || floats.iter().any(|&e| self.x.width(e) != self.x.width(floats[0])) {
            return self.wrong("floats of the same format");
        }
        let width = self.x.width(floats[0]);
        if self.name == "fp.roundToIntegral" {
            let row = KINDS.iter().find(|row| row.smt == mode && row.kind.is_float());
            return match (row, &floats[..]) {
                (Some(row), [_]) => Ok(Value::Float(self.x.build(row.kind, width, 0, &floats))),
                _ => self.wrong("a rounding mode and a float"),
            };
        }
        if !mode.is_empty() && mode != "RNE" {
            let what = "an operation that does not round to nearest";
            return Err(SmtError::Unsupported { line: self.line, what });
        }
        let row = KINDS.iter().find(|row| row.smt == self.name && row.kind.is_float());
        if let Some(row) = row
            && row.kind.arity() == floats.len()
        {
            let predicate = row.kind.is_predicate();
            let result = self.x.build(row.kind, if predicate { 1 } else { width }, 0, &floats);
            return Ok(if predicate { Value::Bool(result) } else { Value::Float(result) });
        }
        let x = &mut *self.x;
        Ok(match (self.name, &floats[..]) {
            ("fp.abs", &[a]) => Value::Float(x.fabs(a)),
            ("fp.neg", &[a]) => Value::Float(x.fneg(a)),
            ("fp.gt", &[a, b]) => Value::Bool(x.flt(b, a)),
            ("fp.geq", &[a, b]) => Value::Bool(x.fle(b, a)),
            ("fp.min", &[a, b]) => Value::Float(x.fmin(a, b)),
            ("fp.max", &[a, b]) => Value::Float(x.fmax(a, b)),
            (_, &[a]) => match classes(self.name) {
                Some(classes) => Value::Bool(x.fis_class(a, classes)),
                None => return self.unknown(),
            },
            _ => return self.unknown(),
        })
    }
}

fn classes(name: &str) -> Option<u32> {
    Some(match name {
        "fp.isNaN" => FloatClass::NAN,
        "fp.isInfinite" => FloatClass::INFINITY,
        "fp.isZero" => FloatClass::ZERO,
        "fp.isNormal" => FloatClass::NEGATIVE_NORMAL | FloatClass::POSITIVE_NORMAL,
        "fp.isSubnormal" => FloatClass::NEGATIVE_SUBNORMAL | FloatClass::POSITIVE_SUBNORMAL,
        "fp.isNegative" => 4 | 8 | 16 | 32,
        "fp.isPositive" => 64 | 128 | 256 | 512,
        _ => return None,
    })
}

fn decimal(kind: FloatKind, text: &str) -> Option<u128> {
    fn read<F: Float>(text: &str) -> Option<u128> {
        let value = F::from_str_r(text, Round::NearestTiesToEven).ok()?;
        Some(value.value.to_bits())
    }
    match kind {
        FloatKind::Half => read::<Half>(text),
        FloatKind::Single => read::<Single>(text),
        FloatKind::Double => read::<Double>(text),
        FloatKind::X87 => read::<X87DoubleExtended>(text),
    }
}
