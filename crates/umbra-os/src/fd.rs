//! File descriptors and the descriptions they refer to.

use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::system::System;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names an open file description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DescriptionId(u32);

/// An open file description: what `dup` shares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) inode: InodeId,
    /// Access mode and status flags, as `F_GETFL` shows them.
    pub(crate) flags: i32,
    pub(crate) offset: u64,
    /// Directory and name it was opened by, for `/proc/self/fd`.
    pub(crate) place: Option<(InodeId, Arc<[u8]>)>,
    /// Descriptors that refer to it.
    references: u32,
}

impl Description {
    pub(crate) fn new(inode: InodeId, flags: i32, offset: u64) -> Description {
        Description { inode, flags, offset, place: None, references: 0 }
    }

    pub(crate) fn is_path(&self) -> bool {
        self.flags & libc::O_PATH != 0
    }

    /// Access mode 3 is neither readable nor writable.
    pub(crate) fn readable(&self) -> bool {
        !self.is_path() && matches!(self.flags & libc::O_ACCMODE, libc::O_RDONLY | libc::O_RDWR)
    }

    pub(crate) fn writable(&self) -> bool {
        !self.is_path() && matches!(self.flags & libc::O_ACCMODE, libc::O_WRONLY | libc::O_RDWR)
    }

    pub(crate) fn nonblocking(&self) -> bool {
        self.flags & libc::O_NONBLOCK != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    id: DescriptionId,
    close_on_exec: bool,
}

/// Which numbers a process has for open files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers(Arc<BTreeMap<i32, Entry>>);

/// The descriptor table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Descriptors {
    entries: Arc<BTreeMap<i32, Entry>>,
    descriptions: Arc<BTreeMap<DescriptionId, Description>>,
    next: u32,
}

impl Descriptors {
    /// Whether both have the same numbers for the same descriptions. How these were numbered inside does not
    /// matter, unless somebody else refers to them.
    pub(crate) fn is_like(&self, other: &Descriptors) -> bool {
        let mut numbered = BTreeMap::new();
        self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&*other.entries).all(|((fd, one), (other_fd, another))| {
                let known = *numbered.entry(one.id).or_insert(another.id);
                fd == other_fd
                    && one.close_on_exec == another.close_on_exec
                    && known == another.id
                    && self.descriptions.get(&one.id) == other.descriptions.get(&another.id)
            })
            && self.descriptions.len() == other.descriptions.len()
    }

    fn id(&self, fd: i32) -> Result<DescriptionId, Errno> {
        self.entries.get(&fd).map(|entry| entry.id).ok_or(Errno::EBADF)
    }

    /// The open file that a number leads to.
    pub(crate) fn description(&self, fd: i32) -> Result<DescriptionId, Errno> {
        self.id(fd)
    }

    pub(crate) fn get(&self, fd: i32) -> Result<&Description, Errno> {
        self.descriptions.get(&self.id(fd)?).ok_or(Errno::EBADF)
    }

    pub(crate) fn get_mut(&mut self, fd: i32) -> Result<&mut Description, Errno> {
        let id = self.id(fd)?;
        Arc::make_mut(&mut self.descriptions).get_mut(&id).ok_or(Errno::EBADF)
    }

    /// The lowest number from `minimum` on that is free and below `limit`.
    fn lowest(&self, minimum: i32, limit: u64) -> Result<i32, Errno> {
        let mut fd = minimum;
        for &used in self.entries.range(minimum..).map(|(used, _)| used) {
            if used != fd {
                break;
            }
            fd += 1;
        }
        if (fd as u64) < limit { Ok(fd) } else { Err(Errno::EMFILE) }
    }

    /// The numbers for another process, which has the same open files.
    pub(crate) fn share(&mut self) -> Numbers {
        let descriptions = Arc::make_mut(&mut self.descriptions);
        for entry in self.entries.values() {
            if let Some(description) = descriptions.get_mut(&entry.id) {
                description.references += 1;
            }
        }
        Numbers(Arc::clone(&self.entries))
    }

    /// The numbers of another process in place of those of one that has closed all.
    pub(crate) fn restore(&mut self, numbers: Numbers) {
        self.entries = numbers.0;
    }

    fn set(&mut self, fd: i32, id: DescriptionId, close_on_exec: bool) {
        Arc::make_mut(&mut self.entries).insert(fd, Entry { id, close_on_exec });
        if let Some(description) = Arc::make_mut(&mut self.descriptions).get_mut(&id) {
            description.references += 1;
        }
    }

    /// Takes a descriptor out; the description comes back when that was its last one.
    fn remove(&mut self, fd: i32) -> Result<Option<Description>, Errno> {
        let id = self.id(fd)?;
        Arc::make_mut(&mut self.entries).remove(&fd);
        let descriptions = Arc::make_mut(&mut self.descriptions);
        let Some(description) = descriptions.get_mut(&id) else {
            return Ok(None);
        };
        description.references -= 1;
        if description.references > 0 {
            return Ok(None);
        }
        Ok(descriptions.remove(&id))
    }

    pub(crate) fn close_on_exec(&self, fd: i32) -> Result<bool, Errno> {
        self.entries.get(&fd).map(|entry| entry.close_on_exec).ok_or(Errno::EBADF)
    }

    pub(crate) fn set_close_on_exec(&mut self, fd: i32, value: bool) -> Result<(), Errno> {
        self.id(fd)?;
        if let Some(entry) = Arc::make_mut(&mut self.entries).get_mut(&fd) {
            entry.close_on_exec = value;
        }
        Ok(())
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = i32> + '_ {
        self.entries.keys().copied()
    }

    pub(crate) fn same(&self, one: i32, two: i32) -> bool {
        self.id(one).ok() == self.id(two).ok()
    }
}

