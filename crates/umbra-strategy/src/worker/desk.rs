//! The desk: where the machine hands in the other sides of forks.

use std::sync::atomic::Ordering;
use std::time::Instant;

use umbra_engine::{Fork, ForkReason, Forks, Found, OtherSide, Parked, Path, Shared};
use umbra_expr::{Assignment, ExprId};
use umbra_solver::{Query, Solver, Verdict};

use crate::limits::{Limits, Used};
use crate::statistics::Statistics;

/// Forks after which the running state makes a break, so that limits are looked at.
const BREAK: usize = 256;

/// The other side of a fork.
pub(super) struct Kept {
    pub parked: Parked,
    pub fork: Fork,
    /// The number of constraints before the fork.
    pub base: usize,
    /// Whether its own assignment satisfies its constraints.
    pub solved: bool,
}

/// Where the machine hands in the other sides of forks.
pub(super) struct Desk<'a> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    used: &'a Used,
    pub kept: Vec<Kept>,
    /// Whether the running state is to pause after it has forked.
    pauses: bool,
    pub paused: bool,
    /// Whether the limits are to be looked at.
    tired: bool,
    /// How often memory was asked for when the machine began to run.
    asked: u64,
    /// Of the fork that was answered last.
    base: usize,
    solved: bool,
    /// Whether the versions of the running state have parted.
    pub diverged: bool,
    /// The new version's path that the running state follows the old one on, if it does.
    diff_path: Option<u64>,
}

impl<'a> Desk<'a> {
    pub fn new(
        solver: &'a mut dyn Solver,
        statistics: &'a mut Statistics,
        limits: &'a Limits,
        used: &'a Used,
    ) -> Self {
        Self {
            solver,
            statistics,
            limits,
            used,
            kept: Vec::new(),
            pauses: false,
            paused: false,
            tired: false,
            asked: limits.control.asked(),
            base: 0,
            solved: false,
            diverged: false,
            diff_path: None,
        }
    }

    /// The running state follows the old version on this path of the new one.
    pub fn behind(self, diff_path: Option<u64>) -> Self {
        Self { diff_path, ..self }
    }

    /// The running state is to pause after its next fork.
    pub fn pausing(self) -> Self {
        Self { pauses: true, ..self }
    }

    /// The limit that forbids another state, if one does.
    fn forbidden(&self, path: &Path, fork: &Fork) -> Option<&'static str> {
        let limits = self.limits;
        // The state itself ends here, so there are not more states than before.
        if fork.reason == ForkReason::Assumption {
            return None;
        }
        if limits.depth.is_some_and(|depth| path.depth() >= depth) {
            return Some("depth");
        }
        if fork.reason == ForkReason::Value
            && limits.values.is_some_and(|values| path.values() >= values)
        {
            return Some("values");
        }
        let forks = self.used.forks.load(Ordering::Relaxed);
        limits.forks.is_some_and(|limit| forks > limit).then_some("forks")
    }
}

impl Forks for Desk<'_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        self.used.forks.fetch_add(1, Ordering::Relaxed);
        if let Some(limit) = self.forbidden(path, fork) {
            self.statistics.drop(limit);
            self.statistics.leave_open(self.diff_path);
            return OtherSide::Drop;
        }
        self.base = path.constraints().len();
        // Most checks cannot fail: ask before a state is made.
        let at_once = matches!(fork.reason, ForkReason::Check | ForkReason::Pointer);
        self.solved = at_once;
        if !at_once {
            return OtherSide::Keep(None);
        }
        let constraints = path.constraints().to_vec();
        let query = Query::new(&constraints, fork.condition).with_witness(path.assignment());
        let answer = ask(self.solver, shared, &query, self.statistics, self.diff_path);
        // A question may have taken any time.
        self.tired |= self.limits.reached(self.used).is_some();
        match answer {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        self.paused = self.pauses;
        self.tired |= self.kept.len() + 1 >= BREAK;
        // What two states share is copied by whoever writes first: a few forks can take any memory.
        let control = &self.limits.control;
        self.tired |= control.asked() != self.asked || control.stopped().is_some();
        self.kept.push(Kept { parked, fork: *fork, base: self.base, solved: self.solved });
    }

    fn find(&mut self, shared: &mut Shared, path: &Path, condition: ExprId) -> Found {
        match self.limits.reached(self.used) {
            Some(_) => Found::Unknown,
            None => find(self.solver, shared, path, condition, self.statistics),
        }
    }

    fn left_out(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) {
        // Nothing is left out where nobody could have gone.
        if !matches!(self.find(shared, path, fork.condition), Found::Nowhere) {
            self.statistics.drop("forking-off");
        }
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }

    fn wants_pause(&self) -> bool {
        self.paused || self.tired
    }
}

/// Looks for an input of a path on which a condition holds, without going to any length.
pub(crate) fn find(
    solver: &mut dyn Solver,
    shared: &mut Shared,
    path: &Path,
    condition: ExprId,
    statistics: &mut Statistics,
) -> Found {
    let constraints = path.constraints().to_vec();
    let query = Query::new(&constraints, condition).with_hint(path.assignment()).lightly();
    let start = Instant::now();
    let verdict = solver.check(&mut shared.expressions, &query);
    statistics.solver_time += start.elapsed();
    statistics.queries += 1;
    match verdict {
        Ok(Verdict::Sat(model)) => Found::Input(model),
        Ok(Verdict::Unsat(_)) => Found::Nowhere,
        // Nothing is lost: what is not known to be equal stays a pair.
        Ok(Verdict::Unknown(_)) => Found::Unknown,
        Err(error) => {
            statistics.fail(error.name());
            Found::Unknown
        }
    }
}

/// Asks the solver; `None` if there is no such input, or none is known. Then `diff_path` is left open, if
/// the question is about a state that follows the old version on it.
pub(super) fn ask(
    solver: &mut dyn Solver,
    shared: &mut Shared,
    query: &Query<'_>,
    statistics: &mut Statistics,
    diff_path: Option<u64>,
) -> Option<Assignment> {
    let start = Instant::now();
    let verdict = solver.check(&mut shared.expressions, query);
    statistics.solver_time += start.elapsed();
    statistics.queries += 1;
    match verdict {
        Ok(Verdict::Sat(model)) => return Some(model),
        Ok(Verdict::Unsat(_)) => {
            statistics.infeasible += 1;
            return None;
        }
        Ok(Verdict::Unknown(reason)) => {
            *statistics.unknown.entry(reason.name()).or_default() += 1;
        }
        Err(error) => statistics.fail(error.name()),
    }
    statistics.leave_open(diff_path);
    None
}
