//! Whether threads race: who has accessed which byte, and what orders accesses of different threads.
//!
//! Only one thread runs at a time, so a race shows only in the order that another run could have. Each thread has a vector
//! clock. An atomic access takes over what earlier ones at the same address knew, and leaves what its own thread knows; starting a
//! thread and waking one do the same. Two accesses to a byte, one of them a store, of which neither thread knows the other, are a race
//! (the happens-before relation of FastTrack, Flanagan and Freund, PLDI 2009). Every atomic access counts as sequentially consistent, so a
//! program that relies on less is not called racy.
//!
//! There is a watch only once there is a second thread, and while there is one no access takes the look-aside table.

use std::collections::{BTreeMap, HashMap};

use super::access::{Access, AccessKind};

/// More bytes than this are not kept track of.
const MOST_BYTES: usize = 4 << 20;

/// For each thread, how much of it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(Vec<u32>);

impl Clock {
    fn of(&self, thread: usize) -> u32 {
        self.0.get(thread).copied().unwrap_or(0)
    }

    fn advance(&mut self, thread: usize) {
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
    }

    fn learn(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// A thread, and its own time.
type Moment = (usize, u32);

/// Who accessed a byte: the last store, and loads since then.
#[derive(Clone, Debug, Default)]
struct Accesses {
    store: Option<Moment>,
    loads: Vec<Moment>,
}

/// What an access comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// It is ordered with all others.
    Ordered,
    /// It is not ordered with one of another thread.
    Race,
    /// There are too many accesses to tell.
    TooMany,
}

/// What threads know of each other, and who has accessed what.
#[derive(Clone, Debug)]
pub struct Watch {
    running: usize,
    threads: Vec<Clock>,
    /// When each thread accessed anything for the last time.
    last: Vec<u32>,
    /// What is known at an address after an atomic access there.
    places: HashMap<u64, Clock>,
    bytes: BTreeMap<u64, Accesses>,
    /// The address of the atomic access that is being made: the thread's time goes on behind it.
    atomic: Option<u64>,
}

impl Watch {
    /// One thread runs, with the number 0, which knows all that was.
    pub fn new() -> Self {
        let mut first = Clock::default();
        first.advance(0);
        Self {
            running: 0,
            threads: vec![first],
            last: vec![0],
            places: HashMap::new(),
            bytes: BTreeMap::new(),
            atomic: None,
        }
    }

    /// The running thread starts another; its number.
    pub fn start(&mut self) -> usize {
        self.end_atomic();
        let number = self.threads.len();
        let mut clock = self.threads[self.running].clone();
        clock.advance(number);
        self.threads.push(clock);
        self.last.push(0);
        self.threads[self.running].advance(self.running);
        number
    }

    /// From here on this thread runs.
    pub fn enter(&mut self, thread: usize) {
        self.end_atomic();
        self.running = thread;
    }

    /// The running thread makes an atomic access.
    pub fn synchronize(&mut self, address: u64) {
        self.end_atomic();
        let own = &mut self.threads[self.running];
        let place = self.places.entry(address).or_default();
        own.learn(place);
        place.learn(own);
        self.atomic = Some(address);
    }

    /// The running thread lets another go on, which so knows all that it knows.
    pub fn wake(&mut self, thread: usize) {
        self.end_atomic();
        let own = self.threads[self.running].clone();
        self.threads[thread].learn(&own);
        self.threads[self.running].advance(self.running);
    }

    /// Whether the running thread knows all that the others have done.
    pub fn knows_all(&self) -> bool {
        let own = &self.threads[self.running];
        self.last.iter().enumerate().all(|(thread, &last)| last <= own.of(thread))
    }

    fn end_atomic(&mut self) {
        if self.atomic.take().is_some() {
            self.threads[self.running].advance(self.running);
        }
    }

