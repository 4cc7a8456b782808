//! Near a test: both versions follow a given input, and where a branch looks at something that
//! differs between them, the solver is asked for inputs on which they part there (SHADOW, ICSE'16).
//!
//! The path of the seed is followed to its end. Only two kinds of other sides are taken up. Those of a
//! branch on a pair are wanted for one thing: the *point* where the versions have just parted; if
//! they take the other side together, that is dropped. Those of a version that runs alone are no
//! decision of both: following only the seed's would constrain the path by the condition of one
//! version, and hide divergences. So all paths of that version are followed up to where it meets the
//! other one, and from there on as if their own inputs were seeds. [`FollowLimits`] says how many of both;
//! what is beyond is counted.
//!
//! Other sides of ordinary branches, which both versions take together, are kept unasked. They are what is *around* the
//! seed, to be explored later ([`Open`](super::Open)), those first that are few branches away from where a change ran.

use std::collections::VecDeque;

use umbra_engine::{
    Decider, Fork, ForkReason, Forks, Found, Machine, OtherSide, Parked, Path, Process, Shared,
};
use umbra_expr::ExprId;
use umbra_solver::{Query, Solver};
use umbra_words::Phase;

use super::desk::{ask, find};
use super::{END_OF_RUN, Observer, SLICE, Worker};
use crate::limits::{Limits, Used};
use crate::queue::StateView;
use crate::statistics::Statistics;

/// How much is taken up beside a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowLimits {
    /// Other sides that are taken up on the path of one input; those beyond are dropped as `sides`.
    pub sides: usize,
    /// Inputs beside the seed that are followed like it; those beyond are dropped as `followed`.
    pub inputs: usize,
    /// Other sides of branches that both versions take together, on all of these paths; those beyond are counted
    /// in [`Statistics::around`](crate::Statistics::around). With 0, none is wanted.
    pub around: usize,
}

impl Default for FollowLimits {
    fn default() -> Self {
        Self { sides: 4096, inputs: 256, around: 0 }
    }
}

/// A state whose versions have just parted.
pub struct Point {
    /// How it was found.
    pub phase: Phase,
    pub(super) parked: Parked,
}

/// What was found by following a seed.
#[derive(Default)]
pub struct Followed {
    /// Where the versions parted.
    pub points: Vec<Point>,
    /// Other sides of branches that both versions took together.
    pub(super) around: Vec<Around>,
}

/// The other side of a branch that both versions took together.
pub(super) struct Around {
    pub parked: Parked,
    pub fork: Fork,
    /// The number of constraints before the fork.
    pub base: usize,
    /// Branches between it and where a change ran on the path.
    pub near: u32,
}

/// The other side of a fork near a seed.
struct Side {
    parked: Parked,
    decider: Decider,
}

/// Hands in the other sides that are wanted near a seed.
struct SeedDesk<'a> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    used: &'a Used,
    kept: Vec<Side>,
    /// Sides that may still be taken up.
    left: usize,
    around: Vec<Around>,
    /// Sides around that may still be kept; `None` if none are wanted.
    left_around: Option<usize>,
    /// Constraints before the fork that was answered last.
    base: usize,
    /// Pause at every block, to see where the state is.
    watches: bool,
    diverged: bool,
}

impl Forks for SeedDesk<'_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        if fork.decider == Decider::State {
            return self.side_around(path, fork);
        }
        let limit = match self.limits.reached(self.used) {
            Some(_) => Some(END_OF_RUN),
            None => (self.kept.len() >= self.left).then_some("sides"),
        };
        if let Some(limit) = limit {
            self.statistics.drop(limit);
            return OtherSide::Drop;
        }
        let constraints = path.constraints().to_vec();
        let query = Query::new(&constraints, fork.condition).with_hint(path.assignment());
        match ask(self.solver, shared, &query, self.statistics, None) {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        match fork.decider {
            Decider::State => {
                let (fork, base) = (*fork, self.base);
                self.around.push(Around { parked, fork, base, near: 0 });
            }
            decider => self.kept.push(Side { parked, decider }),
        }
    }

    fn find(&mut self, shared: &mut Shared, path: &Path, condition: ExprId) -> Found {
        match self.limits.reached(self.used) {
            Some(_) => Found::Unknown,
            None => find(self.solver, shared, path, condition, self.statistics),
        }
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }

    fn wants_pause(&self) -> bool {
        self.watches || self.diverged
    }
}

