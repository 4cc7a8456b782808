//! How much disk a run uses, where no file system of its own limits it (Landlock).
//!
//! Files without a name are not seen; for them there is the limit on one file's size and on open
//! descriptors.
//!
//! The program runs meanwhile and may put a link where a folder was: nothing is followed.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use super::beneath::Beneath;
use crate::Limits;

/// Size of the blocks that `st_blocks` counts.
const BLOCK: u64 = 512;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Whether what is at `root` below `base` is more than the limits allow.
pub fn is_over(base: &Beneath, root: &[u8], limits: &Limits) -> bool {
    let mut count = Count { bytes: limits.disk, entries: limits.inodes };
    // It may be gone, or unreadable: then it was counted when it was not.
    base.open(root, FOLDER, Mode::empty()).is_ok_and(|folder| !count.folder(&folder))
}

/// What may still be found.
struct Count {
    bytes: u64,
    entries: u64,
}

impl Count {
    /// Whether there is room for what is in a folder.
    fn folder(&mut self, folder: &OwnedFd) -> bool {
        let mut below = Vec::new();
        for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let Ok(status) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let bytes = u64::try_from(status.st_blocks).unwrap_or(0) * BLOCK;
            let left = (self.bytes.checked_sub(bytes), self.entries.checked_sub(1));
            let (Some(bytes), Some(entries)) = left else { return false };
            (self.bytes, self.entries) = (bytes, entries);
            if FileType::from_raw_mode(status.st_mode) == FileType::Directory {
                below.push(name.to_owned());
            }
        }
        below.iter().all(|name| match openat(folder, name, FOLDER, Mode::empty()) {
            Ok(folder) => self.folder(&folder),
            // So deep that it cannot be counted.
            Err(Errno::MFILE | Errno::NFILE) => false,
            Err(_) => true,
        })
    }
}
