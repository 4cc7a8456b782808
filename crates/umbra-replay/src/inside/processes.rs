//! The processes of a run as `/proc` shows them: memory, descendants, and ending them all.

use std::collections::HashMap;
use std::fs;

use super::process::{self, Pid};
use super::trace::is_stop;
use crate::Confinement;

/// The processes that belong to the run of this process, itself excluded.
pub fn of_this_run(confinement: Confinement) -> Vec<Pid> {
    let own = std::process::id() as Pid;
    let all = || {
        let names = fs::read_dir("/proc").into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().to_str()?.parse::<Pid>().ok())
    };
    if confinement == Confinement::Namespaces {
        return all().filter(|pid| *pid != own).collect();
    }
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for pid in all() {
        if let Some(parent) = parent_of(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![own];
    while let Some(pid) = next.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend(&below);
        next.extend(below);
    }
    found
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything, also parentheses.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// What can be seen of the memory of processes.
#[derive(Default)]
pub struct Memory {
    /// Resident, without what is shared memory, and page tables; in bytes.
    pub resident: u64,
    /// Open descriptors.
    pub descriptors: u64,
}

/// Adds up what these processes have.
pub fn memory(processes: &[Pid]) -> Memory {
    const KIB: u64 = 1024;
    let mut sum = Memory::default();
    for pid in processes {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_ascii_whitespace().next()?.parse::<u64>().ok()
        };
        let parts = ["RssAnon:", "RssFile:", "VmPTE:"];
        sum.resident += parts.iter().filter_map(|name| field(name)).sum::<u64>() * KIB;
        // The length of this folder is the number of entries, since Linux 6.2.
        let folder = format!("/proc/{pid}/fd");
        sum.descriptors += match fs::metadata(&folder).map(|folder| folder.len()) {
            Ok(0) => fs::read_dir(&folder).map_or(0, |entries| entries.count() as u64),
            length => length.unwrap_or(0),
        };
    }
    sum
}

/// Processes of the calling user on the whole machine, which is what a limit on their number counts
/// without a user namespace.
pub fn of_this_user() -> u64 {
    let own = rustix::process::geteuid().as_raw();
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse::<Pid>().ok());
    // Threads count too.
    let threads = pids.filter_map(|pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_ascii_whitespace().next()?.parse::<u64>().ok()
        };
        (field("Uid:")? == u64::from(own)).then(|| field("Threads:").unwrap_or(1))
    });
    threads.sum()
}

/// Kills every process of this run but the caller, as far as one look at them goes; call it until
/// nobody is left to wait for.
pub fn kill_all(confinement: Confinement) {
    if confinement == Confinement::Namespaces {
        // From process 1 this is everybody in the pid namespace, at one moment. From anybody else it
        // would be every process of the user on the machine.
        assert_eq!(std::process::id(), 1, "only the init of a run may kill everybody");
        _ = process::kill(-1, libc::SIGKILL);
        return;
    }
    // First stop all, so that none forks while the others are killed. Orphans become children of
    // this process, so that everybody is found sooner or later.
    let mut stopped = Vec::new();
    loop {
        let fresh: Vec<Pid> =
            of_this_run(confinement).into_iter().filter(|pid| !stopped.contains(pid)).collect();
        if fresh.is_empty() || stopped.len() > 100_000 {
            break;
        }
        for pid in fresh {
            _ = process::kill(pid, libc::SIGSTOP);
            stopped.push(pid);
        }
    }
    for pid in stopped {
        _ = process::kill(pid, libc::SIGKILL);
    }
}

/// Kills until nobody is left.
pub fn end_all(confinement: Confinement) {
    loop {
        kill_all(confinement);
        // Blocks until somebody has died, so this does not spin.
        match process::wait_for(-1) {
            // One that is traced stops on its way out.
            Ok(Some(waited)) if is_stop(&waited) => _ = process::trace_continue(waited.pid, 0),
            Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return,
            _ => {}
        }
    }
}
