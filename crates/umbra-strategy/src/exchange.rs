//! Where the workers of a run meet: states for those that have none, and what has run.
//!
//! A worker without states waits here until another one brings some, until all wait (then nothing
//! is left), or until the run is stopped. Workers that have states look in between slices, without
//! taking the lock unless somebody waits.
//!
//! Coverage is merged here as well: a block that ran in one worker is not new in another.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use umbra_engine::{Coverage, Image};

use crate::limits::Stopped;
use crate::parcel::Parcel;

/// Where the workers of a run meet.
pub(crate) struct Exchange {
    hall: Mutex<Hall>,
    bell: Condvar,
    /// Workers that wait, less the parcels that are there for them.
    wanted: AtomicUsize,
    /// Set once the run is over for whatever reason.
    over: AtomicBool,
    covered: Box<[AtomicBool]>,
    /// Rises with `covered`.
    covered_count: AtomicUsize,
}

struct Hall {
    parcels: VecDeque<Parcel>,
    /// Workers that are still there.
    workers: usize,
    /// Those that wait.
    idle: usize,
    stopped: Option<Stopped>,
}

impl Exchange {
    /// The meeting place of so many workers.
    pub fn new(image: &Image, workers: usize) -> Self {
        let blocks = Coverage::new(image).covered().len();
        Self {
            hall: Mutex::new(Hall { parcels: VecDeque::new(), workers, idle: 0, stopped: None }),
            bell: Condvar::new(),
            wanted: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            covered: (0..blocks).map(|_| AtomicBool::new(false)).collect(),
            covered_count: AtomicUsize::new(0),
        }
    }

    /// Nothing in the hall can be half done: a worker that panics leaves it as it was.
    fn hall(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_wanted(&self, hall: &Hall) {
        let wanted = hall.idle.saturating_sub(hall.parcels.len());
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// How many workers wait for states.
    pub fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Brings states for a worker that waits.
    pub fn give(&self, parcel: Parcel) {
        let mut hall = self.hall();
        hall.parcels.push_back(parcel);
        self.count_wanted(&hall);
        self.bell.notify_one();
    }

    /// Waits for states; `None` if the run is over.
    pub fn receive(&self) -> Option<Parcel> {
        let mut hall = self.hall();
        hall.idle += 1;
        loop {
            if self.over.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(parcel) = hall.parcels.pop_front() {
                hall.idle -= 1;
                self.count_wanted(&hall);
                return Some(parcel);
            }
            if hall.idle == hall.workers {
                self.end();
                return None;
            }
            self.count_wanted(&hall);
            hall = self.bell.wait(hall).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.bell.notify_all();
    }

    /// Ends the run before everything was explored; the first reason counts.
    pub fn stop(&self, reason: Stopped) {
        self.hall().stopped.get_or_insert(reason);
        self.end();
    }

    /// Why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<Stopped> {
        if !self.over.load(Ordering::Relaxed) {
            return None;
        }
        self.hall().stopped
    }

    /// A worker has left before its time: nobody is to wait for it.
    pub fn leave(&self) {
        let mut hall = self.hall();
        hall.workers -= 1;
        if hall.idle == hall.workers {
            self.end();
        }
    }

    /// Parcels that nobody took.
    pub fn rest(&self) -> Vec<Parcel> {
        self.hall().parcels.drain(..).collect()
    }

    /// Makes known what ran in a worker, and to the worker what ran elsewhere.
    ///
    /// `published` is the worker's count after the last call.
    pub fn share_coverage(&self, coverage: &mut Coverage, published: &mut usize) {
        if coverage.count() != *published {
            for (&ran, known) in coverage.covered().iter().zip(&self.covered) {
                if ran && !known.swap(true, Ordering::Relaxed) {
                    self.covered_count.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        if coverage.count() != self.covered_count.load(Ordering::Relaxed) {
            for (target, known) in self.covered.iter().enumerate() {
                if known.load(Ordering::Relaxed) && !coverage.is_covered(target as u32) {
                    coverage.add(target as u32);
                }
            }
        }
        *published = coverage.count();
    }
}
