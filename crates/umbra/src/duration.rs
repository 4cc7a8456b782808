//! Times as users write them.

use std::time::Duration;

/// `30s`, `2m`, `1h`, `500ms`, or a number of seconds.
pub fn parse(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit of time `{unit}`: use ms, s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| EXPECTED_TIME.to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| EXPECTED_TIME.to_owned())
}

const EXPECTED_TIME: &str = "expected a time, as 30s, 2m, 1h or a number of seconds";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in
            [("30s", 30_000), ("2m", 120_000), ("1h", 3_600_000), ("1.5", 1_500), ("250ms", 250)]
        {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for (text, reason) in [
            ("", EXPECTED_TIME),
            ("-1s", EXPECTED_TIME),
            ("1e300h", "unknown unit of time `e300h`"),
            ("s", EXPECTED_TIME),
            ("3d", "unknown unit of time `d`"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(reason), "{error}");
        }
    }
}
