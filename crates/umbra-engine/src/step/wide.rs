//! Integers of more than 64 bits, as words, least significant first.
//!
//! Up to 128 bits the host computes; beyond that a library does.

use num_bigint::{BigInt, BigUint, Sign};
use umbra_ir::{BinaryOp, Predicate};

/// Why a division has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivisionError {
    /// By zero.
    Zero,
    /// The most negative number by minus one.
    Overflow,
}

/// The value of at most two words.
pub fn to_u128(words: &[u64]) -> u128 {
    words.iter().rev().fold(0, |value, &word| (value << 64) | u128::from(word))
}

/// The lowest `bits` of `value`.
pub fn mask_u128(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// The lowest `bits` of `value`, read as a two's complement number.
pub fn sign_extend_u128(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.min(128);
    ((value << shift) as i128) >> shift
}

/// Puts the low words of `value` where they go.
pub fn put_u128(value: u128, words: &mut [u64]) {
    for (index, word) in words.iter_mut().enumerate() {
        *word = if index < 2 { (value >> (64 * index)) as u64 } else { 0 };
    }
}

fn to_big(words: &[u64]) -> BigUint {
    let digits = words.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
    BigUint::new(digits)
}

fn to_signed(words: &[u64], bits: u32) -> BigInt {
    let value = to_big(words);
    let negative = value.bit(u64::from(bits) - 1);
    let value = BigInt::from_biguint(Sign::Plus, value);
    if negative { value - (BigInt::from(1) << bits) } else { value }
}

fn put_big(value: BigInt, bits: u32, words: &mut [u64]) {
    let modulus = BigInt::from(1) << bits;
    let wrapped = ((value % &modulus) + &modulus) % &modulus;
    words.fill(0);
    for (word, digit) in words.iter_mut().zip(wrapped.magnitude().iter_u64_digits()) {
        *word = digit;
    }
}

/// `a op b` on integers of `bits` bits.
pub fn binary(
    op: BinaryOp,
    bits: u32,
    a: &[u64],
    b: &[u64],
    result: &mut [u64],
) -> Result<(), DivisionError> {
    if bits <= 128 {
        let value = binary_u128(op, bits, to_u128(a), to_u128(b))?;
        put_u128(mask_u128(value, bits), result);
        return Ok(());
    }
    let unsigned = |words| BigInt::from_biguint(Sign::Plus, to_big(words));
    let signed = |words| to_signed(words, bits);
    let amount = (b[0] % u64::from(bits)) as usize;
    let division = matches!(op, BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem);
    if division && b.iter().all(|&word| word == 0) {
        return Err(DivisionError::Zero);
    }
    let value = match op {
        BinaryOp::Add => unsigned(a) + unsigned(b),
        BinaryOp::Sub => unsigned(a) - unsigned(b),
        BinaryOp::Mul => unsigned(a) * unsigned(b),
        BinaryOp::UDiv => unsigned(a) / unsigned(b),
        BinaryOp::URem => unsigned(a) % unsigned(b),
        BinaryOp::SDiv => signed(a) / signed(b),
        BinaryOp::SRem => signed(a) % signed(b),
        BinaryOp::Shl => unsigned(a) << amount,
        BinaryOp::LShr => unsigned(a) >> amount,
        BinaryOp::AShr => signed(a) >> amount,
        BinaryOp::And => unsigned(a) & unsigned(b),
        BinaryOp::Or => unsigned(a) | unsigned(b),
        BinaryOp::Xor => unsigned(a) ^ unsigned(b),
    };
    if op == BinaryOp::SDiv && value == BigInt::from(1) << (bits - 1) {
        return Err(DivisionError::Overflow);
    }
    put_big(value, bits, result);
    Ok(())
}

/// `a op b` on integers of at most 128 bits; the result is not cut to its width.
pub fn binary_u128(op: BinaryOp, bits: u32, a: u128, b: u128) -> Result<u128, DivisionError> {
    let (sa, sb) = (sign_extend_u128(a, bits), sign_extend_u128(b, bits));
    let amount = (b % u128::from(bits)) as u32;
    let minimum = i128::MIN >> (128 - bits);
    match op {
        BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem if b == 0 => {
            return Err(DivisionError::Zero);
        }
        BinaryOp::SDiv | BinaryOp::SRem if sa == minimum && sb == -1 => {
            return Err(DivisionError::Overflow);
        }
        _ => {}
    }
    Ok(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::URem => a % b,
        BinaryOp::SDiv => (sa / sb) as u128,
        BinaryOp::SRem => (sa % sb) as u128,
        BinaryOp::Shl => a << amount,
        BinaryOp::LShr => a >> amount,
        BinaryOp::AShr => (sa >> amount) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    })
}

