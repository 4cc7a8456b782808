//! Bounded exploration from the divergence points of a test, those first that are deep on its path.
//!
//! A point is explored breadth-first until so many branches lie between it and each state; what is deeper is suspended, and goes on when a
//! greater distance allows for more. So nothing is executed twice.

use std::collections::VecDeque;
use std::time::Instant;

use umbra_engine::{Machine, Termination};
use umbra_solver::Query;

use super::desk::{Behind, BehindDesk};
use super::{Divergence, Leveled, Route};
use crate::amplify::{Amplifier, AmplifyLimits, Checks, Digests, Sensitive, Work, mix};
use crate::limits::Stopped;
use crate::worker::desk::ask;
use crate::worker::{SLICE, Worker};

/// The names under which states are dropped that would wait behind a point, and that there is no room for.
const SUSPENDED: &str = "suspended";
const MEMORY: &str = "memory";

/// States that go on at once where there is little room.
const FEW: usize = 64;

impl Worker<'_> {
    /// Explores what is `distance` divergence points before sensitive operations of a test, `bound` branches deep. Says why it
    /// ended early, if it did.
    pub fn amplify_at(
        &mut self,
        route: &mut Route,
        (distance, bound): (u32, u32),
        (sensitive, limits): (&Sensitive, &AmplifyLimits),
        observer: &mut dyn Amplifier,
    ) -> Option<Stopped> {
        let unstarted = self.state.fork(self.image);
        let mut digests = Digests::default();
        let mut stopped = None;
        // How many of the points with two sides lie behind the segment.
        let mut behind = 0;
        for segment in (0..route.segments.len()).rev() {
            if !route.segments[segment] {
                continue;
            }
            if self.is_asked_for_memory() {
                self.forget(route);
            }
            let Some(point) = self.point_before(route, segment, distance, &mut behind) else {
                break;
            };
            stopped = self.limits.reached(&self.used);
            if stopped.is_some() {
                break;
            }
            let point = &mut route.points[point];
            if point.bound.is_some_and(|done| done >= bound) {
                continue;
            }
            route.counts.explored += 1;
            let search = Search { distance, bound, sensitive, limits };
            self.explore_point(point, &search, &mut digests, observer);
        }
        self.state.resume(self.image, unstarted);
        stopped.or_else(|| self.limits.reached(&self.used))
    }

    /// The position of the point that is the `distance`-th with two sides before a segment.
    fn point_before(
        &mut self,
        route: &mut Route,
        segment: usize,
        distance: u32,
        behind: &mut usize,
    ) -> Option<usize> {
        // Segment n ends with point n.
        while route.possible.get(*behind).is_some_and(|&point| point >= segment) {
            *behind += 1;
        }
        let wanted = |behind: usize| behind + distance as usize - 1;
        while route.possible.len() <= wanted(*behind) {
            if route.asked == route.before || self.limits.reached(&self.used).is_some() {
                return None;
            }
            route.asked -= 1;
            let position = route.asked - route.before;
            if self.solve_sides(&mut route.points[position]) {
                route.possible.push(route.asked);
                if route.asked >= segment {
                    *behind += 1;
                }
            }
        }
        Some(route.possible[wanted(*behind)] - route.before)
    }

    /// Finds inputs for the other sides of a point; those that nobody can take are dropped. Says whether any is left.
    fn solve_sides(&mut self, point: &mut Divergence) -> bool {
        let mut sides = std::mem::take(&mut point.sides);
        sides.retain_mut(|side| {
            if side.solved {
                return true;
            }
            let path = &side.parked.path;
            let before = path.constraints().first(point.base);
            let query = Query::new(&before, side.condition).with_witness(path.assignment());
            let (solver, statistics) = (&mut *self.solver, &mut self.statistics);
            match ask(solver, &mut self.shared, &query, statistics, None) {
                Some(assignment) => {
                    side.parked.set_assignment(assignment);
                    side.solved = true;
                    true
                }
                None => false,
            }
        });
        point.sides = sides;
        !point.sides.is_empty()
    }

    /// Explores from a point as deep as is allowed now.
    fn explore_point(
        &mut self,
        point: &mut Divergence,
        search: &Search<'_>,
        digests: &mut Digests,
        observer: &mut dyn Amplifier,
    ) {
        let Search { distance, bound, sensitive, limits } = *search;
        let work = Work::Point { digest: self.digest(point, digests), bound };
        point.bound = Some(bound);
        if observer.is_done(work, distance) {
            return;
        }
        let start = Instant::now();
        let mut queue: VecDeque<Leveled> = VecDeque::new();
        let (next, rest) = std::mem::take(&mut point.suspended)
            .into_iter()
            .partition::<Vec<_>, _>(|state| state.level <= bound);
        point.suspended = rest;
        queue.extend(next);
        let sides = std::mem::take(&mut point.sides);
        queue.extend(sides.into_iter().map(|side| Leveled { parked: side.parked, level: 0 }));
        while let Some(Leveled { parked, level }) = queue.pop_front() {
            let late = limits.point_time.is_some_and(|time| start.elapsed() >= time);
            if late || self.limits.reached(&self.used).is_some() {
                // They wait for the next distance, and count as not explored until then.
                point.suspended.push(Leveled { parked, level });
                point.suspended.extend(queue);
                self.statistics.drop(if late { "point-time" } else { "end-of-run" });
                return;
            }
            if self.is_asked_for_memory() {
                let dropped = point.suspended.len() + queue.len().saturating_sub(FEW);
                point.suspended.clear();
                queue.truncate(FEW);
                self.statistics.drop_many(MEMORY, dropped);
                self.limits.control.answer();
            }
            observer.begins(work, distance, level);
            let limit = parked.instructions() + limits.instructions;
            self.state.resume(self.image, parked);
            let (ended, kept) = self.run_on(&limits.which, sensitive, limit);
            let has_forked = kept.iter().any(|kept| !kept.failing);
            let below = level + u32::from(has_forked);
            let mut add = |state: Leveled, first: bool| match state.level > bound {
                true if point.suspended.len() >= limits.states => {
                    self.statistics.drop(SUSPENDED);
                }
                true => point.suspended.push(state),
                false if first => queue.push_front(state),
                false => queue.push_back(state),
            };
            for Behind { parked, failing } in kept {
                let level = if failing { level } else { below };
                add(Leveled { parked, level }, failing);
            }
            match ended {
                Some(termination) => {
                    self.check_input(&termination);
                    self.tell_end(termination, false, None, observer);
                }
                None => {
                    let parked = self.state.fork(self.image);
                    add(Leveled { parked, level: below }, false);
                }
            }
            observer.progress(&self.statistics, &self.shared, queue.len());
        }
    }

    /// Whether somebody has asked for memory since this was asked last.
    pub(super) fn is_asked_for_memory(&mut self) -> bool {
        let asked = self.limits.control.asked();
        asked != std::mem::replace(&mut self.asked, asked)
    }

    /// Drops what is suspended behind points, and the older half of the points.
    pub(super) fn forget(&mut self, route: &mut Route) {
        let suspended: usize = route.points.iter().map(|point| point.suspended.len()).sum();
        route.points.iter_mut().for_each(|point| point.suspended.clear());
        let half = route.points.len() / 2;
        route.points.drain(..half);
        route.before += half;
        route.asked = route.asked.max(route.before);
        route.possible.retain(|&point| point >= route.before);
        route.counts.forgotten += half as u64;
        self.statistics.drop_many(MEMORY, suspended);
        self.limits.control.answer();
    }

    fn digest(&self, point: &Divergence, digests: &mut Digests) -> u64 {
        let expressions = &self.shared.expressions;
        let path = point.sides.first().map(|side| &side.parked.path);
        let path = path.or_else(|| point.suspended.first().map(|state| &state.parked.path));
        let constraints = path.map_or(Vec::new(), |path| path.constraints().first(point.base));
        digests.forget_path();
        mix(&[digests.of_path(expressions, &constraints), point.place.into()])
    }

    /// Runs the running state to its next branch of which both sides are possible, to its end or to a limit.
    pub(super) fn run_on(
        &mut self,
        which: &Checks,
        sensitive: &Sensitive,
        limit: u64,
    ) -> (Option<Termination>, Vec<Behind>) {
        let mut all = Vec::new();
        loop {
            let before = self.state.instructions();
            let (ended, kept, has_forked) = {
                let mut desk = BehindDesk::new(
                    (&mut *self.solver, &mut self.statistics, &self.limits, &self.used),
                    which,
                    sensitive,
                );
                let mut machine =
                    Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
                let ended = machine.run(SLICE.min(limit.saturating_sub(before)));
                (ended, std::mem::take(&mut desk.kept), desk.has_forked)
            };
            self.count(self.state.instructions() - before);
            all.extend(kept);
            let late = self.state.instructions() >= limit;
            let ended = ended.or(late.then_some(Termination::Limit("instructions")));
            if ended.is_some() || has_forked || self.limits.reached(&self.used).is_some() {
                return (ended, all);
            }
        }
    }
}

/// How a point is explored.
#[derive(Clone, Copy)]
struct Search<'a> {
    distance: u32,
    bound: u32,
    sensitive: &'a Sensitive,
    limits: &'a AmplifyLimits,
}
