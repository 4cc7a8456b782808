//! Watching files for changes. Nobody but the process changes its files, so nothing ever happens
//! that it has not done itself: a watch is accepted, and stays silent.

use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::Data;
use crate::fs::path::Follow;
use crate::fs::permission::READ;
use crate::pipe::Pipe;
use crate::system::{Reply, System};
use umbra_engine::UserMemory;

impl System {
    pub(crate) fn inotify_init(&mut self, flags: i32) -> Reply {
        if flags & !(libc::IN_CLOEXEC | libc::IN_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        // To its reader it is a pipe that somebody else holds open and never writes to.
        let inode = self.new_anonymous(Data::Pipe(Pipe::held_open()), 0o600);
        let status = libc::O_RDONLY | (flags & libc::IN_NONBLOCK);
        let close_on_exec = flags & libc::IN_CLOEXEC != 0;
        Ok(self.install(Description::new(inode, status, 0), close_on_exec)?.into())
    }

    /// A watch is numbered by the inode it is on, so that a second watch of one file has the
    /// number of the first.
    pub(crate) fn inotify_add_watch(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        path: u64,
        mask: u32,
    ) -> Reply {
        self.check_watcher(fd)?;
        if mask & libc::IN_ALL_EVENTS == 0 {
            return Err(Errno::EINVAL.into());
        }
        let path = self.path(memory, path)?;
        let follow = if mask & libc::IN_DONT_FOLLOW != 0 { Follow::No } else { Follow::Yes };
        let inode = self.resolve(libc::AT_FDCWD, &path, follow)?;
        if mask & libc::IN_ONLYDIR != 0 && !self.fs.node(inode).is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        self.fs.permit(&self.process.credentials, inode, READ)?;
        Ok(i64::from(inode.0) + 1)
    }

    pub(crate) fn inotify_rm_watch(&mut self, fd: i32, watch: i32) -> Reply {
        self.check_watcher(fd)?;
        if watch < 1 { Err(Errno::EINVAL.into()) } else { Ok(0) }
    }

    fn check_watcher(&self, fd: i32) -> Result<(), Errno> {
        match self.fs.node(self.file(fd)?.inode).data {
            Data::Pipe(_) => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }
}
