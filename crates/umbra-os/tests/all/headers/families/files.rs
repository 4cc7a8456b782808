//! Flags of files, descriptors and what is in them.

use super::super::row::{Word, bits, call, cut, numbers, value};
use super::{Family, tried, tried_of};
use Word::{
    Buffer, Changed, Directory, Event, File, FilePage, Ints, Longs, MemoryFile, Number, Out,
    PairOne, PairTwo, PipeIn, PipeOut, Polled, Reader, Result, Shifted, Socket, Text, Tried,
    Watcher,
};

const CWD: Word = Number(libc::AT_FDCWD as i64);
const NAME: Word = Text("file");
const NEW: Word = Text("new");
const GETFL: Word = Number(libc::F_GETFL as i64);
const GETFD: Word = Number(libc::F_GETFD as i64);
const SETFL: Word = Number(libc::F_SETFL as i64);
const TWO: Word = Number(2);
const ZERO: Word = Number(0);
const CREATING: i64 = (libc::O_CREAT | libc::O_RDWR) as i64;

/// Flags with which a write waits for the disk.
const SLOW: i64 = libc::O_SYNC as i64;

/// What a descriptor can do, once it is there.
macro_rules! then_used {
    ($first:expr) => {
        &[
            $first,
            value(libc::SYS_fcntl, &[Result(0), GETFL]),
            value(libc::SYS_fcntl, &[Result(0), GETFD]),
            value(libc::SYS_write, &[Result(0), Text("ab"), TWO]),
            value(libc::SYS_lseek, &[Result(0), ZERO, Number(1)]),
            value(libc::SYS_pread64, &[Result(0), Out(16), Number(16), ZERO]),
        ]
    };
}

const ONE: Word = Number(1);
const SETLK: Word = Number(libc::F_SETLK as i64);
const GETLK: Word = Number(libc::F_GETLK as i64);
const OFD_SETLK: Word = Number(libc::F_OFD_SETLK as i64);
const OFD_GETLK: Word = Number(libc::F_OFD_GETLK as i64);
const ONLY_READ: Word = Number((libc::LOCK_SH | libc::LOCK_NB) as i64);
const ONLY_WRITE: Word = Number((libc::LOCK_EX | libc::LOCK_NB) as i64);
/// A lock for writing on ten bytes in the middle.
const MIDDLE: Word = Longs(&[ONE, Number(10), Number(10), ZERO]);
/// A lock of a kind on ten bytes: `struct flock`.
const LOCK: Word = Changed(&[Tried(0), ZERO, Number(10), ZERO]);

