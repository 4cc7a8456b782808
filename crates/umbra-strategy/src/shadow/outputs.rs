//! What a version leaves behind: streams, files, exit status.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use umbra_engine::Byte;
use umbra_os::{Kernel, OutputAction};

/// Folders in which programs leave files. What a world has elsewhere is read-only to them.
const ROOTS: [&str; 2] = ["/home/user", "/tmp"];

/// Bytes of a file that are compared, from its start. A program can make a file of any size without
/// writing it.
const COMPARED: u64 = 1 << 24;

/// A place in what a version leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Output {
    /// A byte of a stream, by its descriptor at the start.
    Stream {
        /// The descriptor.
        descriptor: u32,
        /// The byte.
        offset: usize,
    },
    /// A byte of a file.
    File {
        /// The file.
        path: PathBuf,
        /// The byte.
        offset: usize,
    },
    /// A file that only one version leaves, or that is of another kind or mode.
    Entry {
        /// The file.
        path: PathBuf,
    },
    /// How the program ended.
    Status,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream { descriptor: 1, offset } => write!(f, "standard output, byte {offset}"),
            Self::Stream { descriptor: 2, offset } => write!(f, "standard error, byte {offset}"),
            Self::Stream { descriptor, offset } => {
                write!(f, "descriptor {descriptor}, byte {offset}")
            }
            Self::File { path, offset } => write!(f, "file {}, byte {offset}", path.display()),
            Self::Entry { path } => write!(f, "file {}", path.display()),
            Self::Status => f.write_str("exit status"),
        }
    }
}

/// What was written to each inherited descriptor.
pub(super) fn streams(kernel: &Kernel) -> BTreeMap<u32, Vec<Byte>> {
    let mut streams: BTreeMap<u32, Vec<Byte>> = BTreeMap::new();
    for event in kernel.output() {
        let stream = streams.entry(event.sink.0).or_default();
        match event.action {
            OutputAction::Write { offset, bytes } => {
                let start = offset.map_or(stream.len(), |offset| offset as usize);
                let bytes: Vec<Byte> = bytes.iter().collect();
                let end = start + bytes.len();
                if stream.len() < end {
                    stream.resize(end, Byte::Concrete(0));
                }
                stream[start..end].copy_from_slice(&bytes);
            }
            OutputAction::Truncate(length) => {
                stream.resize(length as usize, Byte::Concrete(0));
            }
        }
    }
    streams
}

/// A file that a version leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub mode: u32,
    pub target: Option<Vec<u8>>,
    /// As many as are compared.
    pub bytes: Vec<Byte>,
    /// How many come after them.
    pub beyond: u64,
}

/// The files that a version leaves, given the values of what their names and attributes depend on.
pub(super) fn files(
    kernel: &Kernel,
    value: &mut dyn FnMut(umbra_expr::ExprId) -> u64,
) -> BTreeMap<PathBuf, Entry> {
    let mut files = BTreeMap::new();
    let Ok(mut shape) = kernel.concrete(value) else { return files };
    for root in ROOTS.map(Path::new) {
        for entry in shape.walk_tree(root).unwrap_or_default() {
            let size = entry.stat.size;
            let bytes = kernel.read_file_bytes(entry.id, 0, size.min(COMPARED) as usize);
            let bytes = bytes.map_or(Vec::new(), |bytes| bytes.iter().collect());
            let beyond = size.saturating_sub(COMPARED);
            let found = Entry { mode: entry.stat.mode, target: entry.target, bytes, beyond };
            files.insert(root.join(entry.path), found);
        }
    }
    files
}
