//! Float arithmetic on encodings.
//!
//! Single and double precision are the host's own (IEEE, round to nearest); half and the x87
//! extended format are computed by a soft-float library. What a conversion out of range yields is
//! undefined in C; here it is what the x86 instruction yields. The machine computes with these
//! functions too: an expression evaluated must give what the machine would have given.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Half, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::kind::{FloatKind, Kind};

fn mask_u128(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

fn sign_extend_u128(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.min(128);
    ((value << shift) as i128) >> shift
}

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// `a op b`, on the bits of the numbers; `op` is one of the arithmetic kinds.
#[inline]
pub fn binary(op: Kind, kind: FloatKind, a: u128, b: u128) -> u128 {
    match kind {
        FloatKind::Single => {
            let (a, b) = (single(a), single(b));
            let result = match op {
                Kind::FAdd => a + b,
                Kind::FSub => a - b,
                Kind::FMul => a * b,
                Kind::FDiv => a / b,
                _ => a % b,
            };
            u128::from(result.to_bits())
        }
        FloatKind::Double => {
            let (a, b) = (double(a), double(b));
            let result = match op {
                Kind::FAdd => a + b,
                Kind::FSub => a - b,
                Kind::FMul => a * b,
                Kind::FDiv => a / b,
                _ => a % b,
            };
            u128::from(result.to_bits())
        }
        FloatKind::Half => soft_binary::<Half>(op, a, b),
        FloatKind::X87 => soft_binary::<X87DoubleExtended>(op, a, b),
    }
}

fn soft_binary<F: Float>(op: Kind, a: u128, b: u128) -> u128 {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        Kind::FAdd => a + b,
        Kind::FSub => a - b,
        Kind::FMul => a * b,
        Kind::FDiv => a / b,
        _ => a.c_fmod(b),
    };
    // The NaN that x86 makes out of numbers has its sign bit set.
    if result.value.is_nan() && !a.is_nan() && !b.is_nan() {
        return (-F::NAN).to_bits();
    }
    result.value.to_bits()
}

/// How two numbers compare; `None` if one of them is not a number.
pub fn order(format: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    match format {
        FloatKind::Single => single(a).partial_cmp(&single(b)),
        FloatKind::Double => double(a).partial_cmp(&double(b)),
        FloatKind::Half => Half::from_bits(a).partial_cmp(&Half::from_bits(b)),
        FloatKind::X87 => {
            X87DoubleExtended::from_bits(a).partial_cmp(&X87DoubleExtended::from_bits(b))
        }
    }
}

/// `a kind b` for the comparison kinds.
pub(crate) fn compare(kind: Kind, format: FloatKind, a: u128, b: u128) -> bool {
    use Ordering::{Equal, Less};
    let order = order(format, a, b);
    match kind {
        Kind::FEq => order == Some(Equal),
        Kind::FLt => order == Some(Less),
        _ => matches!(order, Some(Less | Equal)),
    }
}

/// Any format as x87, which holds all values of the others.
fn to_x87(kind: FloatKind, bits: u128) -> X87DoubleExtended {
    let mut inexact = false;
    match kind {
        FloatKind::Half => Half::from_bits(bits).convert(&mut inexact).value,
        FloatKind::Single => Single::from_bits(bits).convert(&mut inexact).value,
        FloatKind::Double => Double::from_bits(bits).convert(&mut inexact).value,
        FloatKind::X87 => X87DoubleExtended::from_bits(bits),
    }
}

fn from_x87(kind: FloatKind, value: X87DoubleExtended) -> u128 {
    let mut inexact = false;
    match kind {
        FloatKind::Half => FloatConvert::<Half>::convert(value, &mut inexact).value.to_bits(),
        FloatKind::Single => FloatConvert::<Single>::convert(value, &mut inexact).value.to_bits(),
        FloatKind::Double => FloatConvert::<Double>::convert(value, &mut inexact).value.to_bits(),
        FloatKind::X87 => value.to_bits(),
    }
}

/// The number in another format.
pub fn convert(from: FloatKind, to: FloatKind, a: u128) -> u128 {
    from_x87(to, to_x87(from, a))
}

/// The float nearest to a signed integer of `bits` bits.
pub fn from_signed(kind: FloatKind, a: u128, bits: u32) -> u128 {
    from_integer(kind, sign_extend_u128(a, bits), None)
}

/// The float nearest to an unsigned integer.
pub fn from_unsigned(kind: FloatKind, a: u128) -> u128 {
    from_integer(kind, 0, Some(a))
}