pub(super) const FAMILIES: &[Family] = &[
    tried(
        &["O_", "FAPPEND", "FFSYNC", "FASYNC", "FNONBLOCK", "FNDELAY"],
        &[
            bits(then_used!(value(libc::SYS_openat, &[CWD, NAME, Tried(0), Number(0o600)])))
                .alone(SLOW),
            bits(then_used!(value(libc::SYS_openat, &[CWD, NAME, Tried(2), Number(0o600)])))
                .alone(SLOW),
            bits(then_used!(value(libc::SYS_openat, &[CWD, NEW, Tried(CREATING), Number(0o600)])))
                .alone(SLOW),
            bits(&[
                value(libc::SYS_openat, &[CWD, Text("dir"), Tried(0), Number(0o600)]),
                value(libc::SYS_fcntl, &[Result(0), GETFL]),
            ]),
            bits(&[
                value(libc::SYS_openat, &[CWD, Text("link"), Tried(0), Number(0o600)]),
                value(libc::SYS_fcntl, &[Result(0), GETFL]),
            ]),
            bits(&[
                call(libc::SYS_openat2, &[CWD, NAME, Longs(&[Tried(0), ZERO, ZERO]), Number(24)]),
                value(libc::SYS_fcntl, &[Result(0), GETFL]),
            ]),
            bits(&[
                call(libc::SYS_fcntl, &[File, SETFL, Tried(0)]),
                value(libc::SYS_fcntl, &[File, GETFL]),
                value(libc::SYS_write, &[File, Text("ab"), TWO]),
                value(libc::SYS_pread64, &[File, Out(16), Number(16), ZERO]),
            ]),
            bits(&[
                call(libc::SYS_fcntl, &[PipeOut, SETFL, Tried(0)]),
                value(libc::SYS_fcntl, &[PipeOut, GETFL]),
            ]),
            bits(&[value(libc::SYS_pipe2, &[Out(8), Tried(0)])]),
            bits(&[
                value(libc::SYS_dup3, &[File, Number(900), Tried(0)]),
                value(libc::SYS_fcntl, &[Number(900), GETFD]),
            ]),
        ],
    ),
    tried(
        &["F_"],
        &[
            numbers(&[value(libc::SYS_fcntl, &[File, Tried(0), ZERO])]),
            numbers(&[value(libc::SYS_fcntl, &[File, Tried(1024), ZERO])]),
            numbers(&[value(libc::SYS_fcntl, &[File, Tried(0), Out(32)])]).except(POINTERS),
            numbers(&[value(libc::SYS_fcntl, &[Reader, Tried(0), Out(32)])]).except(POINTERS),
            numbers(&[value(libc::SYS_fcntl, &[PipeOut, Tried(0), ZERO])]),
            numbers(&[value(libc::SYS_fcntl, &[PairOne, Tried(0), Out(32)])]).except(POINTERS),
            numbers(&[value(libc::SYS_fcntl, &[MemoryFile, Tried(0), ZERO])]),
            numbers(&[value(libc::SYS_fcntl, &[Directory, Tried(0), Out(32)])]).except(POINTERS),
        ],
    ),
    tried(
        &["F_RDLCK", "F_WRLCK", "F_UNLCK"],
        &[
            numbers(&[value(libc::SYS_fcntl, &[File, Number(libc::F_SETLK as i64), LOCK])]),
            numbers(&[value(libc::SYS_fcntl, &[Reader, Number(libc::F_SETLK as i64), LOCK])]),
            numbers(&[value(libc::SYS_fcntl, &[File, Number(libc::F_GETLK as i64), LOCK])]),
            numbers(&[value(libc::SYS_fcntl, &[File, Number(libc::F_OFD_SETLK as i64), LOCK])]),
            numbers(&[value(libc::SYS_fcntl, &[File, Number(libc::F_OFD_GETLK as i64), LOCK])]),
        ],
    ),
    Family::Unnamed {
        title: "locks",
        rows: &[
            // Of one byte after the other, with what is locked already in the middle.
            numbers(&[
                value(libc::SYS_fcntl, &[File, OFD_SETLK, MIDDLE]),
                value(
                    libc::SYS_fcntl,
                    &[Reader, GETLK, Changed(&[ZERO, Tried(0), Number(5), ZERO])],
                ),
                value(libc::SYS_fcntl, &[Reader, SETLK, Longs(&[ZERO, Tried(0), Number(5), ZERO])]),
                value(libc::SYS_fcntl, &[File, GETLK, Changed(&[ONE, ZERO, ZERO, ZERO])]),
            ]),
            numbers(&[
                value(libc::SYS_fcntl, &[File, SETLK, MIDDLE]),
                value(libc::SYS_fcntl, &[File, SETLK, Longs(&[TWO, Tried(0), Number(5), ZERO])]),
                value(libc::SYS_fcntl, &[Reader, OFD_GETLK, Changed(&[ONE, ZERO, ZERO])]),
                value(libc::SYS_fcntl, &[Reader, OFD_GETLK, Changed(&[ONE, Number(15), ZERO])]),
            ]),
            // A length that leads backwards.
            numbers(&[value(
                libc::SYS_fcntl,
                &[File, SETLK, Longs(&[ONE, Tried(0), Number(-5), ZERO])],
            )]),
            // Whoever closes a file has no locks of it any more.
            numbers(&[
                value(libc::SYS_fcntl, &[File, SETLK, MIDDLE]),
                value(libc::SYS_close, &[Reader]),
                value(libc::SYS_fcntl, &[File, OFD_GETLK, Changed(&[ONE, Tried(0), ZERO, ZERO])]),
            ]),
            numbers(&[
                value(libc::SYS_flock, &[File, Tried(4)]),
                value(libc::SYS_flock, &[Reader, ONLY_READ]),
                value(libc::SYS_flock, &[File, Tried(4)]),
                value(libc::SYS_flock, &[Reader, ONLY_WRITE]),
                value(libc::SYS_close, &[File]),
                value(libc::SYS_flock, &[Reader, ONLY_WRITE]),
            ]),
        ],
    },
    tried(
        &["F_SEAL_"],
        &[
            bits(&[
                value(libc::SYS_fcntl, &[MemoryFile, Number(libc::F_ADD_SEALS as i64), Tried(0)]),
                value(libc::SYS_fcntl, &[MemoryFile, Number(libc::F_GET_SEALS as i64)]),
            ]),
            bits(&[value(libc::SYS_fcntl, &[File, Number(libc::F_ADD_SEALS as i64), Tried(0)])]),
        ],
    ),
    tried(
        &["F_OWNER_"],
        &[cut(&[value(libc::SYS_fcntl, &[PipeOut, Number(15), Ints(&[Tried(0), ZERO])])])],
    ),
    tried(
        &["F_OK", "R_OK", "W_OK", "X_OK"],
        &[
            bits(&[value(libc::SYS_access, &[NAME, Tried(0)])]),
            bits(&[value(libc::SYS_access, &[Text("dir"), Tried(0)])]),
            bits(&[value(libc::SYS_faccessat2, &[CWD, NAME, Tried(0), ZERO])]),
        ],
    ),
    tried(
        &["FD_CLOEXEC"],
        &[bits(&[
            value(libc::SYS_fcntl, &[File, Number(libc::F_SETFD as i64), Tried(0)]),
            value(libc::SYS_fcntl, &[File, GETFD]),
        ])],
    ),
    tried(
        &["AT_"],
        &[
            bits(&[call(libc::SYS_unlinkat, &[CWD, NAME, Tried(0)])]),
            bits(&[call(libc::SYS_unlinkat, &[CWD, Text("dir"), Tried(0)])]),
            bits(&[call(libc::SYS_linkat, &[CWD, NAME, CWD, NEW, Tried(0)])]),
            bits(&[
                call(libc::SYS_linkat, &[CWD, Text("link"), CWD, NEW, Tried(0)]),
                value(libc::SYS_readlinkat, &[CWD, NEW, Out(8), Number(8)]),
            ]),
            bits(&[call(libc::SYS_linkat, &[File, Text(""), CWD, NEW, Tried(0)])]),
            bits(&[call(libc::SYS_newfstatat, &[CWD, NAME, Buffer, Tried(0)])]),
            bits(&[call(libc::SYS_newfstatat, &[File, Text(""), Buffer, Tried(0)])]),
            bits(&[call(libc::SYS_newfstatat, &[CWD, Text("link"), Buffer, Tried(0)])]),
            bits(&[call(libc::SYS_statx, &[CWD, NAME, Tried(0), Number(0x7ff), Buffer])]),
            bits(&[call(libc::SYS_statx, &[File, Text(""), Tried(0), Number(0x7ff), Buffer])]),
            bits(&[call(libc::SYS_faccessat2, &[CWD, NAME, Number(4), Tried(0)])]),
            bits(&[call(libc::SYS_faccessat2, &[File, Text(""), Number(4), Tried(0)])]),
            bits(&[call(libc::SYS_fchownat, &[CWD, NAME, Number(-1), Number(-1), Tried(0)])]),
            bits(&[call(libc::SYS_fchownat, &[File, Text(""), Number(-1), Number(-1), Tried(0)])]),
            bits(&[call(FCHMODAT2, &[CWD, NAME, Number(0o600), Tried(0)])]),
            bits(&[call(FCHMODAT2, &[CWD, Text("link"), Number(0o600), Tried(0)])]),
            bits(&[call(FCHMODAT2, &[File, Text(""), Number(0o600), Tried(0)])]),
            bits(&[call(libc::SYS_utimensat, &[CWD, NAME, ZERO, Tried(0)])]),
            bits(&[call(libc::SYS_utimensat, &[CWD, Text("link"), ZERO, Tried(0)])]),
            bits(&[call(libc::SYS_utimensat, &[File, Text(""), ZERO, Tried(0)])]),
            bits(&[call(libc::SYS_execveat, &[CWD, Text("missing"), ZERO, ZERO, Tried(0)])]),
            // A descriptor and not a flag: what is not there is not there in any directory.
            numbers(&[value(libc::SYS_openat, &[Tried(0), Text("missing"), ZERO, ZERO])]),
        ],
    ),
    tried(
        &["POSIX_FADV_"],
        &[
            numbers(&[value(libc::SYS_fadvise64, &[File, ZERO, ZERO, Tried(0)])]),
            numbers(&[value(libc::SYS_fadvise64, &[PipeOut, ZERO, ZERO, Tried(0)])]),
            numbers(&[value(libc::SYS_fadvise64, &[Directory, ZERO, ZERO, Tried(0)])]),
        ],
    ),
    tried(
        &["SEEK_", "L_SET", "L_INCR", "L_XTND"],
        &[
            numbers(&[value(libc::SYS_lseek, &[File, ZERO, Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[File, Number(5), Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[File, Number(-5), Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[File, Number(500), Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[PipeOut, ZERO, Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[PairOne, ZERO, Tried(0)])]),
            numbers(&[value(libc::SYS_lseek, &[MemoryFile, ZERO, Tried(0)])]),
            numbers(&[value(
                libc::SYS_fcntl,
                &[
                    File,
                    Number(libc::F_SETLK as i64),
                    Longs(&[Shifted(&Number(0), &Tried(0)), ZERO, Number(10)]),
                ],
            )]),
        ],
    ),
    tried(
        &["S_"],
        &[
            bits(&[
                call(libc::SYS_chmod, &[NAME, Tried(0)]),
                call(libc::SYS_newfstatat, &[CWD, NAME, Buffer, ZERO]),
            ]),
            bits(&[call(libc::SYS_mkdirat, &[CWD, NEW, Tried(0)])]),
            bits(&[value(libc::SYS_openat, &[CWD, NEW, Number(CREATING), Tried(0)])]),
            bits(&[call(libc::SYS_mknodat, &[CWD, NEW, Tried(0), Number(0x103)])]),
            bits(&[value(libc::SYS_umask, &[Tried(0)]), value(libc::SYS_umask, &[ZERO])]),
        ],
    ),
    tried(
        &["RWF_WRITE_LIFE", "RWH_"],
        &[cut(&[value(libc::SYS_fcntl, &[File, Number(1036), Longs(&[Tried(0)])])])],
    ),
    tried(
        &["DN_"],
        &[cut(&[value(libc::SYS_fcntl, &[Directory, Number(libc::F_NOTIFY as i64), Tried(0)])])],
    ),
    tried(
        &["FALLOC_"],
        &[
            bits(&[
                value(libc::SYS_fallocate, &[File, Tried(0), ZERO, Number(4096)]),
                value(libc::SYS_lseek, &[File, ZERO, Number(2)]),
                value(libc::SYS_pread64, &[File, Out(16), Number(16), ZERO]),
            ]),
            bits(&[value(libc::SYS_fallocate, &[PipeIn, Tried(0), ZERO, Number(4096)])]),
            bits(&[value(libc::SYS_fallocate, &[Reader, Tried(0), ZERO, Number(4096)])]),
        ],
    ),
    tried(
        &["SYNC_FILE_RANGE_"],
        &[bits(&[value(libc::SYS_sync_file_range, &[File, ZERO, ZERO, Tried(0)])])],
    ),
    tried(
        &["SPLICE_"],
        &[
            cut(&[value(libc::SYS_splice, &[File, ZERO, PipeIn, ZERO, Number(5), Tried(0)])]),
            cut(&[value(libc::SYS_tee, &[PipeOut, PipeIn, Number(5), Tried(0)])]),
            cut(&[value(libc::SYS_vmsplice, &[PipeIn, Buffer, ZERO, Tried(0)])]),
        ],
    ),
    tried(
        &["POLL"],
        &[
            bits(&[value(libc::SYS_poll, &[Polled(&File), Number(1), ZERO])]),
            bits(&[value(libc::SYS_poll, &[Polled(&PipeOut), Number(1), ZERO])]),
            bits(&[
                call(libc::SYS_close, &[PipeIn]),
                value(libc::SYS_poll, &[Polled(&PipeOut), Number(1), ZERO]),
            ]),
            bits(&[value(libc::SYS_poll, &[Polled(&PipeIn), Number(1), ZERO])]),
            bits(&[
                value(libc::SYS_write, &[PairTwo, Text("ab"), TWO]),
                value(libc::SYS_poll, &[Polled(&PairOne), Number(1), ZERO]),
            ]),
            bits(&[
                call(libc::SYS_close, &[PairTwo]),
                value(libc::SYS_poll, &[Polled(&PairOne), Number(1), ZERO]),
            ]),
            bits(&[value(libc::SYS_poll, &[Polled(&Event), Number(1), ZERO])]),
            bits(&[value(libc::SYS_poll, &[Polled(&Socket), Number(1), ZERO])]),
            bits(&[value(libc::SYS_poll, &[Polled(&Directory), Number(1), ZERO])]),
        ],
    ),
    tried(
        &["FIO", "TC", "TIOC", "SIOC", "SIOGIFINDEX", "BLK"],
        &[
            numbers(&[value(libc::SYS_ioctl, &[File, Tried(0), Out(8)])]),
            numbers(&[value(libc::SYS_ioctl, &[Directory, Tried(0), Out(8)])]),
            numbers(&[
                value(libc::SYS_write, &[PipeIn, Text("ab"), TWO]),
                value(libc::SYS_ioctl, &[PipeOut, Tried(0), Out(8)]),
            ]),
            numbers(&[value(libc::SYS_ioctl, &[Event, Tried(0), Out(8)])]),
            numbers(&[value(libc::SYS_ioctl, &[Watcher, Tried(0), Out(8)])]),
            numbers(&[value(libc::SYS_ioctl, &[MemoryFile, Tried(0), Out(8)])]),
            numbers(&[
                value(libc::SYS_write, &[PairTwo, Text("ab"), TWO]),
                value(libc::SYS_ioctl, &[PairOne, Tried(0), Out(8)]),
            ]),
        ],
    ),
    tried(
        &["EPOLL_CLOEXEC", "EPOLL_NONBLOCK"],
        &[cut(&[value(libc::SYS_epoll_create1, &[Tried(0)])])],
    ),
    tried(
        &["EPOLL"],
        &[
            cut(&[value(
                libc::SYS_epoll_ctl,
                &[File, Number(1), PipeOut, Longs(&[Tried(0), ZERO])],
            )]),
            cut(&[value(libc::SYS_epoll_ctl, &[File, Tried(0), PipeOut, Buffer])]),
        ],
    ),
    tried(
        &["EFD_"],
        &[bits(&[
            value(libc::SYS_eventfd2, &[Number(3), Tried(0)]),
            value(libc::SYS_fcntl, &[Result(0), GETFL]),
            value(libc::SYS_fcntl, &[Result(0), GETFD]),
            value(libc::SYS_read, &[Result(0), Out(8), Number(8)]),
            value(libc::SYS_write, &[Result(0), Longs(&[Number(4)]), Number(8)]),
            value(libc::SYS_read, &[Result(0), Out(8), Number(8)]),
        ])],
    ),
    tried(
        &["TFD_"],
        &[
            bits(&[
                value(libc::SYS_timerfd_create, &[Number(1), Tried(0)]),
                value(libc::SYS_fcntl, &[Result(0), GETFL]),
                value(libc::SYS_fcntl, &[Result(0), GETFD]),
            ]),
            bits(&[
                value(libc::SYS_timerfd_create, &[Number(1), Number(libc::O_NONBLOCK as i64)]),
                value(
                    libc::SYS_timerfd_settime,
                    &[Result(0), Tried(0), Longs(&[ZERO, ZERO, Number(1 << 40), ZERO]), Buffer],
                ),
                value(libc::SYS_read, &[Result(0), Out(8), Number(8)]),
            ]),
        ],
    ),
    tried(
        &["FAN_", "FANOTIFY_"],
        &[
            cut(&[value(libc::SYS_fanotify_init, &[Tried(0), ZERO])]),
            cut(&[value(libc::SYS_fanotify_mark, &[File, Tried(0), Number(1), CWD, NAME])]),
            cut(&[value(libc::SYS_fanotify_mark, &[File, Number(1), Tried(0), CWD, NAME])]),
        ],
    ),
    tried(
        &["IN_"],
        &[
            bits(&[
                value(libc::SYS_inotify_init1, &[Tried(0)]),
                value(libc::SYS_fcntl, &[Result(0), GETFL]),
                value(libc::SYS_fcntl, &[Result(0), GETFD]),
            ]),
            bits(&[
                value(libc::SYS_inotify_add_watch, &[Watcher, NAME, Tried(0)]),
                value(libc::SYS_inotify_add_watch, &[Watcher, NAME, Tried(0)]),
                call(libc::SYS_read, &[Watcher, Buffer, Number(100)]),
            ]),
            numbers(&[value(libc::SYS_inotify_add_watch, &[Watcher, Text("dir"), Tried(1)])]),
            numbers(&[value(libc::SYS_inotify_add_watch, &[Watcher, Text("link"), Tried(1)])]),
        ],
    ),
    tried(
        &["LOCK_"],
        &[
            numbers(&[value(libc::SYS_flock, &[File, Tried(0)])]),
            bits(&[value(libc::SYS_flock, &[File, Tried(0)])]),
            bits(&[value(libc::SYS_flock, &[PipeOut, Tried(0)])]),
        ],
    ),
    tried(
        &["UTIME_"],
        &[
            numbers(&[value(
                libc::SYS_utimensat,
                &[CWD, NAME, Longs(&[Number(5), Tried(0), Number(5), Number(7)]), ZERO],
            )]),
            numbers(&[value(
                libc::SYS_utimensat,
                &[CWD, NAME, Longs(&[Number(5), Tried(0), Number(5), Tried(0)]), ZERO],
            )]),
        ],
    ),
    tried(
        &["XATTR_"],
        &[
            bits(&[
                value(libc::SYS_setxattr, &[NAME, Text("user.a"), Text("v"), Number(1), Tried(0)]),
                value(libc::SYS_getxattr, &[NAME, Text("user.a"), Out(8), Number(8)]),
            ]),
            bits(&[
                value(libc::SYS_setxattr, &[NAME, Text("user.a"), Text("v"), Number(1), ZERO]),
                value(libc::SYS_setxattr, &[NAME, Text("user.a"), Text("w"), Number(1), Tried(0)]),
                value(libc::SYS_getxattr, &[NAME, Text("user.a"), Out(8), Number(8)]),
            ]),
        ],
    ),
    tried_of(
        "sys/mount.h",
        &["MS_"],
        &[cut(&[value(libc::SYS_mount, &[NAME, Text("dir"), Text("tmpfs"), Tried(0), ZERO])])],
    ),
    tried(&["MNT_", "UMOUNT_"], &[cut(&[value(libc::SYS_umount2, &[Text("dir"), Tried(0)])])]),
    tried_of(
        "sys/quota.h",
        &["MAX_", "MAXQUOTAS", "USRQUOTA", "GRPQUOTA", "NR_", "SUBCMD", "Q_", "QFMT", "QIF", "IIF"],
        &[cut(&[value(libc::SYS_quotactl, &[Tried(0), NAME, ZERO, Buffer])])],
    ),
    tried(&["SWAP_"], &[cut(&[value(libc::SYS_swapon, &[NAME, Tried(0)])])]),
    Family::Unnamed {
        title: "RENAME_",
        rows: &[
            bits(&[
                call(libc::SYS_renameat2, &[CWD, NAME, CWD, NEW, Tried(0)]),
                call(libc::SYS_newfstatat, &[CWD, NAME, Buffer, ZERO]),
            ]),
            bits(&[
                call(libc::SYS_renameat2, &[CWD, NAME, CWD, Text("link"), Tried(0)]),
                call(libc::SYS_newfstatat, &[CWD, NAME, Buffer, ZERO]),
            ]),
        ],
    },
    Family::Unnamed {
        title: "STATX_",
        rows: &[bits(&[call(libc::SYS_statx, &[CWD, NAME, ZERO, Tried(0), Buffer])])],
    },
    Family::Unnamed {
        title: "RESOLVE_",
        rows: &[bits(&[call(
            libc::SYS_openat2,
            &[CWD, NAME, Longs(&[ZERO, ZERO, Tried(0)]), Number(24)],
        )])],
    },
    Family::Unnamed {
        title: "CLOSE_RANGE_",
        rows: &[bits(&[
            value(libc::SYS_close_range, &[File, Number(902), Tried(0)]),
            value(libc::SYS_fcntl, &[File, GETFD]),
        ])],
    },
    Family::Unnamed {
        title: "RWF_",
        rows: &[
            bits(&[value(
                libc::SYS_preadv2,
                &[File, Longs(&[FilePage, Number(4)]), Number(1), ZERO, ZERO, Tried(0)],
            )]),
            bits(&[value(
                libc::SYS_pwritev2,
                &[File, Longs(&[FilePage, Number(4)]), Number(1), ZERO, ZERO, Tried(0)],
            )]),
        ],
    },
    Family::Unnamed {
        title: "copy_file_range",
        rows: &[bits(&[value(
            libc::SYS_copy_file_range,
            &[File, ZERO, File, ZERO, ZERO, Tried(0)],
        )])],
    },
];

const FCHMODAT2: i64 = 452;

/// An address is no flag, and not the same in both.
const POINTERS: &[(i64, &str)] = &[(libc::F_SETFL as i64, "takes a number")];
