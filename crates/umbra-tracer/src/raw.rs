//! The recording of one invocation, as the tracer writes it.
//!
//! Absolute paths, nothing interpreted: what becomes of it is decided by who reads it. Contents of
//! files are beside, named by their hash.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One invocation of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// The program's number in the settings.
    pub program: u32,
    /// The process.
    pub process: u32,
    /// The test that ran it, as far as the parent processes tell.
    pub test: Option<Vec<u8>>,
    /// What the process started from.
    pub start: Start,
    /// What it touched, in the order of the first touch.
    pub touched: Vec<Touched>,
    /// What it read from the streams among its descriptors.
    pub streams: Vec<Stream>,
    /// Paths that belong to the system and were used; only the first of many.
    pub system: BTreeSet<Vec<u8>>,
    /// What may make it behave differently elsewhere.
    pub notes: BTreeSet<Note>,
    /// Limits that were exceeded: the recording is incomplete.
    pub exceeded: BTreeSet<Cap>,
    /// How it ended.
    pub end: End,
    /// What was written to standard output and error, each if all of it is known.
    pub outputs: [Option<Vec<u8>>; 2],
    /// The block counters at its end.
    pub blocks: Option<Vec<u8>>,
}

macro_rules! define_named {
    ($(#[$outer:meta])* $type:ident { $($(#[$doc:meta])* $name:ident $text:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $type { $($(#[$doc])* $name,)* }

        impl $type {
            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

define_named! {
    /// Something about an invocation that matters when it is repeated.
    Note {
        /// It started other processes.
        Spawns "spawns",
        /// It became another program.
        Executes "executes",
        /// It has more than one thread.
        Threads "threads",
        /// One of its descriptors is a terminal, or it opened one.
        Terminal "terminal",
        /// It looked into /proc or /sys.
        Proc "proc",
        /// It used the network.
        Network "network",
        /// A descriptor is a socket.
        Socket "socket",
        /// Someone else changed a file while it ran.
        ConcurrentWriter "concurrent-writer",
        /// A file it has open has no name any more.
        Deleted "deleted-file",
        /// Its working directory had no name that can be told.
        NoDirectory "no-directory",
        /// A path was too long, or a loop of links.
        Unresolved "unresolved-path",
        /// It changed its root directory.
        Chroot "chroot",
        /// A device, socket or the like was touched that no test case can hold.
        Device "device",
        /// Not all of its system calls were seen, so that touches are missing.
        Unseen "unseen",
        /// It started a child that is not traced, as a leak check does; what came then is not known.
        Untraced "untraced",
        /// It started a debugger, which cannot trace what the tracer does.
        Debugger "debugger",
        /// A descriptor is open that no test case can hold.
        Descriptor "descriptor",
        /// A file could not be read.
        Unreadable "unreadable",
        /// It reads a stream in a way that is not followed.
        UnfollowedStream "unfollowed-stream",
        /// Its output is not kept: it is too much, or was written in a way that is not followed.
        Output "output",
    }
}

define_named! {
    /// A limit of a recording.
    Cap {
        /// Bytes of a file.
        File "file-bytes",
        /// Bytes of all contents.
        Recording "recording-bytes",
        /// Number of entries.
        Entries "entries",
        /// Bytes read from a stream.
        Stream "stream-bytes",
    }
}

/// What a process starts from, besides files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// All arguments, the program's name first.
    pub arguments: Vec<Vec<u8>>,
    /// The variables on the allow-list, `NAME=VALUE`, in order.
    pub environment: Vec<Vec<u8>>,
    /// Names of the others.
    pub dropped: Vec<Vec<u8>>,
    /// The variable `PATH` if it is one of the others.
    pub path: Option<Vec<u8>>,
    /// The working directory; `None` if it has no name.
    pub directory: Option<Vec<u8>>,
    /// The file mode creation mask.
    pub umask: u32,
    /// The effective user.
    pub user: u32,
    /// The effective group.
    pub group: u32,
    /// Bit N - 1: signal N is ignored.
    pub ignored: u64,
    /// Soft limits by the kernel's number of the resource; `None` is unlimited.
    pub limits: Vec<(u32, Option<u64>)>,
    /// Open descriptors, in order.
    pub descriptors: Vec<Descriptor>,
}

/// An open descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Its number.
    pub number: u32,
    /// What it leads to.
    pub target: Target,
    /// Flags of open(2).
    pub flags: u32,
    /// Position in a file.
    pub offset: u64,
    /// A lower number with the same open file.
    pub same: Option<u32>,
}

/// What a descriptor leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The null device.
    Null,
    /// A pipe without a name.
    Pipe,
    /// Another device of the memory driver, by its minor number: zero, full, random.
    Device(u32),
    /// A terminal.
    Terminal,
    /// A socket.
    Socket,
    /// A regular file; it is among what was touched.
    File(Vec<u8>),
    /// A regular file without a name, with its content.
    Nameless(Content),
    /// A folder.
    Directory(Vec<u8>),
    /// Anything else.
    Other,
}

/// Something that a path led to, as it was when it was first touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// The absolute path without links.
    pub path: Vec<u8>,
    /// What is there.
    pub node: Node,
    /// Its attributes; of no meaning if nothing is there.
    pub attributes: Attributes,
    /// How much of it was asked for.
    pub interest: Interest,
    /// Whether the process has seen its times.
    pub times: bool,
    /// Its place among the entries of its folder, if that was listed.
    pub place: Option<u32>,
    /// Whether a path led to it, and not only a descriptor that was open at the start.
    pub named: bool,
}

