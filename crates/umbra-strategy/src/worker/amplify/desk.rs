//! What becomes of other sides while a test is followed, and behind its divergence points.

use std::time::Instant;

use umbra_engine::{Fork, ForkReason, Forks, OtherSide, Parked, Path, Shared};
use umbra_solver::{Query, Solver, Verdict};

use super::{Divergence, Failing, Following, Side};
use crate::amplify::{Amplifier, Checks, Sensitive, Work};
use crate::limits::{Limits, Used};
use crate::statistics::Statistics;
use crate::worker::desk::ask;

/// Forks after which the running state makes a break, so that limits are looked at.
const BREAK: usize = 256;

/// Whether the other side of a fork is a check, and whether that is wanted.
fn check(fork: &Fork, which: &Checks, sensitive: &Sensitive) -> Option<bool> {
    match fork.reason {
        ForkReason::Pointer => Some(which.memory),
        ForkReason::Check => Some(which.division),
        _ => {
            let target = fork.target? as usize;
            sensitive.hopeless[target].then_some(which.assertion)
        }
    }
}

/// Where the machine hands in other sides while it follows a test.
pub(super) struct FollowDesk<'a, 'b> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    used: &'a Used,
    following: &'a mut Following<'b>,
    observer: &'a mut dyn Amplifier,
    /// The digest of the check that was found to fail.
    digest: u64,
    kept: usize,
    tired: bool,
}

impl<'a, 'b> FollowDesk<'a, 'b> {
    pub fn new(
        (solver, statistics, limits, used): (
            &'a mut dyn Solver,
            &'a mut Statistics,
            &'a Limits,
            &'a Used,
        ),
        following: &'a mut Following<'b>,
        observer: &'a mut dyn Amplifier,
    ) -> Self {
        let (digest, kept, tired) = (0, 0, false);
        Self { solver, statistics, limits, used, following, observer, digest, kept, tired }
    }

    /// Asks whether an operation can go wrong on this path.
    fn check(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        self.following.is_sensitive = true;
        if self.is_thinned(fork.place) {
            self.following.route.counts.thinned += 1;
            return OtherSide::Drop;
        }
        let constraints = path.constraints().to_vec();
        let digests = &mut self.following.digests;
        let numbers = [
            digests.of_path(&shared.expressions, &constraints),
            digests.of(&shared.expressions, fork.condition),
            fork.place.into(),
        ];
        let digest = crate::amplify::mix(&numbers);
        let counts = &mut self.following.route.counts;
        counts.places.insert(fork.place);
        if self.observer.is_done(Work::Check(digest), 0) {
            counts.repeated += 1;
            return OtherSide::Drop;
        }
        self.observer.begins(Work::Check(digest), 0, 0);
        counts.checks += 1;
        let query = Query::new(&constraints, fork.condition).with_witness(path.assignment());
        let start = Instant::now();
        let verdict = self.solver.check(&mut shared.expressions, &query);
        self.statistics.solver_time += start.elapsed();
        self.statistics.queries += 1;
        // A question may have taken any time.
        self.tired |= self.limits.reached(self.used).is_some();
        match verdict {
            Ok(Verdict::Sat(model)) => {
                counts.failing += 1;
                self.digest = digest;
                OtherSide::Keep(Some(model))
            }
            Ok(Verdict::Unsat(_)) => {
                counts.safe += 1;
                OtherSide::Drop
            }
            Ok(Verdict::Unknown(reason)) => {
                counts.unknown += 1;
                *self.statistics.unknown.entry(reason.name()).or_default() += 1;
                OtherSide::Drop
            }
            Err(error) => {
                counts.unknown += 1;
                self.statistics.fail(error.name());
                OtherSide::Drop
            }
        }
    }

