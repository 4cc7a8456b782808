//! Flags of memory.

use super::super::row::{Word, bits, call, cut, numbers, value};
use super::{Family, tried, tried_of};
use Word::{File, FilePage, MemoryFile, Number, Out, Page, Reader, Result, Text, Tried};

const ZERO: Word = Number(0);
const LENGTH: Word = Number(4096);
const NONE: Word = Number(-1);
const ANONYMOUS: i64 = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as i64;
const ALLOWED: Word = Number(3);

/// Calls that a page can be seen by.
macro_rules! then_seen {
    ($first:expr) => {
        &[
            $first,
            value(libc::SYS_pwrite64, &[File, Result(0), Number(4), ZERO]),
            value(libc::SYS_pread64, &[File, Result(0), Number(4), ZERO]),
        ]
    };
}

pub(super) const FAMILIES: &[Family] = &[
    tried(
        &["MAP_"],
        &[
            bits(then_seen!(call(
                libc::SYS_mmap,
                &[ZERO, LENGTH, ALLOWED, Tried(ANONYMOUS), NONE, ZERO]
            ))),
            bits(then_seen!(call(libc::SYS_mmap, &[ZERO, LENGTH, ALLOWED, Tried(1), File, ZERO]))),
            bits(then_seen!(call(libc::SYS_mmap, &[ZERO, LENGTH, ALLOWED, Tried(2), File, ZERO]))),
            bits(&[call(libc::SYS_mmap, &[Page, LENGTH, ALLOWED, Tried(ANONYMOUS), NONE, ZERO])]),
            numbers(&[call(libc::SYS_mmap, &[ZERO, LENGTH, Number(1), Tried(0), File, ZERO])]),
            numbers(&[call(libc::SYS_mmap, &[ZERO, LENGTH, Number(1), Tried(0x20), NONE, ZERO])]),
        ],
    ),
    tried(
        &["PROT_"],
        &[
            bits(then_seen!(call(
                libc::SYS_mmap,
                &[ZERO, LENGTH, Tried(0), Number(ANONYMOUS), NONE, ZERO]
            ))),
            bits(&[call(libc::SYS_mmap, &[ZERO, LENGTH, Tried(0), Number(1), Reader, ZERO])]),
            bits(&[call(libc::SYS_mmap, &[ZERO, LENGTH, Tried(0), Number(2), Reader, ZERO])]),
            bits(&[
                value(libc::SYS_mprotect, &[Page, LENGTH, Tried(0)]),
                value(libc::SYS_pwrite64, &[File, Page, Number(4), ZERO]),
                value(libc::SYS_pread64, &[File, Page, Number(4), ZERO]),
            ]),
            bits(&[
                value(libc::SYS_mprotect, &[FilePage, LENGTH, Tried(0)]),
                value(libc::SYS_pwrite64, &[File, FilePage, Number(4), ZERO]),
            ]),
        ],
    ),
    tried_of(
        "sys/mman.h",
        &["MS_"],
        &[
            bits(&[value(libc::SYS_msync, &[Page, LENGTH, Tried(0)])]),
            bits(&[value(libc::SYS_msync, &[FilePage, LENGTH, Tried(0)])]),
        ],
    ),
    tried(&["MCL_"], &[bits(&[value(libc::SYS_mlockall, &[Tried(0)])])]),
    tried(
        &["MADV_", "POSIX_MADV_"],
        &[
            numbers(&[value(libc::SYS_madvise, &[Page, LENGTH, Tried(0)])]).except(POISON),
            numbers(&[value(libc::SYS_madvise, &[FilePage, LENGTH, Tried(0)])]).except(POISON),
            numbers(&[value(libc::SYS_madvise, &[Page, Number(1 << 20), Tried(0)])]).except(POISON),
        ],
    ),
    tried(
        &["MREMAP_"],
        &[
            bits(&[call(libc::SYS_mremap, &[Page, LENGTH, LENGTH, Tried(0), ZERO])]),
            bits(&[call(libc::SYS_mremap, &[Page, LENGTH, Number(8192), Tried(0), ZERO])]),
            bits(&[call(libc::SYS_mremap, &[Page, Number(8192), LENGTH, Tried(0), ZERO])]),
        ],
    ),
    tried(&["MLOCK_"], &[cut(&[value(libc::SYS_mlock2, &[Page, LENGTH, Tried(0)])])]),
    tried(
        &["MFD_"],
        &[bits(&[
            value(libc::SYS_memfd_create, &[Text("name"), Tried(0)]),
            value(libc::SYS_fcntl, &[Result(0), Number(libc::F_GETFL as i64)]),
            value(libc::SYS_fcntl, &[Result(0), Number(libc::F_GETFD as i64)]),
            value(libc::SYS_write, &[Result(0), Text("ab"), Number(2)]),
            value(libc::SYS_pread64, &[Result(0), Out(8), Number(8), ZERO]),
        ])],
    ),
    tried(
        &["SHM_"],
        &[
            cut(&[value(libc::SYS_shmget, &[ZERO, LENGTH, Tried(0)])]),
            cut(&[value(libc::SYS_shmat, &[ZERO, ZERO, Tried(0)])]),
            cut(&[value(libc::SYS_shmctl, &[ZERO, Tried(0), ZERO])]),
        ],
    ),
    Family::Unnamed {
        title: "mmap of a file in memory",
        rows: &[bits(&[
            value(libc::SYS_ftruncate, &[MemoryFile, LENGTH]),
            call(libc::SYS_mmap, &[ZERO, LENGTH, Tried(0), Number(1), MemoryFile, ZERO]),
        ])],
    },
];

const POISON: &[(i64, &str)] = &[
    (libc::MADV_HWPOISON as i64, "takes a page of the host away for ever"),
    (libc::MADV_SOFT_OFFLINE as i64, "takes a page of the host away for ever"),
];
