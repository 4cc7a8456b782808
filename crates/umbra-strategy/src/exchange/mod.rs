//! Where the workers of a run meet: states for those that have none, and what has run.
//!
//! A worker without states waits here until another one brings some, until all wait (then nothing
//! is left), or until the run is stopped. Workers that have states look in between slices, without
//! taking the lock unless somebody waits.
//!
//! Coverage is merged here as well: a block that ran in one worker is not new in another.

#[allow(clippy::duplicate_mod, reason = "the tests have it a second time, in `model`")]
mod meeting;
#[cfg(test)]
mod model;

use std::collections::VecDeque;

use umbra_engine::{Coverage, Image};

use crate::limits::Stopped;
use crate::parcel::Parcel;
use meeting::{Meeting, Received};
use sync::{AtomicBool, AtomicUsize, Ordering};

/// What threads share; the tests have other primitives of these names.
mod sync {
    pub use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    pub use std::sync::{Condvar, Mutex, MutexGuard};
}

/// What comes to a worker that has no states.
pub(crate) enum Arrival {
    /// States of another worker.
    States(Box<Parcel>),
    /// Nothing, but it is called.
    Nothing,
    /// The run is over.
    Over,
}

/// Where the workers of a run meet.
pub(crate) struct Exchange {
    meeting: Meeting<Parcel, Stopped>,
    covered: Box<[AtomicBool]>,
    /// Rises with `covered`.
    covered_count: AtomicUsize,
}

impl Exchange {
    /// The meeting place of so many workers.
    pub fn new(image: &Image, workers: usize) -> Self {
        let blocks = Coverage::new(image).covered().len();
        Self {
            meeting: Meeting::new(workers),
            covered: (0..blocks).map(|_| AtomicBool::new(false)).collect(),
            covered_count: AtomicUsize::new(0),
        }
    }

    /// How many workers wait for states.
    pub fn wanted(&self) -> usize {
        self.meeting.wanted()
    }

    /// Brings states for a worker that waits.
    pub fn give(&self, parcel: Parcel) {
        self.meeting.give(parcel);
    }

    /// Waits for states, until there are some, the run is over, or all are to stand still.
    pub fn receive(&self) -> Arrival {
        match self.meeting.receive() {
            Received::Parcel(parcel) => Arrival::States(Box::new(parcel)),
            Received::Called => Arrival::Nothing,
            Received::Over => Arrival::Over,
        }
    }

    /// Calls all workers to stand still.
    pub fn call(&self) {
        self.meeting.call();
    }

    /// Whether all workers are called to stand still.
    pub fn is_called(&self) -> bool {
        self.meeting.is_called()
    }

    /// Stands still until all workers do. The last one looks at the states that are on their way.
    pub fn stand_still(&self, look: impl FnOnce(&VecDeque<Parcel>)) {
        self.meeting.stand_still(look);
    }

    /// For each block and edge whether it ran in a worker that has made it known.
    pub fn covered(&self) -> impl Iterator<Item = bool> {
        self.covered.iter().map(|known| known.load(Ordering::Relaxed))
    }

    /// Ends the run before everything was explored; the first reason counts.
    pub fn stop(&self, reason: Stopped) {
        self.meeting.stop(reason);
    }

    /// Why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<Stopped> {
        self.meeting.stopped()
    }

    /// A worker has left before its time: nobody is to wait for it.
    pub fn leave(&self) {
        self.meeting.leave();
    }

    /// Parcels that nobody took.
    pub fn rest(&self) -> Vec<Parcel> {
        self.meeting.rest()
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
