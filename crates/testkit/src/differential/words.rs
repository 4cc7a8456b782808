//! Splits a command line by the shell's quoting rules, without a shell.
//!
//! Quotes: `'...'` literally; `"..."` with `\` before `"`, `\`, `$` and `` ` ``; `$'...'` with C
//! escapes; `\` before any character. `$NAME` is replaced, outside single quotes, if the name is
//! given; any other `$` stands for itself. Nothing else of a shell's syntax has a meaning here.
//! Words are bytes: arguments need not be UTF-8.

use anyhow::{Result, bail};

/// Names that `$NAME` is replaced for.
pub type Variables<'a> = &'a [(&'a str, &'a [u8])];

/// The words of a line.
pub fn split(line: &str, variables: Variables) -> Result<Vec<Vec<u8>>> {
    let mut rest = line.as_bytes();
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b' ' | b'\t' => words.extend(word.take()),
            b'\'' => rest = single_quoted(rest, word.get_or_insert_default())?,
            b'"' => rest = double_quoted(rest, word.get_or_insert_default(), variables)?,
            b'$' if rest.first() == Some(&b'\'') => {
                rest = escaped(&rest[1..], b'\'', word.get_or_insert_default())?;
            }
            b'$' => rest = variable(rest, word.get_or_insert_default(), variables),
            b'\\' => {
                let [next, tail @ ..] = rest else { bail!("backslash at the end of `{line}`") };
                word.get_or_insert_default().push(*next);
                rest = tail;
            }
            byte => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The bytes of a text in double quotes with C escapes, as in `"a\n"`.
pub fn unescape(text: &str) -> Result<Vec<u8>> {
    let Some(rest) = text.strip_prefix('"') else { bail!("not a text in double quotes: {text}") };
    let mut bytes = Vec::new();
    let rest = escaped(rest.as_bytes(), b'"', &mut bytes)?;
    if !rest.is_empty() {
        bail!("something after the closing quote: {text}");
    }
    Ok(bytes)
}

fn single_quoted<'a>(rest: &'a [u8], word: &mut Vec<u8>) -> Result<&'a [u8]> {
    let Some(end) = rest.iter().position(|&byte| byte == b'\'') else { bail!("unclosed '") };
    word.extend(&rest[..end]);
    Ok(&rest[end + 1..])
}

fn double_quoted<'a>(
    mut rest: &'a [u8],
    word: &mut Vec<u8>,
    variables: Variables,
) -> Result<&'a [u8]> {
    loop {
        match rest {
            [] => bail!("unclosed \""),
            [b'"', tail @ ..] => return Ok(tail),
            [b'\\', next @ (b'"' | b'\\' | b'$' | b'`'), tail @ ..] => {
                word.push(*next);
                rest = tail;
            }
            [b'$', tail @ ..] => rest = variable(tail, word, variables),
            [byte, tail @ ..] => {
                word.push(*byte);
                rest = tail;
            }
        }
    }
}

/// What follows a `$`: a known name is replaced, anything else is left.
fn variable<'a>(rest: &'a [u8], word: &mut Vec<u8>, variables: Variables) -> &'a [u8] {
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (name, tail) = rest.split_at(length);
    match variables.iter().find(|(known, _)| known.as_bytes() == name) {
        Some((_, value)) => {
            word.extend(*value);
            tail
        }
        None => {
            word.push(b'$');
            rest
        }
    }
}

/// C escapes up to the closing quote.
fn escaped<'a>(mut rest: &'a [u8], quote: u8, bytes: &mut Vec<u8>) -> Result<&'a [u8]> {
    loop {
        let [first, tail @ ..] = rest else { bail!("unclosed {}", char::from(quote)) };
        rest = tail;
        if *first == quote {
            return Ok(rest);
        }
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [kind, tail @ ..] = rest else { bail!("backslash at the end") };
        rest = tail;
        match kind {
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'e' => bytes.push(27),
            b'f' => bytes.push(12),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'v' => bytes.push(11),
            b'\\' | b'\'' | b'"' => bytes.push(*kind),
            b'x' => {
                let (value, length) = number(rest, 16, 2);
                if length == 0 {
                    bail!("\\x without digits");
                }
                bytes.push(value);
                rest = &rest[length..];
            }
            b'0'..=b'7' => {
                let digits = [&[*kind], rest].concat();
                let (value, length) = number(&digits, 8, 3);
                bytes.push(value);
                rest = &rest[length - 1..];
            }
            other => bail!("unknown escape \\{}", char::from(*other)),
        }
    }
}

/// The number at the beginning, of at most so many digits, and its length. Overflow wraps.
fn number(text: &[u8], radix: u32, most: usize) -> (u8, usize) {
    let digits = || text.iter().take(most).map_while(|&byte| char::from(byte).to_digit(radix));
    let value = digits().fold(0, |value, digit| value * radix + digit);
    (value as u8, digits().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&[u8]]) {
        let variables: Variables = &[("BUILD", b"/b")];
        assert_eq!(split(line, variables).unwrap(), expected, "{line}");
    }

    #[test]
    fn quoting() {
        check("a  b", &[b"a", b"b"]);
        check("'' \"\"", &[b"", b""]);
        check("'a b'c\\ d", &[b"a bc d"]);
        check("\"a'\\\"\\n\"", &[b"a'\"\\n"]);
        check("$'a\\n\\x41\\101\\0'", &[b"a\nAA\0"]);
        check("# x;y|z", &[b"#", b"x;y|z"]);
    }

    #[test]
    fn variables() {
        check(
            "$BUILD/x \"$BUILD\" '$BUILD' $OTHER $",
            &[b"/b/x", b"/b", b"$BUILD", b"$OTHER", b"$"],
        );
    }

    #[test]
    fn unclosed() {
        for line in ["'a", "\"a", "$'a", "a\\"] {
            assert!(split(line, &[]).is_err(), "{line}");
        }
    }

    #[test]
    fn texts() {
        assert_eq!(unescape(r#""a\tb\n""#).unwrap(), b"a\tb\n");
        assert!(unescape("a").is_err());
        assert!(unescape(r#""a"b"#).is_err());
    }
}
