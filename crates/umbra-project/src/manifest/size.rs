//! Sizes as people write them: `20 GiB`, `500M`, `4096`.

/// The bytes that a text like `20 GiB` names. Units are powers of 1,024; `G`, `GB` and
/// `GiB` are the same, in any case of letters.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// A size for people, such as `1.5 GiB`.
pub fn format_size(bytes: u64) -> String {
    let mut unit = "bytes";
    let mut divisor = 1_u64;
    for (name, shift) in [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)] {
        if bytes >= 1 << shift {
            (unit, divisor) = (name, 1 << shift);
        }
    }
    if divisor == 1 || bytes.is_multiple_of(divisor) {
        return format!("{} {unit}", bytes / divisor);
    }
    // Tenths, rounded down: a cap must never look larger than it is.
    let tenths = u128::from(bytes) * 10 / u128::from(divisor);
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let cases = [
            ("0", Some(0)),
            ("4096", Some(4096)),
            ("20 GiB", Some(20 << 30)),
            ("20G", Some(20 << 30)),
            (" 3mb ", Some(3 << 20)),
            ("1.5 GiB", None),
            ("-1", None),
            ("G", None),
            ("12 parsecs", None),
            ("99999999999 TiB", None),
        ];
        for (text, size) in cases {
            assert_eq!(parse_size(text), size, "{text}");
        }
        for (size, text) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (20 << 30, "20 GiB"),
            ((3 << 29) + 5, "1.5 GiB"),
        ] {
            assert_eq!(format_size(size), text);
        }
    }
}
