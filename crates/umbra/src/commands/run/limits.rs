//! From the flags that limit a run to what the guard and the worker know.

use std::time::{Duration, Instant};

use umbra_strategy::Control;

use super::options::LimitArgs;
use crate::guard::Budget;

/// Whether the clock and the host may decide something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// They may.
    Free,
    /// Equal runs are to be equal.
    Repeatable,
}

impl LimitArgs {
    /// What a command that started then may take.
    pub fn budget(
        &self,
        start: Instant,
        open_tests: Option<Duration>,
        determinism: Determinism,
    ) -> Budget {
        Budget {
            start,
            time: self.max_time,
            open_tests,
            memory: self.max_memory.saturating_mul(1 << 20),
            // What the host says is different each time.
            drops: determinism == Determinism::Free,
        }
    }

    /// When to stop.
    pub fn strategy(&self, budget: &Budget, control: &Control) -> umbra_strategy::Limits {
        umbra_strategy::Limits {
            time: budget.exploring(),
            instructions: self.max_instructions,
            depth: self.max_depth,
            forks: self.max_forks,
            states: self.max_states,
            memory: Some(usize::try_from(budget.memory).unwrap_or(usize::MAX)),
            path_instructions: self.max_path_instructions,
            values: None,
            control: control.clone(),
            end: budget.end(),
        }
    }

    /// The solver, within its time for one question.
    pub fn solver(&self) -> umbra_solver::Config {
        let mut solver = umbra_solver::Config::default();
        if let Some(time) = self.max_query_time {
            solver.limits.time = Some(time.max(Duration::from_millis(1)));
        }
        solver
    }
}
