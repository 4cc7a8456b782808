//! From the flags that limit a run to what the worker knows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::options::LimitArgs;
use super::usage;

/// Whether the clock and the host may decide something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// They may.
    Free,
    /// Equal runs are to be equal.
    Repeatable,
}

impl LimitArgs {
    /// When to stop.
    pub fn strategy(
        &self,
        determinism: Determinism,
        stop: &Arc<AtomicBool>,
    ) -> umbra_strategy::Limits {
        umbra_strategy::Limits {
            time: self.max_time,
            instructions: self.max_instructions,
            depth: self.max_depth,
            forks: self.max_forks,
            states: self.max_states,
            memory: Some((self.max_memory as usize) << 20),
            // What the host says is different each time.
            resident: (determinism == Determinism::Free).then_some(usage::resident_bytes),
            path_instructions: self.max_path_instructions,
            values: None,
            stop: Some(Arc::clone(stop)),
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
