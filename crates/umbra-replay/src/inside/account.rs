//! How much memory a run takes.
//!
//! Where there is a control group, the kernel says it, of everything. Otherwise it is added up from
//! what can be seen, and what cannot be seen is counted when it is asked for or by its upper bound:
//!
//! - resident memory and page tables of all processes;
//! - shared mappings by the lengths that were asked for ([`super::asked`]): their pages stay when no
//!   process maps them any more;
//! - sockets by what each may hold; without a network namespace they cannot be counted, and are refused;
//! - descriptors by the page that a pipe holds for each.
//!
//! Not counted then are the kernel's own tables (of mappings, locks, watched files), which only the
//! number of processes bounds.

use std::fs;

use super::group::Group;
use super::processes;
use crate::Confinement;
use crate::wire::Job;

/// What the kernel may overshoot a limit by, before it is seen: what init itself takes, and what grows
/// between two looks.
const SLACK: u64 = 64 << 20;

/// Bytes that a pipe holds for each of its two ends, once the user has many.
const PIPE_END: u64 = 4096;

/// Bytes that a socket may queue if the machine does not say.
const SOCKET_BUFFER: u64 = 212_992;

/// The account of one run.
pub struct Account<'a> {
    confinement: Confinement,
    group: Option<&'a Group>,
    /// Of the group, and sockets, when the program was about to start.
    before: u64,
    kills: u64,
    sockets: u64,
    disk: u64,
    /// What one socket may hold.
    socket: u64,
}

impl<'a> Account<'a> {
    /// Opens the account, before the program starts. With a group its limit is set.
    pub fn open(
        job: &Job,
        confinement: Confinement,
        group: Option<&'a Group>,
        socket: u64,
    ) -> Self {
        let before = group.and_then(|group| group.usage().ok()).unwrap_or(0);
        let limits = &job.limits;
        if let Some(group) = group {
            let files = if confinement == Confinement::Namespaces { limits.disk } else { 0 };
            let most = [limits.memory, files, 2 * limits.output, SLACK];
            let most = most.iter().fold(before, |sum, part| sum.saturating_add(*part));
            // Should it fail, what is looked at still holds.
            _ = group.limit(Some(most));
        }
        let kills = group.and_then(|group| group.kills().ok()).unwrap_or(0);
        // Of no use where a group counts them.
        let sockets = if group.is_none() { sockets() } else { 0 };
        let disk = used_disk(confinement);
        Self { confinement, group, before, kills, sockets, disk, socket }
    }

    /// Bytes that the run takes now. `asked` are shared mappings, `kept` what init keeps of its output.
    pub fn used(&self, asked: u64, kept: u64) -> u64 {
        if let Some(group) = self.group {
            let usage = group.usage().unwrap_or(0).saturating_sub(self.before);
            // Files count as disk. Those of a disk can be let go of.
            let files = match self.confinement {
                Confinement::Namespaces => used_disk(self.confinement).saturating_sub(self.disk),
                Confinement::Landlock => group.of_disks().unwrap_or(0),
            };
            return usage.saturating_sub(files + kept);
        }
        let processes = processes::of_this_run(self.confinement);
        let of_sockets = match self.confinement {
            Confinement::Namespaces => sockets().saturating_sub(self.sockets) * self.socket,
            Confinement::Landlock => 0,
        };
        let seen = processes::memory(&processes);
        let pipes = seen.descriptors * PIPE_END;
        seen.resident + asked + of_sockets + pipes
    }

    /// Whether the kernel has stopped somebody at the limit.
    pub fn was_over(&self) -> bool {
        self.group.and_then(|group| group.kills().ok()).is_some_and(|kills| kills > self.kills)
    }
}

/// What follows is not the program's.
impl Drop for Account<'_> {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            _ = group.limit(None);
        }
    }
}

/// What one socket may hold on this machine: twice what can be asked for, as the kernel counts, and a
/// message that begins below that.
pub fn socket_buffer() -> u64 {
    let most = fs::read_to_string("/proc/sys/net/core/wmem_max").ok();
    let most = most.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(SOCKET_BUFFER);
    4 * most.max(SOCKET_BUFFER)
}

/// Sockets in this network namespace, those included that only a message still holds.
fn sockets() -> u64 {
    let text = fs::read_to_string("/proc/self/net/sockstat").unwrap_or_default();
    let used = text.lines().find_map(|line| line.strip_prefix("sockets: used "));
    used.and_then(|used| used.trim().parse().ok()).unwrap_or(0)
}

/// Bytes in the files of the run, where they are in memory.
fn used_disk(confinement: Confinement) -> u64 {
    match (confinement, rustix::fs::statvfs("/")) {
        (Confinement::Namespaces, Ok(status)) => {
            (status.f_blocks - status.f_bfree) * status.f_frsize
        }
        _ => 0,
    }
}
