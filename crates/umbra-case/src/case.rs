//! The case itself: a plain value, grouped by what a process takes it from.

use std::collections::BTreeMap;

use crate::{Entry, EntryKind, Expected, Settings};

/// Everything a process starts from, and how it is expected to end.
///
/// Arguments, variables and names are bytes: a solver does not care for UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The name that the program is called by, `argv[0]`.
    pub program: Vec<u8>,
    /// The arguments after it.
    pub arguments: Vec<Vec<u8>>,
    /// The whole environment, each entry `NAME=VALUE`, in order.
    pub environment: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Stdin,
    /// The tree of the working directory, in any order; folders on the way need not be listed.
    pub tree: Vec<Entry>,
    /// Umask, user, limits, ignored signals.
    pub settings: Settings,
    /// The objects that the program made symbolic itself, in the order in which it did.
    pub objects: Vec<Object>,
    /// How the run is predicted to go; not part of the identity of a case.
    pub expected: Expected,
    /// Where the case came from; not part of its identity.
    pub origin: Origin,
}

impl Case {
    /// Bytes in arguments, variables, standard input, files and objects: a measure of how much there
    /// is to read for someone who wants to understand the case.
    pub fn input_bytes(&self) -> u64 {
        let files = self.tree.iter().map(|entry| match &entry.kind {
            EntryKind::File(content) => content.len(),
            _ => 0,
        });
        let words = self.arguments.iter().chain(&self.environment).map(Vec::len);
        let objects = self.objects.iter().map(|object| object.bytes.len());
        let stdin = self.stdin.bytes().map_or(0, <[u8]>::len);
        files.chain(words).chain(objects).map(|length| length as u64).sum::<u64>() + stdin as u64
    }
}

/// Free-form provenance: run, path, seed.
pub type Origin = BTreeMap<String, String>;

/// What standard input is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// The null device: there is nothing to read.
    #[default]
    Null,
    /// Descriptor 0 is not open.
    Closed,
    /// A pipe from which these bytes come, then the end.
    Pipe(Vec<u8>),
    /// A file with this content, read from its start.
    File(Vec<u8>),
}

impl Stdin {
    /// The bytes to be read, if it has a content.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Null | Self::Closed => None,
            Self::Pipe(bytes) | Self::File(bytes) => Some(bytes),
        }
    }
}

/// An object made symbolic by `klee_make_symbolic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name that the program gave it.
    pub name: Vec<u8>,
    /// Its content.
    pub bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_case_is_that_of_its_inputs() {
        let case = Case {
            program: b"not counted".to_vec(),
            arguments: vec![vec![0; 1], vec![0; 2]],
            environment: vec![vec![0; 4]],
            stdin: Stdin::File(vec![0; 8]),
            tree: vec![Entry::file("x", [0; 16]), Entry::directory("d")],
            objects: vec![Object { name: b"o".to_vec(), bytes: vec![0; 32] }],
            ..Case::default()
        };
        assert_eq!(case.input_bytes(), 63);
        assert_eq!(Case::default().input_bytes(), 0);
    }
}
