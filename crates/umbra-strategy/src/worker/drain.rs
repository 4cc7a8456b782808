//! The end of a run that was stopped: tests for states that still wait.

use std::time::{Duration, Instant};

use umbra_engine::Termination;
use umbra_solver::{Query, Solver};

use super::desk::ask;
use super::{Observer, PathEnd, Worker};

/// Conflicts of the solver for the input of one state: what is not easy is not worth it any more.
const CONFLICTS: u64 = 200;

/// The counterpart for Z3.
const WORK: u32 = 500_000;

/// Time for the input of one state, where time counts.
const TIME: Duration = Duration::from_millis(50);

impl Worker<'_> {
    /// Ends every state that waits and has an input, or for which one is quickly found; the rest is
    /// counted as dropped.
    pub fn drain(&mut self, observer: &mut dyn Observer) {
        let start = Instant::now();
        let time = self.drain.time(self.used.start.elapsed());
        let mut solver = self.quick_solver();
        let (mut queries, mut constraints) = (0, 0);
        for id in self.pool.by_worth(&self.shared.coverage) {
            let late = time.is_some_and(|time| start.elapsed() >= time);
            let tired = queries >= self.drain.queries || constraints >= self.drain.constraints;
            if late || tired {
                break;
            }
            let Some(mut waiting) = self.pool.remove(id) else { continue };
            if let Some((base, goal)) = waiting.goal {
                let path = &waiting.parked.path;
                queries += 1;
                constraints += base as u64 + 1;
                let before = path.constraints().first(base);
                let query = Query::new(&before, goal).with_witness(path.assignment());
                let answer = ask(&mut *solver, &mut self.shared, &query, &mut self.statistics);
                let Some(assignment) = answer else { continue };
                waiting.parked.set_assignment(assignment);
            }
            self.state.resume(self.image, waiting.parked);
            let termination = Termination::Limit("run");
            self.statistics.end(termination.name());
            observer.path_ended(PathEnd {
                termination,
                state: &mut self.state,
                shared: &mut self.shared,
                solver: &mut *solver,
                is_new: waiting.view.is_new,
            });
        }
        let rest = self.pool.clear();
        self.statistics.drop_many("end-of-run", rest);
    }

    /// A solver that soon gives up.
    fn quick_solver(&self) -> Box<dyn Solver> {
        let usual = &self.solver_limits;
        umbra_solver::chain(umbra_solver::Config {
            limits: umbra_solver::Limits {
                conflicts: Some(usual.conflicts.unwrap_or(CONFLICTS).min(CONFLICTS)),
                work: Some(usual.work.unwrap_or(WORK).min(WORK)),
                time: self.drain.time.and(Some(TIME)),
                ..umbra_solver::Limits::default()
            },
            cross_check_every: None,
            log: None,
        })
    }
}
