//! Float operations in Z3's float theory.
//!
//! Expressions hold floats as their encodings. An operand is decoded, the result is encoded; a
//! result that feeds another float operation is not encoded in between. Z3 has a single NaN, the
//! machine has many: which bits a NaN gets is said here in bit-vectors, as the evaluator of
//! expressions has it.

use umbra_expr::{ExprId, Expressions, FloatKind, Kind};

use super::context::{Rounding, Term};
use super::translate::Translator;
use crate::query::Reason;

impl Translator {
    /// The term of a float operation whose operands are done.
    pub(super) fn float(&mut self, exprs: &Expressions, e: ExprId) -> Result<Term, Reason> {
        let kind = exprs.kind(e);
        let format = exprs.float_kind(e).ok_or(Reason::Unsupported)?;
        let operands = exprs.operands(e);
        let a = operands[0];
        match kind {
            Kind::FEq | Kind::FLt | Kind::FLe => {
                let (a, b) =
                    (self.decode(exprs, a, format), self.decode(exprs, operands[1], format));
                Ok(match kind {
                    Kind::FEq => self.context.float_equal(a, b),
                    Kind::FLt => self.context.float_less(a, b),
                    _ => self.context.float_less_equal(a, b),
                })
            }
            Kind::FIsClass => Ok(self.is_class(exprs, e, format)),
            Kind::FMin | Kind::FMax => Ok(self.extremum(exprs, e, format)),
            Kind::FToS => Ok(self.signed_of(exprs, a, format, exprs.width(e))),
            Kind::FToU => Ok(self.unsigned_of(exprs, a, format, exprs.width(e))),
            Kind::SToF | Kind::UToF => {
                let bits = self.bits(exprs, a);
                let float = if kind == Kind::SToF {
                    self.context.float_of_signed(bits, format)
                } else {
                    self.context.float_of_unsigned(bits, format)
                };
                self.floats.insert(e, float);
                Ok(self.encode(float, format))
            }
            Kind::FToF => {
                let target = FloatKind::of_width(exprs.width(e)).ok_or(Reason::Unsupported)?;
                let float = self.decode(exprs, a, format);
                let float = self.context.float_convert(float, target);
                let bits = self.bits(exprs, a);
                let nan = self.convert_nan(bits, format, target);
                Ok(self.finish(e, float, target, nan))
            }
            // C's remainder is not IEEE's, and Z3 has only the latter.
            Kind::FRem => Err(Reason::Unsupported),
            _ => Ok(self.arithmetic(exprs, e, format)),
        }
    }

    fn arithmetic(&mut self, exprs: &Expressions, e: ExprId, format: FloatKind) -> Term {
        let operands = exprs.operands(e);
        let floats: Vec<Term> =
            operands.iter().map(|&operand| self.decode(exprs, operand, format)).collect();
        let context = &mut self.context;
        let float = match exprs.kind(e) {
            Kind::FAdd => context.float_add(floats[0], floats[1]),
            Kind::FSub => context.float_sub(floats[0], floats[1]),
            Kind::FMul => context.float_mul(floats[0], floats[1]),
            Kind::FDiv => context.float_div(floats[0], floats[1]),
            Kind::FSqrt => context.float_sqrt(floats[0]),
            Kind::FFma => context.float_fma(floats[0], floats[1], floats[2]),
            Kind::FFloor => context.float_round(Rounding::Down, floats[0]),
            Kind::FCeil => context.float_round(Rounding::Up, floats[0]),
            Kind::FTrunc => context.float_round(Rounding::ToZero, floats[0]),
            Kind::FRoundAway => context.float_round(Rounding::NearestAway, floats[0]),
            _ => context.float_round(Rounding::NearestEven, floats[0]),
        };
        // The first operand that is a NaN, made quiet; else the NaN that the machine makes.
        let mut nan = self.special(format, true, 1 << (quiet_bit(format)));
        for (&operand, &float) in operands.iter().zip(&floats).rev() {
            let bits = self.bits(exprs, operand);
            let quiet = self.quieted(bits, format);
            let is_nan = self.context.is_nan(float);
            nan = self.context.choose(is_nan, quiet, nan);
        }
        self.finish(e, float, format, nan)
    }

    /// Remembers a float result and encodes it, with the given bits for a NaN.
    fn finish(&mut self, e: ExprId, float: Term, format: FloatKind, nan: Term) -> Term {
        self.floats.insert(e, float);
        let bits = self.encode(float, format);
        let is_nan = self.context.is_nan(float);
        self.context.choose(is_nan, nan, bits)
    }

