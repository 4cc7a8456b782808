//! What the operators of SMT-LIB build.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Half, Single, X87DoubleExtended};

use super::SmtError;
use super::lex::Sexp;
use super::parse::float_kind;
use crate::bits::Bits;
use crate::id::ExprId;
use crate::kind::{FloatClass, FloatKind, KINDS, Kind};
use crate::table::{Expressions, INDEX_WIDTH};

/// A value of some sort. Truth values are bits, floats their encodings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Bits(ExprId),
    Bool(ExprId),
    Float(ExprId),
    Array(ExprId),
    /// A rounding mode by its short name.
    Mode(&'static str),
    /// A decimal number, only to be converted.
    Real(String),
}

impl Value {
    /// As a truth value.
    pub fn bool(&self, _exprs: &Expressions) -> Option<ExprId> {
        match self {
            Value::Bool(e) => Some(*e),
            _ => None,
        }
    }

    /// As anything that is an expression with a width.
    pub fn any(&self) -> Option<ExprId> {
        match self {
            Value::Bits(e) | Value::Bool(e) | Value::Float(e) => Some(*e),
            _ => None,
        }
    }
}

const MODES: &[(&str, &str)] = &[
    ("RNE", "roundNearestTiesToEven"),
    ("RNA", "roundNearestTiesToAway"),
    ("RTP", "roundTowardPositive"),
    ("RTN", "roundTowardNegative"),
    ("RTZ", "roundTowardZero"),
];

/// A literal or constant that is one word.
pub(super) fn atom(x: &mut Expressions, name: &str) -> Option<Value> {
    match name {
        "true" => return Some(Value::Bool(x.true_())),
        "false" => return Some(Value::Bool(x.false_())),
        _ => {}
    }
    if let Some((short, _)) = MODES.iter().find(|(short, long)| name == *short || name == *long) {
        return Some(Value::Mode(short));
    }
    if let Some(digits) = name.strip_prefix("#b") {
        return digit_bits(digits, 1).map(|value| Value::Bits(x.constant_of(&value)));
    }
    if let Some(digits) = name.strip_prefix("#x") {
        return digit_bits(digits, 4).map(|value| Value::Bits(x.constant_of(&value)));
    }
    let decimal = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && name.starts_with(|c: char| c.is_ascii_digit());
    decimal.then(|| Value::Real(name.to_owned()))
}

fn digit_bits(digits: &str, size: u32) -> Option<Bits> {
    let mut value: Option<Bits> = None;
    for digit in digits.chars() {
        let digit = Bits::new(size, &[u64::from(digit.to_digit(1 << size)?)]);
        value = Some(match value {
            Some(above) => above.concat(&digit),
            None => digit,
        });
    }
    value
}

/// A literal of the form `(_ bv5 8)` or `(_ +oo 8 24)`.
pub(super) fn literal(x: &mut Expressions, items: &[Sexp], line: u32) -> Result<Value, SmtError> {
    let wrong = SmtError::Expected { line, expected: "a literal" };
    let name = items.get(1).and_then(Sexp::atom).ok_or(wrong.clone())?;
    let numbers: Option<Vec<u32>> = items[2..].iter().map(Sexp::number).collect();
    match (name, numbers.as_deref()) {
        (name, Some(&[width])) if width > 0 && name.starts_with("bv") => {
            let value = Bits::from_decimal(width, &name[2..]).ok_or(wrong)?;
            Ok(Value::Bits(x.constant_of(&value)))
        }
        (name, Some(&[exponent, precision])) => {
            let kind = float_kind(exponent, precision)
                .ok_or(SmtError::Unsupported { line, what: "this float format" })?;
            let infinity = match kind {
                FloatKind::Half => Half::INFINITY.to_bits(),
                FloatKind::Single => Single::INFINITY.to_bits(),
                FloatKind::Double => Double::INFINITY.to_bits(),
                FloatKind::X87 => X87DoubleExtended::INFINITY.to_bits(),
            };
            let quiet = 1 << (kind.precision() - 2);
            let sign = 1 << (kind.bits() - 1);
            let value = match name {
                "+oo" => infinity,
                "-oo" => infinity | sign,
                "+zero" => 0,
                "-zero" => sign,
                "NaN" => infinity | quiet,
                _ => return Err(wrong),
            };
            Ok(Value::Float(x.constant_of(&Bits::from_u128(kind.bits(), value))))
        }
        _ => Err(wrong),
    }
}