fn from_integer(kind: FloatKind, signed: i128, unsigned: Option<u128>) -> u128 {
    fn convert<F: Float>(signed: i128, unsigned: Option<u128>) -> u128 {
        match unsigned {
            Some(value) => F::from_u128(value).value.to_bits(),
            None => F::from_i128(signed).value.to_bits(),
        }
    }
    match kind {
        FloatKind::Half => convert::<Half>(signed, unsigned),
        FloatKind::Single => convert::<Single>(signed, unsigned),
        FloatKind::Double => convert::<Double>(signed, unsigned),
        FloatKind::X87 => convert::<X87DoubleExtended>(signed, unsigned),
    }
}

/// Truncation towards zero; `None` when the number does not fit.
fn truncate(kind: FloatKind, a: u128, bits: u32) -> Option<i128> {
    let mut exact = false;
    let result = to_x87(kind, a).to_i128_r(bits as usize, Round::TowardZero, &mut exact);
    (!result.status.contains(Status::INVALID_OP)).then_some(result.value)
}

/// Signed conversion as the x86 instruction does it.
pub fn to_signed(kind: FloatKind, a: u128, bits: u32) -> u128 {
    // Narrow targets go through the 32-bit instruction, odd ones through the next larger.
    let machine = match bits {
        ..=32 => 32,
        33..=64 => 64,
        _ => 128,
    };
    let value = truncate(kind, a, machine).unwrap_or(i128::MIN >> (128 - machine));
    mask_u128(value as u128, bits)
}

/// Unsigned conversion as compiled code does it on x86.
pub fn to_unsigned(kind: FloatKind, a: u128, bits: u32) -> u128 {
    if bits < 64 {
        let value = truncate(kind, a, 64).unwrap_or(i128::from(i64::MIN));
        return mask_u128(value as u128, bits);
    }
    let mut exact = false;
    let number = to_x87(kind, a);
    let result = number.to_u128_r(bits as usize, Round::TowardZero, &mut exact);
    if !result.status.contains(Status::INVALID_OP) {
        return result.value;
    }
    // Out of range: below zero the signed instruction wraps, elsewhere it gives its one answer.
    let value = truncate(kind, a, 64).unwrap_or(i128::from(i64::MIN));
    mask_u128(value as u128, bits)
}

/// Conversion to an integer that stays at the ends of its range; a NaN is zero.
pub fn saturate(kind: FloatKind, a: u128, bits: u32, signed: bool) -> u128 {
    let number = to_x87(kind, a);
    let mut exact = false;
    // The library saturates as asked for here.
    let value = if signed {
        number.to_i128_r(bits as usize, Round::TowardZero, &mut exact).value as u128
    } else {
        number.to_u128_r(bits as usize, Round::TowardZero, &mut exact).value
    };
    if number.is_nan() { 0 } else { mask_u128(value, bits) }
}

/// The number made whole; `op` is one of the kinds that do so.
pub fn round(op: Kind, kind: FloatKind, a: u128) -> u128 {
    let mode = match op {
        Kind::FFloor => Round::TowardNegative,
        Kind::FCeil => Round::TowardPositive,
        Kind::FTrunc => Round::TowardZero,
        Kind::FRoundEven => Round::NearestTiesToEven,
        _ => Round::NearestTiesToAway,
    };
    from_x87(kind, to_x87(kind, a).round_to_integral(mode).value)
}

/// The square root, correctly rounded.
pub fn sqrt(kind: FloatKind, a: u128) -> u128 {
    match kind {
        FloatKind::Single => u128::from(single(a).sqrt().to_bits()),
        FloatKind::Double => u128::from(double(a).sqrt().to_bits()),
        // Twice the precision and two bits more make the second rounding harmless.
        FloatKind::Half => {
            let mut inexact = false;
            let wide: Single = Half::from_bits(a).convert(&mut inexact).value;
            let root = single(wide.to_bits()).sqrt();
            let narrow: Half =
                Single::from_bits(u128::from(root.to_bits())).convert(&mut inexact).value;
            narrow.to_bits()
        }
        FloatKind::X87 => sqrt_x87(a),
    }
}

/// The square root of an x87 number by integer arithmetic on its significand.
fn sqrt_x87(a: u128) -> u128 {
    let number = X87DoubleExtended::from_bits(a);
    if number.is_nan() || number.is_zero() || (number.is_infinite() && !number.is_negative()) {
        return a;
    }
    if number.is_negative() {
        return X87DoubleExtended::NAN.to_bits() | (1 << 79);
    }
    let exponent = number.ilogb();
    // significand * 2^(exponent - 63), with the significand in [2^63, 2^64).
    let significand = number.scalbn(63 - exponent).to_u128(128).value;
    let odd = exponent.rem_euclid(2) as u32;
    // The root of a number in [2^126, 2^128) has 64 bits.
    let radicand = significand << (63 + odd);
    let root = radicand.isqrt();
    let remainder = radicand - root * root;
    // Above the half way point when the remainder exceeds the root; never exactly on it.
    let rounded = root + u128::from(remainder > root);
    let result = X87DoubleExtended::from_u128(rounded).value;
    result.scalbn((exponent - odd as i32) / 2 - 63).to_bits()
}

