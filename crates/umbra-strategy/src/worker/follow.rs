//! Near a test: both versions follow a given input, and where a branch looks at something that
//! differs between them, the solver is asked for inputs on which they part there (SHADOW, ICSE'16).
//!
//! The path of the seed is followed to its end and nothing else of the program is. Only two kinds of
//! other sides are taken up: those of a branch on a pair, and those of a version that runs alone,
//! whose paths are all followed up to where it meets the other one. What comes of it is a *point*:
//! a state whose versions have just parted. Other sides that end up together again are dropped.

use umbra_engine::{Decider, Fork, Forks, Machine, OtherSide, Parked, Path, Process, Shared};
use umbra_solver::{Query, Solver};

use super::desk::ask;
use super::{Observer, PathEnd, SLICE, Worker};
use crate::limits::{Limits, Stopped, Used};
use crate::queue::StateView;
use crate::statistics::Statistics;

/// Other sides that are taken up near one seed.
const MOST_SIDES: usize = 4096;

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
    parked: Parked,
}

/// Hands in the other sides that are wanted near a seed.
struct SeedDesk<'a> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    used: &'a Used,
    kept: Vec<Parked>,
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
        let query = Query::new(path.constraints(), fork.condition).with_hint(path.assignment());
        match ask(self.solver, shared, &query, self.statistics) {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, _: &Fork) {
        self.kept.push(parked);
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
        let mut sides = Vec::new();
        let mut points = Vec::new();
        let started = {
            let mut desk = self.seed_desk(false);
            desk.machine().start(process)
        };
        match started {
            Ok(()) => loop {
                match self.run_seed(false, &mut sides, observer) {
                    Ran::On if self.limits.reached(&self.used).is_none() => {}
                    Ran::On => {
                        self.statistics.drop("end-of-seed");
                        break;
                    }
                    Ran::Parted => {
                        let parked = self.state.fork(self.image);
                        points.push(Point { phase: SeedPhase::Seed, parked });
                        break;
                    }
                    Ran::Ended => break,
                }
            },
            Err(termination) => {
                let view = StateView::new(self.pool.new_id());
                self.end(&view, termination, observer);
            }
        }
        while let Some(side) = sides.pop() {
            self.state.resume(self.image, side);
            self.run_side(&mut sides, &mut points, observer);
        }
        self.state.resume(self.image, unstarted);
        points
    }

    /// Runs a state beside the seed until its versions part or are together again.
    fn run_side(
        &mut self,
        sides: &mut Vec<Parked>,
        points: &mut Vec<Point>,
        observer: &mut dyn Observer,
    ) {
        loop {
            match self.run_seed(true, sides, observer) {
                Ran::On if self.state.is_alone() && self.limits.reached(&self.used).is_none() => {}
                Ran::On | Ran::Ended => return,
                Ran::Parted => {
                    let parked = self.state.fork(self.image);
                    points.push(Point { phase: SeedPhase::Concolic, parked });
                    return;
                }
            }
        }
    }

    fn run_seed(
        &mut self,
        watches: bool,
        sides: &mut Vec<Parked>,
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

    /// Explores the new version from points, as far as the limits allow.
    pub fn explore_from(
        &mut self,
        points: Vec<Point>,
        observer: &mut dyn Observer,
    ) -> Option<Stopped> {
        for point in points {
            let view = StateView::new(self.pool.new_id());
            self.pool.add(self.image, &self.shared.coverage, view, point.parked, None);
        }
        self.explore(observer)
    }

    /// Shows the state at a point, as if its path ended there.
    pub fn show(&mut self, point: &Point, observer: &mut dyn Observer) {
        let before = self.state.fork(self.image);
        self.state.resume(self.image, point.parked.copy());
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
