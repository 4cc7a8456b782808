//! A run as data, and when to write it.
//!
//! A [`Snapshot`] is all that a run needs to go on in another process: what was counted, what ran, and the states
//! that wait. It is made between slices while all workers stand still, so nothing is in it
//! twice or not at all; whoever is given it ([`Journal`]) can write beside it what observers have been
//! told so far.
//!
//! How often: what was done since the last one is lost when a process is killed, so that is a small part of all
//! work. Work is counted in instructions, not in time: a machine that is busy with other things loses no more. What a
//! snapshot costs is in proportion to the states in it, so where many wait, more is done in between; and never is it
//! more than a small part of the time since the last one. A run that is soon over needs none.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer, Serialize};
use umbra_engine::{Coverage, Unrelated};

use crate::saved::SavedState;
use crate::statistics::Statistics;

/// The form in which runs are written; one of another number is not read.
const SCHEMA: u32 = 3;

/// The part of all work between two snapshots. A process may be killed when the last one is not written yet, so
/// twice that may be lost.
const PART: u64 = 100;

/// Time after which there is a snapshot where few instructions are executed, since the solver works.
const LONGEST: Duration = Duration::from_secs(10);

/// The part of the time since the last snapshot that the next one may take there.
const TIME_PART: u32 = 20;

/// A run as data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    schema: u32,
    /// What was counted.
    pub statistics: Statistics,
    /// Forks, of all workers.
    pub(crate) forks: u64,
    /// How many processes have worked on the run before.
    pub(crate) rounds: u32,
    /// Where pointers to different objects were ordered or subtracted.
    pub(crate) unrelated: Unrelated,
    /// Blocks and edges that ran: the first ones of stretches, and how many follow.
    covered: Vec<(u32, u32)>,
    /// The states that wait.
    pub states: Vec<SavedState>,
}

impl Snapshot {
    fn new(whole: Record, forks: u64, rounds: u32, covered: impl Iterator<Item = bool>) -> Self {
        let Record { statistics, unrelated, states } = whole;
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for target in (0..).zip(covered).filter(|(_, ran)| *ran).map(|(target, _)| target) {
            match stretches.last_mut() {
                Some((first, count)) if *first + *count == target => *count += 1,
                _ => stretches.push((target, 1)),
            }
        }
        Self { schema: SCHEMA, statistics, forks, rounds, unrelated, covered: stretches, states }
    }

    /// How many processes have worked on the run before.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Whether it is of the form that is read here.
    pub fn is_readable(&self) -> bool {
        self.schema == SCHEMA && self.states.iter().all(|state| state.contents().is_some())
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

/// Keeps snapshots of a run.
pub trait Journal: Sync {
    /// All workers stand still, and this is the run.
    fn write(&self, snapshot: Snapshot);

    /// Instructions until the next snapshot at least, after one with so many states; until the first one if nothing
    /// is `done` yet.
    fn pace(&self, states: usize, done: u64) -> u64;
}

/// One worker's part of a snapshot.
#[derive(Default)]
pub(crate) struct Record {
    pub statistics: Statistics,
    pub unrelated: Unrelated,
    pub states: Vec<SavedState>,
}

/// What workers write for the next snapshot, and when it is due.
pub(crate) struct Book<'a> {
    journal: &'a dyn Journal,
    records: Mutex<Vec<Record>>,
    /// The instructions at which a snapshot is due.
    next: AtomicU64,
    rounds: u32,
    last: Mutex<Last>,
}

/// The last snapshot.
struct Last {
    ended: Instant,
    /// Time of the processor, whatever else it was busy with.
    took: Duration,
    /// The instructions up to there.
    done: u64,
}

impl<'a> Book<'a> {
    /// One for a run on which processes have worked in so many rounds before, and have done so much.
    pub fn new(journal: &'a dyn Journal, workers: usize, (rounds, done): (u32, u64)) -> Self {
        let records = (0..workers).map(|_| Record::default()).collect();
        let last = Last { ended: Instant::now(), took: Duration::ZERO, done };
        let book = Self {
            journal,
            records: Mutex::new(records),
            next: AtomicU64::new(0),
            rounds,
            last: Mutex::new(last),
        };
        book.plan(done, 0);
        book
    }

    fn plan(&self, done: u64, states: usize) {
        let interval = (done / PART).max(self.journal.pace(states, done));
        self.next.store(done + interval, Ordering::Relaxed);
    }

    /// Whether a snapshot is due after so many instructions.
    pub fn is_due(&self, instructions: u64) -> bool {
        // Somebody else may be looking, or writing: then it is not due here.
        let Ok(last) = self.last.try_lock() else { return false };
        let (since, enough) = (last.ended.elapsed(), instructions >= self.next());
        let long = LONGEST.max(last.took * TIME_PART);
        enough || since >= long && instructions > last.done
    }

    fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
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

    /// Makes a snapshot of all workers' parts and of states that belong to nobody; what that takes counts from `begun`,
    /// a time of [`processor_time`].
    pub fn write(
        &self,
        begun: Duration,
        done: u64,
        forks: u64,
        covered: impl Iterator<Item = bool>,
        more: Vec<SavedState>,
    ) {
        let mut whole = Record { states: more, ..Record::default() };
        for record in self.records().iter_mut() {
            whole.statistics.merge(&record.statistics);
            whole.unrelated.merge(&record.unrelated);
            whole.states.append(&mut record.states);
        }
        let states = whole.states.len();
        self.journal.write(Snapshot::new(whole, forks, self.rounds, covered));
        self.plan(done, states);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Last { ended: Instant::now(), took: processor_time().saturating_sub(begun), done };
    }
}

/// For how long this thread has run.
pub(crate) fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Reads counters by name. The names are kept to the end of the process: they are few, and a process reads one
/// snapshot.
pub(crate) fn read_names<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<&'static str, u64>, D::Error> {
    let read = BTreeMap::<String, u64>::deserialize(from)?;
    Ok(read.into_iter().map(|(name, count)| (&*name.leak(), count)).collect())
}