/// `a * b + c`, rounded once.
pub fn fused_multiply_add(kind: FloatKind, a: u128, b: u128, c: u128) -> u128 {
    fn soft<F: Float>(a: u128, b: u128, c: u128) -> u128 {
        F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits()
    }
    match kind {
        FloatKind::Half => soft::<Half>(a, b, c),
        FloatKind::Single => u128::from(single(a).mul_add(single(b), single(c)).to_bits()),
        FloatKind::Double => u128::from(double(a).mul_add(double(b), double(c)).to_bits()),
        FloatKind::X87 => soft::<X87DoubleExtended>(a, b, c),
    }
}

/// LLVM's mask of classes: is the number in any of them?
pub fn is_class(kind: FloatKind, a: u128, classes: u32) -> bool {
    let number = to_x87(kind, a);
    // Whether a number is subnormal is a matter of its own format, and a conversion would quiet it.
    fn own<F: Float>(bits: u128) -> (bool, bool) {
        let number = F::from_bits(bits);
        (number.is_denormal(), number.is_signaling())
    }
    let (denormal, signaling) = match kind {
        FloatKind::Half => own::<Half>(a),
        FloatKind::Single => own::<Single>(a),
        FloatKind::Double => own::<Double>(a),
        FloatKind::X87 => own::<X87DoubleExtended>(a),
    };
    let negative = number.is_negative();
    let bit = if number.is_nan() {
        if signaling { 0 } else { 1 }
    } else if number.is_infinite() {
        if negative { 2 } else { 9 }
    } else if number.is_zero() {
        if negative { 5 } else { 6 }
    } else if denormal {
        if negative { 4 } else { 7 }
    } else if negative {
        3
    } else {
        8
    };
    classes >> bit & 1 == 1
}

/// The lesser (or greater) number; a NaN loses.
pub fn extremum(kind: FloatKind, a: u128, b: u128, maximum: bool) -> u128 {
    let (x, y) = (to_x87(kind, a), to_x87(kind, b));
    if x.is_nan() {
        b
    } else if y.is_nan() || (x > y) == maximum && x != y {
        a
    } else {
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_out_of_range_are_what_x86_does() {
        let to_i32 = |value: f64| to_signed(FloatKind::Double, u128::from(value.to_bits()), 32);
        assert_eq!(to_i32(-1.9), 0xffff_ffff);
        assert_eq!(to_i32(3e9), 0x8000_0000);
        assert_eq!(to_i32(f64::NAN), 0x8000_0000);
        let to_u64 = |value: f64| to_unsigned(FloatKind::Double, u128::from(value.to_bits()), 64);
        assert_eq!(to_u64(1.8e19), 18_000_000_000_000_000_000);
        assert_eq!(to_u64(-1.0), u128::from(u64::MAX));
    }

    /// Rounded to double precision, the extended root is the host's double root.
    #[test]
    fn x87_square_roots_agree_with_the_host() {
        for value in [2.0f64, 3.0, 5.0, 7.5, 1e-300, 1e300, 123_456.789] {
            let wide = convert(FloatKind::Double, FloatKind::X87, u128::from(value.to_bits()));
            let narrow = convert(FloatKind::X87, FloatKind::Double, sqrt(FloatKind::X87, wide));
            assert_eq!(narrow as u64, value.sqrt().to_bits(), "{value}");
        }
    }

    #[test]
    fn x87_square_roots_of_squares_are_exact() {
        let x87 = |value: f64| to_x87(FloatKind::Double, u128::from(value.to_bits())).to_bits();
        for value in [0.0, 1.0, 2.25, 4.0, 144.0, 0.25, 3.0f64.powi(10)] {
            assert_eq!(sqrt(FloatKind::X87, x87(value * value)), x87(value), "{value}");
        }
    }

    #[test]
    fn nans_are_told_apart() {
        let (signalling, quiet) = (0x7f80_0001, 0x7fc0_0001);
        assert!(is_class(FloatKind::Single, signalling, 1));
        assert!(!is_class(FloatKind::Single, quiet, 1));
        assert!(is_class(FloatKind::Single, quiet, 2));
        assert!(!is_class(FloatKind::Single, signalling, 2));
        assert!(is_class(FloatKind::Double, u128::from((-0.0f64).to_bits()), 1 << 5));
    }
}
