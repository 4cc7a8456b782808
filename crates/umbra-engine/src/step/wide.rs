//! Integers of more than 64 bits, as words, least significant first.
//!
//! Up to 128 bits the host computes; beyond that the numbers of expressions do.

use umbra_expr::Bits;
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
    let amount = Bits::new(bits, &[b[0] % u64::from(bits)]);
    let (a, b) = (Bits::new(bits, a), Bits::new(bits, b));
    let division = matches!(op, BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem);
    if division && b.is_zero() {
        return Err(DivisionError::Zero);
    }
    let value = match op {
        BinaryOp::Add => a.add(&b),
        BinaryOp::Sub => a.sub(&b),
        BinaryOp::Mul => a.mul(&b),
        BinaryOp::UDiv => a.udiv(&b),
        BinaryOp::URem => a.urem(&b),
        // The most negative number is the one that is its own negation.
        BinaryOp::SDiv if a.is_negative() && b == Bits::ones(bits) && a == a.neg() => {
            return Err(DivisionError::Overflow);
        }
        BinaryOp::SDiv => a.sdiv(&b),
        BinaryOp::SRem => a.srem(&b),
        BinaryOp::Shl => a.shl(&amount),
        BinaryOp::LShr => a.lshr(&amount),
        BinaryOp::AShr => a.ashr(&amount),
        BinaryOp::And => a.and(&b),
        BinaryOp::Or => a.or(&b),
        BinaryOp::Xor => a.xor(&b),
    };
    put_bits(&value, result);
    Ok(())
}

/// Puts the words of a number where they go.
fn put_bits(value: &Bits, words: &mut [u64]) {
    words.fill(0);
    for (word, &value) in words.iter_mut().zip(value.words()) {
        *word = value;
    }
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
    let (a, b) = (Bits::new(bits, a), Bits::new(bits, b));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => b.ult(&a),
        Predicate::Uge => !a.ult(&b),
        Predicate::Ult => a.ult(&b),
        Predicate::Ule => !b.ult(&a),
        Predicate::Sgt => b.slt(&a),
        Predicate::Sge => !a.slt(&b),
        Predicate::Slt => a.slt(&b),
        Predicate::Sle => !b.slt(&a),
    }
}

/// Copies a number of `from` bits into one of `to` bits, cut, or extended by zeros or the sign.
pub fn resize(source: &[u64], from: u32, to: u32, signed: bool, result: &mut [u64]) {
    let number = Bits::new(from, source);
    let number = match signed && to > from {
        true => number.sext(to),
        false => number.zext(to),
    };
    put_bits(&number, result);
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
