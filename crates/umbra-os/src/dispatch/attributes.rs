//! What files have besides their contents.

use super::{CWD, NOFOLLOW, Row};

/// Newer than the constants of the C library.
const SYS_FCHMODAT2: i64 = 452;

pub(super) const CALLS: &[Row] = &[
    (libc::SYS_stat, |system, memory, [a, b, ..]| system.fstatat(memory, CWD, a, b, 0)),
    (libc::SYS_lstat, |system, memory, [a, b, ..]| system.fstatat(memory, CWD, a, b, NOFOLLOW)),
    (libc::SYS_fstat, |system, memory, [a, b, ..]| system.fstat(memory, a as i32, b)),
    (libc::SYS_newfstatat, |system, memory, [a, b, c, d, ..]| {
        system.fstatat(memory, a as i32, b, c, d as i32)
    }),
    (libc::SYS_statx, |system, memory, [a, b, c, d, e, ..]| {
        system.statx(memory, a as i32, b, c as i32, d as u32, e)
    }),
    (libc::SYS_statfs, |system, memory, [a, b, ..]| system.statfs(memory, a, b)),
    (libc::SYS_fstatfs, |system, memory, [a, b, ..]| system.fstatfs(memory, a as i32, b)),
    (libc::SYS_access, |system, memory, [a, b, ..]| system.faccessat(memory, CWD, a, b as i32, 0)),
    (libc::SYS_faccessat, |system, memory, [a, b, c, ..]| {
        system.faccessat(memory, a as i32, b, c as i32, 0)
    }),
    (libc::SYS_faccessat2, |system, memory, [a, b, c, d, ..]| {
        system.faccessat(memory, a as i32, b, c as i32, d as i32)
    }),
    (libc::SYS_chmod, |system, memory, [a, b, ..]| system.fchmodat(memory, CWD, a, b as u32, 0)),
    (libc::SYS_fchmod, |system, _, [a, b, ..]| system.fchmod(a as i32, b as u32)),
    (libc::SYS_fchmodat, |system, memory, [a, b, c, ..]| {
        system.fchmodat(memory, a as i32, b, c as u32, 0)
    }),
    (SYS_FCHMODAT2, |system, memory, [a, b, c, d, ..]| {
        system.fchmodat(memory, a as i32, b, c as u32, d as i32)
    }),
    (libc::SYS_chown, |system, memory, [a, b, c, ..]| {
        system.fchownat(memory, CWD, a, b as u32, c as u32, 0)
    }),
    (libc::SYS_lchown, |system, memory, [a, b, c, ..]| {
        system.fchownat(memory, CWD, a, b as u32, c as u32, NOFOLLOW)
    }),
    (libc::SYS_fchown, |system, _, [a, b, c, ..]| system.fchown(a as i32, b as u32, c as u32)),
    (libc::SYS_fchownat, |system, memory, [a, b, c, d, e, ..]| {
        system.fchownat(memory, a as i32, b, c as u32, d as u32, e as i32)
    }),
    (libc::SYS_utimensat, |system, memory, [a, b, c, d, ..]| {
        system.utimensat(memory, a as i32, b, c, d as i32)
    }),
    (libc::SYS_utime, |system, memory, [a, b, ..]| system.old_utimes(memory, CWD, a, b, false)),
    (libc::SYS_utimes, |system, memory, [a, b, ..]| system.old_utimes(memory, CWD, a, b, true)),
    (libc::SYS_futimesat, |system, memory, [a, b, c, ..]| {
        system.old_utimes(memory, a as i32, b, c, true)
    }),
    (libc::SYS_truncate, |system, memory, [a, b, ..]| system.truncate(memory, a, b as i64)),
    (libc::SYS_umask, |system, _, [a, ..]| {
        let before = std::mem::replace(&mut system.process.umask, a as u32 & 0o777);
        Ok(i64::from(before))
    }),
    (libc::SYS_getxattr, |system, memory, [a, b, c, d, ..]| {
        let inode = system.path_inode(memory, a)?;
        system.getxattr(memory, inode, b, c, d)
    }),
    (libc::SYS_lgetxattr, |system, memory, [a, b, c, d, ..]| {
        let inode = system.at_inode(memory, CWD, a, NOFOLLOW)?;
        system.getxattr(memory, inode, b, c, d)
    }),
    (libc::SYS_fgetxattr, |system, memory, [a, b, c, d, ..]| {
        let inode = system.file(a as i32)?.inode;
        system.getxattr(memory, inode, b, c, d)
    }),
    (libc::SYS_setxattr, |system, memory, [a, b, c, d, e, _]| {
        let inode = system.path_inode(memory, a)?;
        system.setxattr(memory, inode, b, (c, d), e as i32)
    }),
    (libc::SYS_lsetxattr, |system, memory, [a, b, c, d, e, _]| {
        let inode = system.at_inode(memory, CWD, a, NOFOLLOW)?;
        system.setxattr(memory, inode, b, (c, d), e as i32)
    }),
    (libc::SYS_fsetxattr, |system, memory, [a, b, c, d, e, _]| {
        let inode = system.file(a as i32)?.inode;
        system.setxattr(memory, inode, b, (c, d), e as i32)
    }),
    (libc::SYS_listxattr, |system, memory, [a, b, c, ..]| {
        let inode = system.path_inode(memory, a)?;
        system.listxattr(memory, inode, b, c)
    }),
    (libc::SYS_llistxattr, |system, memory, [a, b, c, ..]| {
        let inode = system.at_inode(memory, CWD, a, NOFOLLOW)?;
        system.listxattr(memory, inode, b, c)
    }),
    (libc::SYS_flistxattr, |system, memory, [a, b, c, ..]| {
        let inode = system.file(a as i32)?.inode;
        system.listxattr(memory, inode, b, c)
    }),
    (libc::SYS_removexattr, |system, memory, [a, b, ..]| {
        let inode = system.path_inode(memory, a)?;
        system.removexattr(memory, inode, b)
    }),
    (libc::SYS_lremovexattr, |system, memory, [a, b, ..]| {
        let inode = system.at_inode(memory, CWD, a, NOFOLLOW)?;
        system.removexattr(memory, inode, b)
    }),
    (libc::SYS_fremovexattr, |system, memory, [a, b, ..]| {
        let inode = system.file(a as i32)?.inode;
        system.removexattr(memory, inode, b)
    }),
];