/// The operator applied to operands.
pub(super) fn apply(
    x: &mut Expressions,
    head: &Sexp,
    operands: &[Value],
    line: u32,
) -> Result<Value, SmtError> {
    let (name, indices) = match (head.atom(), head.list()) {
        (Some(name), _) => (name, Vec::new()),
        (None, Some([mark, name, indices @ ..])) if mark.atom() == Some("_") => {
            let numbers: Option<Vec<u32>> = indices.iter().map(Sexp::number).collect();
            name.atom().zip(numbers).ok_or(SmtError::Expected { line, expected: "an operator" })?
        }
        _ => return Err(SmtError::Expected { line, expected: "an operator" }),
    };
    let mut operator = Operator { x, name, indices, line };
    let is_float = |start: &&str| name.starts_with(start);
    if ["fp", "to_fp", "fmin.", "fmax.", "fmod.", "fclass.", "fto", "x87."].iter().any(is_float) {
        return operator.float(operands);
    }
    match operands.first() {
        Some(Value::Array(array)) => operator.array(*array, &operands[1..]),
        _ => operator.core(operands),
    }
}

/// An operator with the numbers in its name.
pub(super) struct Operator<'a> {
    pub x: &'a mut Expressions,
    pub name: &'a str,
    pub indices: Vec<u32>,
    pub line: u32,
}

