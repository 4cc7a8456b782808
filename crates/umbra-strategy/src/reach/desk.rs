//! Takes in the other sides of the state that runs.

use std::collections::HashSet;

use umbra_engine::{Fork, ForkReason, Forks, Found, OtherSide, Parked, Path, Shared};
use umbra_expr::{ExprId, Kind};
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

/// A side that nobody can take, because of what was decided before.
pub(super) struct Settled {
    pub fork: Fork,
    /// Constraints before the branch, and those of them that decide it.
    pub base: usize,
    pub decided: Vec<usize>,
    /// Sides that were met before it.
    pub before: usize,
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
    /// Branches that were settled before, each once.
    pub settled: Vec<Settled>,
    pub seen: &'a mut HashSet<(u32, Option<u32>)>,
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

    fn settled(&mut self, shared: &Shared, path: &Path, fork: &Fork, held: ExprId) {
        let is_branch = matches!(fork.reason, ForkReason::Branch | ForkReason::Switch);
        if !is_branch || !self.seen.insert((fork.place, fork.target)) {
            return;
        }
        let constraints = path.constraints().to_vec();
        let mut parts = vec![held];
        let mut decided = Vec::new();
        while let Some(part) = parts.pop() {
            if let Some(at) = constraints.iter().position(|constraint| *constraint == part) {
                decided.push(at);
            } else if shared.expressions.kind(part) == Kind::And {
                parts.extend([0, 1].map(|side| shared.expressions.operand(part, side)));
            }
        }
        decided.sort_unstable_by(|one, other| other.cmp(one));
        let (base, before) = (constraints.len(), self.met.len());
        self.settled.push(Settled { fork: *fork, base, decided, before });
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
