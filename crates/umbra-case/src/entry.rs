//! The tree that a program finds: entries, and the times they carry.

use std::fmt;
use std::str::FromStr;

/// A file, folder, link or named pipe in the tree of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to the root of the tree: no `.`, no `..`, no empty components. Only that root
    /// itself may be named `.`, and must be a folder.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Permission bits, at most `0o7777`; of no meaning for a symbolic link.
    pub mode: u32,
    /// When it was last modified; `None` if it does not matter.
    pub modified: Option<Timestamp>,
    /// Whose it is; `None` for the user that runs the program.
    pub owner: Option<Owner>,
}

/// The owner of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file with this content.
    File(Vec<u8>),
    /// A folder.
    Directory,
    /// A symbolic link to this target.
    Symlink(Vec<u8>),
    /// A named pipe.
    Fifo,
}

impl EntryKind {
    /// The mode that an entry has unless it is said: 0644, 0755 for a folder, 0777 for a link.
    pub const fn default_mode(&self) -> u32 {
        match self {
            Self::File(_) | Self::Fifo => 0o644,
            Self::Directory => 0o755,
            Self::Symlink(_) => 0o777,
        }
    }
}

impl Entry {
    /// An entry with the default mode of its kind, modified at no particular time, the user's own.
    pub fn new(path: impl Into<Vec<u8>>, kind: EntryKind) -> Self {
        let mode = kind.default_mode();
        Self { path: path.into(), mode, kind, modified: None, owner: None }
    }

    /// A regular file.
    pub fn file(path: impl Into<Vec<u8>>, content: impl Into<Vec<u8>>) -> Self {
        Self::new(path, EntryKind::File(content.into()))
    }

    /// A folder.
    pub fn directory(path: impl Into<Vec<u8>>) -> Self {
        Self::new(path, EntryKind::Directory)
    }

    /// A symbolic link.
    pub fn symlink(path: impl Into<Vec<u8>>, target: impl Into<Vec<u8>>) -> Self {
        Self::new(path, EntryKind::Symlink(target.into()))
    }

    /// A named pipe.
    pub fn fifo(path: impl Into<Vec<u8>>) -> Self {
        Self::new(path, EntryKind::Fifo)
    }
}

/// A moment, as seconds since 1970 in UTC.
///
/// Its text is a decimal number (`1600000000.5`, `-0.25`), which `touch -d @` takes as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// What follows them. Invariant: below 1,000,000,000.
    pub nanoseconds: u32,
}

/// Nanoseconds in a second.
const SECOND: u32 = 1_000_000_000;

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanoseconds == 0 {
            return write!(f, "{}", self.seconds);
        }
        // The fraction counts upwards from the seconds, so that of a negative time is turned round.
        let (sign, whole, fraction) = match self.seconds {
            seconds if seconds < 0 => {
                ("-", (seconds + 1).unsigned_abs(), SECOND - self.nanoseconds)
            }
            seconds => ("", seconds.unsigned_abs(), self.nanoseconds),
        };
        let digits = format!("{fraction:09}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// The text is no decimal number of seconds with at most nine digits after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number of seconds")]
pub struct NotATimestamp;

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        if !is_number(whole.strip_prefix('-').unwrap_or(whole)) || !is_number(fraction) {
            return Err(NotATimestamp);
        }
        let seconds: i64 = whole.parse().map_err(|_| NotATimestamp)?;
        let nanoseconds = match fraction.len() {
            0..=9 => format!("{fraction:0<9}").parse().map_err(|_| NotATimestamp)?,
            _ => return Err(NotATimestamp),
        };
        match (whole.starts_with('-'), nanoseconds) {
            (false, _) | (true, 0) => Ok(Self { seconds, nanoseconds }),
            (true, _) => {
                let seconds = seconds.checked_sub(1).ok_or(NotATimestamp)?;
                Ok(Self { seconds, nanoseconds: SECOND - nanoseconds })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_print_and_parse_back() {
        for (seconds, nanoseconds, text) in [
            (0, 0, "0"),
            (1_600_000_000, 500_000_000, "1600000000.5"),
            (7, 1, "7.000000001"),
            (-1, 750_000_000, "-0.25"),
            (-2, 0, "-2"),
            (-2, 999_999_999, "-1.000000001"),
            (i64::MIN, 1, "-9223372036854775807.999999999"),
            (i64::MAX, 999_999_999, "9223372036854775807.999999999"),
        ] {
            let timestamp = Timestamp { seconds, nanoseconds };
            assert_eq!(timestamp.to_string(), text);
            assert_eq!(text.parse(), Ok(timestamp));
        }
    }

    #[test]
    fn what_is_no_timestamp_is_refused() {
        for text in
            ["", ".", "1.", ".5", "+1", "1.-5", "--1", "1e3", "1.0000000001", "9223372036854775808"]
        {
            assert_eq!(text.parse::<Timestamp>(), Err(NotATimestamp), "{text}");
        }
    }
}
