//! What a test file says about itself.
//!
//! | directive | meaning |
//! |---|---|
//! | `args` | the program's arguments, quoted as in a shell |
//! | `stdin` | its standard input; `\n`, `\t`, `\0` and `\\` as in C |
//! | `env` | one `NAME=VALUE`; the environment holds nothing else |
//! | `cc` | flags of the compiler |
//! | `flags` | flags of `umbra run` |
//! | `exit` | the exit status; without it 0, 1 after an error, 2 after something unsupported |
//! | `native` | `same` as the engine (the default without marks) or `different`, and why |

use anyhow::{Context, bail};

/// How the native program compares to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Native {
    /// Same output, same exit status.
    Same,
    /// It is not run.
    Different,
}

/// A finding: what, and in which line of the test file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The line, from 1 on; 0 if no line of the file is concerned.
    pub line: u32,
    /// The stable name of the kind of error, or `unsupported`.
    pub kind: String,
}

/// Everything a test file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directives {
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Its standard input.
    pub stdin: Vec<u8>,
    /// Its environment.
    pub env: Vec<(String, String)>,
    /// Flags of the compiler.
    pub cc: Vec<String>,
    /// Flags of `umbra run`.
    pub flags: Vec<String>,
    /// The exit status, if said.
    pub exit: Option<i32>,
    /// Whether the native program is the oracle.
    pub native: Native,
    /// The marks, by line.
    pub marks: Vec<Finding>,
}

impl Directives {
    /// Reads the directives and marks of a source text.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut this = Self {
            args: Vec::new(),
            stdin: Vec::new(),
            env: Vec::new(),
            cc: Vec::new(),
            flags: Vec::new(),
            exit: None,
            native: Native::Same,
            marks: Vec::new(),
        };
        let mut native = None;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some((_, mark)) = line.split_once("//~") {
                this.marks.push(parse_mark(mark, number)?);
            }
            let Some(directive) = line.trim_start().strip_prefix("//@") else {
                continue;
            };
            let (name, value) = directive
                .split_once(':')
                .with_context(|| format!("line {number}: a directive is `//@ name: value`"))?;
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name.trim() {
                "args" => this.args.extend(split_words(value)?),
                "stdin" => this.stdin.extend(unescape(value)),
                "env" => {
                    let (name, value) = value
                        .split_once('=')
                        .with_context(|| format!("line {number}: `env` needs NAME=VALUE"))?;
                    this.env.push((name.to_owned(), value.to_owned()));
                }
                "cc" => this.cc.extend(split_words(value)?),
                "flags" => this.flags.extend(split_words(value)?),
                "exit" => this.exit = Some(value.trim().parse().context("reading `exit`")?),
                "native" => native = Some(parse_native(value)?),
                other => bail!("line {number}: there is no directive `{other}`"),
            }
        }
        let default = match this.marks.is_empty() {
            true => Native::Same,
            false => Native::Different,
        };
        this.native = native.unwrap_or(default);
        Ok(this)
    }
}

fn parse_native(value: &str) -> anyhow::Result<Native> {
    let (word, reason) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    match word {
        "same" => Ok(Native::Same),
        "different" if reason.is_empty() => bail!("`native: different` needs a reason"),
        "different" => Ok(Native::Different),
        other => bail!("`native` is `same` or `different`, not `{other}`"),
    }
}

pub(crate) fn parse_mark(mark: &str, number: u32) -> anyhow::Result<Finding> {
    let up = mark.chars().take_while(|&c| c == '^').count();
    let kind = mark[up..].trim();
    if kind.is_empty() || kind.contains(' ') {
        bail!("line {number}: a mark is `//~ kind`, not `//~{mark}`");
    }
    Ok(Finding { line: number - up as u32, kind: kind.to_owned() })
}

/// Splits at blanks; single and double quotes hold words together, also empty ones.
pub(crate) fn split_words(text: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        bail!("a quote is not closed in `{text}`");
    }
    words.extend(word);
    Ok(words)
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'0') => 0,
                Some(other) => other,
                None => b'\\',
            },
            byte => byte,
        });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_directives_and_marks() {
        let text = "//@ args: a '' \"b c\"\n//@ stdin: x\\n\n//@ env: TZ=UTC\n\
                    int x; //~ use-after-free\n//~^^ double-free\n";
        let directives = Directives::parse(text).unwrap();
        assert_eq!(directives.args, ["a", "", "b c"]);
        assert_eq!(directives.stdin, b"x\n");
        assert_eq!(directives.env, [("TZ".to_owned(), "UTC".to_owned())]);
        let marks: Vec<(u32, &str)> =
            directives.marks.iter().map(|mark| (mark.line, mark.kind.as_str())).collect();
        assert_eq!(marks, [(4, "use-after-free"), (3, "double-free")]);
        assert_eq!(directives.native, Native::Different);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in [
            "//@ arg: a",
            "//@ args 1",
            "//@ native: other",
            "//@ native: different",
            "//@ args: 'a",
            "x; //~",
        ] {
            assert!(Directives::parse(text).is_err(), "{text}");
        }
    }
}