    /// The float that the bits of an operand mean.
    fn decode(&mut self, exprs: &Expressions, e: ExprId, format: FloatKind) -> Term {
        if let Some(&float) = self.floats.get(&e) {
            return float;
        }
        let bits = self.bits(exprs, e);
        let fields = Fields::of(format);
        let context = &mut self.context;
        let sign = context.extract(bits, format.bits() - 1, 1);
        let exponent = context.extract(bits, fields.exponent_low, format.exponent_bits());
        let fraction = context.extract(bits, 0, fields.fraction_bits);
        if format != FloatKind::X87 {
            return context.float_of_fields(sign, exponent, fraction);
        }
        // The integer bit is written out. Where it contradicts the exponent the number is a NaN,
        // except that with exponent zero it means exponent one.
        let integer = context.extract(bits, fields.fraction_bits, 1);
        let (one, zero) = (context.number(1, &[1]), context.number(1, &[0]));
        let is_set = context.equal(integer, one);
        let is_clear = context.equal(integer, zero);
        let (lowest, next) = (context.number(15, &[0]), context.number(15, &[1]));
        let highest = context.number(15, &[0x7fff]);
        let at_lowest = context.equal(exponent, lowest);
        let pseudo = context.and(at_lowest, is_set);
        let effective = context.choose(pseudo, next, exponent);
        let above = context.not(at_lowest);
        let invalid = context.and(above, is_clear);
        let effective = context.choose(invalid, highest, effective);
        // An invalid number must not come out as an infinity.
        let quiet = context.number(63, &[1 << 62]);
        let marked = context.bv_or(fraction, quiet);
        let fraction = context.choose(invalid, marked, fraction);
        context.float_of_fields(sign, effective, fraction)
    }

    /// The bits of a float; whatever Z3 likes for a NaN.
    fn encode(&mut self, float: Term, format: FloatKind) -> Term {
        let context = &mut self.context;
        let ieee = context.ieee_bits(float);
        if format != FloatKind::X87 {
            return ieee;
        }
        let head = context.extract(ieee, 63, 16);
        let exponent = context.extract(ieee, 63, 15);
        let fraction = context.extract(ieee, 0, 63);
        let lowest = context.number(15, &[0]);
        let small = context.equal(exponent, lowest);
        let (one, zero) = (context.number(1, &[1]), context.number(1, &[0]));
        let integer = context.choose(small, zero, one);
        let tail = context.concat(integer, fraction);
        context.concat(head, tail)
    }

    /// Sign, the highest exponent and these bits below it (the integer bit is added).
    fn special(&mut self, format: FloatKind, negative: bool, fraction: u128) -> Term {
        let fields = Fields::of(format);
        let exponent = ((1u128 << format.exponent_bits()) - 1) << fields.exponent_low;
        let integer = if format == FloatKind::X87 { 1 << 63 } else { 0 };
        let sign = u128::from(negative) << (format.bits() - 1);
        let bits = sign | exponent | integer | fraction;
        self.context.number(format.bits(), &[bits as u64, (bits >> 64) as u64])
    }

    /// The bits of a NaN made quiet. (An invalid x87 number has not yet the exponent of one.)
    fn quieted(&mut self, bits: Term, format: FloatKind) -> Term {
        let exponent = ((1u128 << format.exponent_bits()) - 1) << Fields::of(format).exponent_low;
        let quiet = self.wide_number(format.bits(), exponent | 1 << quiet_bit(format));
        self.context.bv_or(bits, quiet)
    }

    fn wide_number(&mut self, width: u32, value: u128) -> Term {
        self.context.number(width, &[value as u64, (value >> 64) as u64])
    }

    /// A NaN in another format: sign and the high bits of its payload are kept.
    fn convert_nan(&mut self, bits: Term, from: FloatKind, to: FloatKind) -> Term {
        let (source, target) = (Fields::of(from), Fields::of(to));
        let sign = self.context.extract(bits, from.bits() - 1, 1);
        let payload = self.context.extract(bits, 0, source.fraction_bits);
        let payload = if target.fraction_bits >= source.fraction_bits {
            let missing = target.fraction_bits - source.fraction_bits;
            if missing == 0 {
                payload
            } else {
                let zeros = self.context.number(missing, &[0]);
                self.context.concat(payload, zeros)
            }
        } else {
            let low = source.fraction_bits - target.fraction_bits;
            self.context.extract(payload, low, target.fraction_bits)
        };
        let high = self.special(to, false, 0);
        let payload = self.context.zero_extend(payload, to.bits() - target.fraction_bits);
        let body = self.context.bv_or(high, payload);
        let body = self.context.extract(body, 0, to.bits() - 1);
        let result = self.context.concat(sign, body);
        self.quieted(result, to)
    }

    fn extremum(&mut self, exprs: &Expressions, e: ExprId, format: FloatKind) -> Term {
        let operands = exprs.operands(e);
        let (a, b) = (self.bits(exprs, operands[0]), self.bits(exprs, operands[1]));
        let x = self.decode(exprs, operands[0], format);
        let y = self.decode(exprs, operands[1], format);
        let context = &mut self.context;
        let wins = if exprs.kind(e) == Kind::FMax {
            context.float_less(y, x)
        } else {
            context.float_less(x, y)
        };
        let (x_nan, y_nan) = (context.is_nan(x), context.is_nan(y));
        let first = context.or(y_nan, wins);
        let chosen = context.choose(first, a, b);
        context.choose(x_nan, b, chosen)
    }

