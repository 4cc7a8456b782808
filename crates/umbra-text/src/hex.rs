//! Bytes as hexadecimal digits.

/// The bytes that these digits stand for, two for each, of either case; `None` if it is anything
/// else.
pub fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    });
    pairs.collect()
}

/// Two lower-case digits for each byte.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let mut text = vec![0; 2 * bytes.len()];
    for (&byte, pair) in bytes.iter().zip(text.chunks_exact_mut(2)) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    // Digits are text.
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_pairs() {
        for (text, bytes) in [("", &[][..]), ("00ff", &[0, 255]), ("aB", &[0xab])] {
            assert_eq!(from_hex(text).as_deref(), Some(bytes));
            assert_eq!(to_hex(bytes), text.to_lowercase());
        }
        let many: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&many)), Some(many));
        for text in ["0", "0g", "+f", " 0", "é", "0x0f"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
