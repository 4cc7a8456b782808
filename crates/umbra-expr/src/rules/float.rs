//! Floats.
//!
//! Comparisons and class tests of numbers that come from outside (no arithmetic in them) are
//! turned into comparisons of encodings, so that only arithmetic needs a float theory. Not so for
//! the x87 format, whose encodings are not unique.

use super::{Rule, RuleFn, ite};
use crate::id::ExprId;
use crate::kind::{FloatClass, FloatKind, Kind};
use crate::make::Term;
use crate::table::Expressions;

pub(super) const COMPARE: &[(Rule, RuleFn)] = &[
    (Rule::FloatCompareSame, compare_same),
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::FloatCompareBits, compare_bits),
];

pub(super) const CLASS: &[(Rule, RuleFn)] = &[
    (Rule::LiftIteConstants, ite::lift_constants),
    (Rule::FloatClassInteger, class_integer),
    (Rule::FloatClassBits, class_bits),
];

pub(super) const ROUND: &[(Rule, RuleFn)] =
    &[(Rule::LiftIteConstants, ite::lift_constants), (Rule::FloatRoundWhole, round_whole)];

pub(super) const TO_INTEGER: &[(Rule, RuleFn)] =
    &[(Rule::LiftIteConstants, ite::lift_constants), (Rule::FloatIntegerExact, integer_exact)];

/// The encodings that rules need, of a format of at most 64 bits.
struct Encoding {
    width: u32,
    /// Plus infinity.
    infinity: u64,
    /// The least normal number.
    normal: u64,
    /// The first quiet NaN.
    quiet: u64,
}

impl Encoding {
    fn of(kind: FloatKind) -> Option<Self> {
        if kind == FloatKind::X87 {
            return None;
        }
        let fraction = kind.precision() - 1;
        let infinity = ((1 << kind.exponent_bits()) - 1) << fraction;
        Some(Self {
            width: kind.bits(),
            infinity,
            normal: 1 << fraction,
            quiet: infinity | 1 << (fraction - 1),
        })
    }

    fn sign(&self, x: &mut Expressions, e: ExprId) -> ExprId {
        x.extract(e, self.width - 1, 1)
    }

    /// The encoding without its sign, one bit narrower.
    fn magnitude(&self, x: &mut Expressions, e: ExprId) -> ExprId {
        x.extract(e, 0, self.width - 1)
    }

    fn is_number(&self, x: &mut Expressions, e: ExprId) -> ExprId {
        let magnitude = self.magnitude(x, e);
        let infinity = x.constant(self.width - 1, self.infinity);
        x.ule(magnitude, infinity)
    }

    fn both_zero(&self, x: &mut Expressions, a: ExprId, b: ExprId) -> ExprId {
        let zero = x.zero(self.width - 1);
        let (a, b) = (self.magnitude(x, a), self.magnitude(x, b));
        let (a, b) = (x.eq(a, zero), x.eq(b, zero));
        x.and(a, b)
    }
}

fn encoding(x: &Expressions, e: ExprId) -> Option<Encoding> {
    FloatKind::of_width(x.width(e)).and_then(Encoding::of)
}

/// match:  a = a, a < a, a <= a
/// result: a is not NaN, false, a is not NaN
fn compare_same(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.a() != t.b() {
        return None;
    }
    if t.kind == Kind::FLt {
        return Some(x.false_());
    }
    let nan = x.fis_class(t.a(), FloatClass::NAN);
    Some(x.not(nan))
}

/// match:  a = b, a < b, a <= b, without arithmetic in a and b
/// result: the comparison on the encodings
fn compare_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (a, b) = (t.a(), t.b());
    if x.contains_float(a) || x.contains_float(b) {
        return None;
    }
    let encoding = encoding(x, a)?;
    let zeros = encoding.both_zero(x, a, b);
    let same = x.eq(a, b);
    let (number_a, number_b) = (encoding.is_number(x, a), encoding.is_number(x, b));
    // Of what is equal one side tells whether it is a number; zeros are.
    let same = x.and(same, if x.is_constant(number_b) { number_b } else { number_a });
    let equal = x.or(same, zeros);
    if t.kind == Kind::FEq {
        return Some(equal);
    }
    let (sign_a, sign_b) = (encoding.sign(x, a), encoding.sign(x, b));
    let (magnitude_a, magnitude_b) = (encoding.magnitude(x, a), encoding.magnitude(x, b));
    let (forwards, backwards) = (x.ult(magnitude_a, magnitude_b), x.ult(magnitude_b, magnitude_a));
    // With different signs the negative one is less, unless both are zeros.
    let not_zeros = x.not(zeros);
    let if_negative = x.ite(sign_b, backwards, not_zeros);
    let positive_b = x.not(sign_b);
    let if_positive = x.and(positive_b, forwards);
    let less = x.ite(sign_a, if_negative, if_positive);
    let numbers = x.and(number_a, number_b);
    let less = x.and(numbers, less);
    Some(if t.kind == Kind::FLe { x.or(less, equal) } else { less })
}

