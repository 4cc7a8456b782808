//! Takes in the other sides of the state that runs.

use umbra_engine::{Fork, Forks, Found, OtherSide, Parked, Path, Shared};
use umbra_expr::ExprId;
use umbra_solver::Solver;

use crate::limits::{Limits, Used};
use crate::statistics::Statistics;
use crate::worker::find;

/// A side as the machine hands it in.
pub(super) struct Met {
    pub parked: Parked,
    pub fork: Fork,
    /// Constraints before the fork.
    pub base: usize,
}

/// Keeps every side, unasked.
pub(super) struct SideDesk<'a> {
    pub solver: &'a mut dyn Solver,
    pub statistics: &'a mut Statistics,
    pub limits: &'a Limits,
    pub used: &'a Used,
    /// How many sides may still be kept.
    pub room: usize,
    pub met: Vec<Met>,
    pub base: usize,
}

impl Forks for SideDesk<'_> {
    fn other_side(&mut self, _: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        if self.met.len() >= self.room {
            self.statistics.drop("sides");
            return OtherSide::Drop;
        }
        self.base = path.constraints().len();
        OtherSide::Keep(None)
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        self.met.push(Met { parked, fork: *fork, base: self.base });
    }

    fn find(&mut self, shared: &mut Shared, path: &Path, condition: ExprId) -> Found {
        match self.limits.reached(self.used) {
            Some(_) => Found::Unknown,
            None => find(self.solver, shared, path, condition, self.statistics),
        }
    }

    fn wants_pause(&self) -> bool {
        self.limits.control.stopped().is_some()
    }
}