impl Operator<'_> {
    pub fn wrong<T>(&self, expected: &'static str) -> Result<T, SmtError> {
        Err(SmtError::Expected { line: self.line, expected })
    }

    pub fn unknown<T>(&self) -> Result<T, SmtError> {
        Err(SmtError::UnknownSymbol { line: self.line, name: self.name.to_owned() })
    }

    fn bools(&self, operands: &[Value]) -> Result<Vec<ExprId>, SmtError> {
        let bools: Option<Vec<ExprId>> = operands.iter().map(|value| value.bool(self.x)).collect();
        match bools {
            Some(bools) if !bools.is_empty() => Ok(bools),
            _ => self.wrong("truth values"),
        }
    }

    /// Bit-vectors of the same width, if `same`.
    pub fn bits(&self, operands: &[Value], same: bool) -> Result<Vec<ExprId>, SmtError> {
        let mut bits = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                Value::Bits(e) => bits.push(*e),
                _ => return self.wrong("bit-vectors"),
            }
        }
        let width = |e: &ExprId| self.x.width(*e);
        if bits.is_empty() || same && bits.iter().any(|e| width(e) != width(&bits[0])) {
            return self.wrong("bit-vectors of the same width");
        }
        Ok(bits)
    }

    fn array(&mut self, array: ExprId, operands: &[Value]) -> Result<Value, SmtError> {
        let bits = self.bits(operands, false)?;
        // Indices of declared arrays may be narrower than ours.
        if self.x.width(bits[0]) > INDEX_WIDTH {
            return self.wrong("an index of at most 64 bits");
        }
        let index = self.x.zext(bits[0], INDEX_WIDTH);
        match (self.name, &bits[1..]) {
            ("select", []) => Ok(Value::Bits(self.x.read(array, index))),
            ("store", [value]) if self.x.width(*value) == 8 => {
                Ok(Value::Array(self.x.update(array, index, *value)))
            }
            _ => self.wrong("select or store with its operands"),
        }
    }

    fn core(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        match self.name {
            "not" => {
                let bools = self.bools(operands)?;
                Ok(Value::Bool(self.x.not(bools[0])))
            }
            "and" | "or" | "xor" => {
                let bools = self.bools(operands)?;
                let mut result = bools[0];
                for &e in &bools[1..] {
                    result = match self.name {
                        "and" => self.x.and(result, e),
                        "or" => self.x.or(result, e),
                        _ => self.x.xor(result, e),
                    };
                }
                Ok(Value::Bool(result))
            }
            "=>" => {
                let bools = self.bools(operands)?;
                let (&last, premises) = bools.split_last().expect("not empty");
                let mut result = last;
                for &premise in premises.iter().rev() {
                    let premise = self.x.not(premise);
                    result = self.x.or(premise, result);
                }
                Ok(Value::Bool(result))
            }
            "=" | "distinct" => self.equality(operands),
            "ite" => self.choice(operands),
            _ => self.bit_vector(operands),
        }
    }

    fn equality(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        if operands.len() < 2 {
            return self.wrong("at least two operands");
        }
        let mut result = self.x.true_();
        let distinct = self.name == "distinct";
        for (place, a) in operands.iter().enumerate() {
            // Equality is transitive, being different is not.
            let end = if distinct { operands.len() } else { (place + 2).min(operands.len()) };
            for b in &operands[place + 1..end] {
                let equal = self.equal(a, b)?;
                let part = if distinct { self.x.not(equal) } else { equal };
                result = if self.x.is_constant(result) { part } else { self.x.and(result, part) };
            }
        }
        Ok(Value::Bool(result))
    }

    fn equal(&mut self, a: &Value, b: &Value) -> Result<ExprId, SmtError> {
        let (Some(p), Some(q)) = (a.any(), b.any()) else {
            return self.wrong("operands of the same sort");
        };
        let same_sort = std::mem::discriminant(a) == std::mem::discriminant(b);
        if !same_sort || self.x.width(p) != self.x.width(q) {
            return self.wrong("operands of the same sort");
        }
        // The bit itself, also without rules: it is how a bit is printed as a truth value.
        if matches!(a, Value::Bits(_)) && self.x.width(p) == 1 && self.x.is_one(q) {
            return Ok(p);
        }
        let equal = self.x.eq(p, q);
        if !matches!(a, Value::Float(_)) {
            return Ok(equal);
        }
        // There is one NaN in SMT-LIB.
        let (p, q) = (self.x.fis_class(p, FloatClass::NAN), self.x.fis_class(q, FloatClass::NAN));
        let both = self.x.and(p, q);
        Ok(self.x.or(equal, both))
    }

    fn choice(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        let [Value::Bool(condition), a, b] = operands else {
            return self.wrong("a truth value and two operands");
        };
        let (Some(p), Some(q)) = (a.any(), b.any()) else {
            return Err(SmtError::Unsupported { line: self.line, what: "a choice of arrays" });
        };
        let same_sort = std::mem::discriminant(a) == std::mem::discriminant(b);
        if !same_sort || self.x.width(p) != self.x.width(q) {
            return self.wrong("operands of the same sort");
        }
        // The bit itself, also without rules: it is how a truth value is printed as a bit.
        if matches!(a, Value::Bits(_))
            && self.x.width(p) == 1
            && self.x.is_one(p)
            && self.x.is_zero(q)
        {
            return Ok(Value::Bits(*condition));
        }
        let result = self.x.ite(*condition, p, q);
        Ok(match a {
            Value::Bool(_) => Value::Bool(result),
            Value::Float(_) => Value::Float(result),
            _ => Value::Bits(result),
        })
    }

    fn bit_vector(&mut self, operands: &[Value]) -> Result<Value, SmtError> {
        if let Some(value) = self.indexed(operands)? {
            return Ok(value);
        }
        if self.name == "concat" {
            let bits = self.bits(operands, false)?;
            let (&last, rest) = bits.split_last().expect("not empty");
            let mut result = last;
            for &e in rest.iter().rev() {
                result = self.x.concat(e, result);
            }
            return Ok(Value::Bits(result));
        }
        let bits = self.bits(operands, true)?;
        // Operators that the kind table names.
        let row = KINDS.iter().find(|row| row.smt == self.name && !row.kind.is_float());
        if let Some(row) = row {
            let width = if row.kind.is_predicate() { 1 } else { self.x.width(bits[0]) };
            let chain =
                matches!(row.kind, Kind::Add | Kind::Mul | Kind::And | Kind::Or | Kind::Xor);
            if bits.len() != row.kind.arity() && !(chain && bits.len() > 2) {
                return self.wrong("as many operands as the operator has");
            }
            let mut result = self.x.build(row.kind, width, 0, &bits[..row.kind.arity()]);
            for &e in &bits[row.kind.arity()..] {
                result = self.x.build(row.kind, width, 0, &[result, e]);
            }
            let predicate = row.kind.is_predicate();
            return Ok(if predicate { Value::Bool(result) } else { Value::Bits(result) });
        }
        let [a, b] = bits[..] else { return self.unknown() };
        let x = &mut *self.x;
        Ok(match self.name {
            "bvugt" => Value::Bool(x.ult(b, a)),
            "bvuge" => Value::Bool(x.ule(b, a)),
            "bvsgt" => Value::Bool(x.slt(b, a)),
            "bvsge" => Value::Bool(x.sle(b, a)),
            "bvcomp" => Value::Bits(x.eq(a, b)),
            "bvnand" | "bvnor" | "bvxnor" => {
                let positive = match self.name {
                    "bvnand" => x.and(a, b),
                    "bvnor" => x.or(a, b),
                    _ => x.xor(a, b),
                };
                Value::Bits(x.not(positive))
            }
            "bvsmod" => Value::Bits(signed_modulus(x, a, b)),
            _ => return self.unknown(),
        })
    }

    /// Operators with numbers in their names.
    fn indexed(&mut self, operands: &[Value]) -> Result<Option<Value>, SmtError> {
        if self.indices.is_empty() {
            return Ok(None);
        }
        let bits = self.bits(operands, false)?;
        let [a] = bits[..] else { return self.wrong("one operand") };
        let width = self.x.width(a);
        let number = self.indices[0];
        let x = &mut *self.x;
        let result = match (self.name, &self.indices[1..]) {
            ("extract", &[low]) if number >= low && number < width => {
                x.extract(a, low, number - low + 1)
            }
            ("zero_extend", []) => x.zext(a, width + number),
            ("sign_extend", []) => x.sext(a, width + number),
            ("rotate_left" | "rotate_right", []) => {
                let amount = number % width;
                let low = if self.name == "rotate_left" { width - amount } else { amount };
                if amount == 0 {
                    a
                } else {
                    let (high, low) = (x.extract(a, 0, low), x.extract(a, low, width - low));
                    x.concat(high, low)
                }
            }
            ("repeat", []) if number >= 1 => {
                let mut result = a;
                for _ in 1..number {
                    result = x.concat(a, result);
                }
                result
            }
            _ => return self.unknown(),
        };
        Ok(Some(Value::Bits(result)))
    }
}

/// The remainder with the sign of the divisor.
fn signed_modulus(x: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
    let width = x.width(a);
    let zero = x.constant(width, 0);
    let remainder = x.srem(a, b);
    let (sign_a, sign_b) = (x.extract(a, width - 1, 1), x.extract(b, width - 1, 1));
    let same_sign = {
        let different = x.xor(sign_a, sign_b);
        x.not(different)
    };
    let none = x.eq(remainder, zero);
    let keep = x.or(none, same_sign);
    let moved = x.add(remainder, b);
    x.ite(keep, remainder, moved)
}
