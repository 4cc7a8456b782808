//! Numbers as people read them; worded once for all texts.

/// "1,234,567".
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "1 path", "2 paths".
pub fn counted(number: u64, noun: &str) -> String {
    let plural = match noun {
        noun if noun.ends_with("query") => "queries",
        noun => &format!("{noun}s"),
    };
    format!("{} {}", count(number), if number == 1 { noun } else { plural })
}

/// "once", "3 times".
pub fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{} times", count(number)) }
}

/// "999", "1.2 k", "12.3 M", "1.2 G": three or four digits.
pub fn short(number: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    match UNITS.iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{:.1}{name}", number / unit),
        None => format!("{number:.0}"),
    }
}

/// "0.3 s", "59.9 s", "3 min 04 s", "2 h 05 min".
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// The share of a part in a whole, from 0 to 1; 0 if there is nothing.
pub fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// A share as "71.3 %". Only what is whole is 100 %.
pub fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor() / 10.0;
    format!("{tenths:.1} %")
}

/// A share as "66 %", for places where a tenth does not matter.
pub fn rough_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (12_345, "12,345")]
        {
            assert_eq!(count(number), text);
        }
        assert_eq!([counted(1, "query"), counted(0, "path")], ["1 query", "0 paths"]);
        assert_eq!(counted(2_000, "query"), "2,000 queries");
        assert_eq!([times(1), times(2)], ["once", "2 times"]);
        for (number, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1.0 k"),
            (12_345_678.0, "12.3 M"),
            (2e13, "20.0 T"),
        ] {
            assert_eq!(short(number), text);
        }
        for (seconds, text) in [
            (0.04, "0.0 s"),
            (59.4, "59.4 s"),
            (59.7, "1 min 00 s"),
            (184.2, "3 min 04 s"),
            (7500.0, "2 h 05 min"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(percent(share(1999.0, 2000.0)), "99.9 %");
        assert_eq!(percent(share(1.0, 1.0)), "100.0 %");
        assert_eq!(percent(share(0.0, 0.0)), "0.0 %");
    }
}
