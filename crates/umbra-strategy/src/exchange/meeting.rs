//! How workers hand over work and learn that it is over.
//!
//! Whoever waits does so with the hall locked, and looks at it before: so all that ends a wait, be it work, the
//! last worker that has none, or a stop, is written with the hall locked too, and then the bell is rung. Nothing
//! can come between the look and the wait. Now and then all are called to stand still: then each either waits for
//! the others, or has nothing and waits for a parcel, and the last one may look at everything. `model` runs this file under every order of its steps.

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
    /// Whether all are called to stand still, likewise.
    called: AtomicBool,
}

/// What a worker that has nothing is told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received<P> {
    /// Here is something.
    Parcel(P),
    /// All are called to stand still.
    Called,
    /// It is over.
    Over,
}

struct Hall<P, R> {
    parcels: VecDeque<P>,
    /// Workers that are still there.
    workers: usize,
    /// Those that wait.
    idle: usize,
    /// Those that stand still.
    still: usize,
    /// How often all did, or were let go.
    rounds: u64,
    /// Whether all are called to.
    called: bool,
    /// Nobody will bring anything any more.
    over: bool,
    stopped: Option<R>,
}

impl<P, R: Copy> Meeting<P, R> {
    /// The meeting place of so many workers.
    pub fn new(workers: usize) -> Self {
        let parcels = VecDeque::new();
        Self {
            hall: Mutex::new(Hall {
                parcels,
                workers,
                idle: 0,
                still: 0,
                rounds: 0,
                called: false,
                over: false,
                stopped: None,
            }),
            bell: Condvar::new(),
            wanted: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            called: AtomicBool::new(false),
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
        // Those that stand still wait for the same bell.
        self.bell.notify_all();
    }

    /// Waits for something.
    pub fn receive(&self) -> Received<P> {
        let mut hall = self.hall();
        // Somebody may stand still already and wait for this worker.
        if hall.called && !hall.over {
            return Received::Called;
        }
        hall.idle += 1;
        loop {
            if hall.over {
                return Received::Over;
            }
            if let Some(parcel) = hall.parcels.pop_front() {
                hall.idle -= 1;
                self.count_wanted(&hall);
                return Received::Parcel(parcel);
            }
            if hall.idle == hall.workers {
                self.end(&mut hall);
                return Received::Over;
            }
            self.count_wanted(&hall);
            hall = self.bell.wait(hall).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Calls all to stand still.
    pub fn call(&self) {
        let mut hall = self.hall();
        if !hall.over {
            hall.called = true;
            self.called.store(true, Ordering::Relaxed);
        }
    }

    /// Whether all are called to stand still.
    pub fn is_called(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }

    /// Stands still until all do, or have nothing and wait. The last one looks at everything; parcels that are on
    /// their way belong to nobody.
    pub fn stand_still(&self, look: impl FnOnce(&VecDeque<P>)) {
        let mut hall = self.hall();
        if hall.over || !hall.called {
            return;
        }
        hall.still += 1;
        if hall.still + hall.idle == hall.workers {
            look(&hall.parcels);
            self.let_go(&mut hall);
            return;
        }
        let round = hall.rounds;
        while hall.rounds == round && !hall.over {
            hall = self.bell.wait(hall).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn let_go(&self, hall: &mut Hall<P, R>) {
        (hall.still, hall.called) = (0, false);
        hall.rounds += 1;
        self.called.store(false, Ordering::Relaxed);
        self.bell.notify_all();
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
        // What it had is lost, so nobody looks.
        self.let_go(&mut hall);
    }

    /// What nobody took.
    pub fn rest(&self) -> Vec<P> {
        self.hall().parcels.drain(..).collect()
    }
}
