//! How people write down what is symbolic.
//!
//! Two forms. Among the arguments of the program, as KLEE has it: `--sym-arg LENGTH`, `--sym-args MIN
//! MAX LENGTH`, `--sym-files COUNT SIZE`, `--sym-stdin SIZE`. And our own, in words:
//!
//! ```text
//!     args=0..2x4          no, one or two arguments of at most four bytes
//!     arg=3                one argument of at most three bytes
//!     stdin=16             sixteen bytes; `stdin=0..16` for at most sixteen
//!     file:A=8             a file A of eight bytes; `file:A=0..8` for at most eight
//!     file:A=8+exists+kind+metadata    which may not exist, may be a folder, ...
//!     env:NAME=4           a variable of at most four bytes
//! ```

use std::collections::HashSet;
use std::path::{Component, PathBuf};

use umbra_text::Show;

use super::{Argument, Data, File, TooLarge, Variable, World};

/// A description of inputs that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// Not one of the words that are known.
    #[error("`{0}` is not an input: expected arg=, args=, stdin=, file:NAME= or env:NAME=")]
    Unknown(String),
    /// A number is missing or is none.
    #[error("`{text}`: expected {expected}, as in `{example}`")]
    Malformed {
        /// What was written.
        text: String,
        /// What is missing.
        expected: &'static str,
        /// How it should look.
        example: &'static str,
    },
    /// An option of KLEE's that is given too few numbers.
    #[error("{option} takes {expected}")]
    MissingNumber {
        /// The option.
        option: String,
        /// Its numbers.
        expected: &'static str,
    },
    /// The fewest arguments are more than the most.
    #[error("--sym-args {0} {1} {2}: the fewest arguments ({0}) are more than the most ({1})")]
    Reversed(u32, u32, u32),
    /// Two descriptions of one thing.
    #[error("{0} is described twice: leave one of the descriptions out, or give it another name")]
    Twice(String),
    /// More than can be explored.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// Whether a word among a program's arguments is one of KLEE's that describe inputs.
pub fn is_symbolic_word(word: &[u8]) -> bool {
    KLEE_OPTIONS.iter().any(|(name, ..)| word == name.as_bytes() || word == &name.as_bytes()[1..])
}

/// Name, how many numbers follow, and what they are.
const KLEE_OPTIONS: [(&str, usize, &str); 4] = [
    ("--sym-args", 3, "the fewest and the most arguments, and their length"),
    ("--sym-arg", 1, "the length of the argument"),
    ("--sym-files", 2, "the number of files and their size"),
    ("--sym-stdin", 1, "the size of standard input"),
];

impl World {
    /// The program and its arguments, with KLEE's descriptions of inputs among them.
    pub fn from_command(command: &[Vec<u8>]) -> Result<Self, BadInput> {
        let mut world = Self::default();
        let mut words = command.iter();
        world.program = words.next().cloned().unwrap_or_default();
        while let Some(word) = words.next() {
            let option = KLEE_OPTIONS.iter().find(|(name, ..)| {
                word == name.as_bytes() || word.as_slice() == &name.as_bytes()[1..]
            });
            let Some(&(name, count, expected)) = option else {
                world.arguments.push(Argument::Given(word.clone()));
                continue;
            };
            let mut numbers = [0u32; 3];
            for number in &mut numbers[..count] {
                let text = words.next().and_then(|word| std::str::from_utf8(word).ok());
                *number = text
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| BadInput::MissingNumber { option: name.to_owned(), expected })?;
            }
            let [a, b, c] = numbers;
            match name {
                "--sym-args" if a > b => return Err(BadInput::Reversed(a, b, c)),
                "--sym-args" => world.arguments.push(Argument::Symbolic {
                    minimum: a as usize,
                    maximum: b as usize,
                    length: c,
                }),
                "--sym-arg" => {
                    world.arguments.push(Argument::Symbolic { minimum: 1, maximum: 1, length: a });
                }
                "--sym-files" => world.add_files(a, b),
                _ => world.stdin = Some(Data { size: a, shorter: false }),
            }
        }
        Ok(world)
    }

    /// Refuses a world in which one name stands for two things, or that is too large.
    pub fn check(&self) -> Result<(), BadInput> {
        let mut names = HashSet::new();
        for file in &self.files {
            // `./A` and `A` are one file.
            let name: PathBuf =
                file.name.components().filter(|part| *part != Component::CurDir).collect();
            if !names.insert(name) {
                return Err(BadInput::Twice(format!("the file `{}`", file.name.shown())));
            }
        }
        let mut names = HashSet::new();
        for variable in &self.environment {
            if !names.insert(&variable.name) {
                return Err(BadInput::Twice(format!("the variable `{}`", variable.name)));
            }
        }
        Ok(self.check_size()?)
    }

    /// KLEE's files, which are called A, B and so on.
    pub fn add_files(&mut self, count: u32, size: u32) {
        for index in 0..count.min(26) {
            let name = PathBuf::from(char::from(b'A' + index as u8).to_string());
            let data = Data { size, shorter: false };
            self.files.push(File { name, data, ..File::default() });
        }
    }

    /// Adds what a description in our own form says.
    pub fn add(&mut self, text: &str) -> Result<(), BadInput> {
        let (what, value) =
            text.split_once('=').ok_or_else(|| BadInput::Unknown(text.to_owned()))?;
        let malformed =
            |expected, example| BadInput::Malformed { text: text.to_owned(), expected, example };
        match what {
            "arg" => {
                let length = value.parse().map_err(|_| malformed("a number of bytes", "arg=3"))?;
                self.arguments.push(Argument::Symbolic { minimum: 1, maximum: 1, length });
            }
            "args" => {
                let error = || malformed("how many and how long", "args=0..2x4");
                let (count, length) = value.split_once('x').ok_or_else(error)?;
                let (minimum, maximum) = range(count).ok_or_else(error)?;
                let length = length.parse().map_err(|_| error())?;
                self.arguments.push(Argument::Symbolic {
                    minimum: minimum as usize,
                    maximum: maximum as usize,
                    length,
                });
            }
            "stdin" => {
                let error = || malformed("a number of bytes", "stdin=16");
                self.stdin = Some(data(value).ok_or_else(error)?);
            }
            _ => match what.split_once(':') {
                Some(("file", name)) if !name.is_empty() => {
                    let error = || malformed("a size", "file:A=8+exists");
                    let mut words = value.split('+');
                    let size = words.next().and_then(data).ok_or_else(error)?;
                    let mut file =
                        File { name: PathBuf::from(name), data: size, ..File::default() };
                    for word in words {
                        match word {
                            "exists" => file.existence = true,
                            "kind" => file.kind = true,
                            "metadata" => file.metadata = true,
                            _ => return Err(error()),
                        }
                    }
                    self.files.push(file);
                }
                Some(("env", name)) if !name.is_empty() => {
                    let length =
                        value.parse().map_err(|_| malformed("a number of bytes", "env:HOME=4"))?;
                    self.environment.push(Variable { name: name.to_owned(), length });
                }
                _ => return Err(BadInput::Unknown(text.to_owned())),
            },
        }
        Ok(())
    }
}

