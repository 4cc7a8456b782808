//! The end of a run that was stopped: tests for states that still wait.

use std::time::{Duration, Instant};

use umbra_engine::Termination;
use umbra_solver::{Query, Solver};

use super::desk::ask;
use super::{Observer, PathEnd, Worker};
use crate::limits::{DrainLimits, Stopped};
use crate::queue::{StateId, Waiting};

/// Conflicts of the solver for the input of one state: what is not easy is not worth it any more.
const CONFLICTS: u64 = 200;

/// The counterpart for Z3.
const WORK: u32 = 500_000;

/// Time for the input of one state, where time counts.
const TIME: Duration = Duration::from_millis(50);

/// Time for all of it after a run that was stopped from outside.
const SOON: Duration = Duration::from_millis(500);

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

impl Worker<'_> {
    /// Ends every state that waits and has an input, then those for which one is found within the
    /// limits; the rest is counted as dropped.
    pub fn drain(&mut self, stopped: Stopped, observer: &mut dyn Observer) {
        self.take_rest();
        // Who stops a run from outside does not want to wait for it.
        let soon = (!stopped.is_budget()).then(|| Instant::now() + SOON);
        let end = [soon, self.limits.end].into_iter().flatten().min();
        if let Some(limits) = self.drain {
            let mut solver = self.quick_solver(&limits);
            let states = self.pool.by_worth(&self.shared.coverage);
            let (unasked, known): (Vec<StateId>, Vec<StateId>) =
                states.into_iter().partition(|&id| self.pool.has_goal(id));
            for id in known {
                if is_over(end) {
                    break;
                }
                if let Some(waiting) = self.pool.remove(id) {
                    self.end_early(waiting, &mut *solver, observer);
                }
            }
            self.drain_unasked(&limits, end, unasked, &mut *solver, observer);
        }
        let rest = self.pool.rest();
        self.leave_out("end-of-run", rest);
    }

    /// Ends states whose input has yet to be found, as long as the limits allow.
    fn drain_unasked(
        &mut self,
        limits: &DrainLimits,
        end: Option<Instant>,
        states: Vec<StateId>,
        solver: &mut dyn Solver,
        observer: &mut dyn Observer,
    ) {
        let start = Instant::now();
        let time = limits.time.map(|time| time.after(self.used.start.elapsed()));
        let (mut queries, mut constraints) = (0, 0);
        for id in states {
            let late = is_over(end) || time.is_some_and(|time| start.elapsed() >= time);
            if late || queries >= limits.queries || constraints >= limits.constraints {
                return;
            }
            let Some(mut waiting) = self.pool.remove(id) else { continue };
            let Some((base, goal)) = waiting.goal else { continue };
            let path = &waiting.parked.path;
            queries += 1;
            constraints += base as u64 + 1;
            let before = path.constraints().first(base);
            let query = Query::new(&before, goal).with_witness(path.assignment());
            let diff_path = waiting.parked.diff_path();
            let answer = ask(solver, &mut self.shared, &query, &mut self.statistics, diff_path);
            if let Some(assignment) = answer {
                waiting.parked.set_assignment(assignment);
                self.end_early(waiting, solver, observer);
            }
        }
    }

    /// Ends a state that could go on.
    fn end_early(
        &mut self,
        waiting: Waiting,
        solver: &mut dyn Solver,
        observer: &mut dyn Observer,
    ) {
        self.state.resume(self.image, waiting.parked);
        let termination = Termination::Limit("run");
        self.statistics.end(termination.name());
        observer.path_ended(PathEnd {
            termination,
            state: &mut self.state,
            shared: &mut self.shared,
            solver,
            is_new: waiting.view.is_new,
        });
    }

    /// A solver that soon gives up.
    fn quick_solver(&self, limits: &DrainLimits) -> Box<dyn Solver> {
        let usual = &self.solver_limits;
        umbra_solver::chain(umbra_solver::Config {
            limits: umbra_solver::Limits {
                conflicts: Some(usual.conflicts.unwrap_or(CONFLICTS).min(CONFLICTS)),
                work: Some(usual.work.unwrap_or(WORK).min(WORK)),
                time: limits.time.and(Some(TIME)),
                ..umbra_solver::Limits::default()
            },
            cross_check_every: None,
            log: None,
        })
    }
}
