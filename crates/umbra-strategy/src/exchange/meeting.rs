//! How workers hand over work and learn that it is over.
//!
//! Whoever waits does so with the hall locked, and looks at it before: so all that ends a wait, be it work, the
//! last worker that has none, or a stop, is written with the hall locked too, and then the bell is rung. Nothing
//! can come between the look and the wait. `model` runs this file under every order of its steps.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};

/// Where workers meet that hand over parcels, and stop for a reason.
pub(super) struct Meeting<P, R> {
    hall: Mutex<Hall<P, R>>,
    bell: Condvar,
    /// Workers that wait, less the parcels that are there for them: what `Hall` says, to be read without a lock.
    wanted: AtomicUsize,
    /// Whether it is over, likewise.
    over: AtomicBool,
}

struct Hall<P, R> {
    parcels: VecDeque<P>,
    /// Workers that are still there.
    workers: usize,
    /// Those that wait.
    idle: usize,
    /// Nobody will bring anything any more.
    over: bool,
    stopped: Option<R>,
}

impl<P, R: Copy> Meeting<P, R> {
    /// The meeting place of so many workers.
    pub fn new(workers: usize) -> Self {
        let parcels = VecDeque::new();
        Self {
            hall: Mutex::new(Hall { parcels, workers, idle: 0, over: false, stopped: None }),
            bell: Condvar::new(),
            wanted: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Nothing in the hall can be half done: a worker that panics leaves it as it was.
    fn hall(&self) -> MutexGuard<'_, Hall<P, R>> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_wanted(&self, hall: &Hall<P, R>) {
        let wanted = hall.idle.saturating_sub(hall.parcels.len());
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// How many workers wait for something.
    pub fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Brings something for a worker that waits.
    pub fn give(&self, parcel: P) {
        let mut hall = self.hall();
        hall.parcels.push_back(parcel);
        self.count_wanted(&hall);
        self.bell.notify_one();
    }

    /// Waits for something; `None` if it is over.
    pub fn receive(&self) -> Option<P> {
        let mut hall = self.hall();
        hall.idle += 1;
        loop {
            if hall.over {
                return None;
            }
            if let Some(parcel) = hall.parcels.pop_front() {
                hall.idle -= 1;
                self.count_wanted(&hall);
                return Some(parcel);
            }
            if hall.idle == hall.workers {
                self.end(&mut hall);
                return None;
            }
            self.count_wanted(&hall);
            hall = self.bell.wait(hall).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// It is over. Only who has the hall can say so.
    fn end(&self, hall: &mut Hall<P, R>) {
        hall.over = true;
        self.over.store(true, Ordering::Relaxed);
        self.bell.notify_all();
    }

    /// Ends it before all is done; the first reason counts.
    pub fn stop(&self, reason: R) {
        let mut hall = self.hall();
        hall.stopped.get_or_insert(reason);
        self.end(&mut hall);
    }

    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<R> {
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
            self.end(&mut hall);
        }
    }

    /// What nobody took.
    pub fn rest(&self) -> Vec<P> {
        self.hall().parcels.drain(..).collect()
    }
}
