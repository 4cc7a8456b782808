//! What a program of the corpus says about itself; `tests/symex/README.md` has the table.

use std::fmt;

use anyhow::{Context, bail, ensure};

use super::domain::Domain;
use super::input::Input;
use crate::filetest::directives::{Finding, parse_mark, split_words};

/// What comes from outside and may have any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbolic {
    /// That many bytes of standard input.
    Stdin(usize),
    /// Up to `count` arguments of up to `length` bytes, behind those that are given.
    Args {
        /// The number of arguments.
        count: usize,
        /// The most bytes of each, without the terminator.
        length: usize,
    },
    /// A file in the working directory.
    File {
        /// Its name.
        name: String,
        /// Its size.
        size: usize,
    },
}

impl fmt::Display for Symbolic {
    /// As behind `--sym`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin(size) => write!(f, "stdin={size}"),
            Self::Args { count, length } => write!(f, "args={count}x{length}"),
            Self::File { name, size } => write!(f, "file:{name}={size}"),
        }
    }
}

/// Everything a program says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Symbolic inputs from outside, in order.
    pub symbolic: Vec<Symbolic>,
    /// Arguments before the symbolic ones.
    pub args: Vec<String>,
    /// The environment.
    pub env: Vec<(String, String)>,
    /// Flags of `umbra run`.
    pub flags: Vec<String>,
    /// Flags of the compiler.
    pub cc: Vec<String>,
    /// Something is left out on purpose.
    pub incomplete: bool,
    /// The function that is to be analysed instead of `main`.
    pub function: Option<String>,
    /// How many paths there are, where that will not change.
    pub paths: Option<u64>,
    /// How many paths on which the versions do the same are left when the search is pruned.
    pub pruned: Option<u64>,
    /// How many system calls of both versions are undone, each version making them again.
    pub undone: Option<u64>,
    /// How often the versions are run one after the other.
    pub partings: Option<u64>,
    /// Lines at which they are, on the paths of tests, before the first divergence.
    pub apart: Option<Vec<u64>>,
    /// How many pairs are dropped because they are equal on their path.
    pub settled: Option<u64>,
    /// Command lines of tests from which a divergence is to be found.
    pub seeds: Vec<Vec<String>>,
    /// Words of command lines of `umbra diff`.
    pub diff: Vec<Vec<String>>,
    /// Classes that native runs of both versions must show.
    pub native: Vec<String>,
    /// How many mutants the program contains.
    pub mutants: u32,
    /// Two mutants together, as numbers that the program understands.
    pub combined: Vec<u32>,
    /// Those that do not terminate on some input.
    pub hangs: Vec<u32>,
    /// The program asks whether it is analysed, so tests go another way natively.
    pub unlike_native: bool,
    /// It cannot be made into two versions.
    pub one_version: bool,
    /// Natively each input needs a process that holds nothing else.
    pub fresh_process: bool,
    /// All inputs, where they can be enumerated.
    pub domain: Option<Domain>,
    /// An input that leads to the marked error.
    pub trigger: Option<Input>,
    /// An input that leads to none.
    pub benign: Option<Input>,
    /// The marks, by line.
    pub marks: Vec<Finding>,
}

