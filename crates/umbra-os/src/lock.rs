//! Locks of files: of ranges of bytes, which belong to a process or to an open file (`fcntl`), and of
//! whole files, which belong to an open file (`flock`). The two kinds do not see each other.
//!
//! A lock that another holds is never given up while one waits for it: the others are open files of
//! the same process, or its parents, which go on when it has ended.

use crate::errno::Errno;
use crate::fd::DescriptionId;
use crate::fs::inode::InodeId;
use crate::system::{Reply, Stop, System};
use crate::user;
use std::sync::Arc;
use umbra_engine::UserMemory;

/// Bytes of `struct flock`.
const FLOCK: usize = 32;
/// The last byte that a lock may cover.
const LAST: u64 = i64::MAX as u64;

/// Who holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Process(i32),
    Description(DescriptionId),
}

/// A lock of a range, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lock {
    inode: InodeId,
    owner: Owner,
    exclusive: bool,
    start: u64,
    end: u64,
}

impl Lock {
    fn hinders(&self, other: &Lock) -> bool {
        self.inode == other.inode
            && self.owner != other.owner
            && (self.exclusive || other.exclusive)
            && self.start <= other.end
            && other.start <= self.end
    }

    /// Whether both are of one owner and kind and there is nothing between them.
    fn joins(&self, other: &Lock) -> bool {
        (self.inode, self.owner, self.exclusive) == (other.inode, other.owner, other.exclusive)
            && self.start <= other.end.saturating_add(1)
            && other.start <= self.end.saturating_add(1)
    }
}

/// All locks that there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Of ranges, in order of where they start.
    ranges: Arc<Vec<Lock>>,
    /// Of whole files.
    whole: Arc<Vec<Lock>>,
}

impl Locks {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.whole.is_empty()
    }

    /// Puts a lock in place of all that its owner has in its range; `None` takes them away only.
    fn replace(&mut self, range: Lock, lock: Option<Lock>) {
        let mut kept = Vec::new();
        for old in self.ranges.iter() {
            let overlaps = old.start <= range.end && range.start <= old.end;
            if old.inode != range.inode || old.owner != range.owner || !overlaps {
                kept.push(*old);
                continue;
            }
            if old.start < range.start {
                kept.push(Lock { end: range.start - 1, ..*old });
            }
            if old.end > range.end {
                kept.push(Lock { start: range.end + 1, ..*old });
            }
        }
        if let Some(lock) = lock {
            let joined: Vec<Lock> = kept.extract_if(.., |old| old.joins(&lock)).collect();
            let start = joined.iter().map(|old| old.start).fold(lock.start, u64::min);
            let end = joined.iter().map(|old| old.end).fold(lock.end, u64::max);
            kept.push(Lock { start, end, ..lock });
        }
        kept.sort_by_key(|lock| lock.start);
        self.ranges = Arc::new(kept);
    }

    /// A process has closed a file, by whichever descriptor: its locks are gone.
    pub(crate) fn leave(&mut self, pid: i32, inode: InodeId) {
        let is_gone = |lock: &Lock| lock.owner == Owner::Process(pid) && lock.inode == inode;
        if self.ranges.iter().any(is_gone) {
            Arc::make_mut(&mut self.ranges).retain(|lock| !is_gone(lock));
        }
    }

    /// Nobody has this open file any more.
    pub(crate) fn forget(&mut self, description: DescriptionId) {
        let is_gone = |lock: &Lock| lock.owner == Owner::Description(description);
        for locks in [&mut self.ranges, &mut self.whole] {
            if locks.iter().any(is_gone) {
                Arc::make_mut(locks).retain(|lock| !is_gone(lock));
            }
        }
    }
}