/// match:  class of an integer made a float
/// result: the same without the classes it cannot have; false when none is left
fn class_integer(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let never = match x.kind(t.a()) {
        Kind::SToF => FloatClass::NAN | FloatClass::NEGATIVE_ZERO,
        Kind::UToF => {
            FloatClass::NAN
                | FloatClass::NEGATIVE_ZERO
                | FloatClass::NEGATIVE_NORMAL
                | FloatClass::NEGATIVE_SUBNORMAL
                | FloatClass::NEGATIVE_INFINITY
        }
        _ => return None,
    };
    if t.extra & never == 0 {
        return None;
    }
    Some(x.fis_class(t.a(), t.extra & !never))
}

/// match:  class of a, without arithmetic in a
/// result: ranges of the encoding
fn class_bits(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if t.extra == 0 {
        return Some(x.false_());
    }
    if t.extra == FloatClass::ALL {
        return Some(x.true_());
    }
    if x.contains_float(t.a()) {
        return None;
    }
    let encoding = encoding(x, t.a())?;
    let has = |class: u32| t.extra & class != 0;
    let nans = [has(FloatClass::SIGNALING_NAN), has(FloatClass::QUIET_NAN)];
    let positive = [
        has(FloatClass::POSITIVE_ZERO),
        has(FloatClass::POSITIVE_SUBNORMAL),
        has(FloatClass::POSITIVE_NORMAL),
        has(FloatClass::POSITIVE_INFINITY),
        nans[0],
        nans[1],
    ];
    let negative = [
        has(FloatClass::NEGATIVE_ZERO),
        has(FloatClass::NEGATIVE_SUBNORMAL),
        has(FloatClass::NEGATIVE_NORMAL),
        has(FloatClass::NEGATIVE_INFINITY),
        nans[0],
        nans[1],
    ];
    let magnitude = encoding.magnitude(x, t.a());
    let if_positive = in_classes(x, &encoding, magnitude, positive);
    let if_negative = in_classes(x, &encoding, magnitude, negative);
    let sign = encoding.sign(x, t.a());
    Some(x.ite(sign, if_negative, if_positive))
}

/// Whether a magnitude is in one of six classes, which follow each other in the encoding.
fn in_classes(
    x: &mut Expressions,
    encoding: &Encoding,
    magnitude: ExprId,
    classes: [bool; 6],
) -> ExprId {
    let width = encoding.width - 1;
    let last = crate::bits::mask(width);
    let starts = [0, 1, encoding.normal, encoding.infinity, encoding.infinity + 1, encoding.quiet];
    let mut result = x.false_();
    let mut place = 0;
    while place < classes.len() {
        let first = place;
        while place < classes.len() && classes[place] {
            place += 1;
        }
        if place > first {
            let end = starts.get(place).map_or(last, |&start| start - 1);
            let (low, high) = (x.constant(width, starts[first]), x.constant(width, end));
            let (above, below) = (x.ule(low, magnitude), x.ule(magnitude, high));
            let within = x.and(above, below);
            result = x.or(result, within);
        }
        place += 1;
    }
    result
}

/// match:  is(a, classes) & is(a, others), the same with or, ~is(a, classes)
/// result: is(a, those in both), is(a, those in any), is(a, the others)
pub(super) fn class_logic(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.a()) != Kind::FIsClass {
        return None;
    }
    let (e, classes) = (x.operand(t.a(), 0), x.float_classes(t.a()));
    if t.kind == Kind::Not {
        return Some(x.fis_class(e, FloatClass::ALL & !classes));
    }
    if x.kind(t.b()) != Kind::FIsClass || x.operand(t.b(), 0) != e {
        return None;
    }
    let others = x.float_classes(t.b());
    let classes = if t.kind == Kind::And { classes & others } else { classes | others };
    Some(x.fis_class(e, classes))
}

/// match:  rounding of an integer made a float, of a rounded float
/// result: that float
fn round_whole(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let whole = matches!(
        x.kind(t.a()),
        Kind::SToF
            | Kind::UToF
            | Kind::FRoundEven
            | Kind::FFloor
            | Kind::FCeil
            | Kind::FTrunc
            | Kind::FRoundAway
    );
    whole.then(|| t.a())
}

/// match:  an integer made a float and cut to an integer again, where the float holds all its
///         values and so does the result
/// result: the integer, extended
fn integer_exact(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let signed = match x.kind(t.a()) {
        Kind::SToF => true,
        Kind::UToF => false,
        _ => return None,
    };
    let integer = x.operand(t.a(), 0);
    let width = x.width(integer);
    let precision = FloatKind::of_width(x.width(t.a()))?.precision();
    // A signed number has one bit less; a half does not reach as far as it is precise.
    let exact = width <= precision.min(15) || width <= precision && x.width(t.a()) > 16;
    let fits = match (t.kind, signed) {
        (Kind::FToS, true) | (Kind::FToU, false) => width <= t.width,
        (Kind::FToS, false) => width < t.width,
        _ => false,
    };
    if !exact || !fits {
        return None;
    }
    Some(if signed { x.sext(integer, t.width) } else { x.zext(integer, t.width) })
}
