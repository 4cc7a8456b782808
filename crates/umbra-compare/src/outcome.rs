//! What a native run leaves behind: plain values.
//!
//! They also cross the boundary between the sandbox's own process and the one that asked for the
//! run, so they serialise. That form is private to one build of the program and never stored.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use umbra_case::{Listing, ObjectId, Timestamp};
use umbra_words::{End, Position};

/// Everything that was seen of one native run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How the program ended.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// What is below the case's root after the run.
    pub tree: Tree,
    /// Which blocks of its module ran; `None` if the executable has no counters.
    pub blocks: Option<Blocks>,
    /// The first report of a sanitizer, if the executable was built with one and it had any.
    pub report: Option<SanitizerReport>,
    /// When the tree of the case was about to be made: what carries a later time was changed by the
    /// program, or has a time that the case does not say.
    #[serde(with = "time")]
    pub began: Timestamp,
    /// What the run took.
    pub usage: Usage,
    /// What the limit on memory covered.
    pub memory_count: MemoryCount,
    /// What was cut, or could not be had as the case says. Empty for most runs.
    pub notes: Vec<Note>,
}

/// The beginning of a stream, all of it unless it was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The bytes.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// There were more than the limit allows.
    pub cut: bool,
}

/// A file tree, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree(pub Vec<TreeEntry>);

impl Tree {
    /// The text that a case predicts it with, see [`umbra_case::Listing`].
    pub fn listing(&self) -> Vec<u8> {
        let mut listing = Listing::default();
        for TreeEntry { path, kind, mode, .. } in &self.0 {
            match kind {
                _ if path == b"." => {}
                TreeKind::File(Content::Bytes(bytes)) => {
                    listing.file(path, *mode, bytes.len() as u64, &ObjectId::of(bytes));
                }
                TreeKind::File(Content::Hash { length, hash }) => {
                    listing.file(path, *mode, *length, &ObjectId::from(*hash));
                }
                // Not known, so not as anything that was predicted.
                TreeKind::File(Content::Unread { .. }) => listing.special(path, "unread file"),
                TreeKind::Directory => listing.directory(path, *mode),
                TreeKind::Symlink(target) => listing.symlink(path, target),
                TreeKind::Fifo => listing.special(path, "fifo"),
                TreeKind::Socket => listing.special(path, "socket"),
            }
        }
        listing.to_bytes()
    }
}

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// Path relative to the case's root, without `.` in front; the root itself is `.`.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// What it is.
    pub kind: TreeKind,
    /// Permission bits.
    pub mode: u32,
    /// When it was last modified.
    #[serde(with = "time")]
    pub modified: Timestamp,
    /// Number of names that lead to it; 1 for a folder.
    pub links: u64,
}

/// What an entry of a tree is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TreeKind {
    /// A regular file.
    File(Content),
    /// A folder.
    Directory,
    /// A symbolic link with this target.
    Symlink(#[serde(with = "serde_bytes")] Vec<u8>),
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// All its bytes.
    Bytes(#[serde(with = "serde_bytes")] Vec<u8>),
    /// A file larger than [`Content::INLINE`]: its length and the SHA-256 hash of its bytes.
    Hash {
        /// Length in bytes.
        length: u64,
        /// SHA-256 of the content.
        hash: [u8; 32],
    },
    /// A file that was not read because the run's files have too many bytes; see [`Note::TreeCut`].
    Unread {
        /// Length in bytes.
        length: u64,
    },
}

impl Content {
    /// Length up to which the bytes themselves are kept.
    pub const INLINE: u64 = 1 << 20;

    /// The content of a file with these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        match length <= Self::INLINE {
            true => Self::Bytes(bytes),
            false => Self::Hash { length, hash: Sha256::digest(&bytes).into() },
        }
    }
}

/// One byte for each block of the module, in the order of its counters; not zero: it ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks(#[serde(with = "serde_bytes")] pub Vec<u8>);

impl Blocks {
    /// The numbers of the blocks that ran, ascending.
    pub fn ran(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(index, _)| index)
    }
}

/// A report of AddressSanitizer or UndefinedBehaviorSanitizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SanitizerReport {
    /// The kind in the sanitizer's own words: `heap-buffer-overflow`, `signed-integer-overflow`.
    pub kind: String,
    /// Where it happened: the innermost place in the program's own source that is known.
    pub place: Option<Position>,
    /// The stack, innermost call first.
    pub stack: Vec<Frame>,
    /// The report as the sanitizer wrote it.
    pub text: String,
}

/// One call on a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The module, as the path it had in the sandbox.
    pub module: String,
    /// Offset of the instruction in the module.
    pub offset: u64,
    /// The function, if it is known.
    pub function: Option<String>,
    /// The place in its source, if it is known.
    pub place: Option<Position>,
}

/// Who counts the memory of runs, and so what the limit on it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryCount {
    /// A control group of the kernel: everything.
    Group {
        /// The version of its interface, 1 or 2.
        version: u8,
    },
    /// We do, from what can be seen of processes and what they ask for.
    #[default]
    Seen,
}

impl MemoryCount {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Group { version: 1 } => "cgroup-v1",
            Self::Group { .. } => "cgroup-v2",
            Self::Seen => "processes",
        }
    }

    /// What is counted, in a few words.
    pub const fn covers(self) -> &'static str {
        match self {
            Self::Group { .. } => {
                "all memory of a run: processes, shared memory, sockets, pipes, the kernel's tables"
            }
            Self::Seen => {
                "resident memory and page tables of processes, shared mappings as they are asked \
                 for, sockets and pipes by what they may hold; not the kernel's other tables"
            }
        }
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// From the start of the program to its end.
    pub wall: Duration,
    /// CPU time in the program and in the children that it waited for.
    pub user: Duration,
    /// CPU time in the kernel for it.
    pub system: Duration,
    /// Largest resident set of one process, in bytes.
    pub peak_memory: u64,
}

/// Something that was cut, or that differs from what the case asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Note {
    /// The tree is not complete: the run left more than is read back.
    TreeCut(TreeCut),
    /// Processes were left when the program had ended, and were killed.
    Survivors {
        /// How many.
        count: u64,
    },
    /// The file system of the run was full at its end.
    DiskFull,
    /// An entry belongs to somebody else than the case's user, which cannot be had.
    Owner {
        /// Path of the entry.
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
    },
    /// The tree stands elsewhere than the case says: under Landlock there is no root of one's own.
    Root,
    /// `/proc` could not be mounted.
    NoProc,
    /// A descriptor could not be had as the case says.
    Descriptor {
        /// Its number.
        number: u32,
    },
    /// A limit of the case is above what we may set.
    Limit {
        /// Its name, as in the case.
        name: String,
    },
    /// The program was refused shared memory: it asked for more than the limit on memory.
    SharedMemory,
    /// A report of a sanitizer was longer than is kept.
    ReportCut,
    /// The counters of blocks could not be read, since the program had gone already.
    NoCounters,
}

/// Which bound cut a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TreeCut {
    /// Number of entries.
    Entries,
    /// Depth of folders.
    Depth,
    /// Bytes in files.
    Bytes,
}

/// The timestamps of `umbra-case` as two numbers.
mod time {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use umbra_case::Timestamp;

    pub fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        (time.seconds, time.nanoseconds).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Timestamp, D::Error> {
        let (seconds, nanoseconds) = Deserialize::deserialize(from)?;
        Ok(Timestamp { seconds, nanoseconds })
    }
}
