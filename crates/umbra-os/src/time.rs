//! Time: a clock that moves only when the program sleeps or waits.

/// Nanoseconds in a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

/// A point in time, as `struct timespec` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since the epoch.
    pub seconds: i64,
    /// Nanoseconds, less than a second.
    pub nanoseconds: u32,
}

impl Timestamp {
    /// Joins seconds and nanoseconds.
    pub const fn new(seconds: i64, nanoseconds: u32) -> Timestamp {
        Timestamp { seconds, nanoseconds }
    }

    /// This much later.
    pub(crate) fn plus(self, nanoseconds: u64) -> Timestamp {
        let sum = u64::from(self.nanoseconds) + nanoseconds % SECOND;
        let seconds = self.seconds.saturating_add((nanoseconds / SECOND) as i64);
        Timestamp::new(seconds.saturating_add((sum / SECOND) as i64), (sum % SECOND) as u32)
    }
}

/// The clocks of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Wall time at the start, moved by `settimeofday`.
    pub(crate) start: Timestamp,
    /// Monotonic time at the start.
    pub(crate) boot: Timestamp,
    /// Nanoseconds slept so far.
    pub(crate) elapsed: u64,
}

impl Clock {
    pub(crate) fn now(&self) -> Timestamp {
        self.start.plus(self.elapsed)
    }

    pub(crate) fn monotonic(&self) -> Timestamp {
        self.boot.plus(self.elapsed)
    }
}
