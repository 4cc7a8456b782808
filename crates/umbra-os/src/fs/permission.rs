//! Who may do what.

use super::Fs;
use super::inode::{Inode, InodeId};
use crate::errno::Errno;
use crate::identity::Credentials;

/// Wanted: read.
pub(crate) const READ: u32 = 4;
/// Wanted: write.
pub(crate) const WRITE: u32 = 2;
/// Wanted: execute, or pass through a directory.
pub(crate) const EXECUTE: u32 = 1;

impl Fs {
    /// `inode_permission` of Linux, without access control lists.
    pub(crate) fn permit(&self, who: &Credentials, id: InodeId, wanted: u32) -> Result<(), Errno> {
        let node = self.node(id);
        let on_disk = matches!(node.type_bits(), libc::S_IFREG | libc::S_IFDIR | libc::S_IFLNK);
        if wanted & WRITE != 0 && on_disk && self.is_read_only(id) {
            return Err(Errno::EROFS);
        }
        if mode_allows(who, node, wanted) {
            return Ok(());
        }
        // Root passes everywhere, but executes only what somebody may execute.
        let executable = node.is_directory() || node.permissions & 0o111 != 0;
        if who.is_privileged() && (wanted & EXECUTE == 0 || executable) {
            return Ok(());
        }
        Err(Errno::EACCES)
    }

    /// May names be added to `dir`?
    pub(crate) fn may_create(&self, who: &Credentials, dir: InodeId) -> Result<(), Errno> {
        if self.node(dir).is_dead() {
            return Err(Errno::ENOENT);
        }
        self.permit(who, dir, WRITE | EXECUTE)
    }

    /// `may_delete` of Linux: may `victim` be taken out of `dir`, by a call that wants a directory
    /// or not?
    pub(crate) fn may_delete(
        &self,
        who: &Credentials,
        dir: InodeId,
        victim: InodeId,
        wants_directory: bool,
    ) -> Result<(), Errno> {
        self.permit(who, dir, WRITE | EXECUTE)?;
        if self.is_sticky_protected(who, dir, victim) {
            return Err(Errno::EPERM);
        }
        match (wants_directory, self.node(victim).is_directory()) {
            (true, false) => return Err(Errno::ENOTDIR),
            (false, true) => return Err(Errno::EISDIR),
            (true, true) if victim == self.root => return Err(Errno::EBUSY),
            _ => {}
        }
        if self.node(dir).is_dead() {
            return Err(Errno::ENOENT);
        }
        Ok(())
    }

    fn is_sticky_protected(&self, who: &Credentials, dir: InodeId, victim: InodeId) -> bool {
        let (dir, victim) = (self.node(dir), self.node(victim));
        dir.permissions & libc::S_ISVTX != 0
            && victim.uid != who.fsuid
            && dir.uid != who.fsuid
            && !who.is_privileged()
    }
}

fn mode_allows(who: &Credentials, node: &Inode, wanted: u32) -> bool {
    let shift = if node.uid == who.fsuid {
        6
    } else if who.in_group(node.gid) {
        3
    } else {
        0
    };
    (node.permissions >> shift) & wanted == wanted
}
