//! Test cases for people: one as a page, two as what changed.

mod diff;
mod show;

use umbra_case::Case;

use crate::Colour;

pub use diff::CaseDiff;
pub use show::CaseText;

/// Bytes as a person can read them; what is no text is escaped.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\""),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}

/// A word of a command line, in quotes where a shell needs them.
fn word(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:=,+@%".contains(byte);
    match !bytes.is_empty() && bytes.iter().all(is_plain) {
        true => shown(bytes),
        false => format!("'{}'", shown(bytes).replace('\'', "'\\''")),
    }
}

/// The command line of a case.
fn command(case: &Case) -> String {
    let words = std::iter::once(&case.program).chain(&case.arguments);
    words.map(|bytes| word(bytes)).collect::<Vec<String>>().join(" ")
}

/// Text in a colour, if there are colours.
fn paint(colour: Colour, code: &str, text: &str) -> String {
    match colour {
        Colour::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        Colour::Plain => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_quoted_where_needed() {
        let case = Case {
            program: b"cut".to_vec(),
            arguments: [&b"-d"[..], b" ", b"", b"it's", b"\xff\n"].map(<[u8]>::to_vec).into(),
            ..Case::default()
        };
        assert_eq!(command(&case), r"cut -d ' ' '' 'it'\''s' '\xff\n'");
    }
}
