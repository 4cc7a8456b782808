//! Names and directories.

use super::{CWD, Row};

pub(super) const CALLS: &[Row] = &[
    (libc::SYS_open, |system, memory, [a, b, c, ..]| {
        system.openat(memory, CWD, a, b as i32, c as u32 & 0o7777)
    }),
    (libc::SYS_openat, |system, memory, [a, b, c, d, ..]| {
        system.openat(memory, a as i32, b, c as i32, d as u32 & 0o7777)
    }),
    (libc::SYS_openat2, |system, memory, [a, b, c, d, ..]| {
        system.openat2(memory, a as i32, b, c, d)
    }),
    (libc::SYS_creat, |system, memory, [a, b, ..]| {
        let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
        system.openat(memory, CWD, a, flags, b as u32 & 0o7777)
    }),
    (libc::SYS_mkdir, |system, memory, [a, b, ..]| system.mkdirat(memory, CWD, a, b as u32)),
    (libc::SYS_mkdirat, |system, memory, [a, b, c, ..]| {
        system.mkdirat(memory, a as i32, b, c as u32)
    }),
    (libc::SYS_rmdir, |system, memory, [a, ..]| system.rmdir(memory, CWD, a)),
    (libc::SYS_unlink, |system, memory, [a, ..]| system.unlinkat(memory, CWD, a, 0)),
    (libc::SYS_unlinkat, |system, memory, [a, b, c, ..]| {
        system.unlinkat(memory, a as i32, b, c as i32)
    }),
    (libc::SYS_link, |system, memory, [a, b, ..]| system.linkat(memory, CWD, a, CWD, b, 0)),
    (libc::SYS_linkat, |system, memory, [a, b, c, d, e, ..]| {
        system.linkat(memory, a as i32, b, c as i32, d, e as i32)
    }),
    (libc::SYS_symlink, |system, memory, [a, b, ..]| system.symlinkat(memory, a, CWD, b)),
    (libc::SYS_symlinkat, |system, memory, [a, b, c, ..]| system.symlinkat(memory, a, b as i32, c)),
    (libc::SYS_readlink, |system, memory, [a, b, c, ..]| {
        system.readlinkat(memory, CWD, a, b, c as i32)
    }),
    (libc::SYS_readlinkat, |system, memory, [a, b, c, d, ..]| {
        system.readlinkat(memory, a as i32, b, c, d as i32)
    }),
    (libc::SYS_mknod, |system, memory, [a, b, c, ..]| system.mknodat(memory, CWD, a, b as u32, c)),
    (libc::SYS_mknodat, |system, memory, [a, b, c, d, ..]| {
        system.mknodat(memory, a as i32, b, c as u32, d)
    }),
    (libc::SYS_rename, |system, memory, [a, b, ..]| system.renameat2(memory, CWD, a, CWD, b, 0)),
    (libc::SYS_renameat, |system, memory, [a, b, c, d, ..]| {
        system.renameat2(memory, a as i32, b, c as i32, d, 0)
    }),
    (libc::SYS_renameat2, |system, memory, [a, b, c, d, e, ..]| {
        system.renameat2(memory, a as i32, b, c as i32, d, e as u32)
    }),
    (libc::SYS_getdents64, |system, memory, [a, b, c, ..]| {
        system.getdents64(memory, a as i32, b, c)
    }),
    (libc::SYS_chdir, |system, memory, [a, ..]| system.chdir(memory, a)),
    (libc::SYS_fchdir, |system, _, [a, ..]| system.fchdir(a as i32)),
    (libc::SYS_chroot, |system, memory, [a, ..]| system.chroot(memory, a)),
    (libc::SYS_getcwd, |system, memory, [a, b, ..]| system.getcwd(memory, a, b)),
];