    fn is_class(&mut self, exprs: &Expressions, e: ExprId, format: FloatKind) -> Term {
        let classes = exprs.float_classes(e);
        let operand = exprs.operand(e, 0);
        let bits = self.bits(exprs, operand);
        let float = self.decode(exprs, operand, format);
        let context = &mut self.context;
        let one = context.number(1, &[1]);
        let sign = context.extract(bits, format.bits() - 1, 1);
        let negative = context.equal(sign, one);
        // The quiet bit of an x87 number counts together with its integer bit.
        let quiet_bits = if format == FloatKind::X87 { 2 } else { 1 };
        let quiet = context.extract(bits, quiet_bit(format), quiet_bits);
        let all = context.number(quiet_bits, &[(1 << quiet_bits) - 1]);
        let quiet = context.equal(quiet, all);
        // For each test: the classes when the second test is false and when it is true.
        let nan = (context.is_nan(float), quiet, 0, 1);
        let infinite = (context.is_infinite(float), negative, 9, 2);
        let zero = (context.is_zero(float), negative, 6, 5);
        let subnormal = (context.is_subnormal(float), negative, 7, 4);
        let normal = (context.is_normal(float), negative, 8, 3);
        let truth = context.equal(one, one);
        let mut result = context.not(truth);
        for (test, second, when_false, when_true) in [nan, infinite, zero, subnormal, normal] {
            let in_class = |class: u32| classes >> class & 1 == 1;
            let hit = match (in_class(when_false), in_class(when_true)) {
                (false, false) => continue,
                (true, true) => test,
                (false, true) => context.and(test, second),
                (true, false) => {
                    let not = context.not(second);
                    context.and(test, not)
                }
            };
            result = context.or(result, hit);
        }
        result
    }

    /// A power of two, or infinity if the format does not reach it.
    fn power(&mut self, format: FloatKind, negative: bool, exponent: u32) -> Term {
        let bias = (1u64 << (format.exponent_bits() - 1)) - 1;
        let highest = (1u64 << format.exponent_bits()) - 1;
        let field = (u64::from(exponent) + bias).min(highest);
        let context = &mut self.context;
        let sign = context.number(1, &[u64::from(negative)]);
        let exponent = context.number(format.exponent_bits(), &[field]);
        let fraction = context.number(Fields::of(format).fraction_bits, &[0]);
        context.float_of_fields(sign, exponent, fraction)
    }

    /// Towards zero into the signed numbers of `machine` bits, or the least of them.
    fn machine_signed(&mut self, float: Term, format: FloatKind, machine: u32) -> Term {
        let whole = self.context.float_round(Rounding::ToZero, float);
        let low = self.power(format, true, machine - 1);
        let high = self.power(format, false, machine - 1);
        let least = self.wide_number(machine, 1 << (machine - 1));
        let context = &mut self.context;
        let above = context.float_less_equal(low, whole);
        let below = context.float_less(whole, high);
        let infinite = context.is_infinite(whole);
        let finite = context.not(infinite);
        let inside = context.and(above, below);
        let inside = context.and(inside, finite);
        let value = context.float_to_signed(float, machine);
        context.choose(inside, value, least)
    }

    fn fit(&mut self, term: Term, from: u32, width: u32) -> Term {
        match width.cmp(&from) {
            std::cmp::Ordering::Less => self.context.extract(term, 0, width),
            std::cmp::Ordering::Equal => term,
            std::cmp::Ordering::Greater => self.context.sign_extend(term, width - from),
        }
    }

    fn signed_of(&mut self, exprs: &Expressions, a: ExprId, format: FloatKind, width: u32) -> Term {
        let float = self.decode(exprs, a, format);
        let machine = match width {
            ..=32 => 32,
            33..=64 => 64,
            _ => 128,
        };
        let value = self.machine_signed(float, format, machine);
        self.fit(value, machine, width)
    }

    fn unsigned_of(
        &mut self,
        exprs: &Expressions,
        a: ExprId,
        format: FloatKind,
        width: u32,
    ) -> Term {
        let float = self.decode(exprs, a, format);
        let signed = self.machine_signed(float, format, 64);
        let signed = self.fit(signed, 64, width);
        if width < 64 {
            return signed;
        }
        let whole = self.context.float_round(Rounding::ToZero, float);
        let high = self.power(format, false, width);
        let context = &mut self.context;
        let minus_one = context.number(1, &[1]);
        let zero_exponent = context.number(format.exponent_bits(), &[0]);
        let zero_fraction = context.number(Fields::of(format).fraction_bits, &[0]);
        let zero = context.float_of_fields(minus_one, zero_exponent, zero_fraction);
        let above = context.float_less_equal(zero, whole);
        let below = context.float_less(whole, high);
        let inside = context.and(above, below);
        let value = context.float_to_unsigned(float, width);
        context.choose(inside, value, signed)
    }
}

/// Where the fields of an encoding are.
struct Fields {
    fraction_bits: u32,
    exponent_low: u32,
}

impl Fields {
    fn of(format: FloatKind) -> Self {
        let fraction_bits = format.precision() - 1;
        let exponent_low = format.bits() - 1 - format.exponent_bits();
        Self { fraction_bits, exponent_low }
    }
}

/// The bit that is set in a quiet NaN.
fn quiet_bit(format: FloatKind) -> u32 {
    Fields::of(format).fraction_bits - 1
}
