//! The world of a program that is explored: which of its inputs are expressions.
//!
//! A [`World`] says what the process starts from. [`World::build`] makes the expressions and one
//! start for every number of arguments; [`Built::case`] turns the end of a path into a test case.

mod build;
mod case;
mod given;
mod parse;
mod seed;
mod size;
mod unit;

use std::path::PathBuf;

use umbra_case::{Call, Case};

pub use build::{Built, Start};
pub use given::given;
pub use parse::{BadInput, is_symbolic_word};
pub use seed::Seed;
pub use size::TooLarge;
pub use unit::{BadFunction, compare_function, run_function};

/// What a process starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// The name that the program is called by.
    pub program: Vec<u8>,
    /// The arguments after it.
    pub arguments: Vec<Argument>,
    /// Variables beside the fixed ones.
    pub environment: Vec<Variable>,
    /// Standard input; there is none to read if it is `None`.
    pub stdin: Option<Data>,
    /// Files in the working directory; with `base`, files of its tree.
    pub files: Vec<File>,
    /// What everything else is as in; without it, the small fixed root and variables.
    pub base: Option<Case>,
    /// Calls inside the program whose arguments are its inputs: one start for each.
    pub calls: Vec<Call>,
}

/// An argument, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// These bytes.
    Given(Vec<u8>),
    /// Between `minimum` and `maximum` arguments of at most `length` bytes each.
    Symbolic {
        /// The fewest.
        minimum: usize,
        /// The most.
        maximum: usize,
        /// Bytes of each at most.
        length: u32,
    },
}

/// A variable of the environment with a symbolic value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Bytes of its value at most.
    pub length: u32,
}

/// The bytes of standard input or of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// How many bytes.
    pub size: u32,
    /// There may be fewer.
    pub shorter: bool,
}

/// A file with symbolic contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name in the working directory, or in the tree of the case.
    pub name: PathBuf,
    /// Its contents.
    pub data: Data,
    /// It may not exist.
    pub existence: bool,
    /// It may be something else than a regular file.
    pub kind: bool,
    /// Its permissions and times may be anything.
    pub metadata: bool,
}

impl World {
    /// Whether anything in it is symbolic.
    pub fn is_symbolic(&self) -> bool {
        self.stdin.is_some()
            || !self.files.is_empty()
            || !self.environment.is_empty()
            || self.arguments.iter().any(|argument| matches!(argument, Argument::Symbolic { .. }))
    }
}
