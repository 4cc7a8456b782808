//! Numbers of any width, as words, least significant first.
//!
//! Operations up to 128 bits are the host's; beyond that a library computes. Unused high bits of
//! the last word are zero in every value.

use num_bigint::{BigInt, BigUint, Sign};
use smallvec::SmallVec;
use std::fmt;

/// A bit-vector value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    words: SmallVec<[u64; 2]>,
}

/// How many words hold `width` bits.
pub(crate) fn word_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// The lowest `width` bits set, for widths up to 64.
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The number of `width` bits as a signed one.
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

impl Bits {
    /// The lowest `width` bits of the words; missing words are zero.
    pub fn new(width: u32, words: &[u64]) -> Self {
        let count = word_count(width);
        let mut own: SmallVec<[u64; 2]> = words.iter().copied().take(count).collect();
        own.resize(count, 0);
        if !width.is_multiple_of(64)
            && let Some(last) = own.last_mut()
        {
            *last &= mask(width % 64);
        }
        Self { width, words: own }
    }

    /// The lowest `width` bits of a number.
    pub fn from_u128(width: u32, value: u128) -> Self {
        Self::new(width, &[value as u64, (value >> 64) as u64])
    }

    /// All bits set.
    pub fn ones(width: u32) -> Self {
        Self::zero(width).not()
    }

    /// No bit set.
    pub fn zero(width: u32) -> Self {
        Self::new(width, &[])
    }

    /// How many bits there are.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The words, least significant first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The lowest 64 bits.
    pub fn low_u64(&self) -> u64 {
        self.words[0]
    }

    /// The lowest 128 bits.
    pub fn low_u128(&self) -> u128 {
        u128::from(self.words[0]) | u128::from(self.words.get(1).copied().unwrap_or(0)) << 64
    }

    /// The value, if it is below 2^64.
    pub fn to_u64(&self) -> Option<u64> {
        self.words[1..].iter().all(|&word| word == 0).then_some(self.words[0])
    }

    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The bit at a position below the width.
    pub fn bit(&self, position: u32) -> bool {
        self.words[(position / 64) as usize] >> (position % 64) & 1 == 1
    }

    /// The highest bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// How many low bits are zero; the width when all are.
    pub fn trailing_zeros(&self) -> u32 {
        let index = self.words.iter().position(|&word| word != 0);
        index.map_or(self.width, |index| 64 * index as u32 + self.words[index].trailing_zeros())
    }

    /// How many high bits are zero; the width when all are.
    pub fn leading_zeros(&self) -> u32 {
        match self.words.iter().rposition(|&word| word != 0) {
            Some(index) => {
                self.width - (64 * index as u32 + 64 - self.words[index].leading_zeros())
            }
            None => self.width,
        }
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        let words: SmallVec<[u64; 2]> =
            self.words.iter().zip(&other.words).map(|(&a, &b)| op(a, b)).collect();
        Self::new(self.width, &words)
    }

    /// Every bit the other way.
    pub fn not(&self) -> Self {
        let words: SmallVec<[u64; 2]> = self.words.iter().map(|&word| !word).collect();
        Self::new(self.width, &words)
    }

    /// Minus the number.
    pub fn neg(&self) -> Self {
        Self::zero(self.width).sub(self)
    }

