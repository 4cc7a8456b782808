//! From the limits of a job to what workers and solvers know.

use std::time::Duration;

use umbra_strategy::Again;

use crate::{SearchLimits, Watched};

/// Instructions that may be executed again after a run was killed, however short it was.
const AGAIN: u64 = 100_000;

impl SearchLimits {
    /// When to stop.
    pub(crate) fn strategy(&self, watched: &Watched<'_>) -> umbra_strategy::Limits {
        let budget = &watched.budget;
        umbra_strategy::Limits {
            time: budget.exploring(),
            instructions: self.instructions,
            depth: self.depth,
            forks: self.forks,
            states: self.states,
            memory: Some(usize::try_from(budget.memory).unwrap_or(usize::MAX)),
            path_instructions: self.path_instructions,
            values: None,
            control: watched.control.inner().clone(),
            end: budget.end(),
        }
    }

    /// How much may be done again if the process is killed. A run without these limits is meant to end by itself, so it does not
    /// matter in which order paths are followed.
    pub(crate) fn again(&self) -> Option<Again> {
        let ends = self.time.is_none() && self.instructions.is_none() && self.forks.is_none();
        ends.then_some(Again { instructions: AGAIN, before: 0 })
    }

    /// The solver, within its time for one question.
    pub(crate) fn solver(&self) -> umbra_solver::Config {
        let mut solver = umbra_solver::Config::default();
        if let Some(time) = self.query_time {
            solver.limits.time = Some(time.max(Duration::from_millis(1)));
        }
        solver
    }
}