impl SeedDesk<'_> {
    /// The other side of a branch that both versions take together is kept unasked. That of a check is an error that both make.
    fn side_around(&mut self, path: &Path, fork: &Fork) -> OtherSide {
        let is_check = matches!(fork.reason, ForkReason::Check | ForkReason::Pointer);
        let Some(left) = self.left_around.filter(|_| !is_check) else { return OtherSide::Drop };
        if self.around.len() >= left || self.limits.reached(self.used).is_some() {
            self.statistics.around += 1;
            return OtherSide::Drop;
        }
        self.base = path.constraints().len();
        OtherSide::Keep(None)
    }
}

/// What is found beside a seed.
struct Following {
    limits: FollowLimits,
    points: Vec<Point>,
    around: Vec<Around>,
    /// How many of these the paths before the one that is followed have.
    around_before: usize,
    /// Other sides on the path that is followed, yet to be taken up.
    sides: Vec<Side>,
    /// Other sides on the path that is followed, in all.
    taken: usize,
    /// States that are to be followed like the seed.
    waiting: VecDeque<Parked>,
    /// The path that ended last was a new version's that had parted, and the state is the old one's now.
    goes_on: bool,
}

impl Following {
    /// A path was followed: its sides are as near as there are branches between them and where a change ran first, or its
    /// end, if none did. `changed` says whether one ran after the last of them.
    fn measure(&mut self, changed: bool) {
        let sides = &mut self.around[self.around_before..];
        let ran = sides.iter().position(|side| side.parked.has_changed());
        // No change on the path: whatever is near to it, nothing here is.
        let far = if ran.is_none() && !changed { FAR } else { 0 };
        let ran = ran.unwrap_or(sides.len());
        for (index, side) in sides.iter_mut().enumerate() {
            side.near = index.abs_diff(ran) as u32 + far;
        }
        self.around_before = self.around.len();
    }
}

/// Added to the distance of sides on whose path no change ran.
const FAR: u32 = 1 << 20;

/// What became of a state that ran for a while.
enum Ran {
    /// It goes on.
    On,
    /// Its versions have parted.
    Parted,
    /// Its path has ended.
    Ended,
}

