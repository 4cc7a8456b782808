//! When to stop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::control::Control;

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
    /// States kept at a time; then the least wanted are dropped.
    pub states: Option<usize>,
    /// Bytes of expressions and of what states that wait do not share; then the least wanted
    /// states are dropped.
    pub memory: Option<usize>,
    /// Instructions of one path.
    pub path_instructions: Option<u64>,
    /// Values that expressions of one path are narrowed to.
    pub values: Option<u32>,
    /// Stops the run from outside, and asks it to take less memory than it really does: what states
    /// have copied of what they shared is not known here.
    pub control: Control,
    /// When all is to be over, tests of states that wait included.
    pub end: Option<Instant>,
}

/// How long a run that was stopped may still look for inputs of states that wait.
///
/// States whose input is known get a test in any case, up to [`Limits::end`]. All limits hold for the
/// others, whose last condition was not asked of the solver yet; those beyond are dropped. After a run that
/// was stopped from outside there is half a second for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainLimits {
    /// Time.
    pub time: Option<DrainTime>,
    /// Questions to the solver.
    pub queries: u64,
    /// Constraints in questions to the solver, all questions together: the measure of work that is
    /// the same in every run.
    pub constraints: u64,
}

impl Default for DrainLimits {
    fn default() -> Self {
        Self { time: Some(DrainTime::Tenth), queries: 100_000, constraints: 1_000_000 }
    }
}

/// Time to look for inputs when a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrainTime {
    /// A tenth of the time that the run took, but at least one second and at most one minute.
    Tenth,
    /// So much.
    Exactly(Duration),
}

impl DrainTime {
    /// The time after a run that took so long.
    pub(crate) fn after(self, run: Duration) -> Duration {
        match self {
            Self::Tenth => (run / 10).clamp(Duration::from_secs(1), Duration::from_secs(60)),
            Self::Exactly(time) => time,
        }
    }
}

/// Why a run stopped before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// The wall time was used up.
    Time,
    /// The instructions were used up.
    Instructions,
    /// Someone asked to stop.
    Interrupted,
    /// There are as many expressions as can be kept.
    Expressions,
    /// As much memory is taken as was allowed, and dropping states does not help.
    Memory,
}

impl Stopped {
    /// Whether more time or instructions would let the run go on.
    pub(crate) const fn is_budget(self) -> bool {
        matches!(self, Self::Time | Self::Instructions)
    }

    /// Whether there is no time left to tidy up.
    pub(crate) const fn is_from_outside(self) -> bool {
        matches!(self, Self::Time | Self::Interrupted | Self::Memory)
    }

    /// The stable name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "instructions",
            Self::Interrupted => "interrupted",
            Self::Expressions => "expressions",
            Self::Memory => "memory",
        }
    }
}

/// What all workers of a run have used up together.
#[derive(Debug)]
pub(crate) struct Used {
    /// When the run started.
    pub start: Instant,
    pub instructions: AtomicU64,
    pub forks: AtomicU64,
}

impl Used {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { start: Instant::now(), instructions: AtomicU64::new(0), forks: AtomicU64::new(0) }
    }

    /// Adds what a part of the run has used up.
    pub fn add(&self, part: &Self) {
        for (all, one) in [(&self.instructions, &part.instructions), (&self.forks, &part.forks)] {
            all.fetch_add(one.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

impl Limits {
    /// Why to stop now, if at all.
    pub(crate) fn reached(&self, used: &Used) -> Option<Stopped> {
        if let Some(stopped) = self.control.stopped() {
            return Some(stopped);
        }
        if self.time.is_some_and(|time| used.start.elapsed() >= time) {
            return Some(Stopped::Time);
        }
        let instructions = used.instructions.load(Ordering::Relaxed);
        if self.instructions.is_some_and(|limit| instructions >= limit) {
            return Some(Stopped::Instructions);
        }
        None
    }

    /// How many instructions are left.
    pub(crate) fn instructions_left(&self, used: &Used) -> u64 {
        let done = used.instructions.load(Ordering::Relaxed);
        self.instructions.map_or(u64::MAX, |limit| limit.saturating_sub(done))
    }
}
