//! Who may do what.

use super::Fs;
use super::inode::InodeId;
use super::undecided::Field;
use crate::errno::Errno;
use crate::identity::Credentials;
use crate::system::Stop;

/// Wanted: read.
pub(crate) const READ: u32 = 4;
/// Wanted: write.
pub(crate) const WRITE: u32 = 2;
/// Wanted: execute, or pass through a directory.
pub(crate) const EXECUTE: u32 = 1;

impl Fs {
    pub(crate) fn uid(&self, id: InodeId) -> Result<u32, Stop> {
        self.known(id, &[Field::Uid])?;
        Ok(self.node(id).uid)
    }

    pub(crate) fn gid(&self, id: InodeId) -> Result<u32, Stop> {
        self.known(id, &[Field::Gid])?;
        Ok(self.node(id).gid)
    }

    pub(crate) fn permissions(&self, id: InodeId) -> Result<u32, Stop> {
        self.known(id, &[Field::Permissions])?;
        Ok(self.node(id).permissions)
    }

    /// Is it this user's file, or may the user act as if?
    pub(crate) fn is_owned(&self, who: &Credentials, id: InodeId) -> Result<bool, Stop> {
        Ok(who.is_privileged() || who.fsuid == self.uid(id)?)
    }

    /// `inode_permission` of Linux, without access control lists.
    pub(crate) fn permit(&self, who: &Credentials, id: InodeId, wanted: u32) -> Result<(), Stop> {
        let node = self.node(id);
        let on_disk = matches!(node.type_bits(), libc::S_IFREG | libc::S_IFDIR | libc::S_IFLNK);
        if wanted & WRITE != 0 && on_disk && self.is_read_only(id) {
            return Err(Errno::EROFS.into());
        }
        // Root passes everywhere, but executes only what somebody may execute.
        let allowed = match who.is_privileged() {
            true if wanted & EXECUTE == 0 || node.is_directory() => true,
            true => self.permissions(id)? & 0o111 != 0,
            false => self.mode_allows(who, id, wanted)?,
        };
        if allowed { Ok(()) } else { Err(Errno::EACCES.into()) }
    }

    fn mode_allows(&self, who: &Credentials, id: InodeId, wanted: u32) -> Result<bool, Stop> {
        if wanted == 0 {
            return Ok(true);
        }
        let shift = if self.uid(id)? == who.fsuid {
            6
        } else if who.in_group(self.gid(id)?) {
            3
        } else {
            0
        };
        Ok((self.permissions(id)? >> shift) & wanted == wanted)
    }

    /// May names be added to `dir`?
    pub(crate) fn may_create(&self, who: &Credentials, dir: InodeId) -> Result<(), Stop> {
        if self.node(dir).is_dead() {
            return Err(Errno::ENOENT.into());
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
    ) -> Result<(), Stop> {
        self.permit(who, dir, WRITE | EXECUTE)?;
        if self.is_sticky_protected(who, dir, victim)? {
            return Err(Errno::EPERM.into());
        }
        match (wants_directory, self.node(victim).is_directory()) {
            (true, false) => return Err(Errno::ENOTDIR.into()),
            (false, true) => return Err(Errno::EISDIR.into()),
            (true, true) if victim == self.root => return Err(Errno::EBUSY.into()),
            _ => {}
        }
        if self.node(dir).is_dead() {
            return Err(Errno::ENOENT.into());
        }
        Ok(())
    }

    fn is_sticky_protected(
        &self,
        who: &Credentials,
        dir: InodeId,
        victim: InodeId,
    ) -> Result<bool, Stop> {
        Ok(!who.is_privileged()
            && self.permissions(dir)? & libc::S_ISVTX != 0
            && self.uid(victim)? != who.fsuid
            && self.uid(dir)? != who.fsuid)
    }
}
