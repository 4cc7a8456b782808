//! A whole page on its way to a terminal, and JSON.

use std::fmt::{self, Write};

use crate::{escape, is_control};

/// Whether a page has colours of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Escape sequences that choose colours stay.
    Kept,
    /// There are none, so none stays.
    None,
}

/// Passes text on without control characters, except the ends of lines.
///
/// It knows nothing of who chose which part: names must have been [shown](crate::Show) before, since
/// one with the end of a line in it could pass for a line of ours.
#[derive(Debug)]
pub struct Clean<W> {
    out: W,
    colours: Colours,
}

impl<W: Write> Clean<W> {
    /// What is written to it goes to `out`.
    pub fn new(out: W, colours: Colours) -> Self {
        Self { out, colours }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Write for Clean<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_plain = |c: char| matches!(c, '\n' | '\t') || !is_control(c);
        let mut rest = text;
        while let Some((at, character)) = rest.char_indices().find(|(_, c)| !is_plain(*c)) {
            self.out.write_str(&rest[..at])?;
            let colour = match self.colours {
                Colours::Kept => colour_length(&rest[at..]),
                Colours::None => None,
            };
            let length = colour.unwrap_or(character.len_utf8());
            match colour {
                Some(length) => self.out.write_str(&rest[at..at + length])?,
                None => escape(character, &mut self.out)?,
            }
            rest = &rest[at + length..];
        }
        self.out.write_str(rest)
    }
}

/// The length of the sequence at the start that chooses a colour: `ESC [ digits ; ... m`.
fn colour_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("\x1b[")?;
    let end = inner.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    inner[end..].starts_with('m').then_some(2 + end + 1)
}

/// JSON text in which control characters are written as JSON writes them. Serializers leave those beyond
/// ASCII as they are.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Outside of strings, where they are no more than space.
            '\n' | '\t' | '\r' => out.push(character),
            _ if is_control(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str, colours: Colours) -> String {
        let mut out = Clean::new(String::new(), colours);
        out.write_str(text).unwrap();
        out.into_inner()
    }

    #[test]
    fn lines_stay_and_nothing_else_that_does_something() {
        assert_eq!(clean("a\n\tb", Colours::None), "a\n\tb");
        assert_eq!(clean("\x1b[31ma\x1b[0m", Colours::None), "\\x1b[31ma\\x1b[0m");
        let every: String = ('\0'..=char::MAX).filter(|&c| is_control(c)).collect();
        for colours in [Colours::None, Colours::Kept] {
            let cleaned = clean(&every, colours);
            assert!(cleaned.chars().all(|c| matches!(c, '\n' | '\t') || !is_control(c)));
        }
    }

    #[test]
    fn of_escape_sequences_only_colours_stay() {
        let colours = "\x1b[1;31mred\x1b[0m";
        assert_eq!(clean(colours, Colours::Kept), colours);
        for other in ["\x1b[2J", "\x1b]0;title\x07", "\x1b[31", "\x1bc", "\u{9b}31m", "\x1b[?25l"] {
            assert!(!clean(other, Colours::Kept).chars().any(is_control), "{other:?}");
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        assert_eq!(
            json("[\"a\u{9b}\u{202e}\u{e0041}é\"]\n"),
            r#"["a\u009b\u202e\udb40\udc41é"]"#.to_owned() + "\n"
        );
    }
}
