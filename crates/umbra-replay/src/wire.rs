//! What the sandbox's process is told and what it answers.
//!
//! Both ends are the same binary, so the form is private. A message is its length in four bytes
//! and its `postcard` form.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::{Confinement, Limits};
use umbra_compare::{MemoryCount, Outcome};

/// Upper bound of a message, so that a damaged length does not ask for the world.
const MESSAGE_MAX: u32 = 1 << 30;

/// Names an executable: the start of the hash of its content and of all that is bound with it.
pub type ProgramId = [u8; 16];

/// What the sandbox's process can be asked.
#[derive(Serialize, Deserialize)]
pub enum Request {
    /// First of all: enter the sandbox.
    Setup {
        confinement: Confinement,
        /// A folder of its own, for Landlock.
        scratch: Option<PathBuf>,
        landlock_at_most: Option<i32>,
        /// The name of a control group, if one is to be made.
        group: Option<String>,
    },
    /// Keep an executable and its libraries for later runs.
    Load { id: ProgramId, executable: ByteBuf, libraries: Vec<(ByteBuf, ByteBuf)> },
    /// Forget one.
    Unload { id: ProgramId },
    /// Run.
    Run(Box<Job>),
}

/// Its answers, one for each request.
#[derive(Serialize, Deserialize)]
pub enum Response {
    Done,
    /// The sandbox is entered; and why there is no control group, if there is none.
    Entered {
        memory_count: MemoryCount,
        without_group: Option<String>,
    },
    /// The outcome, and the reports of sanitizers as they were written.
    Ran {
        outcome: Box<Outcome>,
        reports: Vec<String>,
    },
    Failed {
        what: String,
        error: String,
    },
}

/// One run.
#[derive(Clone, Serialize, Deserialize)]
pub struct Job {
    pub program: ProgramId,
    /// File name of the executable in the sandbox.
    pub name: ByteBuf,
    pub arguments: Vec<ByteBuf>,
    pub environment: Vec<ByteBuf>,
    pub descriptors: Vec<(u32, Source)>,
    /// Absolute path of the tree.
    pub root: ByteBuf,
    /// Working directory below it.
    pub directory: ByteBuf,
    pub tree: Vec<Node>,
    pub umask: u32,
    pub user: u32,
    pub group: u32,
    /// Limits that the case sets: number of the resource, bound, name.
    pub resources: Vec<(u32, Option<u64>, String)>,
    pub ignored_signals: Vec<i32>,
    pub limits: Limits,
    /// Address and length of the block counters.
    pub counters: Option<(u64, u64)>,
    /// The executable is built with sanitizers, which write reports.
    pub sanitizer: bool,
    /// The content of the file that `KTEST_FILE` names.
    pub objects: Option<ByteBuf>,
}

/// An entry of the tree.
#[derive(Clone, Serialize, Deserialize)]
pub struct Node {
    pub path: ByteBuf,
    pub kind: NodeKind,
    pub mode: u32,
    pub modified: (i64, u32),
}

/// What an entry is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeKind {
    File(ByteBuf),
    Directory,
    Symlink(ByteBuf),
    Fifo,
}

/// What a descriptor of the program is.
#[derive(Clone, Serialize, Deserialize)]
pub enum Source {
    Null,
    /// Another device, by its path.
    Device {
        path: String,
        read: bool,
        write: bool,
    },
    /// A pipe to read these bytes from.
    Input(ByteBuf),
    /// A pipe whose bytes are kept, or dropped if the descriptor is neither 1 nor 2.
    Output,
    /// A terminal. What is written to it is kept as that of a pipe.
    Terminal,
    /// A file that has no name any more, with this content.
    Content(ByteBuf),
    /// A file of the tree.
    File {
        path: ByteBuf,
        offset: u64,
        read: bool,
        write: bool,
        append: bool,
    },
    /// The same open file as another descriptor.
    Same(u32),
}

/// Sends a message.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len())
        .ok()
        .filter(|length| *length <= MESSAGE_MAX)
        .ok_or_else(|| io::Error::other("a case or an outcome of more than 1 GiB"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Receives a message; `None` at the end of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MESSAGE_MAX {
        return Err(io::Error::other("a damaged message"));
    }
    let mut bytes = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}
