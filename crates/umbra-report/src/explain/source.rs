//! A line of C in parts: what each is, and whether the other version's line has it.
//!
//! For the eye only. Comments that go over several lines are followed, everything else is looked at
//! line by line.

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Names, operators, space.
    Plain,
    Keyword,
    Number,
    Text,
    Comment,
    Directive,
}

impl Sort {
    /// The class of such a part in a page; empty if it looks like all others.
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Keyword => "k",
            Self::Number => "d",
            Self::Text => "s",
            Self::Comment => "c",
            Self::Directive => "p",
        }
    }
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    pub sort: Sort,
    /// The other line does not have it.
    pub differs: bool,
}

const KEYWORDS: &[&str] = &[
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "return", "short", "signed", "size_t", "sizeof", "ssize_t", "static", "struct", "switch",
    "typedef", "union", "unsigned", "void", "volatile", "while",
];

/// Takes a line apart. `in_comment`: a comment is open at its start; at its end, afterwards.
pub fn parts<'a>(line: &'a str, in_comment: &mut bool) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let mut rest = line;
    let mut push = |text: &'a str, sort| parts.push(Part { text, sort, differs: false });
    if !*in_comment && line.trim_start().starts_with('#') {
        let (directive, comment) = line.split_at(line.find("/*").unwrap_or(line.len()));
        push(directive, Sort::Directive);
        rest = comment;
    }
    while !rest.is_empty() {
        let (length, sort) = match *in_comment {
            true => {
                let end = rest.find("*/").map(|at| at + 2);
                *in_comment = end.is_none();
                (end.unwrap_or(rest.len()), Sort::Comment)
            }
            false if rest.starts_with("/*") => {
                let end = rest[2..].find("*/").map(|at| at + 4);
                *in_comment = end.is_none();
                (end.unwrap_or(rest.len()), Sort::Comment)
            }
            false => next(rest),
        };
        let (part, behind) = rest.split_at(length);
        push(part, sort);
        rest = behind;
    }
    parts
}

/// The length of the first part, and what it is.
fn next(rest: &str) -> (usize, Sort) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = rest.chars().next().unwrap_or(' ');
    let run = |holds: &dyn Fn(char) -> bool| rest.find(|c| !holds(c)).unwrap_or(rest.len());
    match first {
        '/' if rest.starts_with("//") => (rest.len(), Sort::Comment),
        '"' | '\'' => (quoted(rest, first), Sort::Text),
        c if c.is_ascii_digit() => (run(&|c| is_word(c) || c == '.'), Sort::Number),
        c if is_word(c) => {
            let length = run(&is_word);
            let keyword = KEYWORDS.binary_search(&&rest[..length]).is_ok();
            (length, if keyword { Sort::Keyword } else { Sort::Plain })
        }
        c if c.is_whitespace() => (run(&char::is_whitespace), Sort::Plain),
        c => (c.len_utf8(), Sort::Plain),
    }
}

/// The length of a string or character at the start.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Lines with more parts are not compared part by part.
const LONGEST: usize = 400;

/// Marks what each of two lines has that the other does not. Space means nothing.
pub fn compare(old: &mut [Part<'_>], new: &mut [Part<'_>]) {
    if old.len() > LONGEST || new.len() > LONGEST {
        return;
    }
    // The longest common subsequence of parts, from the end.
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = match old[a].text == new[b].text {
                true => longest[(a + 1) * width + b + 1] + 1,
                false => longest[(a + 1) * width + b].max(longest[a * width + b + 1]),
            };
        }
    }
    let is_space = |part: &Part<'_>| part.text.trim().is_empty();
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a].text == new[b].text {
            (a, b) = (a + 1, b + 1);
        } else if b == new.len()
            || a < old.len() && longest[(a + 1) * width + b] >= longest[a * width + b + 1]
        {
            old[a].differs = !is_space(&old[a]);
            a += 1;
        } else {
            new[b].differs = !is_space(&new[b]);
            b += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorts(line: &str) -> Vec<(&str, Sort)> {
        let parts = parts(line, &mut false);
        parts
            .into_iter()
            .filter(|part| part.sort != Sort::Plain)
            .map(|part| (part.text, part.sort))
            .collect()
    }

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn a_line_is_taken_apart() {
        let found = sorts("if (x == 'a') return \"\\\"b\"; // why");
        let wanted = [
            ("if", Sort::Keyword),
            ("'a'", Sort::Text),
            ("return", Sort::Keyword),
            ("\"\\\"b\"", Sort::Text),
            ("// why", Sort::Comment),
        ];
        assert_eq!(found, wanted);
        assert_eq!(sorts("x1 = 0x1f + 2.5e3"), [("0x1f", Sort::Number), ("2.5e3", Sort::Number)]);
        assert_eq!(sorts("  #include <a.h>"), [("  #include <a.h>", Sort::Directive)]);
        assert_eq!(sorts("é \"open"), [("\"open", Sort::Text)]);
    }

    #[test]
    fn comments_go_over_lines() {
        let mut open = false;
        parts("a /* b", &mut open);
        assert!(open);
        assert_eq!(parts("int", &mut open)[0].sort, Sort::Comment);
        let last = parts("c */ int", &mut open);
        assert_eq!((last[0].text, open), ("c */", false));
        parts("a /* b */ c", &mut open);
        assert!(!open);
        parts("/*/", &mut open);
        assert!(open, "the star opens, and does not close");
    }

    #[test]
    fn what_the_other_line_lacks_is_marked() {
        let (mut old, mut new) =
            (parts("if (n > 100)", &mut false), parts("if (n >= 100 )", &mut false));
        compare(&mut old, &mut new);
        let marked = |parts: &[Part<'_>]| -> Vec<String> {
            parts.iter().filter(|part| part.differs).map(|part| part.text.to_owned()).collect()
        };
        assert_eq!(marked(&old), Vec::<String>::new());
        assert_eq!(marked(&new), ["="]);
    }
}
