//! Colours, widths and lines of a terminal.

use umbra_text::Show;
use umbra_words::Class;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Colour;

/// Columns of a tab in source text.
const TAB: usize = 4;

/// Names that are listed on one line; the rest is counted.
const NAMES: usize = 4;

/// How text is coloured.
#[derive(Clone, Copy)]
pub(in crate::check) struct Paint {
    pub colour: Colour,
}

impl Paint {
    /// Text in a colour, if there are colours; without a code as it is.
    pub fn in_code(self, code: &str, text: &str) -> String {
        match self.colour {
            Colour::Ansi if !code.is_empty() && !text.is_empty() => {
                format!("\x1b[{code}m{text}\x1b[0m")
            }
            _ => text.to_owned(),
        }
    }

    /// Bold text, also in a colour.
    pub fn bold(self, code: &str, text: &str) -> String {
        let code = if code.is_empty() { "1".to_owned() } else { format!("1;{code}") };
        self.in_code(&code, text)
    }

    /// Text that is less important.
    pub fn dim(self, text: &str) -> String {
        self.in_code("2", text)
    }

    /// One of these, by whether only ASCII is wanted.
    fn either(self, plain: &'static str, rich: &'static str) -> &'static str {
        match self.colour {
            Colour::Plain => plain,
            Colour::Ansi => rich,
        }
    }

    /// What stands between an old and a new thing.
    pub fn arrow(self) -> &'static str {
        self.either("->", "→")
    }

    /// What stands for text that is left out.
    pub fn dots(self) -> &'static str {
        self.either("...", "…")
    }

    /// What a bar is made of.
    pub fn block(self, plain: &'static str) -> &'static str {
        self.either(plain, "█")
    }

    /// A line down the page.
    pub fn bar(self) -> &'static str {
        self.either("|", "│")
    }

    /// Our own signs as this terminal has them.
    pub fn ascii(self, text: &str) -> String {
        text.replace('→', self.arrow())
    }
}

/// The colour of a class.
pub(in crate::check) fn class_code(class: Class) -> &'static str {
    match class {
        Class::Regression => "31",
        Class::NondeterminismIntroduced => "35",
        Class::OutputDifference => "33",
        Class::ToJudge => "36",
        Class::Fix => "32",
        Class::Flaky | Class::Same => "2",
    }
}

/// Columns that a text takes.
pub(in crate::check) fn width(text: &str) -> usize {
    text.width()
}

/// The text up to so many columns, with dots if it goes on.
pub(in crate::check) fn fitted(text: &str, columns: usize, dots: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(width(dots));
    let mut out = String::new();
    let mut taken = 0;
    for letter in text.chars() {
        taken += letter.width().unwrap_or(0);
        if taken > room {
            break;
        }
        out.push(letter);
    }
    out + dots
}

/// A line of source: tabs are spaces, and there is nothing that moves a cursor.
pub(super) fn source(line: &str) -> String {
    let mut out = String::new();
    for letter in line.chars() {
        match letter {
            '\t' => out.push_str(&" ".repeat(TAB - width(&out) % TAB)),
            letter => out.push_str(&letter.to_string().shown().to_string()),
        }
    }
    out
}

/// Lines of at most so many columns, as far as words allow. Text that is coloured counts its escapes as nothing.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut taken = 0;
    for word in text.split(' ') {
        let wide = visible(word);
        if taken > 0 && taken + 1 + wide > columns {
            lines.push(String::new());
            taken = 0;
        }
        if let Some(line) = lines.last_mut() {
            if taken > 0 {
                line.push(' ');
                taken += 1;
            }
            line.push_str(word);
        }
        taken += wide;
    }
    lines
}

/// Columns of text that may have colours of ours.
fn visible(text: &str) -> usize {
    let mut parts = text.split('\x1b');
    let plain = parts.next().map_or(0, width);
    plain
        + parts.map(|part| width(part.split_once('m').map_or("", |(_, rest)| rest))).sum::<usize>()
}

/// The first few names, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    let first = names[..names.len().min(NAMES)].join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_by_columns() {
        assert_eq!(fitted("日本語", 6, "…"), "日本語");
        assert_eq!(fitted("日本語", 5, "…"), "日本…");
        assert_eq!(fitted("abcdef", 5, "..."), "ab...");
        assert_eq!(source("a\tb\x1b"), "a   b\\x1b");
        assert_eq!(wrapped("one two \x1b[31mthree\x1b[0m four", 9).len(), 3);
        assert_eq!(wrapped("", 9), [""]);
        assert_eq!(some(&["a".to_owned(), "b".to_owned()]), "a, b");
    }
}
