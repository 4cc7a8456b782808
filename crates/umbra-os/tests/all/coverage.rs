//! Every system call and every flag has an answer: a model, the errno that Linux gives, or the end of
//! the path. The host's kernel is asked where that is harmless.
#![allow(unsafe_code, reason = "system calls as the host's kernel answers them")]

use crate::memory::{BASE, FlatMemory};
use crate::model::config;
use std::collections::BTreeSet;
use std::path::Path;
use umbra_engine::{Answer, Environment, UserMemory};
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

/// An argument of a call that is tried with many values.
#[derive(Clone, Copy)]
enum Word {
    Number(i64),
    /// A directory with `file`, `dir` and `link`.
    Directory,
    /// `file` in it, open for reading and writing.
    File,
    Text(&'static str),
    /// Zeroed memory.
    Buffer,
    /// A page of its own.
    Page,
    /// What is tried, on top of this.
    Tried(i64),
}
use Word::{Buffer, Directory, File, Number, Page, Text, Tried};

struct Row {
    call: i64,
    words: &'static [Word],
    /// What not to do to the host.
    except: &'static [i64],
    /// Small numbers instead of bits.
    numbers: bool,
}

const fn bits(call: i64, words: &'static [Word]) -> Row {
    Row { call, words, except: &[], numbers: false }
}

const fn numbers(call: i64, words: &'static [Word]) -> Row {
    Row { call, words, except: &[], numbers: true }
}

const CWD: Word = Directory;
const NAME: Word = Text("file");
const NEW: Word = Text("new");
const ANONYMOUS: i64 = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as i64;

const ROWS: &[Row] = &[
    bits(libc::SYS_openat, &[CWD, NAME, Tried(0), Number(0o600)]),
    bits(libc::SYS_openat, &[CWD, NEW, Tried(libc::O_CREAT as i64 | 2), Number(0o600)]),
    bits(libc::SYS_unlinkat, &[CWD, NAME, Tried(0)]),
    bits(libc::SYS_linkat, &[CWD, NAME, CWD, NEW, Tried(0)]),
    bits(libc::SYS_renameat2, &[CWD, NAME, CWD, NEW, Tried(0)]),
    bits(libc::SYS_newfstatat, &[CWD, NAME, Buffer, Tried(0)]),
    bits(libc::SYS_statx, &[CWD, NAME, Tried(0), Number(0x7ff), Buffer]),
    bits(libc::SYS_statx, &[CWD, NAME, Number(0), Tried(0), Buffer]),
    bits(libc::SYS_faccessat2, &[CWD, NAME, Number(4), Tried(0)]),
    bits(libc::SYS_faccessat2, &[CWD, NAME, Tried(0), Number(0)]),
    bits(libc::SYS_fchownat, &[CWD, NAME, Number(-1), Number(-1), Tried(0)]),
    bits(libc::SYS_utimensat, &[CWD, NAME, Number(0), Tried(0)]),
    bits(libc::SYS_execveat, &[CWD, Text("missing"), Number(0), Number(0), Tried(0)]),
    bits(libc::SYS_fallocate, &[File, Tried(0), Number(0), Number(4096)]),
    bits(libc::SYS_pipe2, &[Buffer, Tried(0)]),
    bits(libc::SYS_dup3, &[File, Number(900), Tried(0)]),
    // Not to be unshared from the other tests.
    Row {
        call: libc::SYS_close_range,
        words: &[Number(901), Number(902), Tried(0)],
        except: &[2],
        numbers: false,
    },
    bits(libc::SYS_eventfd2, &[Number(3), Tried(0)]),
    bits(libc::SYS_timerfd_create, &[Number(1), Tried(0)]),
    numbers(libc::SYS_timerfd_create, &[Tried(0), Number(0)]),
    bits(libc::SYS_memfd_create, &[NAME, Tried(0)]),
    bits(libc::SYS_inotify_init1, &[Tried(0)]),
    bits(libc::SYS_socket, &[Number(1), Tried(1), Number(0)]),
    numbers(libc::SYS_socket, &[Number(1), Tried(0), Number(0)]),
    bits(libc::SYS_socketpair, &[Number(1), Tried(1), Number(0), Buffer]),
    numbers(libc::SYS_socketpair, &[Number(1), Number(1), Tried(0), Buffer]),
    bits(libc::SYS_getrandom, &[Buffer, Number(8), Tried(0)]),
    bits(libc::SYS_mmap, &[Number(0), Number(4096), Tried(0), Number(ANONYMOUS), Number(-1)]),
    // Not at address zero.
    Row {
        call: libc::SYS_mmap,
        words: &[Number(0), Number(4096), Number(1), Tried(ANONYMOUS), Number(-1)],
        except: &[libc::MAP_FIXED as i64, libc::MAP_FIXED_NOREPLACE as i64],
        numbers: false,
    },
    numbers(libc::SYS_mmap, &[Number(0), Number(4096), Number(1), Tried(0), File]),
    numbers(libc::SYS_mmap, &[Number(0), Number(4096), Number(1), Tried(0x20), Number(-1)]),
    bits(libc::SYS_mprotect, &[Page, Number(4096), Tried(0)]),
    bits(libc::SYS_msync, &[Page, Number(4096), Tried(0)]),
    bits(libc::SYS_mremap, &[Page, Number(4096), Number(4096), Tried(0), Number(0)]),
    numbers(libc::SYS_madvise, &[Page, Number(4096), Tried(0)]),
    bits(libc::SYS_sync_file_range, &[File, Number(0), Number(0), Tried(0)]),
    numbers(libc::SYS_lseek, &[File, Number(0), Tried(0)]),
    numbers(libc::SYS_flock, &[File, Tried(0)]),
    numbers(libc::SYS_fcntl, &[File, Tried(0), Number(0)]),
    numbers(libc::SYS_fcntl, &[File, Tried(1024), Number(0)]),
    numbers(libc::SYS_fadvise64, &[File, Number(0), Number(0), Tried(0)]),
    bits(libc::SYS_wait4, &[Number(1), Number(0), Tried(0), Number(0)]),
    bits(libc::SYS_waitid, &[Number(1), Number(1), Buffer, Tried(4), Number(0)]),
    numbers(libc::SYS_getpriority, &[Tried(0), Number(0)]),
    numbers(libc::SYS_clock_getres, &[Tried(0), Buffer]),
    numbers(libc::SYS_clock_gettime, &[Tried(0), Buffer]),
    bits(libc::SYS_clock_nanosleep, &[Number(1), Tried(0), Buffer, Number(0)]),
    numbers(libc::SYS_clock_nanosleep, &[Tried(0), Number(0), Buffer, Number(0)]),
    numbers(libc::SYS_getrlimit, &[Tried(0), Buffer]),
    numbers(libc::SYS_getrusage, &[Tried(-2), Buffer]),
    numbers(libc::SYS_sched_get_priority_max, &[Tried(0)]),
    numbers(libc::SYS_sched_get_priority_min, &[Tried(0)]),
    bits(libc::SYS_setxattr, &[Text("@/file"), Text("user.a"), Text("v"), Number(1), Tried(0)]),
    bits(libc::SYS_access, &[Text("@/file"), Tried(0)]),
];

fn fill(root: &Path) {
    std::fs::write(root.join("file"), "contents").unwrap();
    std::fs::create_dir(root.join("dir")).unwrap();
    std::os::unix::fs::symlink("file", root.join("link")).unwrap();
}

/// The errno of a call on the host, 0 if it did what it was asked to.
fn native(row: &Row, value: i64) -> i32 {
    use std::os::fd::AsRawFd;
    let root = tempfile::tempdir().unwrap();
    fill(root.path());
    let directory = std::fs::File::open(root.path()).unwrap();
    let options = std::fs::OpenOptions::new().read(true).write(true).to_owned();
    let file = options.open(root.path().join("file")).unwrap();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut pages = Vec::new();
    let mut words = [0i64; 6];
    for (word, given) in words.iter_mut().zip(row.words) {
        *word = match *given {
            Number(number) => number,
            Tried(base) => base | value,
            Directory => directory.as_raw_fd().into(),
            File => file.as_raw_fd().into(),
            Text(text) => {
                let text = text.replace('@', root.path().to_str().unwrap());
                kept.push([text.as_bytes(), b"\0"].concat());
                kept.last().unwrap().as_ptr() as i64
            }
            Buffer => {
                kept.push(vec![0; 4096]);
                kept.last().unwrap().as_ptr() as i64
            }
            Page => {
                let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, ANONYMOUS as i32);
                // SAFETY: a new mapping, which nobody else knows.
                let page =
                    unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0) };
                pages.push(page);
                page as i64
            }
        };
    }
    let [a, b, c, d, e, f] = words;
    // SAFETY: the buffers are large enough for each of the rows, which change nothing else here.
    let result = unsafe { libc::syscall(row.call, a, b, c, d, e, f) };
    let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    for page in pages {
        // SAFETY: made above, and used by nobody.
        unsafe { libc::munmap(page, 4096) };
    }
    if result == -1 { error } else { 0 }
}

