//! A solver that fails is noticed and counted; it is never taken for an answer.

use std::sync::Arc;

use umbra_engine::{
    Image, Inputs, Limits, Memory, NoSystem, Path, Process, Shared, State, UninitialisedReads,
};
use umbra_expr::{Assignment, Expressions};
use umbra_solver::{Error, Query, Solver, Verdict};
use umbra_strategy::{Config, Statistics, Worker};

use crate::setting::{Count, TREE, parse};

/// Explores a program with a solver of any kind.
fn statistics(solver: Box<dyn Solver>) -> Statistics {
    let mut memory = Memory::new(1 << 20, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(parse(TREE)), &mut memory, Inputs::Symbolic);
    let state = State::new(memory, Box::new(NoSystem), Limits::default());
    // A state with a wrong input forks at the same branch again and again.
    let limits = umbra_strategy::Limits { forks: Some(30), ..umbra_strategy::Limits::default() };
    let config = Config { limits, ..Config::default() };
    let worker = Worker::new(&image, Shared::new(&image), state, config);
    let mut worker = worker.with_solver(solver);
    let path = Path::new(Assignment::new());
    worker.start(&Process::default(), path, &mut Count::default());
    assert_eq!(worker.explore(&mut Count::default()), None);
    worker.statistics()
}

/// Contradicts itself.
struct Torn;

impl Solver for Torn {
    fn check(&mut self, _: &mut Expressions, query: &Query<'_>) -> Result<Verdict, Error> {
        let (first, second) = ("one", "the other");
        let (answer, other) = ("unsat", "sat");
        Err(Error::Disagreement { first, answer, second, other, goal: query.goal })
    }
}

#[test]
fn solvers_that_disagree_are_counted() {
    let statistics = statistics(Box::new(Torn));
    let forks: u64 = statistics.forks.values().sum();
    assert!(forks > 0);
    assert_eq!(statistics.failures.get("solvers-disagree"), Some(&forks));
    assert!(statistics.unknown.is_empty());
    assert_eq!(statistics.paths(), 1);
}

/// Says that the input it was given will do.
struct Lazy;

impl Solver for Lazy {
    fn check(&mut self, _: &mut Expressions, query: &Query<'_>) -> Result<Verdict, Error> {
        Ok(Verdict::Sat(query.hint.cloned().unwrap_or_default()))
    }
}

#[test]
fn inputs_that_do_not_take_their_paths_are_counted() {
    let statistics = statistics(Box::new(Lazy));
    // The first path was run with its own input.
    assert!(statistics.paths() > 1);
    assert_eq!(statistics.failures.get("wrong-input"), Some(&(statistics.paths() - 1)));
}
