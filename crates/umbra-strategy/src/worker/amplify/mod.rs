//! A test is followed and its sensitive operations are checked (distance 0); then what is around them is explored.
//!
//! The own input of the test decides every branch. At a sensitive operation the solver is asked for another input of the same path
//! that goes wrong; such a state is run later, to see how. At branches nothing is asked: their other sides are kept as
//! [`Divergence`]s. The path falls into *segments* between them. Of each segment it is known whether something sensitive
//! ran in it, which is all that `points.rs` needs: an operation is as far from a point as there are points between.
//!
//! What is a sensitive operation on numbers is a property of the code, so the machine does not look for it. Blocks that have one are watched
//! by the coverage, and what ran behind a call that has returned is seen from the calls that are open at the next branch.

mod desk;
mod points;

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

use umbra_engine::{Coverage, Machine, Parked, Path, Process, Termination};
use umbra_expr::ExprId;

use super::{SLICE, Worker};
use crate::amplify::{Amplifier, AmplifyCounts, AmplifyLimits, Digests, Sensitive, Work};
use crate::limits::Stopped;
use desk::FollowDesk;

/// Instructions after which something that is wrong must have shown itself.
const SHOWS: u64 = 100_000;

/// Other objects that one access is followed to.
const MOST_OBJECTS: usize = 64;

/// The path of a test, between explorations from it.
pub struct Route {
    /// Where it could have gone another way, the last of them.
    points: VecDeque<Divergence>,
    /// How many there were before those.
    before: usize,
    /// For each segment whether something sensitive ran in it. The first one ends with the first point.
    segments: Vec<bool>,
    /// Numbers of points from which both sides are possible, the last one first, as far as that was asked.
    possible: Vec<usize>,
    /// The first point that was asked about.
    asked: usize,
    /// What was counted.
    pub counts: AmplifyCounts,
    /// Why the path was not followed to its end, if it was not.
    pub stopped: Option<Stopped>,
    /// Which blocks and edges ran.
    pub ran: Vec<bool>,
}

/// A branch of the path, with its other sides.
struct Divergence {
    sides: Vec<Side>,
    /// Constraints before it.
    base: usize,
    /// Decisions before it: the sides of one switch have the same.
    decisions: u32,
    place: u32,
    /// How deep was explored from here.
    bound: Option<u32>,
    /// States behind it that are to go on when it may be deeper.
    suspended: Vec<Leveled>,
}

/// The other side of a branch.
struct Side {
    parked: Parked,
    condition: ExprId,
    /// Whether its own input takes it.
    solved: bool,
}

/// A state behind a point, with the number of branches in between.
struct Leveled {
    parked: Parked,
    level: u32,
}

/// A state in which an operation may go wrong.
struct Failing {
    parked: Parked,
    digest: u64,
}

/// What is found on a path while it is followed.
struct Following<'a> {
    sensitive: &'a Sensitive,
    limits: &'a AmplifyLimits,
    route: Route,
    failing: Vec<Failing>,
    digests: Digests,
    /// Where calls returned to at the last branch.
    returns: Vec<u32>,
    /// Whether something sensitive ran since the last branch.
    is_sensitive: bool,
    /// How often each operation was met.
    met: std::collections::HashMap<u32, u32>,
}

impl Route {
    /// How many points are kept.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is nothing to explore from.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Bytes that only its states use.
    pub fn bytes(&self) -> usize {
        let of = |point: &Divergence| {
            let sides = point.sides.iter().map(|side| side.parked.bytes()).sum::<usize>();
            sides + point.suspended.iter().map(|state| state.parked.bytes()).sum::<usize>()
        };
        self.points.iter().map(of).sum()
    }
}

