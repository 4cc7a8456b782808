//! What becomes of a path when it ends.

use umbra_engine::{Image, Parked, Shared, Termination};
use umbra_os::Kernel;
use umbra_solver::{Query, Solver, Verdict};
use umbra_strategy::{Built, Observer, PathEnd, Statistics};

use super::board::Post;
use super::collect::Collector;
use crate::Guard;

/// Preferences of a path that are tried; each is a question to the solver.
const PREFERENCES: usize = 64;

/// Tells the collector of each path, with its test case where one is wanted.
pub struct PathObserver<'a> {
    pub image: &'a Image,
    pub built: &'a Built,
    /// What is run in place of the program.
    pub function: Option<&'a str>,
    pub collector: &'a Collector,
    pub guard: &'a dyn Guard,
    pub post: Post<'a>,
}

impl Observer for PathObserver<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let PathEnd { termination, state, shared, solver, is_new } = end;
        // A kernel is cheap to clone, and the state is needed below.
        let kernel = Kernel::of(&*state.environment).clone();
        let refused = state.memory.refused();
        let unsupported = kernel.unsupported_calls();
        if !unsupported.is_empty() {
            self.collector.unsupported(unsupported.into_iter().map(|call| call.name));
        }
        if refused.is_some() {
            self.collector.allocation_refused();
        }
        self.collector.path_ended(&termination, is_new, || {
            let start = state.path.origin() as usize;
            let mut case = if state.path.preferences().is_empty() {
                self.built.case(start, &state.path, &kernel, refused, shared, &termination)
            } else {
                let status = state.exit_status();
                let mut better = state.fork(self.image);
                prefer(&mut better, shared, solver);
                // The status that the path ended with is that of the input it ran with.
                let termination = match (&termination, status) {
                    (Termination::Exited(_), Some(status)) => {
                        let mut evaluation = shared.evaluation(better.path.assignment());
                        Termination::Exited(evaluation.value_u64(status) as i32)
                    }
                    _ => termination.clone(),
                };
                self.built.case(start, &better.path, &kernel, refused, shared, &termination)
            };
            if let Some(function) = self.function {
                case.origin.insert("function".to_owned(), function.to_owned());
            }
            case
        });
    }

    fn progress(&mut self, statistics: &Statistics, shared: &Shared, waiting: usize) {
        self.guard.ran(self.post.worker, statistics.instructions);
        self.post.update(statistics, &shared.coverage, waiting);
    }
}

/// Gives the path an input that meets as many of its preferences as can be, the first ones first.
fn prefer(parked: &mut Parked, shared: &mut Shared, solver: &mut dyn Solver) {
    let preferences = parked.path.preferences().to_vec();
    let mut constraints = parked.path.constraints().to_vec();
    for preference in preferences.into_iter().take(PREFERENCES) {
        let query = Query::new(&constraints, preference).with_witness(parked.path.assignment());
        if let Ok(Verdict::Sat(model)) = solver.check(&mut shared.expressions, &query) {
            parked.set_assignment(model);
            constraints.push(preference);
        }
    }
}
