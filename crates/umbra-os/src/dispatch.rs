//! From the number of a system call to the facility that carries it out.
//!
//! Nothing is decided here: arguments are taken from their registers in the width that the kernel
//! takes them, and the facility is called.

use crate::calls::{End, Position, mincore};
use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use crate::user::{self, MAX_TRANSFER};
use umbra_engine::{Answer, UserMemory};

const CWD: i32 = libc::AT_FDCWD;
const NOFOLLOW: i32 = libc::AT_SYMLINK_NOFOLLOW;

impl System {
    pub(crate) fn dispatch(
        &mut self,
        memory: &mut dyn UserMemory,
        number: u64,
        arguments: [u64; 6],
    ) -> Reply {
        let call = number as i64;
        self.note_events(call, arguments[0] as i32);
        if let Some(reply) = self.dispatch_io(memory, call, arguments) {
            return reply;
        }
        if let Some(reply) = self.dispatch_files(memory, call, arguments) {
            return reply;
        }
        if let Some(reply) = self.dispatch_attributes(memory, call, arguments) {
            return reply;
        }
        if let Some(reply) = self.dispatch_process(memory, call, arguments) {
            return reply;
        }
        if let Some(reply) = self.dispatch_system(memory, call, arguments) {
            return reply;
        }
        self.unmodelled(number)
    }

