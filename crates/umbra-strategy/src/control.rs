//! What tells a run from outside to stop, or to take less memory.
//!
//! Whoever watches the process and the workers share one of these. The flag to stop is also that of
//! solvers and machines, so that it ends a question and a single large operation. Asking for memory is
//! counted: each worker answers once by dropping states, and says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::limits::Stopped;

/// Tells a run from outside to stop, or to take less memory. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    stop: Arc<AtomicBool>,
    /// Why, as the position in [`REASONS`] and one more; zero if nobody said.
    reason: AtomicU8,
    asked: AtomicU64,
    /// The memory that was given the last time did not help.
    pressing: AtomicBool,
    answered: AtomicU64,
}

/// How much memory is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Some.
    Some,
    /// More than was given the last time.
    Pressing,
}

/// What a run can be stopped by from outside.
const REASONS: [Stopped; 3] = [Stopped::Interrupted, Stopped::Time, Stopped::Memory];

impl Control {
    /// Set when the run is to stop; whoever sets it without more wants an interruption.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0.stop
    }

    /// Stops the run; the first reason counts.
    pub fn stop(&self, reason: Stopped) {
        let position = REASONS.iter().position(|known| *known == reason).unwrap_or(0);
        let code = position as u8 + 1;
        // If there is a reason already, it stays.
        let _ = self.0.reason.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        self.0.stop.store(true, Ordering::Release);
    }

    /// Why the run is to stop, if it is.
    pub fn stopped(&self) -> Option<Stopped> {
        if !self.0.stop.load(Ordering::Acquire) {
            return None;
        }
        let code = usize::from(self.0.reason.load(Ordering::Relaxed));
        Some(code.checked_sub(1).map_or(Stopped::Interrupted, |position| REASONS[position]))
    }

    /// Asks the workers to take less memory.
    pub fn ask_for_memory(&self, need: Need) {
        self.0.pressing.store(need == Need::Pressing, Ordering::Relaxed);
        self.0.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether what was given the last time did not help.
    pub(crate) fn is_pressing(&self) -> bool {
        self.0.pressing.load(Ordering::Relaxed)
    }

    /// How often they were asked.
    pub fn asked(&self) -> u64 {
        self.0.asked.load(Ordering::Relaxed)
    }

    /// A worker has dropped what it could.
    pub(crate) fn answer(&self) {
        self.0.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// How often a worker has dropped what it could.
    pub fn answered(&self) -> u64 {
        self.0.answered.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_and_a_bare_flag_is_an_interruption() {
        let control = Control::default();
        assert_eq!(control.stopped(), None);
        control.stop(Stopped::Memory);
        control.stop(Stopped::Time);
        assert_eq!(control.stopped(), Some(Stopped::Memory));
        let control = Control::default();
        control.flag().store(true, Ordering::Relaxed);
        assert_eq!(control.stopped(), Some(Stopped::Interrupted));
    }
}
