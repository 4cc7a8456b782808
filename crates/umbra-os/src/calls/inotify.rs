//! Watching files for changes. Nobody but the process changes its files, so nothing ever happens
//! that it has not done itself: a watch is accepted, and stays silent. Once the process may have done
//! something that it watches for, looking at the watch ends the path.

use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::Data;
use crate::fs::path::Follow;
use crate::fs::permission::READ;
use crate::pipe::Pipe;
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

impl System {
    pub(crate) fn inotify_init(&mut self, flags: i32) -> Reply {
        if flags & !(libc::IN_CLOEXEC | libc::IN_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        // To its reader it is a pipe that somebody else holds open and never writes to.
        self.lowest_descriptor(0)?;
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
        self.watch.wanted |= mask & libc::IN_ALL_EVENTS;
        Ok(i64::from(inode.0) + 1)
    }

    pub(crate) fn inotify_rm_watch(&mut self, fd: i32, watch: i32) -> Reply {
        self.check_watcher(fd)?;
        if watch < 1 { Err(Errno::EINVAL.into()) } else { Ok(0) }
    }

    fn check_watcher(&self, fd: i32) -> Result<(), Errno> {
        match self.fs.node(self.file(fd)?.inode).data {
            Data::Pipe(ref pipe) if pipe.is_watch => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Notes what a call may do to a file that is watched.
    pub(crate) fn note_events(&mut self, call: i64, fd: i32) {
        if self.watch.wanted != 0 && self.watch.wanted & self.possible_events(call, fd) != 0 {
            self.watch.happened = true;
        }
    }

    /// The events that a call on a descriptor may be the cause of.
    fn possible_events(&self, call: i64, fd: i32) -> u32 {
        let is_stored = || match self.file(fd) {
            Ok(description) => self.fs.node(description.inode).is_regular(),
            Err(_) => false,
        };
        match call {
            _ if SILENT.contains(&call) => 0,
            libc::SYS_read | libc::SYS_readv | libc::SYS_pread64 | libc::SYS_getdents64 => {
                libc::IN_ACCESS
            }
            libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 if !is_stored() => 0,
            libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 => libc::IN_MODIFY,
            libc::SYS_close => libc::IN_CLOSE,
            _ => libc::IN_ALL_EVENTS,
        }
    }

    /// Insists that nothing has happened that somebody watches for.
    pub(crate) fn check_watch(&self, fd: i32) -> Result<(), Stop> {
        let Ok(description) = self.file(fd) else { return Ok(()) };
        match &self.fs.node(description.inode).data {
            Data::Pipe(pipe) if pipe.is_watch && self.watch.happened => {
                Err(Stop::unsupported("inotify of what the program does itself"))
            }
            _ => Ok(()),
        }
    }
}

/// What is watched for, and whether the process may have done that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    wanted: u32,
    happened: bool,
}

/// Calls that touch no file.
const SILENT: &[i64] = &[
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_lseek,
    libc::SYS_fcntl,
    libc::SYS_ioctl,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_kill,
    libc::SYS_getpid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_rm_watch,
    libc::SYS_exit,
    libc::SYS_exit_group,
];