    /// The running thread accesses bytes.
    pub fn note(&mut self, access: Access) -> Noted {
        if self.atomic.is_some_and(|address| address != access.address) {
            self.end_atomic();
        }
        if self.bytes.len() > MOST_BYTES {
            return Noted::TooMany;
        }
        let clock = &self.threads[self.running];
        let now = (self.running, clock.of(self.running));
        self.last[self.running] = now.1;
        let known = |&(thread, time): &Moment| time <= clock.of(thread);
        for address in access.address..access.address + access.size {
            let accesses = self.bytes.entry(address).or_default();
            if !accesses.store.as_ref().is_none_or(known) {
                return Noted::Race;
            }
            if access.kind == AccessKind::Read {
                if !accesses.loads.contains(&now) {
                    accesses.loads.retain(|load| !known(load));
                    accesses.loads.push(now);
                }
                continue;
            }
            if !accesses.loads.iter().all(known) {
                return Noted::Race;
            }
            accesses.loads.clear();
            accesses.store = Some(now);
        }
        Noted::Ordered
    }

    /// The running thread ends an object: a race if another one may still use it.
    pub fn end(&mut self, base: u64, size: u64) -> Noted {
        let clock = &self.threads[self.running];
        let known = |&(thread, time): &Moment| time <= clock.of(thread);
        let mut accesses = self.bytes.range(base..base + size.max(1)).map(|(_, accesses)| accesses);
        let ordered = accesses.all(|accesses| {
            accesses.store.as_ref().is_none_or(known) && accesses.loads.iter().all(known)
        });
        if ordered { Noted::Ordered } else { Noted::Race }
    }

    /// A new object has these addresses: what was there before is another story.
    pub fn forget(&mut self, base: u64, size: u64) {
        let old: Vec<u64> = self.bytes.range(base..base + size).map(|(&at, _)| at).collect();
        for at in old {
            self.bytes.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: AccessKind, address: u64) -> Access {
        Access { kind, address, size: 4 }
    }

    const DATA: u64 = 0x1000;
    const FLAG: u64 = 0x2000;

    fn two_threads() -> Watch {
        let mut watch = Watch::new();
        assert_eq!(watch.note(access(AccessKind::Write, DATA)), Noted::Ordered);
        assert_eq!(watch.start(), 1);
        watch
    }

    #[test]
    fn what_was_before_a_thread_is_known_to_it() {
        let mut watch = two_threads();
        watch.enter(1);
        assert_eq!(watch.note(access(AccessKind::Write, DATA)), Noted::Ordered);
        watch.enter(0);
        assert_eq!(watch.note(access(AccessKind::Read, DATA + 2)), Noted::Race);
    }

    #[test]
    fn loads_do_not_race_with_loads() {
        let mut watch = two_threads();
        assert_eq!(watch.note(access(AccessKind::Read, DATA)), Noted::Ordered);
        watch.enter(1);
        assert_eq!(watch.note(access(AccessKind::Read, DATA)), Noted::Ordered);
        assert_eq!(watch.note(access(AccessKind::Write, DATA)), Noted::Race);
    }

    #[test]
    fn an_atomic_access_hands_on_what_was_before_it() {
        let mut watch = two_threads();
        watch.note(access(AccessKind::Write, DATA));
        watch.synchronize(FLAG);
        assert_eq!(watch.note(access(AccessKind::Write, FLAG)), Noted::Ordered);
        watch.enter(1);
        watch.synchronize(FLAG);
        assert_eq!(watch.note(access(AccessKind::Read, FLAG)), Noted::Ordered);
        assert_eq!(watch.note(access(AccessKind::Read, DATA)), Noted::Ordered);
        watch.enter(0);
        // What comes behind the atomic access is not handed on.
        assert_eq!(watch.note(access(AccessKind::Write, DATA)), Noted::Race);
    }

    #[test]
    fn a_new_object_has_no_past() {
        let mut watch = two_threads();
        watch.enter(1);
        watch.note(access(AccessKind::Write, DATA));
        watch.enter(0);
        assert_eq!(watch.end(DATA, 4), Noted::Race);
        watch.forget(DATA, 4);
        assert_eq!(watch.note(access(AccessKind::Write, DATA)), Noted::Ordered);
    }
}
