//! What tells a job from outside to stop, or to take less memory.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::{SearchLimits, Strategy};

/// Tells a job from outside to stop, or to take less memory. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Control(umbra_strategy::Control);

/// How much memory is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Some.
    Some,
    /// More than was given the last time.
    Pressing,
}

/// Why a job is stopped before everything is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The stable name for reports.
    pub const fn name(self) -> &'static str {
        self.inner().name()
    }

    const fn inner(self) -> umbra_strategy::Stopped {
        match self {
            Self::Time => umbra_strategy::Stopped::Time,
            Self::Instructions => umbra_strategy::Stopped::Instructions,
            Self::Interrupted => umbra_strategy::Stopped::Interrupted,
            Self::Expressions => umbra_strategy::Stopped::Expressions,
            Self::Memory => umbra_strategy::Stopped::Memory,
        }
    }

    const fn of(inner: umbra_strategy::Stopped) -> Self {
        match inner {
            umbra_strategy::Stopped::Time => Self::Time,
            umbra_strategy::Stopped::Instructions => Self::Instructions,
            umbra_strategy::Stopped::Interrupted => Self::Interrupted,
            umbra_strategy::Stopped::Expressions => Self::Expressions,
            umbra_strategy::Stopped::Memory => Self::Memory,
        }
    }
}

impl Control {
    /// Set when the job is to stop; whoever sets it without more wants an interruption.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        self.0.flag()
    }

    /// Stops the job; the first reason counts.
    pub fn stop(&self, reason: Stopped) {
        self.0.stop(reason.inner());
    }

    /// Why the job is to stop, if it is.
    pub fn stopped(&self) -> Option<Stopped> {
        self.0.stopped().map(Stopped::of)
    }

    /// Asks the workers to take less memory.
    pub fn ask_for_memory(&self, need: Need) {
        self.0.ask_for_memory(match need {
            Need::Some => umbra_strategy::Need::Some,
            Need::Pressing => umbra_strategy::Need::Pressing,
        });
    }

    /// How often they were asked.
    pub fn asked(&self) -> u64 {
        self.0.asked()
    }

    /// How often a worker has dropped what it could.
    pub fn answered(&self) -> u64 {
        self.0.answered()
    }

    pub(crate) fn inner(&self) -> &umbra_strategy::Control {
        &self.0
    }
}

/// For tests of what is still open, after the time of the run.
const REST: Duration = Duration::from_millis(200);

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When the command started, from which the time counts.
    pub start: Instant,
    /// Wall time.
    pub time: Option<Duration>,
    /// Time after that for tests of what is still open, if some is wanted.
    pub open_tests: Option<Duration>,
    /// Bytes of memory.
    pub memory: u64,
    /// Whether states may be dropped because of what the host says.
    pub drops: bool,
}

impl Budget {
    /// That of a job that started then, with so much time for tests of what is open at the end.
    pub fn of(
        limits: &SearchLimits,
        strategy: &Strategy,
        open_tests: Option<Duration>,
        start: Instant,
    ) -> Self {
        Self {
            start,
            time: limits.time,
            open_tests,
            memory: limits.memory_mib.saturating_mul(1 << 20),
            // What the host says is different each time.
            drops: !strategy.deterministic,
        }
    }

    /// When all is to be over, but for writing and printing.
    pub fn end(&self) -> Option<Instant> {
        Some(self.start + self.time? + self.open_tests.unwrap_or(REST))
    }

    /// How long there is to explore from now on: some of the time is for tests of what is open then.
    pub fn exploring(&self) -> Option<Duration> {
        let time = self.time?;
        let rest = match self.open_tests {
            Some(_) => Duration::ZERO,
            None => (time / 20).min(Duration::from_secs(3)),
        };
        Some((time - rest).saturating_sub(self.start.elapsed()))
    }
}

/// What a job is watched by while it runs.
pub struct Watched<'a> {
    /// Stops it from outside.
    pub control: &'a Control,
    /// What it may take.
    pub budget: Budget,
    /// Is told how far it is.
    pub guard: &'a dyn Guard,
}

/// Who keeps a job within its limits.
pub trait Guard: Sync {
    /// Everything is set up, and exploring begins.
    fn set_up(&self);

    /// The worker of this number has executed so many instructions. Called often.
    fn ran(&self, worker: usize, instructions: u64) {
        let _ = (worker, instructions);
    }

    /// Nothing more is explored: what comes now has limits of its own.
    fn over(&self);
}
