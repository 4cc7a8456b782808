//! The process: its life, memory, signals and identity.

use super::{CWD, Row};
use crate::calls::mincore;
use crate::system::Stop;
use umbra_engine::Answer;

pub(super) const CALLS: &[Row] = &[
    (libc::SYS_exit, |_, _, [a, ..]| Err(Stop::Answer(Box::new(Answer::Exit(a as i32 & 0xff))))),
    (libc::SYS_exit_group, |_, _, [a, ..]| {
        Err(Stop::Answer(Box::new(Answer::Exit(a as i32 & 0xff))))
    }),
    (libc::SYS_mmap, |system, memory, arguments| system.mmap(memory, arguments)),
    (libc::SYS_munmap, |system, memory, [a, b, ..]| system.munmap(memory, a, b)),
    (libc::SYS_mremap, |system, memory, arguments| system.mremap(memory, arguments)),
    (libc::SYS_brk, |system, _, [a, ..]| system.brk(a)),
    (libc::SYS_mprotect, |system, memory, [a, b, c, ..]| system.mprotect(memory, a, b, c as i32)),
    (libc::SYS_madvise, |system, memory, [a, b, c, ..]| system.madvise(memory, a, b, c as i32)),
    (libc::SYS_msync, |system, memory, [a, b, c, ..]| system.msync(memory, a, b, c as i32)),
    (libc::SYS_mincore, |_, memory, [a, b, c, ..]| mincore(memory, a, b, c)),
    (libc::SYS_mlock, |system, memory, [a, b, ..]| system.mlock(memory, a, b)),
    (libc::SYS_munlock, |system, memory, [a, b, ..]| system.munlock(memory, a, b)),
    (libc::SYS_mlockall, |system, _, [a, ..]| system.mlockall(a as i32)),
    (libc::SYS_munlockall, |_, _, _| Ok(0)),
    (libc::SYS_rt_sigaction, |system, memory, [a, b, c, d, ..]| {
        system.sigaction(memory, a as i32, b, c, d)
    }),
    (libc::SYS_rt_sigprocmask, |system, memory, [a, b, c, d, ..]| {
        system.sigprocmask(memory, a as i32, b, c, d)
    }),
    (libc::SYS_rt_sigpending, |system, memory, [a, ..]| system.sigpending(memory, a)),
    (libc::SYS_rt_sigsuspend, |system, memory, [a, b, ..]| system.sigsuspend(memory, a, b)),
    (libc::SYS_rt_sigtimedwait, |system, memory, [a, b, c, d, ..]| {
        system.sigtimedwait(memory, [a, b, c, d])
    }),
    (libc::SYS_sigaltstack, |system, memory, [a, b, ..]| system.sigaltstack(memory, a, b)),
    (libc::SYS_pause, |system, _, _| system.pause()),
    (libc::SYS_kill, |system, _, [a, b, ..]| system.kill(a as i32, b as i32)),
    (libc::SYS_tkill, |system, _, [a, b, ..]| {
        system.thread_kill(system.process.pid, a as i32, b as i32)
    }),
    (libc::SYS_tgkill, |system, _, [a, b, c, ..]| system.thread_kill(a as i32, b as i32, c as i32)),
    (libc::SYS_getpid, |system, _, _| Ok(i64::from(system.process.pid))),
    (libc::SYS_gettid, |system, _, _| Ok(i64::from(system.process.thread))),
    (libc::SYS_set_tid_address, |system, _, _| Ok(i64::from(system.process.pid))),
    (libc::SYS_getppid, |system, _, _| Ok(i64::from(system.process.ppid))),
    (libc::SYS_getpgrp, |system, _, _| Ok(i64::from(system.process.pgid))),
    (libc::SYS_getpgid, |system, _, [a, ..]| system.group_of(a as i32, |process| process.pgid)),
    (libc::SYS_getsid, |system, _, [a, ..]| system.group_of(a as i32, |process| process.sid)),
    (libc::SYS_setpgid, |system, _, [a, b, ..]| system.setpgid(a as i32, b as i32)),
    (libc::SYS_setsid, |system, _, _| system.setsid()),
    (libc::SYS_getuid, |system, _, _| Ok(i64::from(system.process.credentials.uid))),
    (libc::SYS_geteuid, |system, _, _| Ok(i64::from(system.process.credentials.euid))),
    (libc::SYS_getgid, |system, _, _| Ok(i64::from(system.process.credentials.gid))),
    (libc::SYS_getegid, |system, _, _| Ok(i64::from(system.process.credentials.egid))),
    (libc::SYS_getresuid, |system, memory, [a, b, c, ..]| {
        let ids = &system.process.credentials;
        system.put_ids(memory, [ids.uid, ids.euid, ids.suid], [a, b, c])
    }),
    (libc::SYS_getresgid, |system, memory, [a, b, c, ..]| {
        let ids = &system.process.credentials;
        system.put_ids(memory, [ids.gid, ids.egid, ids.sgid], [a, b, c])
    }),
    (libc::SYS_setuid, |system, _, [a, ..]| system.setuid(a as u32)),
    (libc::SYS_setgid, |system, _, [a, ..]| system.setgid(a as u32)),
    (libc::SYS_setreuid, |system, _, [a, b, ..]| system.setreuid(a as u32, b as u32)),
    (libc::SYS_setregid, |system, _, [a, b, ..]| system.setregid(a as u32, b as u32)),
    (libc::SYS_setresuid, |system, _, [a, b, c, ..]| {
        system.setresuid([a as u32, b as u32, c as u32])
    }),
    (libc::SYS_setresgid, |system, _, [a, b, c, ..]| {
        system.setresgid([a as u32, b as u32, c as u32])
    }),
    (libc::SYS_setfsuid, |system, _, [a, ..]| system.setfsid(a as u32, false)),
    (libc::SYS_setfsgid, |system, _, [a, ..]| system.setfsid(a as u32, true)),
    (libc::SYS_getgroups, |system, memory, [a, b, ..]| system.getgroups(memory, a as i32, b)),
    (libc::SYS_setgroups, |system, memory, [a, b, ..]| {
        system.setgroups(memory, a & 0xffff_ffff, b)
    }),
    (libc::SYS_capget, |system, memory, [a, b, ..]| system.capget(memory, a, b)),
    (libc::SYS_fork, |system, _, _| system.fork()),
    (libc::SYS_vfork, |system, _, _| system.fork()),
    (libc::SYS_clone, |system, _, [a, b, ..]| system.clone_process(a, b)),
    (libc::SYS_execve, |system, memory, [a, b, c, ..]| system.execve(memory, (CWD, a), [b, c], 0)),
    (libc::SYS_execveat, |system, memory, [a, b, c, d, e, ..]| {
        system.execve(memory, (a as i32, b), [c, d], e as i32)
    }),
    (libc::SYS_wait4, |system, memory, [a, b, c, d, ..]| {
        system.wait4(memory, a as i32, [b, d], c as i32)
    }),
    (libc::SYS_waitid, |system, memory, [a, b, c, d, e, ..]| {
        system.waitid(memory, (a as i32, b as i32), [c, e], d as i32)
    }),
    (libc::SYS_futex, |system, memory, [a, b, c, d, e, f]| {
        system.futex(memory, a, b as i32, [c, d, e, f])
    }),
    (libc::SYS_arch_prctl, |system, memory, [a, b, ..]| system.arch_prctl(memory, a as i32, b)),
    (libc::SYS_prctl, |system, memory, [a, b, c, d, e, ..]| {
        system.prctl(memory, a as i32, [b, c, d, e])
    }),
    (libc::SYS_set_robust_list, |system, _, [a, b, ..]| system.set_robust_list(a, b)),
    (libc::SYS_get_robust_list, |system, memory, [a, b, c, ..]| {
        system.get_robust_list(memory, a as i32, [b, c])
    }),
    (libc::SYS_membarrier, |system, _, [a, b, ..]| system.membarrier(a as i32, b as u32)),
    (libc::SYS_personality, |system, _, [a, ..]| system.personality(a as u32)),
];
