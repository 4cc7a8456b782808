//! One name or one line.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::{escape, is_control};

/// A text of others as one line that a terminal only shows.
///
/// ```
/// use umbra_text::Show;
/// assert_eq!("a\nb\u{1b}[2J".shown().to_string(), "a\\nb\\x1b[2J");
/// assert_eq!(b"\xff.c".shown().to_string(), "\\xff.c");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shown<'a>(&'a [u8]);

/// What others choose the text of.
pub trait Show {
    /// It as one line that a terminal only shows.
    fn shown(&self) -> Shown<'_>;
}

impl Show for [u8] {
    fn shown(&self) -> Shown<'_> {
        Shown(self)
    }
}

impl<const LENGTH: usize> Show for [u8; LENGTH] {
    fn shown(&self) -> Shown<'_> {
        Shown(self)
    }
}

impl Show for Vec<u8> {
    fn shown(&self) -> Shown<'_> {
        Shown(self)
    }
}

impl Show for str {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_bytes())
    }
}

impl Show for String {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_bytes())
    }
}

impl Show for OsStr {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_bytes())
    }
}

impl Show for OsString {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_bytes())
    }
}

impl Show for Path {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_os_str().as_bytes())
    }
}

impl Show for PathBuf {
    fn shown(&self) -> Shown<'_> {
        Shown(self.as_os_str().as_bytes())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_some() || f.precision().is_some() {
            let mut text = String::new();
            write_shown(self.0, &mut text)?;
            return f.pad(&text);
        }
        write_shown(self.0, f)
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

fn write_shown(bytes: &[u8], out: &mut impl Write) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        let mut plain = chunk.valid();
        while let Some((at, character)) = plain.char_indices().find(|(_, c)| is_control(*c)) {
            out.write_str(&plain[..at])?;
            escape(character, out)?;
            plain = &plain[at + character.len_utf8()..];
        }
        out.write_str(plain)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_themselves() {
        for name in ["a/b.c", "größe", "C:\\x", "日本", "a b", "'\"`$"] {
            assert_eq!(name.shown().to_string(), name);
        }
    }

    #[test]
    fn no_character_of_any_kind_is_left_that_does_something() {
        let every: String = ('\0'..=char::MAX).filter(|&c| is_control(c)).collect();
        let shown = every.shown().to_string();
        assert!(!shown.chars().any(is_control), "{shown}");
        // Each is told from the others.
        let escapes: std::collections::BTreeSet<String> =
            every.chars().map(|c| c.to_string().shown().to_string()).collect();
        assert_eq!(escapes.len(), every.chars().count());
    }

    #[test]
    fn columns_are_those_of_what_is_shown() {
        assert_eq!(format!("{:>6}|", "a\n".shown()), "   a\\n|");
    }
}