    /// Descriptors and transfers.
    fn dispatch_io(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, e, f] = arguments;
        let fd = a as i32;
        let one = |address: u64, length: u64| [(address, length.min(MAX_TRANSFER))];
        Some(match call {
            libc::SYS_read => self.readv(memory, fd, &one(b, c), Position::Current),
            libc::SYS_write => self.writev(memory, fd, &one(b, c), Position::Current),
            libc::SYS_pread64 => self.readv(memory, fd, &one(b, c), Position::At(d)),
            libc::SYS_pwrite64 => self.writev(memory, fd, &one(b, c), Position::At(d)),
            libc::SYS_preadv2 | libc::SYS_pwritev2 if f as u32 != 0 => {
                Err(Stop::unsupported(format!("preadv2 or pwritev2 with flags {f:#x}")))
            }
            libc::SYS_readv | libc::SYS_preadv | libc::SYS_preadv2 => {
                let position = vector_position(call, libc::SYS_readv, d, f);
                self.vectored(memory, fd, b, c, position, System::readv)
            }
            libc::SYS_writev | libc::SYS_pwritev | libc::SYS_pwritev2 => {
                let position = vector_position(call, libc::SYS_writev, d, f);
                self.vectored(memory, fd, b, c, position, System::writev)
            }
            libc::SYS_lseek => self.lseek(fd, b as i64, c as i32),
            libc::SYS_close => self.close_descriptor(fd).map(|()| 0).map_err(Stop::from),
            libc::SYS_close_range => self.close_range(a as u32, b as u32, c as u32),
            libc::SYS_dup => self.dup(fd),
            libc::SYS_dup2 => self.dup2(fd, b as i32),
            libc::SYS_dup3 => self.dup3(fd, b as i32, c as i32),
            libc::SYS_fcntl => self.fcntl(memory, fd, b as i32, c),
            libc::SYS_ioctl => self.ioctl(memory, fd, b, c),
            libc::SYS_pipe => self.pipe2(memory, a, 0),
            libc::SYS_pipe2 => self.pipe2(memory, a, b as i32),
            libc::SYS_poll => {
                let timeout = u64::try_from(c as i32).ok().map(|timeout| timeout * 1_000_000);
                self.poll(memory, a, b, timeout)
            }
            libc::SYS_ppoll => {
                optional_timeout(memory, c, 1).and_then(|timeout| self.poll(memory, a, b, timeout))
            }
            libc::SYS_select => optional_timeout(memory, e, 1000)
                .and_then(|timeout| self.select(memory, a as i32, [b, c, d], timeout)),
            libc::SYS_pselect6 => optional_timeout(memory, e, 1)
                .and_then(|timeout| self.select(memory, a as i32, [b, c, d], timeout)),
            libc::SYS_sendfile => self.sendfile(memory, fd, b as i32, c, d),
            libc::SYS_copy_file_range => {
                let (from, to) =
                    (End { fd, offset_address: b }, End { fd: c as i32, offset_address: d });
                self.copy_file_range(memory, from, to, e, f)
            }
            libc::SYS_fsync | libc::SYS_fdatasync => self.synchronise(fd),
            libc::SYS_sync_file_range => self.sync_file_range(fd, [b, c], d as u32),
            libc::SYS_syncfs => self.file(fd).map(|_| 0).map_err(Stop::from),
            libc::SYS_sync => Ok(0),
            libc::SYS_fadvise64 => self.advise(fd, c as i64, d as i32),
            libc::SYS_readahead => self.file(fd).map(|_| 0).map_err(Stop::from),
            libc::SYS_flock => self.flock(fd, b as i32),
            libc::SYS_fallocate => self.fallocate(fd, b as i32, c as i64, d as i64),
            libc::SYS_ftruncate => self.ftruncate(fd, b as i64),
            _ => return None,
        })
    }

    #[allow(
        clippy::type_complexity,
        reason = "the two vectored transfers have one shape, used here only"
    )]
    fn vectored(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        address: u64,
        count: u64,
        position: Position,
        transfer: fn(&mut System, &mut dyn UserMemory, i32, &[(u64, u64)], Position) -> Reply,
    ) -> Reply {
        self.file(fd)?;
        let buffers = user::iovec(memory, address, count & 0xffff_ffff)?;
        let is_empty = buffers.iter().all(|(_, length)| *length == 0);
        if is_empty && position == Position::Current && self.writes_empty_message(fd)? {
            return Ok(0);
        }
        transfer(self, memory, fd, &buffers, position)
    }

    /// Names and directories.
    fn dispatch_files(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, e, _] = arguments;
        let fd = a as i32;
        Some(match call {
            libc::SYS_open => self.openat(memory, CWD, a, b as i32, c as u32 & 0o7777),
            libc::SYS_openat => self.openat(memory, fd, b, c as i32, d as u32 & 0o7777),
            libc::SYS_openat2 => self.openat2(memory, fd, b, c, d),
            libc::SYS_creat => {
                let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
                self.openat(memory, CWD, a, flags, b as u32 & 0o7777)
            }
            libc::SYS_mkdir => self.mkdirat(memory, CWD, a, b as u32),
            libc::SYS_mkdirat => self.mkdirat(memory, fd, b, c as u32),
            libc::SYS_rmdir => self.rmdir(memory, CWD, a),
            libc::SYS_unlink => self.unlinkat(memory, CWD, a, 0),
            libc::SYS_unlinkat => self.unlinkat(memory, fd, b, c as i32),
            libc::SYS_link => self.linkat(memory, CWD, a, CWD, b, 0),
            libc::SYS_linkat => self.linkat(memory, fd, b, c as i32, d, e as i32),
            libc::SYS_symlink => self.symlinkat(memory, a, CWD, b),
            libc::SYS_symlinkat => self.symlinkat(memory, a, b as i32, c),
            libc::SYS_readlink => self.readlinkat(memory, CWD, a, b, c as i32),
            libc::SYS_readlinkat => self.readlinkat(memory, fd, b, c, d as i32),
            libc::SYS_mknod => self.mknodat(memory, CWD, a, b as u32, c),
            libc::SYS_mknodat => self.mknodat(memory, fd, b, c as u32, d),
            libc::SYS_rename => self.renameat2(memory, CWD, a, CWD, b, 0),
            libc::SYS_renameat => self.renameat2(memory, fd, b, c as i32, d, 0),
            libc::SYS_renameat2 => self.renameat2(memory, fd, b, c as i32, d, e as u32),
            libc::SYS_getdents64 => self.getdents64(memory, fd, b, c),
            libc::SYS_chdir => self.chdir(memory, a),
            libc::SYS_fchdir => self.fchdir(fd),
            libc::SYS_chroot => self.chroot(memory, a),
            libc::SYS_getcwd => self.getcwd(memory, a, b),
            _ => return None,
        })
    }

    /// What files have besides their contents.
    fn dispatch_attributes(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, e, _] = arguments;
        let fd = a as i32;
        Some(match call {
            libc::SYS_stat => self.fstatat(memory, CWD, a, b, 0),
            libc::SYS_lstat => self.fstatat(memory, CWD, a, b, NOFOLLOW),
            libc::SYS_fstat => self.fstat(memory, fd, b),
            libc::SYS_newfstatat => self.fstatat(memory, fd, b, c, d as i32),
            libc::SYS_statx => self.statx(memory, fd, b, c as i32, d as u32, e),
            libc::SYS_statfs => self.statfs(memory, a, b),
            libc::SYS_fstatfs => self.fstatfs(memory, fd, b),
            libc::SYS_access => self.faccessat(memory, CWD, a, b as i32, 0),
            libc::SYS_faccessat => self.faccessat(memory, fd, b, c as i32, 0),
            libc::SYS_faccessat2 => self.faccessat(memory, fd, b, c as i32, d as i32),
            libc::SYS_chmod => self.fchmodat(memory, CWD, a, b as u32, 0),
            libc::SYS_fchmod => self.fchmod(fd, b as u32),
            libc::SYS_fchmodat => self.fchmodat(memory, fd, b, c as u32, 0),
            SYS_FCHMODAT2 => self.fchmodat(memory, fd, b, c as u32, d as i32),
            libc::SYS_chown => self.fchownat(memory, CWD, a, b as u32, c as u32, 0),
            libc::SYS_lchown => self.fchownat(memory, CWD, a, b as u32, c as u32, NOFOLLOW),
            libc::SYS_fchown => self.fchown(fd, b as u32, c as u32),
            libc::SYS_fchownat => self.fchownat(memory, fd, b, c as u32, d as u32, e as i32),
            libc::SYS_utimensat => self.utimensat(memory, fd, b, c, d as i32),
            libc::SYS_utime => self.old_utimes(memory, CWD, a, b, false),
            libc::SYS_utimes => self.old_utimes(memory, CWD, a, b, true),
            libc::SYS_futimesat => self.old_utimes(memory, fd, b, c, true),
            libc::SYS_truncate => self.truncate(memory, a, b as i64),
            libc::SYS_umask => {
                let before = std::mem::replace(&mut self.process.umask, a as u32 & 0o777);
                Ok(i64::from(before))
            }
            _ => return self.dispatch_xattr(memory, call, arguments),
        })
    }

    fn dispatch_xattr(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, e, _] = arguments;
        let inode = match call {
            libc::SYS_getxattr
            | libc::SYS_setxattr
            | libc::SYS_listxattr
            | libc::SYS_removexattr => self.path_inode(memory, a),
            libc::SYS_lgetxattr
            | libc::SYS_lsetxattr
            | libc::SYS_llistxattr
            | libc::SYS_lremovexattr => self.at_inode(memory, CWD, a, NOFOLLOW),
            libc::SYS_fgetxattr
            | libc::SYS_fsetxattr
            | libc::SYS_flistxattr
            | libc::SYS_fremovexattr => {
                self.file(a as i32).map(|description| description.inode).map_err(Stop::from)
            }
            _ => return None,
        };
        let inode = match inode {
            Ok(inode) => inode,
            Err(stop) => return Some(Err(stop)),
        };
        Some(match call {
            libc::SYS_getxattr | libc::SYS_lgetxattr | libc::SYS_fgetxattr => {
                self.getxattr(memory, inode, b, c, d)
            }
            libc::SYS_listxattr | libc::SYS_llistxattr | libc::SYS_flistxattr => {
                self.listxattr(memory, inode, b, c)
            }
            libc::SYS_removexattr | libc::SYS_lremovexattr | libc::SYS_fremovexattr => {
                self.removexattr(memory, inode, b)
            }
            _ => self.setxattr(memory, inode, b, (c, d), e as i32),
        })
    }

    /// The process: its life, memory, signals and identity.
    fn dispatch_process(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, e, f] = arguments;
        let ids = &self.process.credentials;
        let (users, groups) = ([ids.uid, ids.euid, ids.suid], [ids.gid, ids.egid, ids.sgid]);
        Some(match call {
            libc::SYS_exit | libc::SYS_exit_group => {
                Err(Stop::Answer(Box::new(Answer::Exit(a as i32 & 0xff))))
            }
            libc::SYS_mmap => self.mmap(memory, arguments),
            libc::SYS_munmap => self.munmap(memory, a, b),
            libc::SYS_mremap => self.mremap(memory, arguments),
            libc::SYS_brk => self.brk(a),
            libc::SYS_mprotect => self.mprotect(memory, a, b, c as i32),
            libc::SYS_madvise => self.madvise(memory, a, b, c as i32),
            libc::SYS_msync => self.msync(memory, a, b, c as i32),
            libc::SYS_mincore => mincore(memory, a, b, c),
            libc::SYS_mlock => self.mlock(memory, a, b),
            libc::SYS_munlock => self.munlock(memory, a, b),
            libc::SYS_mlockall => self.mlockall(a as i32),
            libc::SYS_munlockall => Ok(0),
            libc::SYS_rt_sigaction => self.sigaction(memory, a as i32, b, c, d),
            libc::SYS_rt_sigprocmask => self.sigprocmask(memory, a as i32, b, c, d),
            libc::SYS_rt_sigpending => self.sigpending(memory, a),
            libc::SYS_rt_sigsuspend => self.sigsuspend(memory, a, b),
            libc::SYS_rt_sigtimedwait => self.sigtimedwait(memory, [a, b, c, d]),
            libc::SYS_sigaltstack => self.sigaltstack(memory, a, b),
            libc::SYS_pause => self.pause(),
            libc::SYS_kill => self.kill(a as i32, b as i32),
            libc::SYS_tkill => self.thread_kill(self.process.pid, a as i32, b as i32),
            libc::SYS_tgkill => self.thread_kill(a as i32, b as i32, c as i32),
            libc::SYS_getpid | libc::SYS_gettid | libc::SYS_set_tid_address => {
                Ok(i64::from(self.process.pid))
            }
            libc::SYS_getppid => Ok(i64::from(self.process.ppid)),
            libc::SYS_getpgrp => Ok(i64::from(self.process.pgid)),
            libc::SYS_getpgid => self.group_of(a as i32, |process| process.pgid),
            libc::SYS_getsid => self.group_of(a as i32, |process| process.sid),
            libc::SYS_setpgid => self.setpgid(a as i32, b as i32),
            libc::SYS_setsid => self.setsid(),
            libc::SYS_getuid => Ok(i64::from(users[0])),
            libc::SYS_geteuid => Ok(i64::from(users[1])),
            libc::SYS_getgid => Ok(i64::from(groups[0])),
            libc::SYS_getegid => Ok(i64::from(groups[1])),
            libc::SYS_getresuid => self.put_ids(memory, users, [a, b, c]),
            libc::SYS_getresgid => self.put_ids(memory, groups, [a, b, c]),
            libc::SYS_setuid => self.setuid(a as u32),
            libc::SYS_setgid => self.setgid(a as u32),
            libc::SYS_setreuid => self.setreuid(a as u32, b as u32),
            libc::SYS_setregid => self.setregid(a as u32, b as u32),
            libc::SYS_setresuid => self.setresuid([a as u32, b as u32, c as u32]),
            libc::SYS_setresgid => self.setresgid([a as u32, b as u32, c as u32]),
            libc::SYS_setfsuid => self.setfsid(a as u32, false),
            libc::SYS_setfsgid => self.setfsid(a as u32, true),
            libc::SYS_getgroups => self.getgroups(memory, a as i32, b),
            libc::SYS_setgroups => self.setgroups(memory, a & 0xffff_ffff, b),
            libc::SYS_capget => self.capget(memory, a, b),
            libc::SYS_fork | libc::SYS_vfork => self.fork(),
            libc::SYS_clone => self.clone_process(a, b),
            libc::SYS_execve => self.execve(memory, (CWD, a), [b, c], 0),
            libc::SYS_execveat => self.execve(memory, (a as i32, b), [c, d], e as i32),
            libc::SYS_wait4 => self.wait4(memory, a as i32, [b, d], c as i32),
            libc::SYS_waitid => self.waitid(memory, (a as i32, b as i32), [c, e], d as i32),
            libc::SYS_futex => self.futex(memory, a, b as i32, [c, d, e, f]),
            libc::SYS_arch_prctl => self.arch_prctl(memory, a as i32, b),
            libc::SYS_prctl => self.prctl(memory, a as i32, [b, c, d, e]),
            libc::SYS_set_robust_list => self.set_robust_list(a, b),
            libc::SYS_get_robust_list => self.get_robust_list(memory, a as i32, [b, c]),
            libc::SYS_membarrier => self.membarrier(a as i32, b as u32),
            libc::SYS_personality => self.personality(a as u32),
            _ => return None,
        })
    }

    /// Time, limits, sockets, and what the system is.
    fn dispatch_system(
        &mut self,
        memory: &mut dyn UserMemory,
        call: i64,
        arguments: [u64; 6],
    ) -> Option<Reply> {
        let [a, b, c, d, ..] = arguments;
        Some(match call {
            libc::SYS_clock_gettime => self.clock_gettime(memory, a as i32, b),
            libc::SYS_clock_getres => self.clock_getres(memory, a as i32, b),
            libc::SYS_clock_settime => self.clock_settime(memory, a as i32, b),
            libc::SYS_gettimeofday => self.gettimeofday(memory, a, b),
            libc::SYS_settimeofday => self.settimeofday(memory, a),
            libc::SYS_time => self.time(memory, a),
            libc::SYS_nanosleep => self.clock_nanosleep(memory, libc::CLOCK_MONOTONIC, 0, a, b),
            libc::SYS_clock_nanosleep => self.clock_nanosleep(memory, a as i32, b as i32, c, d),
            libc::SYS_alarm => self.alarm(a as u32),
            libc::SYS_setitimer => self.setitimer(memory, a as i32, b, c),
            libc::SYS_getitimer => self.getitimer(memory, a as i32, b),
            libc::SYS_timer_create => self.timer_create(memory, a as i32, b, c),
            libc::SYS_timer_settime => self.timer_settime(memory, a as i32, b as i32, c, d),
            libc::SYS_timer_gettime => self.timer_gettime(memory, a as i32, b),
            libc::SYS_timer_delete => self.timer_delete(a as i32),
            libc::SYS_timer_getoverrun => self.timer_getoverrun(a as i32),
            libc::SYS_times => self.times(memory, a),
            libc::SYS_getrusage => self.getrusage(memory, a as i32, b),
            libc::SYS_getrlimit => self.prlimit64(memory, 0, a as u32, 0, b),
            libc::SYS_setrlimit => self.prlimit64(memory, 0, a as u32, b, 0),
            libc::SYS_prlimit64 => self.prlimit64(memory, a as i32, b as u32, c, d),
            libc::SYS_uname => self.uname(memory, a),
            libc::SYS_sysinfo => self.sysinfo(memory, a),
            libc::SYS_sethostname | libc::SYS_setdomainname => self.sethostname(),
            libc::SYS_getrandom => self.getrandom(memory, a, b, c as u32),
            libc::SYS_sched_getaffinity => {
                self.sched_getaffinity(memory, a as i32, b & 0xffff_ffff, c)
            }
            libc::SYS_sched_setaffinity => self.sched_setaffinity(memory, a as i32, b, c),
            libc::SYS_sched_yield => Ok(0),
            libc::SYS_sched_getscheduler => self.sched_getscheduler(a as i32),
            libc::SYS_sched_setscheduler => self.sched_setscheduler(memory, a as i32, b as i32, c),
            libc::SYS_sched_getparam => self.sched_getparam(memory, a as i32, b),
            libc::SYS_sched_get_priority_max => self.sched_priority(a as i32, 99),
            libc::SYS_sched_get_priority_min => self.sched_priority(a as i32, 1),
            libc::SYS_getcpu => {
                let zero = [0; 4];
                user::put_optional(memory, a, &zero)
                    .and_then(|()| user::put_optional(memory, b, &zero))
                    .map(|()| 0)
                    .map_err(Stop::from)
            }
            libc::SYS_getpriority => self.getpriority(a as i32, b as i32),
            libc::SYS_setpriority => self.setpriority(a as i32, b as i32, c as i32),
            libc::SYS_inotify_init => self.inotify_init(0),
            libc::SYS_inotify_init1 => self.inotify_init(a as i32),
            libc::SYS_inotify_add_watch => self.inotify_add_watch(memory, a as i32, b, c as u32),
            libc::SYS_inotify_rm_watch => self.inotify_rm_watch(a as i32, b as i32),
            libc::SYS_eventfd => self.eventfd(a as u32, 0),
            libc::SYS_eventfd2 => self.eventfd(a as u32, b as i32),
            libc::SYS_timerfd_create => self.timerfd_create(a as i32, b as i32),
            libc::SYS_timerfd_settime => self.timerfd_settime(memory, a as i32, b as i32, [c, d]),
            libc::SYS_timerfd_gettime => self.timerfd_gettime(memory, a as i32, b),
            libc::SYS_memfd_create => self.memfd_create(memory, a, b as u32),
            libc::SYS_socket => self.socket(a as i32, b as i32, c as i32),
            libc::SYS_socketpair => self.socketpair(memory, [a as i32, b as i32, c as i32], d),
            libc::SYS_connect => self.connect(memory, a as i32, b, c),
            libc::SYS_sendto => self.socket_transfer(memory, false, arguments),
            libc::SYS_recvfrom => self.socket_transfer(memory, true, arguments),
            libc::SYS_sendmsg => self.transfer_message(memory, false, [a, b, c]),
            libc::SYS_recvmsg => self.transfer_message(memory, true, [a, b, c]),
            libc::SYS_shutdown => self.shutdown(a as i32, b as i32),
            libc::SYS_getsockname => self.socket_name(memory, a as i32, [b, c], false),
            libc::SYS_getpeername => self.socket_name(memory, a as i32, [b, c], true),
            libc::SYS_getsockopt => self.getsockopt(memory, arguments),
            _ => return None,
        })
    }

    fn sync_file_range(&mut self, fd: i32, [offset, length]: [u64; 2], flags: u32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        let end = (offset as i64).checked_add(length as i64);
        if flags & !7 != 0 || (offset as i64) < 0 || end.is_none_or(|end| end < offset as i64) {
            return Err(Errno::EINVAL.into());
        }
        match node.type_bits() {
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK | libc::S_IFLNK => Ok(0),
            _ => Err(Errno::ESPIPE.into()),
        }
    }

    fn synchronise(&mut self, fd: i32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        // Only what is stored can be written back.
        match node.type_bits() {
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK => Ok(0),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn advise(&mut self, fd: i32, length: i64, advice: i32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        if node.type_bits() == libc::S_IFIFO {
            return Err(Errno::ESPIPE.into());
        }
        if length < 0 || !(0..=5).contains(&advice) {
            return Err(Errno::EINVAL.into());
        }
        Ok(0)
    }
}

/// Newer than the constants of the C library.
const SYS_FCHMODAT2: i64 = 452;

/// `preadv2` and `pwritev2` with -1 are at the current position; plain `readv` and `writev` always
/// are.
fn vector_position(call: i64, plain: i64, offset: u64, _flags: u64) -> Position {
    let current = call == plain
        || ((call == libc::SYS_preadv2 || call == libc::SYS_pwritev2) && offset == u64::MAX);
    if current { Position::Current } else { Position::At(offset) }
}

/// A timeout in nanoseconds; its fraction counts units of `unit` nanoseconds.
fn optional_timeout(
    memory: &mut dyn UserMemory,
    address: u64,
    unit: i64,
) -> Result<Option<u64>, Stop> {
    if address == 0 {
        return Ok(None);
    }
    let (seconds, fraction) = user::timespec(memory, address)?;
    Ok(Some(user::nanoseconds_of(seconds, fraction.checked_mul(unit).ok_or(Errno::EINVAL)?)?))
}