impl System {
    /// The range of a `struct flock`: its first and last byte.
    fn locked_range(&self, fd: i32, bytes: &[u8; FLOCK]) -> Result<(u64, u64), Stop> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            i64::from_le_bytes(word)
        };
        let description = self.file(fd)?;
        let base = match i32::from(i16::from_le_bytes([bytes[2], bytes[3]])) {
            libc::SEEK_SET => 0,
            libc::SEEK_CUR => description.offset as i64,
            libc::SEEK_END => self.fs.size(description.inode)? as i64,
            _ => return Err(Errno::EINVAL.into()),
        };
        let (start, length) = (word(8), word(16));
        let start = base.checked_add(start).ok_or(Errno::EOVERFLOW)?;
        if start < 0 {
            return Err(Errno::EINVAL.into());
        }
        Ok(match length {
            0 => (start as u64, LAST),
            1.. => {
                let end = start.checked_add(length - 1).ok_or(Errno::EOVERFLOW)?;
                (start as u64, end as u64)
            }
            _ => {
                let first = start.checked_add(length).filter(|first| *first >= 0);
                (first.ok_or(Errno::EINVAL)? as u64, start as u64 - 1)
            }
        })
    }

    /// `F_GETLK`, `F_SETLK` and `F_SETLKW`, for the process or for the open file.
    pub(crate) fn lock_range(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        command: i32,
        argument: u64,
    ) -> Reply {
        let mut bytes: [u8; FLOCK] = user::array(memory, argument)?;
        let kind = i32::from(i16::from_le_bytes([bytes[0], bytes[1]]));
        let asks = matches!(command, libc::F_GETLK | libc::F_OFD_GETLK);
        let of_file = matches!(command, libc::F_OFD_GETLK | libc::F_OFD_SETLK | libc::F_OFD_SETLKW);
        let is_lock = matches!(kind, libc::F_RDLCK | libc::F_WRLCK);
        if !is_lock && (kind != libc::F_UNLCK || command == libc::F_GETLK) {
            return Err(Errno::EINVAL.into());
        }
        let (start, end) = self.locked_range(fd, &bytes)?;
        if of_file && bytes[24..28] != [0; 4] {
            return Err(Errno::EINVAL.into());
        }
        let description = self.file(fd)?;
        let (readable, writable) = (description.readable(), description.writable());
        let owner = match of_file {
            true => Owner::Description(self.fds.description(fd)?),
            false => Owner::Process(self.process.pid),
        };
        let exclusive = kind == libc::F_WRLCK;
        let lock = Lock { inode: description.inode, owner, exclusive, start, end };
        let found = self.locks.ranges.iter().find(|other| other.hinders(&lock)).copied();
        if asks {
            if !is_lock && self.locks.ranges.iter().any(|other| other.inode == lock.inode) {
                return Err(Stop::unsupported("F_OFD_GETLK of what the open file has locked"));
            }
            match found {
                Some(found) => encode(&mut bytes, found),
                None => bytes[..2].copy_from_slice(&(libc::F_UNLCK as i16).to_le_bytes()),
            }
            user::put(memory, argument, &bytes)?;
            return Ok(0);
        }
        let allowed = match kind {
            libc::F_RDLCK => readable,
            libc::F_WRLCK => writable,
            _ => true,
        };
        if !allowed {
            return Err(Errno::EBADF.into());
        }
        if is_lock && found.is_some() {
            return Err(match command {
                libc::F_SETLK | libc::F_OFD_SETLK => Errno::EAGAIN.into(),
                _ => Stop::endless("waiting for a lock"),
            });
        }
        self.locks.replace(lock, is_lock.then_some(lock));
        Ok(0)
    }

    pub(crate) fn flock(&mut self, fd: i32, operation: i32) -> Reply {
        let inode = self.file(fd)?.inode;
        const MANDATORY: i32 = 32;
        if operation & MANDATORY != 0 {
            // Given up by Linux, which says nothing.
            return Ok(0);
        }
        let kind = operation & !libc::LOCK_NB;
        if !matches!(kind, libc::LOCK_SH | libc::LOCK_EX | libc::LOCK_UN) {
            return Err(Errno::EINVAL.into());
        }
        let owner = Owner::Description(self.fds.description(fd)?);
        let exclusive = kind == libc::LOCK_EX;
        let lock = Lock { inode, owner, exclusive, start: 0, end: LAST };
        let whole = Arc::make_mut(&mut self.locks.whole);
        let is_held = |old: &Lock| old.owner == owner && old.exclusive == exclusive;
        if kind != libc::LOCK_UN && whole.iter().any(is_held) {
            return Ok(0);
        }
        // A lock of another kind is given up first, even if the new one cannot be had.
        whole.retain(|old| old.owner != owner);
        if kind == libc::LOCK_UN {
            return Ok(0);
        }
        if whole.iter().any(|other| other.hinders(&lock)) {
            return Err(match operation & libc::LOCK_NB {
                0 => Stop::endless("waiting for a lock"),
                _ => Errno::EAGAIN.into(),
            });
        }
        whole.push(lock);
        Ok(0)
    }
}

/// Fills a `struct flock`.
fn encode(bytes: &mut [u8; FLOCK], lock: Lock) {
    let kind = if lock.exclusive { libc::F_WRLCK } else { libc::F_RDLCK };
    let length = if lock.end == LAST { 0 } else { lock.end - lock.start + 1 };
    let pid = match lock.owner {
        Owner::Process(pid) => pid,
        Owner::Description(_) => -1,
    };
    bytes[..2].copy_from_slice(&(kind as i16).to_le_bytes());
    bytes[2..4].copy_from_slice(&(libc::SEEK_SET as i16).to_le_bytes());
    bytes[8..16].copy_from_slice(&lock.start.to_le_bytes());
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    bytes[24..28].copy_from_slice(&pid.to_le_bytes());
}