/// `3` or `0..3`.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once("..") {
        Some((low, high)) => {
            let (low, high) = (low.parse().ok()?, high.parse().ok()?);
            (low <= high).then_some((low, high))
        }
        None => text.parse().ok().map(|count| (count, count)),
    }
}

/// `8` or `0..8`.
fn data(text: &str) -> Option<Data> {
    match range(text)? {
        (0, size) if text.contains("..") => Some(Data { size, shorter: true }),
        (low, high) if low == high => Some(Data { size: low, shorter: false }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Result<World, BadInput> {
        World::from_command(&words.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn klees_words_stand_among_the_arguments() {
        let world = command(&["cut", "-f", "--sym-args", "0", "2", "4", "--sym-files", "1", "8"]);
        let world = world.expect("the words are well-formed");
        assert_eq!(world.program, b"cut");
        let symbolic = Argument::Symbolic { minimum: 0, maximum: 2, length: 4 };
        assert_eq!(world.arguments, [Argument::Given(b"-f".to_vec()), symbolic]);
        assert_eq!(world.files.len(), 1);
        assert_eq!(world.files[0].data, Data { size: 8, shorter: false });
        assert!(world.is_symbolic());
        assert!(!command(&["cut", "-f1"]).expect("plain words").is_symbolic());
    }

    #[test]
    fn a_missing_number_is_named() {
        let error = command(&["cut", "--sym-args", "0", "2"]).expect_err("one is missing");
        assert!(error.to_string().starts_with("--sym-args takes the fewest"), "{error}");
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let error = command(&["cut", "--sym-args", "3", "2", "10"]).expect_err("3 are more than 2");
        assert_eq!(
            error.to_string(),
            "--sym-args 3 2 10: the fewest arguments (3) are more than the most (2)"
        );
        for twice in [["file:A=8", "file:A=4"], ["file:A=8", "file:./A=8"], ["env:A=1", "env:A=2"]]
        {
            let mut world = World::default();
            twice.iter().for_each(|text| world.add(text).expect(text));
            let error = world.check().expect_err("one name for two things").to_string();
            assert!(error.contains("is described twice"), "{error}");
        }
        let world = command(&["cut", "--sym-files", "2", "8"]).expect("the words are well-formed");
        assert_eq!(world.check(), Ok(()));
    }

    #[test]
    fn our_own_form_says_what_may_vary() {
        let mut world = World::default();
        for text in ["arg=3", "args=0..2x4", "stdin=0..16", "file:A=8+exists+kind", "env:HOME=4"] {
            world.add(text).expect(text);
        }
        assert_eq!(world.stdin, Some(Data { size: 16, shorter: true }));
        assert!(world.files[0].existence && world.files[0].kind && !world.files[0].metadata);
        assert_eq!(world.environment[0].length, 4);
        for text in ["arg", "arg=x", "args=2..1x3", "file:=8", "file:A=8+size", "stdin=1..2", "x=1"]
        {
            assert!(world.add(text).is_err(), "{text}");
        }
    }
}
