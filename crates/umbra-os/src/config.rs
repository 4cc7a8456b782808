//! What a kernel is started with: everything of the world that is not the program, its arguments
//! and environment.

use crate::errno::Errno;
use crate::lower::{Lower, MemoryLower};
use crate::stream::{Input, SinkId, StreamKind};
use crate::symbolic::SymbolicFile;
use crate::time::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;

/// The configuration of a [`Kernel`](crate::Kernel).
#[derive(Clone)]
pub struct Config {
    /// The read-only layer that the program's root directory is.
    pub lower: Arc<dyn Lower>,
    /// The working directory, an absolute path.
    pub cwd: PathBuf,
    /// The file mode creation mask.
    pub umask: u32,
    /// The user, real and effective.
    pub uid: u32,
    /// Whether user 0 has all capabilities. In a sandbox it has none.
    pub capabilities: bool,
    /// The only user and group that there are, if there are no others, as in a sandbox.
    pub only_owner: Option<(u32, u32)>,
    /// The group, real and effective.
    pub gid: u32,
    /// The supplementary groups.
    pub groups: Vec<u32>,
    /// The process id.
    pub pid: i32,
    /// The id of the parent process.
    pub ppid: i32,
    /// The process group; the session is the same.
    pub pgid: i32,
    /// What `uname` says.
    pub names: SystemNames,
    /// Wall time at the start.
    pub clock: Timestamp,
    /// Nanoseconds that pass with every reading of a clock. If none do, two versions stay alike of
    /// which one reads the time more often.
    pub clock_step: u64,
    /// Time since boot at the start.
    pub uptime: Timestamp,
    /// Seeds `getrandom` and `/dev/urandom`.
    pub random_seed: u64,
    /// Soft and hard limits by resource number (`RLIMIT_*`); resources not listed are unlimited.
    pub limits: Vec<(u32, u64, u64)>,
    /// The descriptors from 0 on.
    pub descriptors: Vec<Descriptor>,
    /// Files of which something is an expression.
    pub symbolic_files: Vec<SymbolicFile>,
    /// Signals that are ignored from the start.
    pub ignored_signals: Vec<i32>,
    /// Bytes of file contents that the upper layer may hold; then `ENOSPC`.
    pub upper_limit: u64,
    /// Bytes of output that may wait for who reads it; then the path ends.
    pub output_limit: u64,
    /// Processors that the program sees.
    pub processors: u32,
    /// Memory that `sysinfo` reports, in bytes.
    pub memory: u64,
}

/// What `uname` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemNames {
    /// The kernel's name.
    pub sysname: String,
    /// The host name.
    pub nodename: String,
    /// The kernel's release.
    pub release: String,
    /// The kernel's build.
    pub version: String,
    /// The machine.
    pub machine: String,
    /// The NIS domain name.
    pub domainname: String,
}

impl SystemNames {
    /// The names of the host.
    pub fn host() -> SystemNames {
        let uname = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        SystemNames {
            sysname: text(uname.sysname()),
            nodename: text(uname.nodename()),
            release: text(uname.release()),
            version: text(uname.version()),
            machine: text(uname.machine()),
            domainname: text(uname.domainname()),
        }
    }
}

impl Default for SystemNames {
    fn default() -> SystemNames {
        SystemNames {
            sysname: "Linux".into(),
            nodename: "umbra".into(),
            release: "6.1.0".into(),
            version: "#1 SMP".into(),
            machine: "x86_64".into(),
            domainname: "(none)".into(),
        }
    }
}

