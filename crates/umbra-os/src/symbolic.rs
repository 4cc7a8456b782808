//! What a run may leave open: inputs and files with expressions instead of numbers.
//!
//! All widths are those of the expressions that are expected; a wider one is cut and a narrower one
//! extended with zeros where it is shown to the program. That values make sense (lengths at most
//! those of the bytes, nanoseconds below a second, at least one link) is for the owner to put into
//! the path condition.

use crate::stream::Input;
use std::io;
use std::path::PathBuf;
use umbra_engine::Byte;
use umbra_expr::ExprId;

/// Bytes to read from an inherited descriptor, some or all of them expressions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolicInput {
    /// The bytes.
    pub bytes: Vec<Byte>,
    /// How many of them there are (64 bits, at most all of them); all of them if none.
    ///
    /// It is decided when a call first depends on it.
    pub length: Option<ExprId>,
}

impl Input for SymbolicInput {
    /// The kernel takes the bytes from [`Input::symbolic`] and does not come here.
    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn symbolic(&self) -> Option<&SymbolicInput> {
        Some(self)
    }
}

/// A file of the modelled file system of which something is an expression.
///
/// It lives in the upper layer from the start. If the lower layer has a file of that path, what is
/// not said here is taken from it; otherwise it belongs to the user, with mode 644 and the time of
/// the start. The directory that it is in must exist. A descriptor of the configuration
/// ([`Descriptor::Path`](crate::Descriptor)) can be opened on it only where nothing needs to be
/// decided for that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolicFile {
    /// Its path; a relative one is below the working directory.
    pub path: PathBuf,
    /// Its contents while it is a regular file.
    pub bytes: Vec<Byte>,
    /// How many of the bytes there are (64 bits, at most all of them); all of them if none.
    pub length: Option<ExprId>,
    /// Whether there is such a file (1 bit); there is if none.
    pub exists: Option<ExprId>,
    /// What it is, a number of [`SymbolicKind`]; a regular file if none.
    pub kind: Option<ExprId>,
    /// What `stat` shows of it.
    pub metadata: Option<SymbolicMetadata>,
}

/// What a [`SymbolicFile`] can be: the meaning of the numbers that its `kind` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicKind {
    /// 0, and whatever is not listed here: a regular file with the given bytes.
    Regular = 0,
    /// 1: an empty directory.
    Directory = 1,
    /// 2: a symbolic link to `/nonexistent`.
    Symlink = 2,
    /// 3: a FIFO that nobody else has open.
    Fifo = 3,
    /// 4: a character device, that of `/dev/null`.
    CharacterDevice = 4,
}

impl SymbolicKind {
    /// All kinds, each at the index that is its number.
    pub const ALL: [SymbolicKind; 5] = [
        SymbolicKind::Regular,
        SymbolicKind::Directory,
        SymbolicKind::Symlink,
        SymbolicKind::Fifo,
        SymbolicKind::CharacterDevice,
    ];

    /// The kind that a number stands for.
    pub fn from_number(number: u64) -> SymbolicKind {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        SymbolicKind::ALL.get(index).copied().unwrap_or(SymbolicKind::Regular)
    }
}

/// Expressions for what `stat` shows. They flow into its results; where the kernel itself needs the
/// number (may this user open the file?) it is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolicMetadata {
    /// Permission bits, with set-user-id, set-group-id and sticky (12 bits).
    pub permissions: Option<ExprId>,
    /// The owner (32 bits).
    pub uid: Option<ExprId>,
    /// The group (32 bits).
    pub gid: Option<ExprId>,
    /// The number of links (64 bits).
    pub nlink: Option<ExprId>,
    /// The time of the last access.
    pub atime: SymbolicTime,
    /// The time of the last change of the contents.
    pub mtime: SymbolicTime,
    /// The time of the last change of the inode.
    pub ctime: SymbolicTime,
}

/// A point in time, in two parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolicTime {
    /// Seconds since the epoch (64 bits, signed).
    pub seconds: Option<ExprId>,
    /// Nanoseconds, less than a second (32 bits).
    pub nanoseconds: Option<ExprId>,
}
