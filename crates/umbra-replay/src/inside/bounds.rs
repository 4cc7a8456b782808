//! Resource limits of the program's process.

use super::process;
use crate::Note;
use crate::wire::Job;

/// The stack that every program gets, whatever the host's default is.
const STACK: u64 = 8 << 20;

/// Memory that a program may lock.
const LOCKED: u64 = 8 << 20;

/// No core file, and no program of the host that would be started to take it: with 0 a crash would
/// still start that one (core(5)).
const NO_CORE: u64 = 1;

/// Bounds by the number of the resource: ours, lowered by what the case sets. `others` is the number
/// of processes that are counted with those of the run.
pub fn bounds(job: &Job, others: u64) -> (Vec<(u32, u64)>, Vec<Note>) {
    let limits = &job.limits;
    let processes = limits.processes + others;
    let cpu = limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0);
    let mut bounds = vec![
        (libc::RLIMIT_CPU, cpu),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_NPROC, processes),
        (libc::RLIMIT_NOFILE, limits.open_files),
        (libc::RLIMIT_CORE, NO_CORE),
        (libc::RLIMIT_STACK, STACK),
        (libc::RLIMIT_MEMLOCK, LOCKED),
    ];
    if !job.sanitizer {
        bounds.push((libc::RLIMIT_AS, limits.address_space));
    }
    let mut notes = Vec::new();
    for (resource, wanted, name) in &job.resources {
        let Some(wanted) = *wanted else { continue };
        // A sanitizer cannot run in the memory that the plain program was given.
        let of_memory = matches!(*resource, libc::RLIMIT_AS | libc::RLIMIT_DATA);
        // The number of processes is of another machine, core files are never made.
        let of_no_meaning = matches!(*resource, libc::RLIMIT_NPROC | libc::RLIMIT_CORE);
        if of_no_meaning || (job.sanitizer && of_memory) {
            continue;
        }
        match bounds.iter_mut().find(|(ours, _)| ours == resource) {
            Some((_, ours)) if *ours < wanted => notes.push(Note::Limit { name: name.clone() }),
            Some((_, ours)) => *ours = wanted,
            None => bounds.push((*resource, wanted)),
        }
    }
    for (resource, bound) in &mut bounds {
        *bound = (*bound).min(process::hard_limit(*resource).unwrap_or(*bound));
    }
    (bounds, notes)
}
