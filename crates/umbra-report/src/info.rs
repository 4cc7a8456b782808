//! What a run was: the `info` file of its folder.

use std::ffi::OsString;

/// What a run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The command line.
    pub command: Vec<OsString>,
    /// The version of Umbra.
    pub version: String,
    /// When it started, in seconds since 1970 in UTC.
    pub started: u64,
}

impl Info {
    /// The text of the file: one `key: value` a line.
    pub fn to_text(&self) -> String {
        let words: Vec<String> =
            self.command.iter().map(|word| quote(&word.to_string_lossy())).collect();
        format!(
            "command: {}\nversion: {}\nstarted: {}\n",
            words.join(" "),
            self.version,
            utc(self.started)
        )
    }
}

/// A word for a shell, quoted only where it must be; always on one line.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        return format!("$'{}'", word.escape_default());
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// "2026-11-15 11:33:03 UTC".
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Count from 1 March of the year 0, so that a leap day ends its year, its four years and its
    // 400 years of 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on months have 153 days in five, in the pattern 31, 30, 31, 30, 31.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_as_it_should() {
        let words = ["umbra", "run", "./it's", "a b", "", "-d:", "line\n"];
        let info = Info {
            command: words.map(OsString::from).into(),
            version: "0.1.0".to_owned(),
            started: 1_000_000_000,
        };
        assert_eq!(
            info.to_text(),
            "command: umbra run './it'\\''s' 'a b' '' -d: $'line\\n'\n\
             version: 0.1.0\n\
             started: 2001-09-09 01:46:40 UTC\n"
        );
    }

    #[test]
    fn days_are_counted_as_the_calendar_does() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59:59 UTC"),
            (1_709_251_200, "2024-03-01 00:00:00 UTC"),
            (1_767_225_599, "2025-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }
}
