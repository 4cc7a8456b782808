//! Who is told how paths end.

use umbra_engine::{Shared, State, Termination};
use umbra_solver::Solver;
use umbra_words::Phase;

use crate::statistics::Statistics;

/// A path that has ended.
pub struct PathEnd<'a> {
    /// How it ended.
    pub termination: Termination,
    /// The state at its end.
    pub state: &'a mut State,
    /// What it shares with other states.
    pub shared: &'a mut Shared,
    /// The solver, for questions about the path.
    pub solver: &'a mut dyn Solver,
    /// Whether something ran on it for the first time, since it was forked.
    pub is_new: bool,
}

/// Is told how paths end.
///
/// Each worker has its own, which is called on the worker's thread.
pub trait Observer {
    /// A path has ended.
    fn path_ended(&mut self, end: PathEnd<'_>);

    /// The path has ended that stands for a point where the versions parted, or is given up; the point was found in this
    /// phase. Called for each point, unless the program is to be run with no input that takes it, and again
    /// for the old version that is followed on that path (its state has a [`State::new_end`]).
    fn point_ended(&mut self, phase: Phase, end: PathEnd<'_>) {
        let _ = phase;
        self.path_ended(end);
    }

    /// The versions of a state have parted on an input that is known, and the state goes on. Its paths may
    /// have no end, or not be followed to it.
    fn diverged(&mut self, state: PathEnd<'_>) {
        let _ = state;
    }

    /// What is told from here on is found in this phase.
    fn phase(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// Called between paths and every so many instructions.
    fn progress(&mut self, statistics: &Statistics, shared: &Shared, waiting: usize) {
        let _ = (statistics, shared, waiting);
    }

    /// The worker has nothing more to do, and this is what all its paths shared.
    fn worker_ended(&mut self, shared: &Shared) {
        let _ = shared;
    }
}
