//! The case itself: a plain value, grouped by what a process takes it from.

use std::collections::BTreeMap;

use crate::{Call, Descriptor, Entry, EntryKind, Expected, Settings};

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
    /// Other descriptors than standard input, or descriptor 0 where `stdin` cannot say it. What is
    /// not listed has its default: 1 and 2 are pipes that somebody reads, others are closed.
    pub descriptors: BTreeMap<u32, Descriptor>,
    /// Where the tree stands, an absolute path; [`Case::ROOT`] if it does not matter.
    pub root: Option<Vec<u8>>,
    /// The working directory, relative to the root of the tree; empty for that root itself. `/` is
    /// the top of the file system, in which the tree stands.
    pub directory: Vec<u8>,
    /// The tree that the program finds; folders on the way need not be listed. Folders list their
    /// entries in this order ([`listing_order`](crate::listing_order)), which is a file system's own
    /// choice and does not count for the identity.
    pub tree: Vec<Entry>,
    /// Umask, user, limits, ignored signals.
    pub settings: Settings,
    /// The objects that the program made symbolic itself, in the order in which it did.
    pub objects: Vec<Object>,
    /// The call inside the program that these objects are for, if they are for one.
    pub call: Option<Call>,
    /// How the run is predicted to go; not part of the identity of a case.
    pub expected: Expected,
    /// Where the case came from; not part of its identity.
    pub origin: Origin,
}

impl Case {
    /// Where the tree of a case stands that does not say.
    pub const ROOT: &[u8] = b"/home/user";

    /// Where the program finds its objects as a `.ktest` file when the case is run; outside of the
    /// case's tree.
    pub const OBJECTS: &str = "/umbra-objects.ktest";

    /// The variable that tells the program where.
    pub const OBJECTS_VARIABLE: &str = "KTEST_FILE";

    /// The key of [`Case::origin`] with the paths in the tree, one a line, at which a recording found
    /// programs that were recorded.
    pub const PROGRAMS: &str = "programs";

    /// Those paths.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.origin.get(Self::PROGRAMS).into_iter().flat_map(|paths| paths.lines())
    }

    /// The absolute path at which the tree stands.
    pub fn root(&self) -> &[u8] {
        self.root.as_deref().unwrap_or(Self::ROOT)
    }

    /// The absolute path of the working directory.
    pub fn working_directory(&self) -> Vec<u8> {
        match &*self.directory {
            b"" => self.root().to_vec(),
            b"/" => b"/".to_vec(),
            directory => [self.root(), b"/", directory].concat(),
        }
    }

    /// Bytes in arguments, variables, standard input, files and objects: a measure of how much there
    /// is to read for someone who wants to understand the case.
    pub fn input_bytes(&self) -> u64 {
        let files = self.tree.iter().map(|entry| match &entry.kind {
            EntryKind::File(content) => content.len(),
            _ => 0,
        });
        let words = self.arguments.iter().chain(&self.environment).map(Vec::len);
        let objects = self.objects.iter().map(|object| object.bytes.len());
        let pipes = self.descriptors.values().map(|descriptor| match descriptor {
            Descriptor::Pipe(bytes) => bytes.len(),
            _ => 0,
        });
        let stdin = self.stdin.bytes().map_or(0, <[u8]>::len);
        let lengths = files.chain(words).chain(objects).chain(pipes).chain([stdin]);
        lengths.map(|length| length as u64).sum()
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
            descriptors: BTreeMap::from([(3, Descriptor::Pipe(vec![0; 64]))]),
            ..Case::default()
        };
        assert_eq!(case.input_bytes(), 127);
        assert_eq!(Case::default().input_bytes(), 0);
    }

    #[test]
    fn the_working_directory_is_below_the_root() {
        let mut case = Case::default();
        assert_eq!(case.working_directory(), b"/home/user");
        case.directory = b"/".to_vec();
        assert_eq!(case.working_directory(), b"/");
        case.directory = b"a/b".to_vec();
        assert_eq!(case.working_directory(), b"/home/user/a/b");
        case.root = Some(b"/tmp/x".to_vec());
        assert_eq!(case.working_directory(), b"/tmp/x/a/b");
    }
}
