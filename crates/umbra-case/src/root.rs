//! The small fixed root that a program sees above the tree of its case.
//!
//! It is the same on every host and for every run: the engine's file system (`MemoryLower::minimal`
//! in `umbra-os`) and the native sandbox both make it from these tables. `/proc` is the system's
//! own, or a model of it. Paths are absolute.

/// Folders with their modes; each stands behind its parent.
pub const FOLDERS: &[(&str, u32)] = &[
    ("/bin", 0o755),
    ("/dev", 0o755),
    ("/etc", 0o755),
    ("/home", 0o755),
    ("/proc", 0o555),
    ("/root", 0o700),
    ("/sbin", 0o755),
    ("/tmp", 0o1777),
    ("/usr", 0o755),
    ("/usr/bin", 0o755),
    ("/usr/local", 0o755),
    ("/usr/local/bin", 0o755),
    ("/usr/local/sbin", 0o755),
    ("/usr/sbin", 0o755),
    ("/var", 0o755),
    ("/var/tmp", 0o1777),
];

/// Files with their contents, which everybody can read.
pub const FILES: &[(&str, &str)] = &[
    (
        "/etc/passwd",
        "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
    ),
    ("/etc/group", "root:x:0:\nnogroup:x:65534:\n"),
];

/// Symbolic links with their targets.
pub const LINKS: &[(&str, &str)] = &[
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// Character devices that everybody can read and write, with their major and minor numbers.
pub const DEVICES: &[(&str, u64, u64)] = &[
    ("/dev/null", 1, 3),
    ("/dev/zero", 1, 5),
    ("/dev/full", 1, 7),
    ("/dev/random", 1, 8),
    ("/dev/urandom", 1, 9),
    ("/dev/tty", 5, 0),
];
