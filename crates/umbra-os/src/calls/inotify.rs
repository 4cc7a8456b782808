//! Watching files for changes. Nobody but the process changes its files, so nothing ever happens
//! that it has not done itself: a watch is accepted, and stays silent. Once the process may have done
//! something that it watches for, looking at the watch ends the path.

use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Follow;
use crate::fs::permission::READ;
use crate::pipe::Pipe;
use crate::system::{Reply, Stop, System};
use std::sync::Arc;
use umbra_engine::UserMemory;

impl System {
    pub(crate) fn inotify_init(&mut self, flags: i32) -> Reply {
        if flags & !(libc::IN_CLOEXEC | libc::IN_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        // To its reader it is a pipe that somebody else holds open and never writes to.
        self.lowest_descriptor(0)?;
        let inode = self.new_untyped(Data::Pipe(Pipe::held_open()));
        let status = libc::O_RDONLY | (flags & libc::IN_NONBLOCK);
        let close_on_exec = flags & libc::IN_CLOEXEC != 0;
        Ok(self.install(Description::new(inode, status, 0), close_on_exec)?.into())
    }

    /// A second watch of one file has the number of the first.
    pub(crate) fn inotify_add_watch(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        path: u64,
        mask: u32,
    ) -> Reply {
        const BOTH: u32 = libc::IN_MASK_ADD | libc::IN_MASK_CREATE;
        if mask & !KNOWN != 0 || mask == 0 {
            return Err(Errno::EINVAL.into());
        }
        let watcher = self.check_watcher(fd)?;
        if mask & BOTH == BOTH {
            return Err(Errno::EINVAL.into());
        }
        let path = self.path(memory, path)?;
        let follow = if mask & libc::IN_DONT_FOLLOW != 0 { Follow::No } else { Follow::Yes };
        let inode = self.resolve(libc::AT_FDCWD, &path, follow)?;
        if mask & libc::IN_ONLYDIR != 0 && !self.fs.node(inode).is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        self.fs.permit(&self.process.credentials, inode, READ)?;
        let places = Arc::make_mut(&mut self.watch.places);
        let mut own = places.iter().filter(|place| place.watcher == watcher);
        let next = own.clone().count() as i32 + 1;
        let known = own.find(|place| place.file == Some(inode)).map(|place| place.number);
        if known.is_some() && mask & libc::IN_MASK_CREATE != 0 {
            return Err(Errno::EEXIST.into());
        }
        self.watch.wanted |= mask & libc::IN_ALL_EVENTS;
        if known.is_none() {
            places.push(Place { watcher, number: next, file: Some(inode) });
        }
        Ok(known.unwrap_or(next).into())
    }

    pub(crate) fn inotify_rm_watch(&mut self, fd: i32, watch: i32) -> Reply {
        let watcher = self.check_watcher(fd)?;
        let places = Arc::make_mut(&mut self.watch.places);
        let is_meant = |place: &&mut Place| place.watcher == watcher && place.number == watch;
        let place = places.iter_mut().find(is_meant).ok_or(Errno::EINVAL)?;
        place.file.take().ok_or(Errno::EINVAL)?;
        // Its end is an event too.
        self.watch.happened = true;
        Ok(0)
    }

    fn check_watcher(&self, fd: i32) -> Result<InodeId, Errno> {
        let inode = self.file(fd)?.inode;
        match self.fs.node(inode).data {
            Data::Pipe(ref pipe) if pipe.is_watch => Ok(inode),
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watch {
    wanted: u32,
    happened: bool,
    places: Arc<Vec<Place>>,
}

/// A file that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    watcher: InodeId,
    number: i32,
    /// `None` when it is not watched any more; the number is not used again.
    file: Option<InodeId>,
}

/// All that may be asked for.
const KNOWN: u32 = libc::IN_ALL_EVENTS
    | libc::IN_UNMOUNT
    | libc::IN_Q_OVERFLOW
    | libc::IN_IGNORED
    | libc::IN_ONLYDIR
    | libc::IN_DONT_FOLLOW
    | libc::IN_EXCL_UNLINK
    | libc::IN_MASK_CREATE
    | libc::IN_MASK_ADD
    | libc::IN_ISDIR
    | libc::IN_ONESHOT;

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