    /// Whether a check is left out: of an operation that was met too often, or where checks have taken too long, only every second, fourth,
    /// eighth one is made.
    fn is_thinned(&mut self, place: u32) -> bool {
        let limits = self.following.limits;
        let late = limits.check_time.is_some_and(|time| self.statistics.solver_time >= time);
        let met = self.following.met.entry(place).or_default();
        *met += 1;
        (late || *met > limits.checks) && !met.is_power_of_two()
    }
}

impl Forks for FollowDesk<'_, '_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        match check(fork, &self.following.limits.which, self.following.sensitive) {
            Some(true) => return self.check(shared, path, fork),
            Some(false) => return OtherSide::Drop,
            None => {}
        }
        let most = self.following.limits.points;
        let route = &mut self.following.route;
        // Sides of one switch have the same decisions before them.
        let last = route.points.back().map(|point| point.decisions);
        if last == Some(path.depth()) {
            return OtherSide::Keep(None);
        }
        route.counts.branches += 1;
        if most == 0 || fork.reason == ForkReason::Assumption {
            return OtherSide::Drop;
        }
        if route.points.len() >= most {
            route.points.pop_front();
            route.before += 1;
            route.counts.forgotten += 1;
        }
        route.points.push_back(Divergence {
            sides: Vec::new(),
            base: path.constraints().len(),
            decisions: path.depth(),
            place: fork.place,
            bound: None,
            suspended: Vec::new(),
        });
        let watched = shared.coverage.take_watched();
        self.following.is_sensitive |= watched;
        OtherSide::Keep(None)
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        self.kept += 1;
        self.tired |= self.kept >= BREAK || self.limits.control.stopped().is_some();
        let which = check(fork, &self.following.limits.which, self.following.sensitive);
        if which.is_some() {
            self.following.failing.push(Failing { parked, digest: self.digest });
            return;
        }
        let is_first = self.following.route.points.back().is_some_and(|p| p.sides.is_empty());
        if is_first {
            let returns = parked.return_places().collect();
            self.following.end_segment(false, returns);
        }
        if let Some(point) = self.following.route.points.back_mut() {
            point.sides.push(Side { parked, condition: fork.condition, solved: false });
        }
    }

    fn wants_pause(&self) -> bool {
        self.tired
    }
}

/// The other side of a fork behind a divergence point.
pub(super) struct Behind {
    pub parked: Parked,
    /// It is one of a check.
    pub failing: bool,
}

/// Where the machine hands in other sides behind a divergence point. It asks about each: a branch counts only if both sides are
/// possible.
pub(super) struct BehindDesk<'a> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    used: &'a Used,
    which: &'a Checks,
    sensitive: &'a Sensitive,
    pub kept: Vec<Behind>,
    /// Whether the running state has come to a branch of which both sides are possible.
    pub has_forked: bool,
    tired: bool,
}

impl<'a> BehindDesk<'a> {
    pub fn new(
        (solver, statistics, limits, used): (
            &'a mut dyn Solver,
            &'a mut Statistics,
            &'a Limits,
            &'a Used,
        ),
        which: &'a Checks,
        sensitive: &'a Sensitive,
    ) -> Self {
        let (kept, has_forked, tired) = (Vec::new(), false, false);
        Self { solver, statistics, limits, used, which, sensitive, kept, has_forked, tired }
    }
}

impl Forks for BehindDesk<'_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        if check(fork, self.which, self.sensitive) == Some(false) {
            return OtherSide::Drop;
        }
        let constraints = path.constraints().to_vec();
        let query = Query::new(&constraints, fork.condition).with_witness(path.assignment());
        let answer = ask(self.solver, shared, &query, self.statistics, None);
        self.tired |= self.limits.reached(self.used).is_some();
        match answer {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        let failing = check(fork, self.which, self.sensitive).is_some();
        self.has_forked |= !failing && fork.reason != ForkReason::Assumption;
        self.kept.push(Behind { parked, failing });
    }

    fn wants_pause(&self) -> bool {
        self.has_forked || self.tired
    }
}
