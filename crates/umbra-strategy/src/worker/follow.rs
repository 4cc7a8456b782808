//! Near a test: both versions follow a given input, and where a branch looks at something that
//! differs between them, the solver is asked for inputs on which they part there (SHADOW, ICSE'16).
//!
//! The path of the seed is followed to its end. Only two kinds of other sides are taken up. Those of a
//! branch on a pair are wanted for one thing: the *point* where the versions have just parted; if
//! they take the other side together, that is dropped. Those of a version that runs alone are no
//! decision of both: following only the seed's would constrain the path by the condition of one
//! version, and hide divergences. So all paths of that version are followed up to where it meets the
//! other one, and from there on as if their own inputs were seeds ([`MOST_FOLLOWED`]).

use std::collections::VecDeque;

use umbra_engine::{
    Decider, Fork, Forks, Machine, NoForks, OtherSide, Parked, Path, Process, Shared,
};
use umbra_solver::{Query, Solver};

use super::desk::ask;
use super::{Observer, PathEnd, SLICE, Worker};
use crate::limits::{Limits, Used};
use crate::queue::StateView;
use crate::statistics::Statistics;

/// Other sides that are taken up on the path of one seed.
const MOST_SIDES: usize = 4096;

/// Inputs beside the seed that are followed like it.
const MOST_FOLLOWED: usize = 256;

/// Instructions after a point in which what the program asks for belongs to the test case of the point.
const LOOK_AHEAD: u64 = 100_000;

/// Where a point comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeedPhase {
    /// The versions part on the seed itself.
    Seed,
    /// The solver has found an input beside it.
    Concolic,
}

impl SeedPhase {
    /// The stable name for reports and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Concolic => "concolic",
        }
    }
}

/// A state whose versions have just parted.
pub struct Point {
    /// How it was found.
    pub phase: SeedPhase,
    pub(super) parked: Parked,
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
    /// Pause at every block, to see where the state is.
    watches: bool,
    diverged: bool,
}

