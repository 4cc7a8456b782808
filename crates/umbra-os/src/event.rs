//! Descriptors that are counters: those of events, and those of timers.

use crate::time::Clock;

/// What `eventfd` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) count: u64,
    /// A read takes one instead of all.
    pub(crate) semaphore: bool,
}

/// The count that cannot be reached.
pub(crate) const MOST: u64 = u64::MAX - 1;

/// A timer of `timerfd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimerFile {
    pub(crate) clock: i32,
    /// When it expires next, in nanoseconds of the process's clock; `None` while disarmed.
    pub(crate) deadline: Option<u64>,
    pub(crate) interval: u64,
}

impl TimerFile {
    /// How often it has expired.
    pub(crate) fn expirations(&self, clock: &Clock) -> u64 {
        let Some(late) = self.deadline.and_then(|due| clock.elapsed.checked_sub(due)) else {
            return 0;
        };
        late.checked_div(self.interval).map_or(1, |more| more + 1)
    }

    /// Takes the expirations that there are.
    pub(crate) fn take(&mut self, clock: &Clock) -> u64 {
        let count = self.expirations(clock);
        if count > 0 {
            self.deadline = match (self.deadline, self.interval) {
                (_, 0) => None,
                (due, interval) => due.map(|due| due + count * interval),
            };
        }
        count
    }

    /// How long until it expires, and its interval.
    pub(crate) fn value(&self, clock: &Clock) -> (u64, u64) {
        let left = self.deadline.map_or(0, |due| match due.checked_sub(clock.elapsed) {
            Some(left) if left > 0 => left,
            // The next one of an interval; one that has expired for good has nothing left.
            _ if self.interval > 0 => self.interval - (clock.elapsed - due) % self.interval,
            _ => 0,
        });
        (left, self.interval)
    }
}
