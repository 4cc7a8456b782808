//! Numbers of divergences and diff paths: what somebody who is told of several states knows them by.
//!
//! No two workers give the same number, and neither do two processes that work on one run after the other. A
//! state that is made again from its decisions gets the numbers that it had.

use std::sync::Arc;

use crate::state::{Parked, Shared};

/// Numbers of what one worker counts are below this bit.
const WORKER_SHIFT: u32 = 40;

/// Numbers of workers of one process are below this bit.
const ROUND_SHIFT: u32 = 50;

/// The numbers of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Of the time that its versions have parted.
    pub divergence: Option<u64>,
    /// Of the new version's path that it follows the old one on.
    pub diff_path: Option<u64>,
}

impl Shared {
    /// What is counted from now on has other numbers than with other workers, and in other rounds: those are processes that
    /// have worked on the same run before.
    pub fn number_from(&mut self, worker: usize, round: u32) {
        let first = (u64::from(round) << ROUND_SHIFT) + ((worker as u64) << WORKER_SHIFT);
        (self.divergences, self.diff_paths) = (first, first);
    }
}

impl Parked {
    /// Its numbers.
    pub fn numbers(&self) -> Numbers {
        let shadow = self.shadow.as_ref();
        let divergence = shadow.and_then(|shadow| shadow.divergence.as_ref());
        Numbers {
            divergence: divergence.map(|divergence| divergence.number),
            diff_path: self.diff_path(),
        }
    }

    /// Gives it the numbers that it had in another process.
    pub fn set_numbers(&mut self, numbers: Numbers) {
        let Some(shadow) = &mut self.shadow else { return };
        if let (Some(divergence), Some(number)) = (&mut shadow.divergence, numbers.divergence) {
            Arc::make_mut(divergence).number = number;
        }
        if shadow.diff_path.is_some() {
            shadow.diff_path = numbers.diff_path;
        }
    }
}
