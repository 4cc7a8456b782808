//! When to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::statistics::Statistics;

/// Limits of a run; none is set by default.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Instructions of all paths together.
    pub instructions: Option<u64>,
    /// Forks of one path.
    pub depth: Option<u32>,
    /// Forks of all paths together; then states run on without forking.
    pub forks: Option<u64>,
    /// States kept at a time; then others are dropped.
    pub states: Option<usize>,
    /// Instructions of one path.
    pub path_instructions: Option<u64>,
    /// Values that expressions of one path are narrowed to.
    pub values: Option<u32>,
    /// Set from outside when the run is to stop.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Why a run stopped before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stopped {
    /// The wall time was used up.
    Time,
    /// The instructions were used up.
    Instructions,
    /// Someone asked to stop.
    Interrupted,
    /// There are as many expressions as can be kept.
    Expressions,
}

impl Stopped {
    /// The stable name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "instructions",
            Self::Interrupted => "interrupted",
            Self::Expressions => "expressions",
        }
    }
}

impl Limits {
    /// Why to stop now, if at all.
    pub(crate) fn reached(&self, start: Instant, statistics: &Statistics) -> Option<Stopped> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Stopped::Interrupted);
        }
        if self.time.is_some_and(|time| start.elapsed() >= time) {
            return Some(Stopped::Time);
        }
        if self.instructions.is_some_and(|limit| statistics.instructions >= limit) {
            return Some(Stopped::Instructions);
        }
        None
    }
}