    /// Bits that both have.
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Bits that one of them has.
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Bits that only one of them has.
    pub fn xor(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    /// The sum, cut to the width.
    pub fn add(&self, other: &Self) -> Self {
        let mut carry = 0u128;
        let mut words: SmallVec<[u64; 2]> = SmallVec::new();
        for (&a, &b) in self.words.iter().zip(&other.words) {
            let sum = u128::from(a) + u128::from(b) + carry;
            words.push(sum as u64);
            carry = sum >> 64;
        }
        Self::new(self.width, &words)
    }

    /// The difference, cut to the width.
    pub fn sub(&self, other: &Self) -> Self {
        let one = Self::from_u128(self.width, 1);
        self.add(&other.not()).add(&one)
    }

    /// The product, cut to the width.
    pub fn mul(&self, other: &Self) -> Self {
        if self.width <= 128 {
            let product = self.low_u128().wrapping_mul(other.low_u128());
            return Self::from_u128(self.width, product);
        }
        Self::from_big(self.width, &(self.big() * other.big()))
    }

    /// The quotient; by zero, all bits set, as SMT-LIB has it.
    pub fn udiv(&self, other: &Self) -> Self {
        if other.is_zero() {
            return Self::ones(self.width);
        }
        if self.width <= 128 {
            return Self::from_u128(self.width, self.low_u128() / other.low_u128());
        }
        Self::from_big(self.width, &(self.big() / other.big()))
    }

    /// The remainder; by zero, the number itself.
    pub fn urem(&self, other: &Self) -> Self {
        if other.is_zero() {
            return self.clone();
        }
        if self.width <= 128 {
            return Self::from_u128(self.width, self.low_u128() % other.low_u128());
        }
        Self::from_big(self.width, &(self.big() % other.big()))
    }

    fn magnitude(&self) -> Self {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// The quotient of signed numbers, towards zero.
    pub fn sdiv(&self, other: &Self) -> Self {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() == other.is_negative() { quotient } else { quotient.neg() }
    }

    /// The remainder of signed numbers, with the sign of the first.
    pub fn srem(&self, other: &Self) -> Self {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// A shift amount: everything from the width on is the same.
    fn amount(&self, width: u32) -> u32 {
        self.to_u64().map_or(width, |amount| amount.min(u64::from(width)) as u32)
    }

    /// Shifted up; by the width and more, zero.
    pub fn shl(&self, other: &Self) -> Self {
        let amount = other.amount(self.width);
        if amount >= self.width {
            return Self::zero(self.width);
        }
        let low = self.extract(0, self.width - amount);
        if amount == 0 { low } else { low.concat(&Self::zero(amount)) }
    }

    /// Shifted down; by the width and more, zero.
    pub fn lshr(&self, other: &Self) -> Self {
        let amount = other.amount(self.width);
        if amount >= self.width {
            return Self::zero(self.width);
        }
        self.extract(amount, self.width - amount).zext(self.width)
    }

    /// Shifted down, filled with the highest bit.
    pub fn ashr(&self, other: &Self) -> Self {
        let amount = other.amount(self.width).min(self.width - 1);
        self.extract(amount, self.width - amount).sext(self.width)
    }

    /// `width` bits from `low` on.
    pub fn extract(&self, low: u32, width: u32) -> Self {
        let (skip, shift) = ((low / 64) as usize, low % 64);
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        let words: SmallVec<[u64; 2]> = (0..word_count(width))
            .map(|index| {
                let base = word(skip + index) >> shift;
                if shift == 0 { base } else { base | word(skip + index + 1) << (64 - shift) }
            })
            .collect();
        Self::new(width, &words)
    }

    /// These bits above those of `low`.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        let mut words: SmallVec<[u64; 2]> = low.words.clone();
        words.resize(word_count(width) + 1, 0);
        let (skip, shift) = ((low.width / 64) as usize, low.width % 64);
        for (index, &word) in self.words.iter().enumerate() {
            words[skip + index] |= word << shift;
            if shift != 0 {
                words[skip + index + 1] |= word >> (64 - shift);
            }
        }
        Self::new(width, &words)
    }

    /// Extended with zeros.
    pub fn zext(&self, width: u32) -> Self {
        Self::new(width, &self.words)
    }

    /// Extended with the highest bit.
    pub fn sext(&self, width: u32) -> Self {
        if self.is_negative() && width > self.width {
            return Self::ones(width - self.width).concat(self);
        }
        self.zext(width)
    }

    /// Whether it is less, both unsigned.
    pub fn ult(&self, other: &Self) -> bool {
        self.words.iter().rev().lt(other.words.iter().rev())
    }

    /// Whether it is less, both signed.
    pub fn slt(&self, other: &Self) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    /// The inverse modulo 2^width of an odd number.
    pub(crate) fn inverse(&self) -> Self {
        // Newton's iteration doubles the number of correct low bits, from three on.
        let two = Self::from_u128(self.width, 2);
        let mut inverse = self.clone();
        let mut correct = 3;
        while correct < self.width {
            inverse = inverse.mul(&two.sub(&self.mul(&inverse)));
            correct *= 2;
        }
        inverse
    }

    fn big(&self) -> BigUint {
        BigUint::new(
            self.words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect(),
        )
    }

    fn from_big(width: u32, value: &BigUint) -> Self {
        let words: SmallVec<[u64; 2]> = value.iter_u64_digits().collect();
        Self::new(width, &words)
    }

    /// The lowest `width` bits of a decimal number.
    pub(crate) fn from_decimal(width: u32, digits: &str) -> Option<Self> {
        let value: BigInt = digits.parse().ok()?;
        let modulus = BigInt::from(1) << width;
        let wrapped = ((value % &modulus) + &modulus) % &modulus;
        debug_assert!(wrapped.sign() != Sign::Minus);
        Some(Self::from_big(width, wrapped.magnitude()))
    }
}

impl fmt::Display for Bits {
    /// As an SMT-LIB literal: hexadecimal where the width allows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            f.write_str("#x")?;
            for position in (0..self.width / 4).rev() {
                write!(f, "{:x}", self.extract(4 * position, 4).low_u64())?;
            }
        } else {
            f.write_str("#b")?;
            for position in (0..self.width).rev() {
                write!(f, "{}", u8::from(self.bit(position)))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_and_the_library_agree() {
        let values: [u128; 7] = [0, 1, 5, u128::from(u64::MAX), 1 << 64, u128::MAX, 1 << 127];
        for a in values {
            for b in values {
                let (x, y) = (Bits::from_u128(128, a), Bits::from_u128(128, b));
                let (wide_x, wide_y) = (x.zext(192), y.zext(192));
                assert_eq!(wide_x.mul(&wide_y).extract(0, 128), x.mul(&y));
                assert_eq!(wide_x.add(&wide_y).extract(0, 128).low_u128(), a.wrapping_add(b));
                if b != 0 {
                    assert_eq!(wide_x.udiv(&wide_y).extract(0, 128), x.udiv(&y));
                    assert_eq!(wide_x.urem(&wide_y).extract(0, 128), x.urem(&y));
                    let (wide_x, wide_y) = (x.sext(192), y.sext(192));
                    assert_eq!(wide_x.sdiv(&wide_y).extract(0, 128), x.sdiv(&y));
                    assert_eq!(wide_x.srem(&wide_y).extract(0, 128), x.srem(&y));
                }
            }
        }
    }

    #[test]
    fn division_by_zero_is_that_of_smt_lib() {
        let (five, zero) = (Bits::from_u128(4, 5), Bits::zero(4));
        assert_eq!(five.udiv(&zero).low_u64(), 15);
        assert_eq!(five.urem(&zero).low_u64(), 5);
        assert_eq!(five.sdiv(&zero).low_u64(), 15);
        assert_eq!(five.neg().sdiv(&zero).low_u64(), 1);
        assert_eq!(five.neg().srem(&zero), five.neg());
    }

    #[test]
    fn the_inverse_of_an_odd_number_undoes_it() {
        for width in [1, 2, 3, 4, 8, 64, 100, 200] {
            for value in [1u128, 3, 5, 7, 0xffff_ffff_ffff_fff1] {
                let odd = Bits::from_u128(width, value);
                assert_eq!(odd.mul(&odd.inverse()), Bits::from_u128(width, 1));
            }
        }
    }

    #[test]
    fn literals_are_those_of_smt_lib() {
        assert_eq!(Bits::from_u128(12, 0x1ab).to_string(), "#x1ab");
        assert_eq!(Bits::from_u128(3, 5).to_string(), "#b101");
        assert_eq!(Bits::from_decimal(70, "1180591620717411303425").unwrap().low_u64(), 1);
    }
}