/// A descriptor that the process is started with.
#[derive(Clone)]
pub enum Descriptor {
    /// Not open.
    Closed,
    /// `/dev/null`, open for reading and writing.
    Null,
    /// The same file description as that of a lower descriptor, as after `2>&1`.
    Same(i32),
    /// A file of the modelled file system, opened at the start.
    Path {
        /// Its path.
        path: PathBuf,
        /// `O_*` flags of `open`.
        flags: i32,
        /// The position to start at.
        offset: u64,
    },
    /// Something of the outside world.
    Stream {
        /// What it looks like.
        kind: StreamKind,
        /// `O_RDONLY`, `O_WRONLY` or `O_RDWR`, with `O_APPEND` and `O_NONBLOCK`.
        flags: i32,
        /// Where reads come from; none reads as empty.
        input: Option<Arc<dyn Input>>,
        /// Where writes are reported to.
        sink: Option<SinkId>,
        /// The position to start at, for files.
        offset: u64,
    },
}

impl Descriptor {
    /// A pipe to read these bytes from.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Descriptor {
        Descriptor::input(StreamKind::Pipe, Arc::new(bytes.into()))
    }

    /// Something to read from.
    pub fn input(kind: StreamKind, input: Arc<dyn Input>) -> Descriptor {
        Descriptor::Stream {
            kind,
            flags: libc::O_RDONLY,
            input: Some(input),
            sink: None,
            offset: 0,
        }
    }

    /// Something to write to.
    pub fn output(kind: StreamKind, sink: SinkId) -> Descriptor {
        Descriptor::Stream { kind, flags: libc::O_WRONLY, input: None, sink: Some(sink), offset: 0 }
    }
}

impl Default for Config {
    /// A normal deterministic process: root user in a synthetic root, nothing to read, output
    /// captured.
    fn default() -> Config {
        let infinity = libc::RLIM_INFINITY;
        Config {
            lower: Arc::new(MemoryLower::minimal()),
            cwd: "/".into(),
            umask: 0o022,
            uid: 0,
            capabilities: true,
            only_owner: None,
            gid: 0,
            groups: vec![0],
            pid: 4242,
            ppid: 4241,
            pgid: 4242,
            names: SystemNames::default(),
            clock: Timestamp::new(1_700_000_000, 0),
            uptime: Timestamp::new(1_000, 0),
            random_seed: 0,
            limits: vec![
                (libc::RLIMIT_NOFILE, 1024, 4096),
                (libc::RLIMIT_STACK, 8 << 20, infinity),
                (libc::RLIMIT_CORE, 0, infinity),
            ],
            descriptors: vec![
                Descriptor::bytes(""),
                Descriptor::output(StreamKind::Pipe, SinkId(1)),
                Descriptor::output(StreamKind::Pipe, SinkId(2)),
            ],
            clock_step: 0,
            symbolic_files: Vec::new(),
            ignored_signals: Vec::new(),
            upper_limit: 1 << 30,
            output_limit: 1 << 30,
            processors: 1,
            memory: 4 << 30,
        }
    }
}

/// Why a kernel could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The lower layer has no usable root.
    Root(Errno),
    /// The working directory cannot be entered.
    WorkingDirectory(PathBuf, Errno),
    /// A descriptor cannot be opened.
    Descriptor(i32, Errno),
    /// A symbolic file cannot be made.
    SymbolicFile(PathBuf, Errno),
    /// Copying a tree out failed on the host.
    Export(PathBuf, String),
    /// What is at this path of the tree depends on an expression.
    Undecided(PathBuf),
    /// Reading the tree that is to be copied out failed.
    Tree(PathBuf, Errno),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Root(errno) => write!(f, "opening the root of the lower layer: {errno}"),
            Error::WorkingDirectory(path, errno) => {
                write!(f, "entering {}: {errno}", path.display())
            }
            Error::Descriptor(fd, errno) => write!(f, "opening descriptor {fd}: {errno}"),
            Error::SymbolicFile(path, errno) => {
                write!(f, "making the symbolic file {}: {errno}", path.display())
            }
            Error::Export(path, error) => write!(f, "writing {}: {error}", path.display()),
            Error::Undecided(path) => {
                write!(f, "reading {}: it depends on an expression", path.display())
            }
            Error::Tree(path, errno) => write!(f, "reading {}: {errno}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
