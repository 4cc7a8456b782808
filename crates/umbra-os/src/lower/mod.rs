//! The read-only layer below the overlay.
//!
//! This is the only way from the model to the host, and it has no operation that changes anything.
//! Paths are absolute, without `.`, `..` or symbolic links in them: the overlay resolves names
//! itself and asks for one object at a time.

mod host;
mod memory;

pub use host::HostLower;
pub use memory::MemoryLower;

use crate::errno::Errno;
use crate::time::Timestamp;
use std::path::{Path, PathBuf};

/// What a lower layer knows of one object, in the terms of `struct stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowerStat {
    /// The device the object is on.
    pub dev: u64,
    /// The inode number.
    pub ino: u64,
    /// File type and permissions, as in `st_mode`.
    pub mode: u32,
    /// The number of hard links.
    pub nlink: u64,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The device that a special file stands for.
    pub rdev: u64,
    /// The size in bytes.
    pub size: u64,
    /// The preferred block size.
    pub blksize: u64,
    /// Units of 512 bytes.
    pub blocks: u64,
    /// Last access.
    pub atime: Timestamp,
    /// Last change of the contents.
    pub mtime: Timestamp,
    /// Last change of the inode.
    pub ctime: Timestamp,
    /// Creation, where the file system keeps it.
    pub btime: Option<Timestamp>,
}

/// One entry of a lower directory, `.` and `..` included, in the order of the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerEntry {
    /// The name, without a slash.
    pub name: Vec<u8>,
    /// The inode number that the directory has for it.
    pub ino: u64,
    /// The `DT_*` value.
    pub kind: u8,
}

/// The file system that an object is on, in the terms of `struct statfs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowerFileSystem {
    /// The magic number of the file system's type.
    pub magic: i64,
    /// The optimal transfer size.
    pub bsize: i64,
    /// All blocks.
    pub blocks: u64,
    /// Free blocks.
    pub bfree: u64,
    /// Blocks that a normal user may have.
    pub bavail: u64,
    /// All inodes.
    pub files: u64,
    /// Free inodes.
    pub ffree: u64,
    /// The file system's id.
    pub fsid: [i32; 2],
    /// The longest name.
    pub namelen: i64,
    /// The unit of the block counts.
    pub frsize: i64,
    /// Mount flags, `ST_*`.
    pub flags: i64,
}

/// A read-only file system.
pub trait Lower: Send + Sync {
    /// What is at `path`; a symbolic link is not followed.
    fn stat(&self, path: &Path) -> Result<LowerStat, Errno>;

    /// The entries of the directory at `path`.
    fn read_dir(&self, path: &Path) -> Result<Vec<LowerEntry>, Errno>;

    /// The text of the symbolic link at `path`.
    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno>;

    /// Reads from the regular file at `path`; 0 at its end.
    fn read(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno>;

    /// The next offset with data; `ENXIO` when there is none.
    fn seek_data(&self, path: &Path, offset: u64) -> Result<u64, Errno>;

    /// The next offset in a hole; the end of the file is one.
    fn seek_hole(&self, path: &Path, offset: u64) -> Result<u64, Errno>;

    /// The file system that `path` is on.
    fn file_system(&self, path: &Path) -> Result<LowerFileSystem, Errno>;

    /// Whether folders list what the program makes before all that was there, the newest first, as
    /// tmpfs does, and not after it.
    fn newest_first(&self) -> bool {
        false
    }

    /// Where `/proc` has the process whose mount table the program is to see, if anywhere.
    fn process_directory(&self) -> Option<PathBuf> {
        None
    }
}
