//! One input of a program: what it is started with, and the values of the objects it asks for.

use anyhow::{Context, bail, ensure};
use umbra_case::{Case, EntryKind};

/// One input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The symbolic arguments.
    pub args: Vec<Vec<u8>>,
    /// Files in the working directory.
    pub files: Vec<(String, Vec<u8>)>,
    /// Objects made symbolic by the program, in the order in which it does.
    pub objects: Vec<(String, Vec<u8>)>,
}

impl Input {
    /// Reads `stdin=VALUE`, `arg=VALUE`, `file=NAME:VALUE` and, for an object, `NAME=VALUE`.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut this = Self::default();
        for word in words(text)? {
            let (key, value) =
                word.split_once('=').with_context(|| format!("`{word}` is not NAME=VALUE"))?;
            match key {
                "stdin" => this.stdin.extend(bytes(value)?),
                "arg" => this.args.push(bytes(value)?),
                "file" => {
                    let (name, value) = value.split_once(':').context("`file` needs NAME:VALUE")?;
                    this.files.push((name.to_owned(), bytes(value)?));
                }
                name => this.objects.push((name.to_owned(), bytes(value)?)),
            }
        }
        Ok(this)
    }

    /// What a test case starts from, as far as it is symbolic.
    pub fn of_case(case: &Case) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let files = case.tree.iter().filter_map(|entry| match &entry.kind {
            EntryKind::File(bytes) => Some((text(&entry.path), bytes.clone())),
            _ => None,
        });
        let objects = case.objects.iter();
        Self {
            stdin: case.stdin.bytes().unwrap_or_default().to_vec(),
            args: case.arguments.clone(),
            files: files.collect(),
            objects: objects.map(|object| (text(&object.name), object.bytes.clone())).collect(),
        }
    }

    /// The objects as a `.ktest` file of version 3.
    pub fn ktest(&self) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes();
        let mut file = b"KTEST".to_vec();
        file.extend(number(3));
        // No arguments, and two numbers that only KLEE uses.
        file.extend([0; 12]);
        file.extend(number(self.objects.len()));
        for (name, bytes) in &self.objects {
            for part in [name.as_bytes(), bytes] {
                file.extend(number(part.len()));
                file.extend(part);
            }
        }
        file
    }
}

/// Splits at blanks outside of quotes; the quotes stay.
fn words(text: &str) -> anyhow::Result<Vec<String>> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for c in text.chars() {
        if c == ' ' && !quoted {
            words.push(String::new());
            continue;
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    ensure!(!quoted, "a quote is not closed in `{text}`");
    words.retain(|word| !word.is_empty());
    Ok(words)
}

/// A value: `"text"` with the escapes of C, `u8:12`, `i32:-5`, or hexadecimal digits.
fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    if let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return unescape(inner);
    }
    if let Some((width, value)) = text.split_once(':') {
        return integer(width, value.parse()?);
    }
    umbra_text::from_hex(text).with_context(|| format!("`{text}` is not hexadecimal digits"))
}

/// An integer in memory: `width` is a type as in Rust.
pub(super) fn integer(width: &str, value: i128) -> anyhow::Result<Vec<u8>> {
    let (signed, bits) = width.split_at_checked(1).context("an integer needs a type")?;
    let bits: u32 = bits.parse()?;
    ensure!(matches!(bits, 8 | 16 | 32 | 64), "there is no type `{width}`");
    let range = match signed {
        "u" => 0..1i128 << bits,
        "i" => -(1i128 << (bits - 1))..1i128 << (bits - 1),
        _ => bail!("there is no type `{width}`"),
    };
    ensure!(range.contains(&value), "{value} is no {width}");
    Ok(value.to_le_bytes()[..bits as usize / 8].to_vec())
}

fn unescape(text: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(b'x') => {
                let digits = [rest.next(), rest.next()].map(Option::unwrap_or_default);
                u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?
            }
            Some(other @ (b'\\' | b'"')) => other,
            _ => bail!("an escape is not known in `{text}`"),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_all_kinds_of_values() {
        let input = Input::parse(
            r#"stdin="a \"\\\x0a" arg="" arg=2d78 file=A:"x" n=i16:-2 n=u8:255 m=0102"#,
        )
        .unwrap();
        assert_eq!(input.stdin, b"a \"\\\n");
        assert_eq!(input.args, [b"".to_vec(), b"-x".to_vec()]);
        assert_eq!(input.files, [("A".to_owned(), b"x".to_vec())]);
        let objects = [("n", vec![0xfe, 0xff]), ("n", vec![255]), ("m", vec![1, 2])];
        assert_eq!(input.objects, objects.map(|(name, bytes)| (name.to_owned(), bytes)));
    }

    #[test]
    fn refuses_values_that_do_not_fit() {
        for text in ["n", "n=123", "n=u8:256", "n=i8:128", "n=f32:1", "n=\"\\q\"", "n=\"", "n=xy"] {
            assert!(Input::parse(text).is_err(), "{text}");
        }
    }
}
