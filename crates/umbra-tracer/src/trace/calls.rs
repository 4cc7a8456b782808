//! The system calls that matter: which arguments are paths, and what the call wants of them.

use std::ffi::c_long;

use crate::raw::Interest;

/// A call whose arguments name files.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Its number on x86-64.
    pub number: c_long,
    /// Its paths.
    pub paths: &'static [PathArgument],
}

/// An argument that is a path.
#[derive(Clone, Copy, Debug)]
pub struct PathArgument {
    /// The argument with the descriptor of the folder it starts from; else the working directory.
    pub base: Option<usize>,
    /// The argument itself.
    pub path: usize,
    /// Whether a link at its end is followed.
    pub follow: Follow,
    /// What is wanted.
    pub interest: Interest,
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, Debug)]
pub enum Follow {
    /// Yes.
    Always,
    /// No.
    Never,
    /// Unless this argument has the flag.
    Unless(usize, i32),
    /// If this argument has the flag.
    If(usize, i32),
}

const fn at(base: usize, path: usize, follow: Follow, interest: Interest) -> PathArgument {
    PathArgument { base: Some(base), path, follow, interest }
}

const fn plain(path: usize, follow: Follow, interest: Interest) -> PathArgument {
    PathArgument { base: None, path, follow, interest }
}

use Follow::{Always, If, Never, Unless};
use Interest::{Attributes, Content, Existence};
use libc::{AT_SYMLINK_FOLLOW, AT_SYMLINK_NOFOLLOW, O_NOFOLLOW};

macro_rules! table {
    ($($number:ident: $($argument:expr),+;)*) => {
        /// All calls with paths.
        pub const TABLE: &[Call] = &[
            $(Call { number: libc::$number, paths: &[$($argument),+] },)*
        ];
    };
}

table! {
    SYS_open: plain(0, Unless(1, O_NOFOLLOW), Content);
    SYS_openat: at(0, 1, Unless(2, O_NOFOLLOW), Content);
    SYS_openat2: at(0, 1, Always, Content);
    SYS_creat: plain(0, Always, Content);
    SYS_stat: plain(0, Always, Attributes);
    SYS_lstat: plain(0, Never, Attributes);
    SYS_newfstatat: at(0, 1, Unless(3, AT_SYMLINK_NOFOLLOW), Attributes);
    SYS_statx: at(0, 1, Unless(2, AT_SYMLINK_NOFOLLOW), Attributes);
    SYS_access: plain(0, Always, Existence);
    SYS_faccessat: at(0, 1, Always, Existence);
    SYS_faccessat2: at(0, 1, Unless(3, AT_SYMLINK_NOFOLLOW), Existence);
    SYS_readlink: plain(0, Never, Existence);
    SYS_readlinkat: at(0, 1, Never, Existence);
    SYS_chdir: plain(0, Always, Existence);
    SYS_chroot: plain(0, Always, Existence);
    SYS_truncate: plain(0, Always, Content);
    SYS_statfs: plain(0, Always, Existence);
    SYS_rename: plain(0, Never, Content), plain(1, Never, Content);
    SYS_renameat: at(0, 1, Never, Content), at(2, 3, Never, Content);
    SYS_renameat2: at(0, 1, Never, Content), at(2, 3, Never, Content);
    SYS_link: plain(0, Never, Content), plain(1, Never, Existence);
    SYS_linkat: at(0, 1, If(4, AT_SYMLINK_FOLLOW), Content), at(2, 3, Never, Existence);
    SYS_symlink: plain(1, Never, Existence);
    SYS_symlinkat: at(1, 2, Never, Existence);
    SYS_unlink: plain(0, Never, Existence);
    SYS_unlinkat: at(0, 1, Never, Existence);
    SYS_rmdir: plain(0, Never, Existence);
    SYS_mkdir: plain(0, Never, Existence);
    SYS_mkdirat: at(0, 1, Never, Existence);
    SYS_mknod: plain(0, Never, Existence);
    SYS_mknodat: at(0, 1, Never, Existence);
    SYS_chmod: plain(0, Always, Existence);
    SYS_fchmodat: at(0, 1, Always, Existence);
    SYS_chown: plain(0, Always, Existence);
    SYS_lchown: plain(0, Never, Existence);
    SYS_fchownat: at(0, 1, Unless(4, AT_SYMLINK_NOFOLLOW), Existence);
    SYS_utime: plain(0, Always, Existence);
    SYS_utimes: plain(0, Always, Existence);
    SYS_futimesat: at(0, 1, Always, Existence);
    SYS_utimensat: at(0, 1, Unless(3, AT_SYMLINK_NOFOLLOW), Existence);
    SYS_getxattr: plain(0, Always, Existence);
    SYS_lgetxattr: plain(0, Never, Existence);
    SYS_listxattr: plain(0, Always, Existence);
    SYS_llistxattr: plain(0, Never, Existence);
    SYS_setxattr: plain(0, Always, Existence);
    SYS_lsetxattr: plain(0, Never, Existence);
    SYS_removexattr: plain(0, Always, Existence);
    SYS_lremovexattr: plain(0, Never, Existence);
    SYS_execve: plain(0, Always, Content);
    SYS_execveat: at(0, 1, Unless(4, AT_SYMLINK_NOFOLLOW), Content);
    SYS_inotify_add_watch: plain(1, Always, Existence);
}

