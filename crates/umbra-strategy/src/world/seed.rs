//! A given input, around which others are looked for.

use std::path::{Path, PathBuf};

use umbra_expr::{Assignment, Expressions};

use super::build::{Built, StartArgument};
use super::{Argument, Data, File, World};

/// A given input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seed {
    /// The arguments after the program's name.
    pub arguments: Vec<Vec<u8>>,
    /// Standard input; there is none to read if it is `None`.
    pub stdin: Option<Vec<u8>>,
    /// Files in the working directory.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// What the program makes symbolic itself, by name; zeros where nothing is said.
    pub objects: Vec<(String, Vec<u8>)>,
}

impl Seed {
    /// The world in which every byte of the seed may be another, at its length.
    pub fn world(&self, program: Vec<u8>) -> World {
        let arguments = self.arguments.iter().map(|text| match text.len() {
            // There is no byte that could be another.
            0 => Argument::Given(Vec::new()),
            length => Argument::Symbolic { minimum: 1, maximum: 1, length: length as u32 },
        });
        World {
            program,
            arguments: arguments.collect(),
            stdin: self
                .stdin
                .as_ref()
                .map(|bytes| Data { size: bytes.len() as u32, shorter: false }),
            files: self.files.iter().map(|(name, bytes)| file(name, bytes)).collect(),
            ..World::default()
        }
    }
}

fn file(name: &Path, bytes: &[u8]) -> File {
    let data = Data { size: bytes.len() as u32, shorter: false };
    File { name: name.to_owned(), data, ..File::default() }
}

impl Built {
    /// The seed as an assignment of this world, which must be the seed's own.
    pub fn assignment(&self, expressions: &mut Expressions, seed: &Seed) -> Assignment {
        let mut assignment = Assignment::new();
        let starts = self.starts.iter().flat_map(|start| &start.arguments);
        for (argument, text) in starts.zip(&seed.arguments) {
            if let StartArgument::Symbolic { array, .. } = argument {
                assignment.set_bytes(*array, text);
            }
        }
        let stdin = self.stdin.as_ref().and_then(|data| data.array);
        if let (Some(array), Some(bytes)) = (stdin, &seed.stdin) {
            assignment.set_bytes(array, bytes);
        }
        for (file, (_, bytes)) in self.files.iter().zip(&seed.files) {
            if let Some(array) = file.data.array {
                assignment.set_bytes(array, bytes);
            }
        }
        for (name, bytes) in &seed.objects {
            // As the machine names the first input that the program calls so.
            let array = expressions.input(&format!("{name}:{}", bytes.len()), bytes.len() as u32);
            assignment.set_bytes(array, bytes);
        }
        assignment
    }
}