impl Forks for SeedDesk<'_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        if fork.decider == Decider::State {
            return OtherSide::Drop;
        }
        if self.kept.len() >= MOST_SIDES || self.limits.reached(self.used).is_some() {
            self.statistics.drop("sides");
            return OtherSide::Drop;
        }
        let constraints = path.constraints().to_vec();
        let query = Query::new(&constraints, fork.condition).with_hint(path.assignment());
        match ask(self.solver, shared, &query, self.statistics) {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        self.kept.push(Side { parked, decider: fork.decider });
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }

    fn wants_pause(&self) -> bool {
        self.watches || self.diverged
    }
}

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
    /// Follows a seed, the input of `path`; returns the points found. How the seed's own path
    /// ended, and those that ended while a version ran alone, is told to the observer.
    pub fn follow(
        &mut self,
        process: &Process,
        path: Path,
        observer: &mut dyn Observer,
    ) -> Vec<Point> {
        let unstarted = self.state.fork(self.image);
        self.state.path = path;
        let mut points = Vec::new();
        let started = {
            let mut desk = self.seed_desk(false);
            desk.machine().start(process)
        };
        match started {
            Ok(()) => self.follow_all(&mut points, observer),
            Err(termination) => {
                let view = StateView::new(self.pool.new_id());
                self.end(&view, termination, observer);
            }
        }
        self.state.resume(self.image, unstarted);
        points
    }

    /// Follows the state that has just started, and those beside it.
    fn follow_all(&mut self, points: &mut Vec<Point>, observer: &mut dyn Observer) {
        let mut waiting: VecDeque<Parked> = VecDeque::new();
        let mut phase = SeedPhase::Seed;
        let mut followed = 0;
        loop {
            let mut sides = self.follow_one(phase, points, observer);
            while let Some(side) = sides.pop() {
                self.state.resume(self.image, side.parked);
                waiting.extend(self.run_side(side.decider, &mut sides, points, observer));
            }
            followed += 1;
            if followed > MOST_FOLLOWED || self.limits.reached(&self.used).is_some() {
                self.statistics.drop_many("seeds", waiting.len());
                return;
            }
            let Some(next) = waiting.pop_front() else { return };
            self.state.resume(self.image, next);
            phase = SeedPhase::Concolic;
        }
    }

    /// Follows the running state to its end, or to where its versions part; returns the other
    /// sides beside its path.
    fn follow_one(
        &mut self,
        phase: SeedPhase,
        points: &mut Vec<Point>,
        observer: &mut dyn Observer,
    ) -> Vec<Side> {
        let mut sides = Vec::new();
        loop {
            match self.run_seed(false, &mut sides, observer) {
                Ran::On if self.limits.reached(&self.used).is_none() => {}
                Ran::On => {
                    self.statistics.drop("seeds");
                    return sides;
                }
                Ran::Parted => {
                    points.push(Point { phase, parked: self.state.fork(self.image) });
                    return sides;
                }
                Ran::Ended => return sides,
            }
        }
    }

    /// Runs a state beside the seed until its versions part, which makes a point, or are together
    /// again; then it is returned if it is to be followed.
    fn run_side(
        &mut self,
        decider: Decider,
        sides: &mut Vec<Side>,
        points: &mut Vec<Point>,
        observer: &mut dyn Observer,
    ) -> Option<Parked> {
        loop {
            match self.run_seed(true, sides, observer) {
                Ran::On if self.limits.reached(&self.used).is_some() => return None,
                Ran::On if self.state.is_alone() => {}
                Ran::On if decider == Decider::Alone => return Some(self.state.fork(self.image)),
                Ran::On | Ran::Ended => return None,
                Ran::Parted => {
                    let parked = self.state.fork(self.image);
                    points.push(Point { phase: SeedPhase::Concolic, parked });
                    return None;
                }
            }
        }
    }

    fn run_seed(
        &mut self,
        watches: bool,
        sides: &mut Vec<Side>,
        observer: &mut dyn Observer,
    ) -> Ran {
        let before = self.state.instructions();
        let (ended, kept, diverged) = {
            let mut desk = self.seed_desk(watches);
            let ended = desk.machine().run(SLICE);
            (ended, std::mem::take(&mut desk.desk.kept), desk.desk.diverged)
        };
        sides.extend(kept);
        let ran = self.state.instructions() - before;
        self.statistics.instructions += ran;
        self.used.instructions.fetch_add(ran, std::sync::atomic::Ordering::Relaxed);
        match ended {
            Some(termination) => {
                self.statistics.end(termination.name());
                observer.path_ended(PathEnd {
                    termination,
                    state: &mut self.state,
                    shared: &mut self.shared,
                    solver: &mut *self.solver,
                    is_new: false,
                });
                Ran::Ended
            }
            None if diverged => Ran::Parted,
            None => Ran::On,
        }
    }

    /// Shows the state at a point, as if its path ended there, but with what it asks for later on the
    /// way of its own input: a test case without that would fit neither version.
    pub fn show(&mut self, point: &Point, observer: &mut dyn Observer) {
        let before = self.state.fork(self.image);
        self.state.resume(self.image, point.parked.copy());
        if self.image.asks_for_inputs() {
            let covered = self.shared.coverage.clone();
            Machine::new(self.image, &mut self.state, &mut self.shared, &mut NoForks)
                .run(LOOK_AHEAD);
            self.shared.coverage = covered;
            let later = self.state.path.clone();
            self.state.resume(self.image, point.parked.copy());
            self.state.path.adopt_inputs(&later);
        }
        observer.path_ended(PathEnd {
            termination: umbra_engine::Termination::Limit("point"),
            state: &mut self.state,
            shared: &mut self.shared,
            solver: &mut *self.solver,
            is_new: false,
        });
        self.state.resume(self.image, before);
    }

    fn seed_desk(&mut self, watches: bool) -> AtDesk<'_> {
        let desk = SeedDesk {
            solver: &mut *self.solver,
            statistics: &mut self.statistics,
            limits: &self.limits,
            used: &self.used,
            kept: Vec::new(),
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
