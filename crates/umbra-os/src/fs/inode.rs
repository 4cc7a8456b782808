//! Inodes: what a name stands for.

use super::undecided::{Field, Undecided};
use crate::content::Content;
use crate::event::{Event, TimerFile};
use crate::lower::LowerEntry;
use crate::pair::Pair;
use crate::pipe::Pipe;
use crate::stream::Stream;
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Names an inode of one kernel; printed as `i12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InodeId(pub(crate) u32);

/// An object of the file system, of either layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inode {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    /// Permission bits and setuid, setgid, sticky; the type is in `data`.
    pub(crate) permissions: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) nlink: u64,
    pub(crate) rdev: u64,
    pub(crate) blksize: u64,
    pub(crate) atime: Timestamp,
    pub(crate) mtime: Timestamp,
    pub(crate) ctime: Timestamp,
    pub(crate) btime: Option<Timestamp>,
    /// Open file descriptions: an unlinked file lives as long as there is one.
    pub(crate) opens: u32,
    /// An `O_TMPFILE` file without `O_EXCL` may be linked although it has no link.
    pub(crate) linkable: bool,
    /// The user's extended attributes, when any were set.
    pub(crate) xattrs: Option<Arc<BTreeMap<Vec<u8>, Vec<u8>>>>,
    pub(crate) data: Data,
    /// What of all this is an expression instead.
    pub(crate) undecided: Option<Arc<Undecided>>,
}

/// The type of an inode and what that type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Regular(Content),
    Directory(Directory),
    Symlink(Arc<[u8]>),
    /// A link of `/proc` that leads to an object rather than to a path.
    Magic(Magic),
    /// A named or unnamed pipe.
    Pipe(Pipe),
    /// A descriptor that the process was started with.
    Stream(Stream),
    Character,
    Block,
    Socket,
    /// One end of a pair of sockets.
    Pair(Pair),
    /// A counter of events.
    Event(Event),
    /// A timer.
    Timer(TimerFile),
}

/// Where a magic link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Magic {
    Cwd,
    Root,
    Descriptor(i32),
}

/// The names in a directory.
///
/// Names of the lower layer show unless a slot says otherwise, so a directory that is only passed
/// through is never listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directory {
    /// Itself for a root.
    pub(crate) parent: InodeId,
    /// The name in the parent; kept for `getcwd`.
    pub(crate) name: Arc<[u8]>,
    pub(crate) lower: Option<Arc<Path>>,
    /// The lower entries, once they were needed.
    pub(crate) listing: Option<Arc<Vec<LowerEntry>>>,
    /// What is known of a name. `None` hides a name of the lower layer.
    pub(crate) slots: Arc<BTreeMap<Arc<[u8]>, Option<Slot>>>,
    /// The position that the next new name gets.
    pub(crate) next_cookie: u64,
    pub(crate) role: Role,
    /// Bytes that `st_size` shows.
    pub(crate) size: u64,
    pub(crate) blocks: u64,
}

/// Positions of new names start here, behind those of any lower listing.
pub(crate) const FIRST_COOKIE: u64 = 1 << 32;

impl Directory {
    pub(crate) fn new(parent: InodeId, name: &[u8]) -> Directory {
        Directory {
            parent,
            name: name.into(),
            lower: None,
            listing: None,
            slots: Arc::default(),
            next_cookie: FIRST_COOKIE,
            role: Role::Plain,
            size: 4096,
            blocks: 8,
        }
    }
}

/// Directories whose names are made up by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// `/proc`
    Processes,
    /// `/proc/PID`
    Process,
    /// `/proc/PID/fd`
    Descriptors,
}

/// A name that was looked up or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) inode: InodeId,
    pub(crate) place: Place,
}

/// Where a name stands in the order of its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The entry that the lower layer has.
    Lower,
    /// Another inode under a name that the lower layer has. The usual file systems order by a hash
    /// of the name, so it stands where the old one stood.
    Replaced,
    /// A new name, with its position.
    New(u64),
}

impl Inode {
    /// The `S_IFMT` bits.
    pub(crate) fn type_bits(&self) -> u32 {
        match &self.data {
            Data::Regular(_) => libc::S_IFREG,
            Data::Directory(_) => libc::S_IFDIR,
            Data::Symlink(_) | Data::Magic(_) => libc::S_IFLNK,
            Data::Pipe(pipe) if pipe.is_watch => 0,
            Data::Pipe(_) => libc::S_IFIFO,
            Data::Stream(stream) => stream.type_bits(),
            Data::Character => libc::S_IFCHR,
            Data::Block => libc::S_IFBLK,
            Data::Socket | Data::Pair(_) => libc::S_IFSOCK,
            // As watches, they have no type.
            Data::Event(_) | Data::Timer(_) => 0,
        }
    }

    pub(crate) fn mode(&self) -> u32 {
        self.type_bits() | self.permissions
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.data, Data::Directory(_))
    }

    pub(crate) fn is_symlink(&self) -> bool {
        matches!(self.data, Data::Symlink(_) | Data::Magic(_))
    }

    /// A regular file, be it one of the tree or a stream redirected to one.
    pub(crate) fn is_regular(&self) -> bool {
        self.type_bits() == libc::S_IFREG
    }

    pub(crate) fn directory(&self) -> Option<&Directory> {
        match &self.data {
            Data::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    pub(crate) fn directory_mut(&mut self) -> Option<&mut Directory> {
        match &mut self.data {
            Data::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    pub(crate) fn set_permissions(&mut self, permissions: u32) {
        self.permissions = permissions;
        self.forget(&[Field::Permissions]);
    }

    pub(crate) fn set_atime(&mut self, time: Timestamp) {
        self.atime = time;
        self.forget(&Field::ATIME);
    }

    pub(crate) fn set_mtime(&mut self, time: Timestamp) {
        self.mtime = time;
        self.forget(&Field::MTIME);
    }

    pub(crate) fn set_ctime(&mut self, time: Timestamp) {
        self.ctime = time;
        self.forget(&Field::CTIME);
    }

    /// The contents were changed.
    pub(crate) fn set_modified(&mut self, time: Timestamp) {
        self.set_mtime(time);
        self.set_ctime(time);
    }

    /// A directory that was removed while something still refers to it.
    pub(crate) fn is_dead(&self) -> bool {
        self.nlink == 0
    }
}
