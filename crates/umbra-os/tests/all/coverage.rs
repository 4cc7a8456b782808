//! Every number of a system call has an answer: a model, the errno that Linux gives, or the end of the
//! path. `headers` does the same by name, and for flags.
#![allow(unsafe_code, reason = "system calls as the host's kernel answers them")]

use crate::memory::{BASE, FlatMemory};
use std::collections::BTreeSet;
use std::path::Path;
use umbra_engine::{Answer, Environment};
use umbra_os::{Config, Kernel};

/// Numbers up to here are those of calls that Linux has today.
const LAST_CALL: u64 = 469;

fn answer(number: u64, arguments: [u64; 6]) -> Answer {
    let mut kernel = Kernel::new(Config::default()).unwrap();
    let mut memory = FlatMemory::new();
    kernel.system_call(&mut memory, number, arguments)
}

/// Walks all numbers, and so all that the headers of a libc name.
#[test]
fn every_call_has_a_model_or_an_end() {
    let mut missing = Vec::new();
    for number in 0..=LAST_CALL {
        for arguments in [[0; 6], [BASE; 6], [u64::MAX; 6]] {
            if let Answer::Unsupported(what) = answer(number, arguments)
                && what.starts_with("unknown")
            {
                missing.push(what);
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "neither a model nor a cut: {}", missing.join(", "));
}

/// All names of the table of calls are in the walk.
#[test]
fn the_walk_knows_all_names() {
    let last = syscalls::Sysno::iter().map(|call| call.id() as u64).max();
    assert!(last.is_some_and(|last| last <= LAST_CALL), "{last:?}");
}

/// What is answered as "no such call" the host does not know either.
#[test]
fn what_is_no_call_is_none_on_the_host() {
    for number in (0..700).chain([u64::MAX]) {
        if answer(number, [0; 6]) != Answer::Return(-i64::from(libc::ENOSYS)) {
            continue;
        }
        // SAFETY: a call that does not exist does nothing; the assertion is that it does not.
        let result = unsafe { libc::syscall(number as i64, 0, 0, 0, 0, 0, 0) };
        let error = std::io::Error::last_os_error().raw_os_error();
        assert_eq!((result, error), (-1, Some(libc::ENOSYS)), "call {number}");
    }
}

/// Calls without a buffer.
const WITHOUT_BUFFER: &str = "alarm brk clone close close_range dup dup2 dup3 eventfd eventfd2 exit \
    exit_group fadvise64 fallocate fchdir fchmod fchown fdatasync flock fork fsync ftruncate getegid \
    geteuid getgid getpgid getpgrp getpid getppid getpriority getsid gettid getuid inotify_init \
    inotify_init1 inotify_rm_watch kill lseek membarrier mlockall munlockall pause personality \
    readahead sched_get_priority_max sched_get_priority_min sched_getscheduler sched_yield \
    set_robust_list set_tid_address setfsgid setfsuid setgid setpgid setpriority setregid setresgid \
    setresuid setreuid setsid setuid shutdown socket sync sync_file_range syncfs tgkill timer_delete \
    timer_getoverrun timerfd_create tkill umask vfork";

/// Calls on mappings. An object of theirs that is not the same in both versions comes of a call that one made
/// alone, and then each has a kernel of its own.
const MAPPINGS: &str = "madvise mlock mmap mprotect mremap msync munlock munmap";

/// Calls that read all of one buffer, or names, before they do anything, and store nothing. Some need rights or
/// files that a test cannot have.
const ONLY_READ: &str = "chroot clock_settime connect execve execveat fremovexattr fsetxattr \
    inotify_add_watch lremovexattr lsetxattr removexattr sched_setaffinity sched_setscheduler \
    setdomainname setgroups sethostname settimeofday setxattr";

/// The same as others that are there, but for how the file is named.
const LIKE_OTHERS: &str = "fgetxattr flistxattr lgetxattr llistxattr";

/// Every other call is made with both versions of a program, and refused at each of its buffers
/// (`tests/shadow/calls_*.c`).
#[test]
fn every_call_with_buffers_is_refused_at_each() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names_in = |text: &str, before: &str| -> BTreeSet<String> {
        let name = |rest: &str| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            rest[..end].to_owned()
        };
        text.split(before).skip(1).map(name).collect()
    };
    let rows = std::fs::read_dir(root.join("crates/umbra-os/src/dispatch")).unwrap();
    let modelled: BTreeSet<String> = rows
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .flat_map(|text| names_in(&text, "libc::SYS_"))
        .collect();
    let mut made = BTreeSet::new();
    for part in ["transfer", "files", "process"] {
        let source = root.join(format!("tests/shadow/calls_{part}.c"));
        let text = std::fs::read_to_string(source).unwrap();
        made.append(&mut names_in(&text, "CALL("));
        made.append(&mut names_in(&text, "SYS_"));
    }
    let lists = [WITHOUT_BUFFER, MAPPINGS, ONLY_READ, LIKE_OTHERS];
    let left_out: BTreeSet<String> =
        lists.iter().flat_map(|list| list.split_whitespace()).map(str::to_owned).collect();
    let both: Vec<_> = made.intersection(&left_out).collect();
    assert!(both.is_empty(), "made and left out: {both:?}");
    let all: BTreeSet<String> = made.union(&left_out).cloned().collect();
    assert_eq!(all, modelled);
}