/// The same in the model; `None` if the path ends.
fn modelled(row: &Row, value: i64) -> Option<i32> {
    let root = tempfile::tempdir().unwrap();
    fill(root.path());
    let mut kernel = Kernel::new(config(root.path(), 0)).unwrap();
    let mut memory = FlatMemory::new();
    let mut free = BASE;
    let mut text = |memory: &mut FlatMemory, text: &str| {
        let at = free;
        memory.write(at, &[text.as_bytes(), b"\0"].concat()).unwrap();
        free += 4096;
        at as i64
    };
    let path = root.path().to_str().unwrap();
    let (directory, file) = (text(&mut memory, path), text(&mut memory, &format!("{path}/file")));
    let mut call = |memory: &mut FlatMemory, number: i64, words: [i64; 6]| match kernel.system_call(
        memory,
        number as u64,
        words.map(|word| word as u64),
    ) {
        Answer::Return(result) => Some(result),
        Answer::Unsupported(_) => None,
        other => panic!("call {number} {words:?}: {other:?}"),
    };
    let open = |at: i64, flags: i32| [i64::from(libc::AT_FDCWD), at, flags.into(), 0, 0, 0];
    let directory = call(&mut memory, libc::SYS_openat, open(directory, libc::O_RDONLY)).unwrap();
    let file = call(&mut memory, libc::SYS_openat, open(file, libc::O_RDWR)).unwrap();
    let mut words = [0i64; 6];
    for (word, given) in words.iter_mut().zip(row.words) {
        *word = match *given {
            Number(number) => number,
            Tried(base) => base | value,
            Directory => directory,
            File => file,
            Text(word) => text(&mut memory, &word.replace('@', path)),
            Buffer => text(&mut memory, ""),
            Page => {
                let words = [0, 4096, 3, ANONYMOUS, -1, 0];
                call(&mut memory, libc::SYS_mmap, words).unwrap()
            }
        };
    }
    call(&mut memory, row.call, words).map(|result| match result {
        -4095..0 => -result as i32,
        _ => 0,
    })
}

/// A flag is not ignored unless Linux ignores it.
#[test]
fn every_flag_is_answered_as_by_linux() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let values: Vec<i64> = match row.numbers {
            true => (0..40).collect(),
            false => (0..32).map(|bit| i64::from(1u32 << bit)).chain([0]).collect(),
        };
        for value in values.into_iter().filter(|value| !row.except.contains(value)) {
            let Some(modelled) = modelled(row, value) else { continue };
            let native = native(row, value);
            if modelled != native {
                let call = syscalls::Sysno::new(row.call as usize).unwrap();
                wrong.push(format!("{call} {value:#x}: {native} natively, {modelled} modelled"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
    let dispatch = std::fs::read_to_string(root.join("crates/umbra-os/src/dispatch.rs")).unwrap();
    let modelled = names_in(&dispatch, "libc::SYS_");
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
