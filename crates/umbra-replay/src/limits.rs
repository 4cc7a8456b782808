//! The limits of a run and the kind of sandbox: values that the caller chooses.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_words::End;

/// Signals by which tests end programs that do not end by themselves.
const FROM_OUTSIDE: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGKILL, libc::SIGTERM];

/// How long a run may take that was ended so when it was recorded.
const UNENDING: Duration = Duration::from_secs(1);

/// What confines a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Confinement {
    /// Own user, mount, pid, ipc, uts and network namespaces; a root file system in memory.
    Namespaces,
    /// Landlock on a private copy of the tree, in a folder of the host. Weaker as an imitation:
    /// the tree stands elsewhere than the case says, the host's names can be seen (not their
    /// contents), modes, owners and times can be changed through descriptors only, and no sockets
    /// can be made.
    Landlock,
}

impl Confinement {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
        }
    }
}

/// Bounds of one run. A limit that a case itself sets holds if it is lower.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From start to end.
    pub wall: Duration,
    /// CPU time of one process, rounded up to seconds.
    pub cpu: Duration,
    /// Memory of all processes together, in bytes. Looked at every few milliseconds; [`MemoryCount`](umbra_compare::MemoryCount)
    /// says what it covers.
    pub memory: u64,
    /// Address space of one process, in bytes. Not for sanitizers, whose shadow is terabytes.
    pub address_space: u64,
    /// Bytes in one file.
    pub file_size: u64,
    /// Processes and threads at one time.
    pub processes: u64,
    /// Bytes in all files together.
    pub disk: u64,
    /// Number of files and folders.
    pub inodes: u64,
    /// Descriptors open in one process.
    pub open_files: u64,
    /// Bytes captured of each stream; a program that writes more is stopped.
    pub output: u64,
    /// Entries read back from the tree.
    pub tree_entries: u64,
    /// Bytes read back or hashed from the tree.
    pub tree_bytes: u64,
    /// How long processes may go on that the program leaves behind, before they are killed.
    pub grace: Duration,
    /// How many times the first two a run gets.
    pub patience: u32,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self {
            wall: Duration::from_secs(10),
            cpu: Duration::from_secs(10),
            memory: 1024 * MIB,
            address_space: 2048 * MIB,
            file_size: 256 * MIB,
            processes: 64,
            disk: 256 * MIB,
            inodes: 65_536,
            open_files: 1024,
            output: 16 * MIB,
            tree_entries: 65_536,
            tree_bytes: 256 * MIB,
            grace: Duration::from_millis(200),
            patience: 1,
        }
    }
}

impl Limits {
    /// The limits for a case. Where the recording says that somebody had to end the program, as a
    /// test does with `tail -f`, a run is not waited for as long as for others.
    pub(crate) fn of(&self, case: &Case) -> Self {
        let mut limits = self.clone();
        if let Some(End::Killed(signal)) = case.expected.end
            && FROM_OUTSIDE.contains(&signal)
        {
            limits.wall = limits.wall.min(UNENDING);
        }
        limits.wall *= limits.patience;
        limits.cpu *= limits.patience;
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_had_to_be_ended_is_not_waited_for() {
        let wall = |end: Option<End>, limits: &Limits| {
            let mut case = Case::default();
            case.expected.end = end;
            limits.of(&case).wall
        };
        let limits = Limits::default();
        assert_eq!(wall(Some(End::Killed(libc::SIGTERM)), &limits), UNENDING);
        for end in [None, Some(End::Exited(0)), Some(End::Killed(libc::SIGSEGV))] {
            assert_eq!(wall(end, &limits), limits.wall);
        }
        let short = Limits { wall: Duration::from_millis(5), ..Limits::default() };
        assert_eq!(wall(Some(End::Killed(libc::SIGKILL)), &short), short.wall);
        let patient = Limits { patience: 4, ..Limits::default() };
        assert_eq!(wall(Some(End::Killed(libc::SIGTERM)), &patient), 4 * UNENDING);
    }
}