impl Worker<'_> {
    /// Follows a test, the input of `path`, and checks what is sensitive on its way. How it ended, and how inputs end that go wrong, is told
    /// to the observer.
    pub fn amplify(
        &mut self,
        process: &Process,
        path: Path,
        (sensitive, limits): (&Sensitive, &AmplifyLimits),
        observer: &mut dyn Amplifier,
    ) -> Route {
        let unstarted = self.state.fork(self.image);
        self.state.path = path;
        self.shared.coverage = Coverage::watching(self.image, sensitive.blocks.clone());
        self.shared.checks_ranges = limits.which.memory;
        let mut following = Following {
            sensitive,
            limits,
            route: Route {
                points: VecDeque::new(),
                before: 0,
                segments: Vec::new(),
                possible: Vec::new(),
                asked: 0,
                counts: AmplifyCounts::default(),
                stopped: None,
                ran: Vec::new(),
            },
            failing: Vec::new(),
            digests: Digests::default(),
            returns: Vec::new(),
            is_sensitive: false,
            met: Default::default(),
        };
        let solved = self.statistics.solver_time;
        let start = Instant::now();
        let ended = self.follow_test(process, &mut following, observer);
        let counts = &mut following.route.counts;
        counts.solving = self.statistics.solver_time - solved;
        counts.followed = start.elapsed().saturating_sub(counts.solving);
        counts.instructions = self.state.instructions();
        let last = self.shared.coverage.take_watched() || following.is_sensitive;
        following.route.segments.push(last || following.returned_into(&[]));
        following.route.ran = self.shared.coverage.all();
        following.route.asked = following.route.before + following.route.points.len();
        observer.begins(Work::Seed, 0, 0);
        if let Some(termination) = ended {
            self.check_input(&termination);
            self.tell_end(termination, false, None, observer);
        }
        for failing in std::mem::take(&mut following.failing) {
            self.run_failing(failing, &mut following, observer);
        }
        self.state.resume(self.image, unstarted);
        following.route
    }

    /// Runs the test itself, to its end if there is time.
    fn follow_test(
        &mut self,
        process: &Process,
        following: &mut Following<'_>,
        observer: &mut dyn Amplifier,
    ) -> Option<Termination> {
        let started = {
            let mut desk = FollowDesk::new(
                (&mut *self.solver, &mut self.statistics, &self.limits, &self.used),
                following,
                observer,
            );
            Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk).start(process)
        };
        if let Err(termination) = started {
            return Some(termination);
        }
        loop {
            let before = self.state.instructions();
            let ended = {
                let mut desk = FollowDesk::new(
                    (&mut *self.solver, &mut self.statistics, &self.limits, &self.used),
                    following,
                    observer,
                );
                Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk).run(SLICE)
            };
            self.count(self.state.instructions() - before);
            if ended.is_some() {
                return ended;
            }
            following.route.stopped = self.limits.reached(&self.used);
            if following.route.stopped.is_some() {
                return None;
            }
            if self.is_asked_for_memory() {
                self.forget(&mut following.route);
            }
            observer.progress(&self.statistics, &self.shared, 0);
        }
    }

    /// Runs a state in which an operation goes wrong, or leads to another object than on the test's path: then the operation has other sides
    /// again.
    fn run_failing(
        &mut self,
        failing: Failing,
        following: &mut Following<'_>,
        observer: &mut dyn Amplifier,
    ) {
        let digest = failing.digest;
        let mut waiting = vec![failing.parked];
        for _ in 0..MOST_OBJECTS {
            let Some(parked) = waiting.pop() else { return };
            self.state.resume(self.image, parked);
            observer.begins(Work::Check(digest), 0, 0);
            let limit = self.state.instructions() + SHOWS;
            let (ended, kept) = self.run_on(&following.limits.which, following.sensitive, limit);
            waiting.extend(kept.into_iter().filter(|kept| kept.failing).map(|kept| kept.parked));
            if let Some(termination) = ended {
                self.check_input(&termination);
                self.tell_end(termination, false, None, observer);
            }
        }
    }

    fn count(&mut self, ran: u64) {
        self.statistics.instructions += ran;
        self.used.instructions.fetch_add(ran, Ordering::Relaxed);
    }
}

impl Following<'_> {
    /// A branch has come: what ran since the last one is a segment. `returns` is where the calls return to that are open
    /// now.
    fn end_segment(&mut self, watched: bool, returns: Vec<u32>) {
        let sensitive = watched || self.is_sensitive || self.returned_into(&returns);
        self.route.segments.push(sensitive);
        self.is_sensitive = false;
        self.returns = returns;
    }

    /// Whether a call that was open at the last branch has returned to where a sensitive operation follows.
    fn returned_into(&self, returns: &[u32]) -> bool {
        let common = self.returns.iter().zip(returns).take_while(|(a, b)| a == b).count();
        self.returns[common..].iter().any(|place| self.sensitive.after_calls.contains(place))
    }
}