impl System {
    /// A description for IO; `O_PATH` descriptors are not good for that.
    pub(crate) fn file(&self, fd: i32) -> Result<&Description, Errno> {
        let description = self.fds.get(fd)?;
        if description.is_path() { Err(Errno::EBADF) } else { Ok(description) }
    }

    pub(crate) fn lowest_descriptor(&self, minimum: i32) -> Result<i32, Errno> {
        self.fds.lowest(minimum, self.process.limit(libc::RLIMIT_NOFILE).0)
    }

    /// Gives a description the lowest free number and counts its inode as open.
    pub(crate) fn install(
        &mut self,
        description: Description,
        close_on_exec: bool,
    ) -> Result<i32, Errno> {
        let fd = self.lowest_descriptor(0)?;
        self.install_at(fd, description, close_on_exec);
        Ok(fd)
    }

    pub(crate) fn install_at(&mut self, fd: i32, description: Description, close_on_exec: bool) {
        let (readable, writable) = (description.readable(), description.writable());
        let node = self.fs.node_mut(description.inode);
        node.opens += 1;
        if let Data::Pipe(pipe) = &mut node.data {
            pipe.readers += u32::from(readable);
            pipe.writers += u32::from(writable);
        }
        let id = DescriptionId(self.fds.next);
        self.fds.next += 1;
        Arc::make_mut(&mut self.fds.descriptions).insert(id, description);
        self.fds.set(fd, id, close_on_exec);
    }

    /// `dup` to a number that is free, or is freed first.
    pub(crate) fn duplicate(
        &mut self,
        from: i32,
        to: i32,
        close_on_exec: bool,
    ) -> Result<i32, Errno> {
        let id = self.fds.id(from)?;
        if self.fds.id(to).is_ok() {
            self.close_descriptor(to)?;
        }
        self.fds.set(to, id, close_on_exec);
        Ok(to)
    }

    pub(crate) fn close_descriptor(&mut self, fd: i32) -> Result<(), Errno> {
        let id = self.fds.id(fd)?;
        self.locks.leave(self.process.pid, self.fds.get(fd)?.inode);
        let Some(description) = self.fds.remove(fd)? else {
            return Ok(());
        };
        self.locks.forget(id);
        let (readable, writable) = (description.readable(), description.writable());
        let node = self.fs.node_mut(description.inode);
        node.opens -= 1;
        if node.opens == 0 && matches!(node.data, Data::Pair(_)) {
            self.abandon_pair(description.inode);
        }
        let node = self.fs.node_mut(description.inode);
        if let Data::Pipe(pipe) = &mut node.data {
            pipe.readers -= u32::from(readable);
            pipe.writers -= u32::from(writable);
            if pipe.readers + pipe.writers == 0 {
                pipe.forget();
            }
        }
        self.fs.reclaim(description.inode);
        Ok(())
    }
}
