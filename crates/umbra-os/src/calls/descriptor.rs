//! Descriptors: `dup`, `fcntl`, `pipe`.

use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::inode::Data;
use crate::pipe::{CAPACITY, Pipe};
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

/// Status flags that `F_SETFL` may change.
const SETTABLE: i32 =
    libc::O_APPEND | libc::O_NONBLOCK | libc::O_DIRECT | libc::O_NOATIME | libc::O_ASYNC;
const F_LINUX_SPECIFIC_DUPFD_QUERY: i32 = 1027;
const F_SETSIG: i32 = 10;
const F_GETSIG: i32 = 11;
const F_SETOWN_EX: i32 = 15;
const F_GETOWN_EX: i32 = 16;
const F_GETOWNER_UIDS: i32 = 17;
const F_CREATED_QUERY: i32 = 1028;
const F_CANCELLK: i32 = 1029;
const F_GET_RW_HINT: i32 = 1035;
const F_SET_FILE_RW_HINT: i32 = 1038;

impl System {
    pub(crate) fn dup(&mut self, fd: i32) -> Reply {
        self.fds.get(fd)?;
        let to = self.lowest_descriptor(0)?;
        Ok(i64::from(self.duplicate(fd, to, false)?))
    }

    pub(crate) fn dup3(&mut self, from: i32, to: i32, flags: i32) -> Reply {
        if flags & !libc::O_CLOEXEC != 0 || from == to {
            return Err(Errno::EINVAL.into());
        }
        self.dup_to(from, to, flags & libc::O_CLOEXEC != 0)
    }

    pub(crate) fn dup2(&mut self, from: i32, to: i32) -> Reply {
        if from == to {
            self.fds.get(from)?;
            return Ok(i64::from(to));
        }
        self.dup_to(from, to, false)
    }

    fn dup_to(&mut self, from: i32, to: i32, close_on_exec: bool) -> Reply {
        if to < 0 || to as u64 >= self.process.limit(libc::RLIMIT_NOFILE).0 {
            return Err(Errno::EBADF.into());
        }
        Ok(i64::from(self.duplicate(from, to, close_on_exec)?))
    }

    pub(crate) fn close_range(&mut self, first: u32, last: u32, flags: u32) -> Reply {
        const CLOEXEC: u32 = 4;
        if first > last || flags & !(CLOEXEC | 2) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let numbers: Vec<i32> =
            self.fds.numbers().filter(|&fd| (first..=last).contains(&(fd as u32))).collect();
        for fd in numbers {
            if flags & CLOEXEC != 0 {
                self.fds.set_close_on_exec(fd, true)?;
            } else {
                self.close_descriptor(fd)?;
            }
        }
        Ok(0)
    }

    pub(crate) fn fcntl(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        command: i32,
        argument: u64,
    ) -> Reply {
        let description = self.fds.get(fd)?;
        let (path_only, flags, inode) =
            (description.is_path(), description.flags, description.inode);
        match command {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => {
                let minimum = argument as i32;
                if argument as u32 as u64 >= self.process.limit(libc::RLIMIT_NOFILE).0
                    || minimum < 0
                {
                    return Err(Errno::EINVAL.into());
                }
                let to = self.lowest_descriptor(minimum)?;
                return Ok(i64::from(self.duplicate(fd, to, command == libc::F_DUPFD_CLOEXEC)?));
            }
            libc::F_GETFD => return Ok(i64::from(self.fds.close_on_exec(fd)?)),
            libc::F_SETFD => {
                self.fds.set_close_on_exec(fd, argument & libc::FD_CLOEXEC as u64 != 0)?;
                return Ok(0);
            }
            libc::F_GETFL => return Ok(i64::from(flags)),
            _ if path_only => return Err(Errno::EBADF.into()),
            F_LINUX_SPECIFIC_DUPFD_QUERY => {
                return Ok(i64::from(self.fds.same(fd, argument as i32)));
            }
            _ => {}
        }
        match command {
            libc::F_SETFL => {
                let new = argument as i32;
                let rare = libc::O_DIRECT | libc::O_ASYNC;
                if new & rare & !flags != 0 {
                    return Err(Stop::unsupported("fcntl that sets O_DIRECT or O_ASYNC"));
                }
                let noatime = new & libc::O_NOATIME != 0 && flags & libc::O_NOATIME == 0;
                if noatime && !self.fs.is_owned(&self.process.credentials, inode)? {
                    return Err(Errno::EPERM.into());
                }
                self.fds.get_mut(fd)?.flags = (flags & !SETTABLE) | (new & SETTABLE);
                Ok(0)
            }
            libc::F_GETLK
            | libc::F_SETLK
            | libc::F_SETLKW
            | libc::F_OFD_GETLK
            | libc::F_OFD_SETLK
            | libc::F_OFD_SETLKW => self.lock_range(memory, fd, command, argument),
            libc::F_GETPIPE_SZ | libc::F_SETPIPE_SZ => {
                let is_pipe = match &self.fs.node(inode).data {
                    Data::Pipe(_) => true,
                    Data::Stream(stream) => stream.kind == crate::stream::StreamKind::Pipe,
                    _ => false,
                };
                let same = argument as usize > CAPACITY / 2 && argument as usize <= CAPACITY;
                match command {
                    _ if !is_pipe => Err(Errno::EBADF.into()),
                    libc::F_SETPIPE_SZ if !same => {
                        Err(Stop::unsupported("a pipe of another size than 64 KiB"))
                    }
                    _ => Ok(CAPACITY as i64),
                }
            }
            libc::F_GETLEASE => Ok(i64::from(libc::F_UNLCK)),
            libc::F_GET_SEALS | libc::F_ADD_SEALS => self.seals(fd, command, argument),
            libc::F_SETOWN
            | libc::F_GETOWN
            | F_SETSIG
            | F_GETSIG
            | F_SETOWN_EX
            | F_GETOWN_EX
            | F_GETOWNER_UIDS
            | libc::F_SETLEASE
            | libc::F_NOTIFY
            | F_CANCELLK
            | F_CREATED_QUERY
            | F_GET_RW_HINT..=F_SET_FILE_RW_HINT => {
                Err(Stop::unsupported(format!("fcntl with command {command}")))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    pub(crate) fn pipe2(&mut self, memory: &mut dyn UserMemory, result: u64, flags: i32) -> Reply {
        if flags & (libc::O_EXCL | libc::O_DIRECT) != 0 {
            return Err(Stop::unsupported("pipe2 with O_DIRECT or O_NOTIFICATION_PIPE"));
        }
        if flags & !(libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let inode = self.new_anonymous(Data::Pipe(Pipe::default()), 0o600);
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        let status = flags & libc::O_NONBLOCK;
        let read =
            self.install(Description::new(inode, libc::O_RDONLY | status, 0), close_on_exec)?;
        let write = match self
            .install(Description::new(inode, libc::O_WRONLY | status, 0), close_on_exec)
        {
            Ok(write) => write,
            Err(errno) => {
                self.close_descriptor(read)?;
                return Err(errno.into());
            }
        };
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&read.to_le_bytes());
        bytes[4..].copy_from_slice(&write.to_le_bytes());
        if let Err(bad) = memory.write(result, &bytes) {
            self.close_descriptor(read)?;
            self.close_descriptor(write)?;
            return Err(bad.into());
        }
        Ok(0)
    }
}
