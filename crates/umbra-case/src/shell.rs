//! Words for a POSIX shell, from arbitrary bytes.
//!
//! What shows as it is stands in single quotes. Everything else goes through `printf` with octal
//! escapes, since `$'...'` is not in every shell, and raw bytes or control characters in a script
//! survive neither editors nor all shells. A command substitution drops newlines at its end, so a
//! full stop guards them and is taken off again.

use crate::text::visible;

/// A way to write bytes as a word.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// A command that must run before, ending in a newline; empty if none is needed.
    pub before: String,
    /// The word itself, quoted.
    pub word: String,
}

/// The word of these bytes, with `prefix`, which must be plain text, in front.
pub fn word(prefix: &str, bytes: &[u8]) -> Word {
    match visible(bytes, &[]) {
        Some(text) => Word { before: String::new(), word: quote(&format!("{prefix}{text}")) },
        None => Word {
            before: format!("bytes=$(printf '{}.')\n", octal(bytes)),
            word: format!("\"{prefix}${{bytes%.}}\""),
        },
    }
}

/// The bytes as one word that stands for itself; `None` if a shell would drop a newline at their end.
pub fn argument(bytes: &[u8]) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    match visible(bytes, &[]) {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => Some(text.to_owned()),
        Some(text) => Some(quote(text)),
        None if bytes.ends_with(b"\n") => None,
        None => Some(format!("\"$(printf '{}')\"", format(bytes))),
    }
}

/// A format for printf, with the escapes that people know.
pub fn format(bytes: &[u8]) -> String {
    octal(bytes).replace("\\012", "\\n").replace("\\011", "\\t")
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A format for printf. Escapes have three digits, so that a digit after one is no part of it; a
/// hyphen in front would make an option of it.
fn octal(bytes: &[u8]) -> String {
    let escape = |(index, byte): (usize, &u8)| match (index, byte) {
        (0, b'-') | (_, b'%' | b'\\' | b'\'') => format!("\\{byte:03o}"),
        (_, b' '..=b'~') => char::from(*byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    bytes.iter().enumerate().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_and_other_bytes_are_escaped() {
        for (bytes, before, text) in [
            (&b""[..], "", "''"),
            (b"plain -x $HOME `id` \"q\" \\", "", r#"'plain -x $HOME `id` "q" \'"#),
            (b"it's", "", r"'it'\''s'"),
            ("Gr\u{fc}n".as_bytes(), "", "'Gr\u{fc}n'"),
            (b"a\n", "bytes=$(printf 'a\\012.')\n", "\"${bytes%.}\""),
            (b"--\t", "bytes=$(printf '\\055-\\011.')\n", "\"${bytes%.}\""),
            (b"\xff1%'\\", "bytes=$(printf '\\3771\\045\\047\\134.')\n", "\"${bytes%.}\""),
        ] {
            let expected = Word { before: before.to_owned(), word: text.to_owned() };
            assert_eq!(word("", bytes), expected);
        }
        assert_eq!(word("./", b"-x").word, "'./-x'");
        assert_eq!(word("./", b"\t").word, "\"./${bytes%.}\"");
    }
}
