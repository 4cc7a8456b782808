//! A run as data, and when to write it.
//!
//! A [`Snapshot`] is all that a run needs to go on in another process: what was counted, what ran, and the states
//! that wait. It is made between slices while all workers stand still, so nothing is in it
//! twice or not at all; whoever is given it ([`Journal`]) can write beside it what observers have been
//! told so far.
//!
//! How often: what was done since the last one is lost when a process is killed, so that is a small part of all
//! work. Writing takes at most a twentieth of the time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer, Serialize};
use umbra_engine::Coverage;

use crate::saved::SavedState;
use crate::searcher::Again;
use crate::statistics::Statistics;

/// The form in which runs are written; one of another number is not read.
const SCHEMA: u32 = 1;

/// The part of all work that may be lost.
const PART: u64 = 80;

/// The part of what may be done again anyhow that may be lost.
const ALLOWED_PART: u64 = 40;

/// A run as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    schema: u32,
    /// What was counted.
    pub statistics: Statistics,
    /// Forks, of all workers.
    pub(crate) forks: u64,
    /// Blocks and edges that ran: the first ones of stretches, and how many follow.
    covered: Vec<(u32, u32)>,
    /// The states that wait.
    pub states: Vec<SavedState>,
}

impl Snapshot {
    pub(crate) fn new(
        statistics: Statistics,
        forks: u64,
        covered: impl Iterator<Item = bool>,
        states: Vec<SavedState>,
    ) -> Self {
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for target in (0..).zip(covered).filter(|(_, ran)| *ran).map(|(target, _)| target) {
            match stretches.last_mut() {
                Some((first, count)) if *first + *count == target => *count += 1,
                _ => stretches.push((target, 1)),
            }
        }
        Self { schema: SCHEMA, statistics, forks, covered: stretches, states }
    }

    /// Whether it is of the form that is read here.
    pub fn is_readable(&self) -> bool {
        self.schema == SCHEMA && self.states.iter().all(SavedState::is_readable)
    }

    /// Adds what ran.
    pub(crate) fn cover(&self, coverage: &mut Coverage) {
        for target in self.covered.iter().flat_map(|&(first, count)| first..first + count) {
            if (target as usize) < coverage.covered().len() {
                coverage.add(target);
            }
        }
    }
}

/// How often there is a snapshot at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Instructions between two of them.
    pub instructions: u64,
    /// Time between two of them, as a multiple of what the last one took.
    pub rest: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { instructions: 250_000, rest: 20 }
    }
}

/// Keeps snapshots of a run.
pub trait Journal: Sync {
    /// All workers stand still, and this is the run.
    fn write(&self, snapshot: Snapshot);

    /// How often it wants them.
    fn pace(&self) -> Pace {
        Pace::default()
    }
}

/// One worker's part of a snapshot.
#[derive(Default)]
pub(crate) struct Record {
    pub statistics: Statistics,
    pub states: Vec<SavedState>,
}

/// What workers write for the next snapshot, and when it is due.
pub(crate) struct Book<'a> {
    journal: &'a dyn Journal,
    records: Mutex<Vec<Record>>,
    /// The instructions at which a snapshot is due.
    next: AtomicU64,
    again: Again,
    last: Mutex<Last>,
}

/// The last snapshot.
struct Last {
    ended: Instant,
    took: Duration,
}

impl<'a> Book<'a> {
    pub fn new(journal: &'a dyn Journal, workers: usize, again: Again, done: u64) -> Self {
        let records = (0..workers).map(|_| Record::default()).collect();
        let last = Last { ended: Instant::now(), took: Duration::ZERO };
        let book = Self {
            journal,
            records: Mutex::new(records),
            next: AtomicU64::new(0),
            again,
            last: Mutex::new(last),
        };
        book.plan(done);
        book
    }

    fn plan(&self, done: u64) {
        let interval = (done / PART)
            .max(self.again.instructions / ALLOWED_PART)
            .max(self.journal.pace().instructions);
        self.next.store(done + interval, Ordering::Relaxed);
    }

    /// Whether a snapshot is due after so many instructions.
    pub fn is_due(&self, instructions: u64) -> bool {
        if instructions < self.next.load(Ordering::Relaxed) {
            return false;
        }
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.ended.elapsed() >= last.took * self.journal.pace().rest
    }

    /// Writes down a worker's part.
    pub fn record(&self, worker: usize, record: Record) {
        if let Some(place) = self.records().get_mut(worker) {
            *place = record;
        }
    }

    fn records(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a snapshot of all workers' parts and of states that belong to nobody.
    pub fn write(
        &self,
        begun: Instant,
        done: u64,
        forks: u64,
        covered: impl Iterator<Item = bool>,
        more: Vec<SavedState>,
    ) {
        let (mut statistics, mut states) = (Statistics::default(), more);
        for record in self.records().iter_mut() {
            statistics.merge(&record.statistics);
            states.append(&mut record.states);
        }
        self.journal.write(Snapshot::new(statistics, forks, covered, states));
        self.plan(done);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Last { ended: Instant::now(), took: begun.elapsed() };
    }
}

/// Reads counters by name. The names are kept to the end of the process: they are few, and a process reads one
/// snapshot.
pub(crate) fn read_names<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<&'static str, u64>, D::Error> {
    let read = BTreeMap::<String, u64>::deserialize(from)?;
    Ok(read.into_iter().map(|(name, count)| (&*name.leak(), count)).collect())
}