impl Worker<'_> {
    /// Follows a seed, the input of `path`; returns the points found, and the sides around. How the seed's own path
    /// ended, and those that ended while a version ran alone, is told to the observer.
    pub fn follow(
        &mut self,
        process: &Process,
        path: Path,
        limits: FollowLimits,
        observer: &mut dyn Observer,
    ) -> Followed {
        let unstarted = self.state.fork(self.image);
        self.state.path = path;
        let mut following = Following {
            limits,
            points: Vec::new(),
            around: Vec::new(),
            around_before: 0,
            sides: Vec::new(),
            taken: 0,
            waiting: VecDeque::new(),
            goes_on: false,
        };
        let started = {
            let mut desk = self.seed_desk(limits.sides, None, false);
            desk.machine().start(process)
        };
        match started {
            Ok(()) => self.follow_all(&mut following, observer),
            Err(termination) => {
                let view = StateView::new(self.pool.new_id());
                self.end(&view, termination, observer);
            }
        }
        self.state.resume(self.image, unstarted);
        Followed { points: following.points, around: following.around }
    }

    /// Follows the state that has just started, and those beside it.
    fn follow_all(&mut self, following: &mut Following, observer: &mut dyn Observer) {
        let mut phase = Phase::Seed;
        for followed in 0.. {
            following.taken = 0;
            let before = (phase == Phase::Seed).then(|| self.shared.lockstep.clone());
            self.follow_one(phase, following, observer);
            following.measure(self.state.has_changed());
            if let Some(before) = before {
                self.statistics.tests.merge(&self.shared.lockstep.since(&before));
            }
            while let Some(side) = following.sides.pop() {
                if self.limits.reached(&self.used).is_some() {
                    self.statistics.drop_many(END_OF_RUN, 1 + following.sides.len());
                    following.sides.clear();
                    break;
                }
                self.state.resume(self.image, side.parked);
                self.run_side(side.decider, following, observer);
            }
            let limit = match self.limits.reached(&self.used) {
                Some(_) => Some(END_OF_RUN),
                None => (followed >= following.limits.inputs).then_some("followed"),
            };
            if let Some(limit) = limit {
                return self.statistics.drop_many(limit, following.waiting.len());
            }
            let Some(next) = following.waiting.pop_front() else { return };
            self.state.resume(self.image, next);
            phase = Phase::Concolic;
        }
    }

    /// Follows the running state to its end, or to where its versions part.
    fn follow_one(&mut self, phase: Phase, following: &mut Following, observer: &mut dyn Observer) {
        loop {
            match self.run_seed(false, following, observer) {
                Ran::On if self.limits.reached(&self.used).is_none() => {}
                Ran::On => return self.statistics.drop(END_OF_RUN),
                Ran::Parted => {
                    let parked = self.state.fork(self.image);
                    return following.points.push(Point { phase, parked });
                }
                Ran::Ended => return self.pair_ended(phase, following),
            }
        }
    }

    /// Runs a state beside the seed until its versions part, which makes a point, or are together
    /// again; then it waits to be followed if that is wanted.
    fn run_side(
        &mut self,
        decider: Decider,
        following: &mut Following,
        observer: &mut dyn Observer,
    ) {
        loop {
            match self.run_seed(true, following, observer) {
                Ran::On if self.limits.reached(&self.used).is_some() => {
                    return self.statistics.drop(END_OF_RUN);
                }
                Ran::On if self.state.is_alone() => {}
                Ran::On if decider == Decider::Alone => {
                    return following.waiting.push_back(self.state.fork(self.image));
                }
                Ran::On => return,
                Ran::Ended => return self.pair_ended(Phase::Concolic, following),
                Ran::Parted => {
                    let parked = self.state.fork(self.image);
                    return following.points.push(Point { phase: Phase::Concolic, parked });
                }
            }
        }
    }

    /// The running state has ended; if it goes on as the old version behind the split, that is a point.
    fn pair_ended(&mut self, phase: Phase, following: &mut Following) {
        if std::mem::take(&mut following.goes_on) {
            let parked = self.state.fork(self.image);
            following.points.push(Point { phase, parked });
        }
    }

    fn run_seed(
        &mut self,
        watches: bool,
        following: &mut Following,
        observer: &mut dyn Observer,
    ) -> Ran {
        let before = self.state.instructions();
        let left = following.limits.sides - following.taken;
        // A side that was taken up is followed only to where the versions part or are together again.
        let most = following.limits.around;
        let left_around = (most > 0 && !watches).then(|| most - following.around.len());
        let (ended, kept, diverged) = {
            let mut desk = self.seed_desk(left, left_around, watches);
            let ended = desk.machine().run(SLICE);
            following.around.append(&mut desk.desk.around);
            (ended, std::mem::take(&mut desk.desk.kept), desk.desk.diverged)
        };
        following.taken += kept.len();
        following.sides.extend(kept);
        let ran = self.state.instructions() - before;
        self.statistics.instructions += ran;
        self.used.instructions.fetch_add(ran, std::sync::atomic::Ordering::Relaxed);
        match ended {
            Some(termination) => {
                following.goes_on = self.tell_end(termination, false, None, observer);
                Ran::Ended
            }
            None if diverged => {
                self.tell_diverged(observer);
                Ran::Parted
            }
            None => Ran::On,
        }
    }

    fn seed_desk(&mut self, left: usize, left_around: Option<usize>, watches: bool) -> AtDesk<'_> {
        let desk = SeedDesk {
            solver: &mut *self.solver,
            statistics: &mut self.statistics,
            limits: &self.limits,
            used: &self.used,
            kept: Vec::new(),
            left,
            around: Vec::new(),
            left_around,
            base: 0,
            watches,
            diverged: false,
        };
        AtDesk { image: self.image, state: &mut self.state, shared: &mut self.shared, desk }
    }
}

/// The running state and the desk it hands its other sides in at.
struct AtDesk<'a> {
    image: &'a umbra_engine::Image,
    state: &'a mut umbra_engine::State,
    shared: &'a mut Shared,
    desk: SeedDesk<'a>,
}

impl AtDesk<'_> {
    fn machine(&mut self) -> Machine<'_> {
        Machine::new(self.image, self.state, self.shared, &mut self.desk)
    }
}