impl Directives {
    /// Reads the directives and marks of a source text.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut this = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some((_, mark)) = line.split_once("//~") {
                this.marks.push(parse_mark(mark, number)?);
            }
            if let Some(directive) = line.trim_start().strip_prefix("//@") {
                this.directive(directive).with_context(|| format!("line {number}"))?;
            }
        }
        if this.domain.is_none() && !this.symbolic.is_empty() {
            this.domain = Domain::of_symbolic(&this.symbolic);
        }
        Ok(this)
    }

    fn directive(&mut self, text: &str) -> anyhow::Result<()> {
        let (name, value) = text.split_once(':').context("a directive is `//@ name: value`")?;
        let value = value.trim();
        match name.trim() {
            "sym" => self.symbolic.push(parse_symbolic(value)?),
            "args" => self.args.extend(split_words(value)?),
            "env" => {
                let (name, value) = value.split_once('=').context("`env` needs NAME=VALUE")?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            "flags" => self.flags.extend(split_words(value)?),
            "cc" => self.cc.extend(split_words(value)?),
            "complete" => {
                ensure!(value == "no", "`complete` is `no`, or is not said");
                self.incomplete = true;
            }
            "function" => self.function = Some(value.to_owned()),
            "replay" => {
                let reason = value.strip_prefix("no, ").context("`replay` is `no, REASON`")?;
                ensure!(!reason.is_empty(), "`replay` needs a reason");
                self.unlike_native = true;
            }
            "versions" => {
                let reason = value.strip_prefix("no, ").context("`versions` is `no, REASON`")?;
                ensure!(!reason.is_empty(), "`versions` needs a reason");
                self.one_version = true;
            }
            "process" => {
                let reason =
                    value.strip_prefix("fresh, ").context("`process` is `fresh, REASON`")?;
                ensure!(!reason.is_empty(), "`process` needs a reason");
                self.fresh_process = true;
            }
            "seed" => self.seeds.push(split_words(value)?),
            "diff" => self.diff.push(split_words(value)?),
            "native" => self.native.extend(split_words(value)?),
            "mutants" => self.mutants = value.parse()?,
            "combined" => {
                for number in value.split_whitespace() {
                    self.combined.push(number.parse()?);
                }
            }
            "hangs" => {
                for number in value.split_whitespace() {
                    self.hangs.push(number.parse()?);
                }
            }
            "pruned" => self.pruned = Some(value.parse()?),
            "undone" => self.undone = Some(value.parse()?),
            "partings" => self.partings = Some(value.parse()?),
            "apart" if value == "none" => self.apart = Some(Vec::new()),
            "apart" => {
                let lines: Result<_, _> = value.split_whitespace().map(str::parse).collect();
                self.apart = Some(lines?);
            }
            "settled" => self.settled = Some(value.parse()?),
            "paths" => self.paths = Some(value.parse()?),
            "domain" => self.domain = Some(Domain::parse(value)?),
            "trigger" => self.trigger = Some(Input::parse(value)?),
            "benign" => self.benign = Some(Input::parse(value)?),
            other => bail!("there is no directive `{other}`"),
        }
        Ok(())
    }
}

fn parse_symbolic(value: &str) -> anyhow::Result<Symbolic> {
    let (kind, value) = value.split_once('=').context("`sym` needs KIND=SIZE")?;
    Ok(match kind {
        "stdin" => Symbolic::Stdin(value.parse()?),
        "args" => {
            let (count, length) = value.split_once('x').context("`args` needs COUNTxLENGTH")?;
            Symbolic::Args { count: count.parse()?, length: length.parse()? }
        }
        "file" => {
            let (name, size) = value.split_once(':').context("`file` needs NAME:SIZE")?;
            ensure!(!name.contains('/'), "`file` names one in the working directory");
            Symbolic::File { name: name.to_owned(), size: size.parse()? }
        }
        other => bail!("`sym` is stdin, args or file, not `{other}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_directives_and_marks() {
        let text = "//@ sym: stdin=4\n//@ sym: args=2x3\n//@ sym: file=A:8\n//@ args: -x 'a b'\n\
                    //@ trigger: stdin=\"ab\"\n//@ function: f\nx; //~ abort\n";
        let directives = Directives::parse(text).unwrap();
        assert_eq!(
            directives.symbolic,
            [
                Symbolic::Stdin(4),
                Symbolic::Args { count: 2, length: 3 },
                Symbolic::File { name: "A".to_owned(), size: 8 }
            ]
        );
        assert_eq!(directives.args, ["-x", "a b"]);
        assert_eq!(directives.trigger.unwrap().stdin, b"ab");
        assert_eq!(directives.function.as_deref(), Some("f"));
        assert_eq!(directives.marks, [Finding { line: 7, kind: "abort".to_owned() }]);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for text in [
            "//@ symbolic: stdin=1",
            "//@ sym: stdin",
            "//@ sym: args=3",
            "//@ sym: file=a/b:3",
            "//@ sym: env=X:3",
            "//@ trigger: stdin",
        ] {
            assert!(Directives::parse(text).is_err(), "{text}");
        }
    }
}