/// Calls without paths that are looked at in their own way.
pub const SPECIAL: &[c_long] = &[
    libc::SYS_getdents,
    libc::SYS_getdents64,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_ptrace,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_setaffinity,
];

/// Calls that read: descriptor first. The buffers of the first four are followed.
pub const READING: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_recvmsg,
];

/// Calls by which output is written or its descriptor copied, each with the argument that is the
/// descriptor. The buffers of the first two are followed.
pub const OUTPUT: &[(c_long, usize)] = &[
    (libc::SYS_write, 0),
    (libc::SYS_writev, 0),
    (libc::SYS_dup, 0),
    (libc::SYS_dup2, 0),
    (libc::SYS_dup3, 0),
    (libc::SYS_fcntl, 0),
    (libc::SYS_pwrite64, 0),
    (libc::SYS_pwritev, 0),
    (libc::SYS_pwritev2, 0),
    (libc::SYS_sendto, 0),
    (libc::SYS_sendmsg, 0),
    (libc::SYS_sendfile, 0),
    (libc::SYS_vmsplice, 0),
    (libc::SYS_splice, 2),
    (libc::SYS_tee, 1),
    (libc::SYS_copy_file_range, 2),
];

/// The argument of a call that may be a descriptor of output.
pub fn output_argument(number: c_long) -> Option<usize> {
    let row = OUTPUT.iter().find(|(other, _)| *other == number);
    row.map(|(_, argument)| *argument)
}

/// The call of this number.
pub fn by_number(number: c_long) -> Option<&'static Call> {
    TABLE.iter().find(|call| call.number == number)
}

impl PathArgument {
    /// Whether a link at the end is followed, given all arguments of the call.
    pub fn follows(&self, arguments: &[u64; 6]) -> bool {
        let has = |index: usize, flag: i32| arguments[index] as i32 & flag != 0;
        match self.follow {
            Always => true,
            Never => false,
            Unless(index, flag) => !has(index, flag),
            If(index, flag) => has(index, flag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_listed_once() {
        let mut numbers: Vec<c_long> = TABLE.iter().map(|call| call.number).collect();
        numbers.extend(SPECIAL.iter().chain(READING));
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
        let mut output: Vec<c_long> = OUTPUT.iter().map(|(number, _)| *number).collect();
        output.sort_unstable();
        output.dedup();
        assert_eq!(output.len(), OUTPUT.len());
        assert!(OUTPUT.iter().all(|(number, _)| by_number(*number).is_none()));
    }

    #[test]
    fn flags_decide_whether_links_are_followed() {
        let follows = |number, arguments| by_number(number).map(|c| c.paths[0].follows(&arguments));
        let nofollow = AT_SYMLINK_NOFOLLOW as u64;
        assert_eq!(follows(libc::SYS_newfstatat, [0, 0, 0, nofollow, 0, 0]), Some(false));
        assert_eq!(follows(libc::SYS_newfstatat, [0, 0, nofollow, 0, 0, 0]), Some(true));
        assert_eq!(follows(libc::SYS_linkat, [0; 6]), Some(false));
        assert_eq!(follows(libc::SYS_write, [0; 6]), None);
    }
}
