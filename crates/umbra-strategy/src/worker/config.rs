//! How a worker works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::limits::{DrainLimits, Limits};
use crate::prune::Pruner;
use crate::searcher::{Again, Search};
use crate::terrain::Terrain;

/// A question that was begun in time may go on for so long after the end of the run.
const GRACE: Duration = Duration::from_millis(200);

/// How a worker works.
pub struct Config {
    /// When to stop.
    pub limits: Limits,
    /// How long to look then for inputs of states that wait; `None` drops them all.
    pub drain: Option<DrainLimits>,
    /// Which state is next.
    pub search: Search,
    /// For searchers that draw lots.
    pub seed: u64,
    /// The solver and its limits.
    pub solver: umbra_solver::Config,
    /// For searchers that look ahead; without one, all code counts as the program's own.
    pub terrain: Option<Arc<Terrain>>,
    /// What tells, of two versions, which states need not be run.
    pub pruner: Option<Arc<Pruner>>,
    /// How much a run that is killed may have to do again; any amount, if nothing is said.
    pub again: Option<Again>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            drain: Some(DrainLimits::default()),
            search: Search::default(),
            seed: 0,
            solver: umbra_solver::Config::default(),
            terrain: None,
            pruner: None,
            again: None,
        }
    }
}

impl Config {
    /// The same, without anything that depends on the time that things take: limits of the solver in
    /// conflicts and work, of the end in constraints. A limit on time stays as the last resort.
    pub fn deterministic(mut self) -> Self {
        let limits = &mut self.solver.limits;
        limits.conflicts.get_or_insert(5_000);
        limits.work.get_or_insert(20_000_000);
        (limits.time, limits.run_time) = (None, None);
        if let Some(drain) = &mut self.drain {
            drain.time = None;
        }
        self
    }

    /// No question goes on for long after the time of the run. Not where the solver's time is not
    /// limited at all: there, equal runs are to be equal.
    pub(super) fn end_queries_with_the_run(&mut self) {
        let limits = &mut self.solver.limits;
        if let (Some(_), Some(time)) = (limits.time, self.limits.time) {
            limits.deadline = Some(Instant::now() + time + GRACE);
        }
    }
}
