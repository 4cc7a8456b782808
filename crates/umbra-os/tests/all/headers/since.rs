//! Answers that depend on the version of Linux. The model is of a new one; where the host is older than an answer,
//! the host is not asked.

use super::row::{Row, Word};
use Values::{All, Any, Has, Is};

/// A version of Linux: the first two numbers.
pub(super) type Version = [u32; 2];

/// Which values of a family.
enum Values {
    All,
    /// Those with one of these bits.
    Any(i64),
    /// Those with all of these bits.
    Has(i64),
    Is(i64),
}

/// A change of Linux.
struct Since {
    version: Version,
    family: &'static str,
    call: i64,
    values: Values,
    /// What is so since then.
    what: &'static str,
}

const fn since(
    version: Version,
    family: &'static str,
    call: i64,
    values: Values,
    what: &'static str,
) -> Since {
    Since { version, family, call, values, what }
}

/// Flags of a signal's action that Linux knew when it did not clear others.
const ACTION_FLAGS: i64 = 0xdc00_0007;

const CHANGES: [Since; 14] = [
    since([5, 11], "CLOSE_RANGE_", libc::SYS_close_range, Any(4), "CLOSE_RANGE_CLOEXEC"),
    since([5, 11], "SA_", libc::SYS_rt_sigaction, Any(!ACTION_FLAGS), "unknown flags are cleared"),
    since([5, 14], "FUTEX_", libc::SYS_futex, Is(13), "FUTEX_LOCK_PI2"),
    since([6, 3], "F_SEAL_", libc::SYS_fcntl, Any(0x20), "F_SEAL_EXEC"),
    since([6, 3], "MFD_", libc::SYS_memfd_create, Any(0x18), "MFD_EXEC, MFD_NOEXEC_SEAL"),
    since(
        [6, 4],
        "F_",
        libc::SYS_fcntl,
        Is(1033),
        "the upper half of F_ADD_SEALS is not looked at",
    ),
    since(
        [6, 4],
        "O_",
        libc::SYS_openat,
        Has((libc::O_CREAT | libc::O_DIRECTORY) as i64),
        "no folder is created by opening it",
    ),
    since([6, 6], "F_RDLCK", libc::SYS_fcntl, Is(libc::F_UNLCK as i64), "F_OFD_GETLK of F_UNLCK"),
    since([6, 6], "AT_", libc::SYS_fchmodat2, All, "fchmodat2"),
    since([6, 10], "F_", libc::SYS_fcntl, Is(1027), "F_DUPFD_QUERY"),
    since([6, 12], "SCHED_", libc::SYS_sched_get_priority_max, Is(7), "SCHED_EXT"),
    since([6, 12], "SCHED_", libc::SYS_sched_get_priority_min, Is(7), "SCHED_EXT"),
    since([6, 14], "AT_", libc::SYS_execveat, Any(0x10000), "AT_EXECVE_CHECK"),
    since(
        [6, 14],
        "O_",
        libc::SYS_openat2,
        Any(0x600_0000),
        "bits of the kernel's own are refused",
    ),
];

/// The host's version.
pub(super) fn host() -> Version {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map(|word| word.parse().unwrap());
    [numbers.next().unwrap(), numbers.next().unwrap()]
}

/// What the host does not have yet, if a row tries it with a value.
pub(super) fn missing(
    host: Version,
    family: &str,
    row: &Row,
    value: i64,
) -> Option<(Version, &'static str)> {
    let applies = |change: &&Since| {
        let tried = row.steps.iter().filter(|step| step.call == change.call);
        change.version > host
            && change.family == family
            && tried
                .filter_map(|step| filled(step.words, value))
                .any(|filled| change.values.has(filled))
    };
    CHANGES.iter().find(applies).map(|change| (change.version, change.what))
}

impl Values {
    fn has(&self, value: i64) -> bool {
        match *self {
            All => true,
            Any(bits) => value & bits != 0,
            Has(bits) => value & bits == bits,
            Is(number) => value == number,
        }
    }
}

/// What stands in the gap of a call, if it has one.
fn filled(words: &[Word], value: i64) -> Option<i64> {
    words.iter().find_map(|word| match *word {
        Word::Tried(base) => Some(base | value),
        Word::Ints(inner) | Word::Longs(inner) | Word::Changed(inner) => filled(inner, value),
        _ => None,
    })
}
