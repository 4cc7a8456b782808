//! Modes, owners, times and sizes.

use crate::content::MAX_BYTES;
use crate::errno::Errno;
use crate::fs::TMPFS;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Follow;
use crate::fs::permission::WRITE;
use crate::fs::undecided::Field;
use crate::stream::{OutputAction, OutputEvent};
use crate::system::{Reply, Stop, System};
use crate::time::Timestamp;
use crate::user;
use umbra_engine::UserMemory;

/// One of the two times that `utimensat` sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewTime {
    Now,
    Omit,
    At(Timestamp),
}

impl System {
    pub(crate) fn fchmodat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        mode: u32,
        flags: i32,
    ) -> Reply {
        if flags & !(libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let inode = self.at_inode(memory, dirfd, path, flags)?;
        self.change_mode(inode, mode)
    }

    pub(crate) fn fchmod(&mut self, fd: i32, mode: u32) -> Reply {
        let inode = self.file(fd)?.inode;
        self.change_mode(inode, mode)
    }

    /// What has no type has one inode for all, which newer versions of Linux do not let be changed.
    fn check_own_inode(&self, inode: InodeId) -> Result<(), Stop> {
        match self.fs.node(inode).type_bits() {
            0 => Err(Stop::unsupported("a change of attributes of a counter or a watch")),
            _ => Ok(()),
        }
    }

    fn change_mode(&mut self, inode: InodeId, mode: u32) -> Reply {
        self.check_own_inode(inode)?;
        if self.fs.is_read_only(inode) {
            return Err(Errno::EROFS.into());
        }
        if self.fs.node(inode).is_symlink() {
            return Err(Errno::EOPNOTSUPP.into());
        }
        let who = &self.process.credentials;
        if !self.fs.is_owned(who, inode)? {
            return Err(Errno::EPERM.into());
        }
        let mut mode = mode & 0o7777;
        if !who.is_privileged() && !who.in_group(self.fs.gid(inode)?) {
            mode &= !libc::S_ISGID;
        }
        let now = self.clock.now();
        let node = self.fs.node_mut(inode);
        node.set_permissions(mode);
        node.set_ctime(now);
        Ok(0)
    }

    pub(crate) fn fchownat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        uid: u32,
        gid: u32,
        flags: i32,
    ) -> Reply {
        if flags & !(libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let inode = self.at_inode(memory, dirfd, path, flags)?;
        self.change_owner(inode, uid, gid)
    }

    pub(crate) fn fchown(&mut self, fd: i32, uid: u32, gid: u32) -> Reply {
        let inode = self.file(fd)?.inode;
        self.change_owner(inode, uid, gid)
    }

    fn change_owner(&mut self, inode: InodeId, uid: u32, gid: u32) -> Reply {
        const SAME: u32 = u32::MAX;
        self.check_own_inode(inode)?;
        if self.fs.is_read_only(inode) {
            return Err(Errno::EROFS.into());
        }
        let is_unknown = |id: u32, only: u32| id != SAME && id != only;
        if self
            .config
            .only_owner
            .is_some_and(|only| is_unknown(uid, only.0) || is_unknown(gid, only.1))
        {
            return Err(Errno::EINVAL.into());
        }
        let who = &self.process.credentials;
        let is_directory = self.fs.node(inode).is_directory();
        let mut in_group = true;
        if !who.is_privileged() {
            let (old_uid, old_gid) = (self.fs.uid(inode)?, self.fs.gid(inode)?);
            let owner = who.fsuid == old_uid;
            let uid_allowed = uid == SAME || (owner && uid == old_uid);
            let gid_allowed = gid == SAME || (owner && (gid == old_gid || who.in_group(gid)));
            if !uid_allowed || !gid_allowed {
                return Err(Errno::EPERM.into());
            }
            // Clearing the set-id bits is a change of mode, which only the owner may make.
            let clears = !is_directory && self.fs.permissions(inode)? & libc::S_ISUID != 0;
            if clears && !owner {
                return Err(Errno::EPERM.into());
            }
            in_group = who.in_group(old_gid);
        }
        let mut kept = None;
        if !is_directory {
            let permissions = self.fs.permissions(inode)?;
            let mut drop = libc::S_ISUID;
            if permissions & libc::S_IXGRP != 0 || !in_group {
                drop |= libc::S_ISGID;
            }
            kept = Some(permissions & !drop);
        }
        let now = self.clock.now();
        let node = self.fs.node_mut(inode);
        if let Some(permissions) = kept {
            node.set_permissions(permissions);
        }
        if uid != SAME {
            node.uid = uid;
            node.forget(&[Field::Uid]);
        }
        if gid != SAME {
            node.gid = gid;
            node.forget(&[Field::Gid]);
        }
        node.set_ctime(now);
        Ok(0)
    }

    pub(crate) fn utimensat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        times: u64,
        flags: i32,
    ) -> Reply {
        let mut new = [NewTime::Now; 2];
        if times != 0 {
            for (n, time) in new.iter_mut().enumerate() {
                let (seconds, nanoseconds) =
                    user::timespec(memory, times.wrapping_add(n as u64 * 16))?;
                *time = match nanoseconds {
                    libc::UTIME_NOW => NewTime::Now,
                    libc::UTIME_OMIT => NewTime::Omit,
                    0..=999_999_999 => NewTime::At(Timestamp::new(seconds, nanoseconds as u32)),
                    // Judged after the path, so carried as something that no file can have.
                    _ => NewTime::At(Timestamp::new(seconds, u32::MAX)),
                };
            }
            if new == [NewTime::Omit; 2] {
                return Ok(0);
            }
        }
        if flags & !(libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let inode = if path == 0 && dirfd != libc::AT_FDCWD {
            if flags != 0 {
                return Err(Errno::EINVAL.into());
            }
            self.file(dirfd)?.inode
        } else {
            self.at_inode(memory, dirfd, path, flags)?
        };
        self.set_times(inode, new)
    }

    fn set_times(&mut self, inode: InodeId, new: [NewTime; 2]) -> Reply {
        let invalid =
            |time: &NewTime| matches!(time, NewTime::At(at) if at.nanoseconds == u32::MAX);
        if new.iter().any(invalid) {
            return Err(Errno::EINVAL.into());
        }
        self.check_own_inode(inode)?;
        if self.fs.is_read_only(inode) {
            return Err(Errno::EROFS.into());
        }
        let who = &self.process.credentials;
        if !self.fs.is_owned(who, inode)? {
            // Everybody who may write may say "now"; any other time is the owner's to set.
            if new != [NewTime::Now; 2] {
                return Err(Errno::EPERM.into());
            }
            self.fs.permit(who, inode, WRITE)?;
        }
        let now = self.clock.now();
        let node = self.fs.node_mut(inode);
        let choose = |new: NewTime| match new {
            NewTime::Now => Some(now),
            NewTime::Omit => None,
            NewTime::At(time) => Some(time),
        };
        if let Some(time) = choose(new[0]) {
            node.set_atime(time);
        }
        if let Some(time) = choose(new[1]) {
            node.set_mtime(time);
        }
        node.set_ctime(now);
        Ok(0)
    }

    /// `utime`, `utimes` and `futimesat`: microseconds or seconds, at `unit` nanoseconds each.
    pub(crate) fn old_utimes(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        times: u64,
        microseconds: bool,
    ) -> Reply {
        let mut new = [NewTime::Now; 2];
        if times != 0 {
            let word = |memory: &mut dyn UserMemory, n: u64| {
                user::u64_at(memory, times.wrapping_add(n * 8))
            };
            for (n, time) in (0u64..).zip(new.iter_mut()) {
                let (seconds, fraction) = if microseconds {
                    (word(memory, n * 2)? as i64, word(memory, n * 2 + 1)?)
                } else {
                    (word(memory, n)? as i64, 0)
                };
                if fraction >= 1_000_000 {
                    return Err(Errno::EINVAL.into());
                }
                *time = NewTime::At(Timestamp::new(seconds, fraction as u32 * 1000));
            }
        }
        let inode = self.at_inode(memory, dirfd, path, 0)?;
        self.set_times(inode, new)
    }

    pub(crate) fn truncate(
        &mut self,
        memory: &mut dyn UserMemory,
        path: u64,
        length: i64,
    ) -> Reply {
        if length < 0 {
            return Err(Errno::EINVAL.into());
        }
        let path = self.path(memory, path)?;
        let inode = self.resolve(libc::AT_FDCWD, &path, Follow::Yes)?;
        let node = self.fs.node(inode);
        if node.is_directory() {
            return Err(Errno::EISDIR.into());
        }
        if !node.is_regular() {
            return Err(Errno::EINVAL.into());
        }
        self.fs.permit(&self.process.credentials, inode, WRITE)?;
        self.truncate_inode(inode, length as u64)?;
        Ok(0)
    }

    pub(crate) fn ftruncate(&mut self, fd: i32, length: i64) -> Reply {
        if length < 0 {
            return Err(Errno::EINVAL.into());
        }
        let description = self.file(fd)?;
        let (inode, writable) = (description.inode, description.writable());
        if !writable || !self.fs.node(inode).is_regular() {
            return Err(Errno::EINVAL.into());
        }
        self.truncate_inode(inode, length as u64)?;
        Ok(0)
    }

    pub(crate) fn truncate_inode(&mut self, inode: InodeId, length: u64) -> Result<(), Stop> {
        self.known_set_ids(inode)?;
        if length > 0 && length > self.fs.size(inode)? {
            if length > self.process.limit(libc::RLIMIT_FSIZE).0 {
                self.signals.raise(libc::SIGXFSZ);
                return Err(Errno::EFBIG.into());
            }
            if length > MAX_BYTES {
                return Err(Errno::EFBIG.into());
            }
        }
        // An empty file is empty whatever its length was.
        self.fs.node_mut(inode).forget(&[Field::Length]);
        if let Data::Stream(stream) = &mut self.fs.node_mut(inode).data {
            stream.cut(length);
            stream.size = length;
            if let Some(sink) = stream.sink {
                self.emit(OutputEvent { sink, action: OutputAction::Truncate(length) });
            }
        } else {
            let change = |content: &mut crate::content::Content, _: &dyn crate::lower::Lower| {
                content.truncate(length);
                Ok(())
            };
            self.fs.edit(inode, |_| 0, change)?;
        }
        self.mark_modified(inode);
        self.drop_set_ids(inode);
        Ok(())
    }

    pub(crate) fn fallocate(&mut self, fd: i32, mode: i32, offset: i64, length: i64) -> Reply {
        const KEEP: i32 = libc::FALLOC_FL_KEEP_SIZE;
        const PUNCH: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        const ZERO: i32 = libc::FALLOC_FL_ZERO_RANGE;
        const STALE: i32 = 4;
        const NEW_MODE: i32 = 0x80;
        const ZERO_KEEP: i32 = ZERO | KEEP;
        let description = self.file(fd)?;
        let (inode, writable) = (description.inode, description.writable());
        if offset < 0 || length <= 0 {
            return Err(Errno::EINVAL.into());
        }
        if mode == NEW_MODE {
            return Err(Stop::unsupported("fallocate with FALLOC_FL_WRITE_ZEROES"));
        }
        let has = |flag: i32| mode & flag != 0;
        if mode & !0x7f != 0 || (has(libc::FALLOC_FL_PUNCH_HOLE) && !has(KEEP)) || has(STALE) {
            return Err(Errno::EOPNOTSUPP.into());
        }
        if !writable {
            return Err(Errno::EBADF.into());
        }
        match self.fs.node(inode).type_bits() {
            libc::S_IFREG => {}
            libc::S_IFIFO => return Err(Errno::ESPIPE.into()),
            libc::S_IFDIR => return Err(Errno::EISDIR.into()),
            _ => return Err(Errno::ENODEV.into()),
        }
        if !matches!(self.fs.node(inode).data, Data::Regular(_)) {
            return Err(Stop::unsupported("fallocate on a descriptor that was open at the start"));
        }
        let in_memory = self.fs.is_anonymous(inode) || self.fs.file_system(inode).magic == TMPFS;
        if in_memory && mode & !PUNCH != 0 {
            return Err(Errno::EOPNOTSUPP.into());
        }
        let (offset, length) = (offset as u64, length as u64);
        let end = offset.checked_add(length).filter(|end| *end <= MAX_BYTES).ok_or(Errno::EFBIG)?;
        let size = self.fs.size(inode)?;
        self.known_set_ids(inode)?;
        let grown = if mode & KEEP == 0 { size.max(end) } else { size };
        if grown > size && grown > self.process.limit(libc::RLIMIT_FSIZE).0 {
            self.signals.raise(libc::SIGXFSZ);
            return Err(Errno::EFBIG.into());
        }
        let pages = |content: &crate::content::Content| content.pages_needed(offset, length) + 2;
        match mode {
            0 | KEEP => self.fs.edit(inode, pages, |content, lower| {
                content.allocate(lower, offset, length)?;
                if grown > size {
                    content.truncate(grown);
                }
                Ok(())
            })?,
            PUNCH => {
                self.fs.edit(
                    inode,
                    |_| 2,
                    |content, lower| content.punch(lower, offset, length),
                )?;
            }
            ZERO | ZERO_KEEP => self.fs.edit(inode, pages, |content, lower| {
                content.punch(lower, offset, length)?;
                content.allocate(lower, offset, length)?;
                if grown > size {
                    content.truncate(grown);
                }
                Ok(())
            })?,
            other => {
                return Err(Stop::unsupported(format!("fallocate with mode {other:#x}")));
            }
        }
        self.mark_modified(inode);
        self.drop_set_ids(inode);
        Ok(0)
    }
}
