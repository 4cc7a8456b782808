//! Resource limits of the program's process.

use super::process;
use crate::wire::Job;
use umbra_compare::Note;

/// The stack that every program gets, whatever the host's default is.
const STACK: u64 = 8 << 20;

/// Memory that a program may lock.
const LOCKED: u64 = 8 << 20;

/// No core file, and no program of the host that would be started to take it: with 0 a crash would
/// still start that one (core(5)).
const NO_CORE: u64 = 1;

/// One limit.
pub struct Bound {
    /// Number of the resource.
    pub resource: u32,
    /// The limit that is felt.
    pub soft: u64,
    /// The limit that it cannot be raised above.
    pub hard: u64,
}

impl Bound {
    fn new(resource: u32, bound: u64) -> Self {
        Self { resource, soft: bound, hard: bound }
    }
}

/// The limits: ours, lowered by what the case sets. `others` is the number of processes that are
/// counted with those of the run.
pub fn bounds(job: &Job, others: u64) -> (Vec<Bound>, Vec<Note>) {
    let mut bounds = ours(job, others);
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
        match bounds.iter_mut().find(|bound| bound.resource == *resource) {
            Some(bound) if bound.soft < wanted => notes.push(Note::Limit { name: name.clone() }),
            Some(bound) => *bound = Bound::new(*resource, wanted),
            None => bounds.push(Bound::new(*resource, wanted)),
        }
    }
    for bound in &mut bounds {
        let most = process::hard_limit(bound.resource).unwrap_or(u64::MAX);
        (bound.soft, bound.hard) = (bound.soft.min(most), bound.hard.min(most));
    }
    (bounds, notes)
}

fn ours(job: &Job, others: u64) -> Vec<Bound> {
    let limits = &job.limits;
    let cpu = limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0);
    let mut bounds = vec![
        // At the soft limit there is a signal that says so, at the hard one SIGKILL for whoever
        // ignores it.
        Bound { resource: libc::RLIMIT_CPU, soft: cpu, hard: cpu + 1 },
        Bound::new(libc::RLIMIT_FSIZE, limits.file_size),
        Bound::new(libc::RLIMIT_NPROC, limits.processes + others),
        Bound::new(libc::RLIMIT_NOFILE, limits.open_files),
        Bound::new(libc::RLIMIT_CORE, NO_CORE),
        Bound::new(libc::RLIMIT_STACK, STACK),
        Bound::new(libc::RLIMIT_MEMLOCK, LOCKED),
        // Whatever the user may have: a program is not to get in the way of others.
        Bound::new(libc::RLIMIT_RTPRIO, 0),
        Bound::new(libc::RLIMIT_NICE, 0),
    ];
    if !job.sanitizer {
        bounds.push(Bound::new(libc::RLIMIT_AS, limits.address_space));
    }
    bounds
}