/// `a predicate b` on integers of `bits` bits.
pub fn compare(predicate: Predicate, bits: u32, a: &[u64], b: &[u64]) -> bool {
    let unsigned = || a.iter().rev().cmp(b.iter().rev());
    let signed = || {
        // Exchanging the halves of the number line turns one order into the other.
        let sign = |words: &[u64]| words[(bits as usize - 1) / 64] >> ((bits - 1) % 64) & 1;
        sign(b).cmp(&sign(a)).then_with(unsigned)
    };
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => unsigned().is_gt(),
        Predicate::Uge => unsigned().is_ge(),
        Predicate::Ult => unsigned().is_lt(),
        Predicate::Ule => unsigned().is_le(),
        Predicate::Sgt => signed().is_gt(),
        Predicate::Sge => signed().is_ge(),
        Predicate::Slt => signed().is_lt(),
        Predicate::Sle => signed().is_le(),
    }
}

/// Copies a number of `from` bits into one of `to` bits, cut, or extended by zeros or the sign.
pub fn resize(source: &[u64], from: u32, to: u32, signed: bool, result: &mut [u64]) {
    let negative = signed && source[(from as usize - 1) / 64] >> ((from - 1) % 64) & 1 == 1;
    let fill = if negative { u64::MAX } else { 0 };
    for (index, word) in result.iter_mut().enumerate() {
        let low = 64 * index as u32;
        *word = match source.get(index) {
            Some(&word) if low + 64 > from && negative => word | (u64::MAX << (from - low)),
            Some(&word) => word,
            None => fill,
        };
    }
    if let Some(last) = result.last_mut()
        && !to.is_multiple_of(64)
    {
        *last &= u64::MAX >> (64 - to % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two implementations agree where both apply.
    #[test]
    fn the_host_and_the_library_agree() {
        let ops = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::UDiv,
            BinaryOp::URem,
            BinaryOp::SDiv,
            BinaryOp::SRem,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
        ];
        let values: [u128; 7] = [0, 1, 5, u64::MAX as u128, 1 << 64, u128::MAX, 1 << 127];
        for op in ops {
            for a in values {
                for b in values {
                    // Sign-extended to 192 bits the low 128 bits of the result are the same.
                    let extend = |value: u128| {
                        let mut words = [0; 3];
                        resize(&[value as u64, (value >> 64) as u64], 128, 192, true, &mut words);
                        words
                    };
                    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
                    let division = matches!(op, BinaryOp::UDiv | BinaryOp::URem) || signed;
                    let zero_extend = |value: u128| [value as u64, (value >> 64) as u64, 0];
                    let (wide_a, wide_b) = if division && !signed {
                        (zero_extend(a), zero_extend(b))
                    } else {
                        (extend(a), extend(b))
                    };
                    let mut wide = [0; 3];
                    let big = binary(op, 192, &wide_a, &wide_b, &mut wide);
                    match binary_u128(op, 128, a, b) {
                        Ok(value) => assert_eq!((big, to_u128(&wide[..2])), (Ok(()), value)),
                        Err(DivisionError::Zero) => assert_eq!(big, Err(DivisionError::Zero)),
                        Err(DivisionError::Overflow) => assert_eq!(big, Ok(())),
                    }
                }
            }
        }
    }

    #[test]
    fn resizing_keeps_the_number() {
        let mut words = [0; 2];
        resize(&[0x1ff], 9, 80, true, &mut words);
        assert_eq!(words, [u64::MAX, 0xffff]);
        resize(&[0x1ff], 9, 80, false, &mut words);
        assert_eq!(words, [0x1ff, 0]);
        let mut word = [0];
        resize(&[u64::MAX, 1], 65, 33, true, &mut word);
        assert_eq!(word, [0x1_ffff_ffff]);
    }

    #[test]
    fn signed_comparison_looks_at_the_sign_bit() {
        let minus_one = [u64::MAX, 1];
        assert!(compare(Predicate::Slt, 65, &minus_one, &[0, 0]));
        assert!(compare(Predicate::Ugt, 65, &minus_one, &[0, 0]));
    }
}