/// How much of a file was asked for; the later includes the earlier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Interest {
    /// A path led through it.
    #[default]
    Passed,
    /// Whether it is there, and of which kind.
    Existence,
    /// Its attributes, times included.
    Attributes,
    /// Its content.
    Content,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// Nothing.
    Absent,
    /// A regular file.
    File(Content),
    /// A folder.
    Directory {
        /// Its entries were listed: all of them are touched.
        listed: bool,
    },
    /// A symbolic link with its target.
    Symlink(Vec<u8>),
    /// A named pipe.
    Fifo,
    /// A device or socket.
    Other,
}

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Stored under this hash.
    Object([u8; 32]),
    /// Nobody asked for it: only its length is known.
    Unread(u64),
}

/// Attributes of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Permission bits.
    pub mode: u32,
    /// The owner.
    pub user: u32,
    /// The group.
    pub group: u32,
    /// Seconds and nanoseconds of the last modification.
    pub modified: (i64, u32),
    /// Seconds and nanoseconds of the last change of any attribute.
    pub changed: (i64, u32),
}

/// A pipe, terminal or socket that was inherited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The lowest descriptor that leads to it.
    pub descriptor: u32,
    /// What was read from it.
    pub bytes: Vec<u8>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It is not known: it became another recorded program, or was not watched to its end.
    #[default]
    Unknown,
    /// It exited with this status.
    Exited(i32),
    /// A signal killed it.
    Killed(i32),
}

/// A damaged or foreign file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// What a file of this version starts with.
const MAGIC: &[u8; 8] = b"umbrec04";

impl Recording {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Only a failed allocation could end up here, and that does not return.
        bytes.extend(postcard::to_allocvec(self).unwrap_or_default());
        bytes
    }

    /// Reads the bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let content = bytes.strip_prefix(MAGIC).ok_or(Damaged)?;
        postcard::from_bytes(content).map_err(|_| Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_read_back_and_damage_is_noticed() {
        let touched = Touched {
            path: b"/x/\xff".to_vec(),
            node: Node::File(Content::Object([7; 32])),
            attributes: Attributes { mode: 0o644, modified: (-1, 5), ..Attributes::default() },
            interest: Interest::Content,
            times: true,
            place: Some(3),
            named: true,
        };
        let recording = Recording {
            touched: vec![touched],
            notes: BTreeSet::from([Note::Spawns]),
            end: End::Killed(13),
            ..Recording::default()
        };
        let bytes = recording.encode();
        assert_eq!(Recording::decode(&bytes), Ok(recording));
        for length in 0..bytes.len() {
            assert_eq!(Recording::decode(&bytes[..length]), Err(Damaged), "{length}");
        }
    }
}
