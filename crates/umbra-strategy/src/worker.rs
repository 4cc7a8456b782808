//! A worker: runs states of one program, one at a time.

use std::collections::HashMap;
use std::time::Instant;

use umbra_engine::{
    Fork, ForkReason, Forks, Image, Machine, OtherSide, Parked, Path, Process, Shared, State,
    Termination,
};
use umbra_expr::Assignment;
use umbra_solver::{Query, Solver, Verdict};

use crate::limits::{Limits, Stopped};
use crate::queue::{StateId, StateView, View, Waiting};
use crate::searcher::{Search, Searcher};
use crate::statistics::Statistics;

/// Instructions between two looks at the limits.
const SLICE: u64 = 100_000;

/// How a worker works.
pub struct Config {
    /// When to stop.
    pub limits: Limits,
    /// Which state is next.
    pub search: Search,
    /// For searchers that draw lots.
    pub seed: u64,
    /// The solver and its limits.
    pub solver: umbra_solver::Config,
}

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
}

/// Is told how paths end.
pub trait Observer {
    /// A path has ended.
    fn path_ended(&mut self, end: PathEnd<'_>);

    /// Called between paths and every so many instructions.
    fn progress(&mut self, statistics: &Statistics, shared: &Shared, waiting: usize) {
        let _ = (statistics, shared, waiting);
    }
}

/// Runs states of one program, one at a time.
pub struct Worker<'a> {
    image: &'a Image,
    shared: Shared,
    solver: Box<dyn Solver>,
    /// The room in which states run.
    state: State,
    waiting: HashMap<StateId, Waiting>,
    searcher: Box<dyn Searcher>,
    limits: Limits,
    statistics: Statistics,
    next_id: u64,
    start: Instant,
}

impl<'a> Worker<'a> {
    /// A worker with one state, which starts the program; inputs are expressions in `shared`.
    pub fn new(
        image: &'a Image,
        shared: Shared,
        state: State,
        config: Config,
    ) -> Self {
        Self {
            image,
            shared,
            solver: umbra_solver::chain(config.solver),
            state,
            waiting: HashMap::new(),
            searcher: config.search.searcher(config.seed),
            limits: config.limits,
            statistics: Statistics::default(),
            next_id: 0,
            start: Instant::now(),
        }
    }

    /// What was counted so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What its states share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The solver, for its own statistics.
    pub fn solver(&self) -> &dyn Solver {
        &*self.solver
    }

    /// States that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a state that starts the program on a path; several are alternatives.
    pub fn start(&mut self, process: &Process, path: Path, observer: &mut dyn Observer) {
        let unstarted = self.state.fork(self.image);
        self.state.path = path;
        let mut desk = Desk::new(&mut *self.solver, &mut self.statistics, &self.limits, false);
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
        match machine.start(process) {
            Ok(()) => {
                let view = StateView {
                    id: self.new_id(),
                    parent: None,
                    reason: None,
                    place: 0,
                    target: None,
                    depth: 0,
                    instructions: 0,
                    stale: 0,
                };
                self.park(view);
            }
            Err(termination) => self.end(termination, observer),
        }
        self.state.resume(self.image, unstarted);
    }

    /// Explores until nothing is left or a limit is reached.
    pub fn explore(&mut self, observer: &mut dyn Observer) -> Option<Stopped> {
        self.start = Instant::now();
        let mut next: Option<(StateView, usize)> = None;
        loop {
            if let Some(stopped) = self.limits.reached(self.start, &self.statistics) {
                if let Some((view, _)) = next {
                    self.park(view);
                }
                return Some(stopped);
            }
            if self.shared.expressions.limit_reached() {
                return Some(Stopped::Expressions);
            }
            let (view, covered) = match next.take() {
                Some(running) => running,
                None => match self.wake() {
                    Some(view) => (view, self.shared.coverage.count()),
                    None => return None,
                },
            };
            next = self.run(view, covered, observer);
            observer.progress(&self.statistics, &self.shared, self.waiting.len());
        }
    }

    /// Runs the current state for a while; returns it if it goes on.
    fn run(
        &mut self,
        mut view: StateView,
        covered: usize,
        observer: &mut dyn Observer,
    ) -> Option<(StateView, usize)> {
        let before = self.state.instructions();
        let pauses = self.searcher.pauses_at_forks();
        let mut desk = Desk::new(&mut *self.solver, &mut self.statistics, &self.limits, pauses);
        let mut machine =
            Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
        let mut ended = machine.run(SLICE);
        let (kept, paused) = (std::mem::take(&mut desk.kept), desk.paused);
        self.statistics.instructions += self.state.instructions() - before;
        let now_covered = self.shared.coverage.count();
        view.stale =
            if now_covered > covered { 0 } else { view.stale + self.state.instructions() - before };
        view.instructions = self.state.instructions();
        view.depth = self.state.path.depth();
        for (parked, fork, base, solved) in kept {
            self.keep(&view, parked, fork, base, solved);
        }
        let limit = self.limits.path_instructions.unwrap_or(u64::MAX);
        if ended.is_none() && self.state.instructions() >= limit {
            ended = Some(Termination::Limit("instructions"));
        }
        match ended {
            Some(termination) => {
                self.end(termination, observer);
                None
            }
            None if paused => {
                self.park(view);
                None
            }
            None => Some((view, now_covered)),
        }
    }

    fn new_id(&mut self) -> StateId {
        self.next_id += 1;
        StateId(self.next_id)
    }

    /// Keeps the other side of a fork.
    fn keep(&mut self, parent: &StateView, parked: Parked, fork: Fork, base: usize, solved: bool) {
        let view = StateView {
            id: self.new_id(),
            parent: Some(parent.id),
            reason: Some(fork.reason),
            place: fork.place,
            target: fork.target,
            depth: parked.path.depth(),
            instructions: parked.instructions(),
            stale: parent.stale,
        };
        let goal = if solved { None } else { Some((base, fork.condition)) };
        self.add(Waiting { view, parked, goal });
    }

    fn add(&mut self, waiting: Waiting) {
        self.searcher.add(&waiting.view);
        self.waiting.insert(waiting.view.id, waiting);
        self.statistics.peak_states = self.statistics.peak_states.max(self.waiting.len() + 1);
    }

    /// Puts the running state back to the others.
    fn park(&mut self, mut view: StateView) {
        view.reason = None;
        view.target = None;
        let parked = self.state.fork(self.image);
        view.place = parked.place();
        self.add(Waiting { view, parked, goal: None });
    }

    /// Wakes the next state for which there is an input.
    fn wake(&mut self) -> Option<StateView> {
        loop {
            let view = View { coverage: &self.shared.coverage };
            let id = self.searcher.select(&view)?;
            let Some(mut waiting) = self.waiting.remove(&id) else { continue };
            if let Some((base, goal)) = waiting.goal {
                let path = &waiting.parked.path;
                let query = Query::new(&path.constraints()[..base], goal)
                    .with_hint(path.assignment());
                let answer =
                    ask(&mut *self.solver, &mut self.shared, &query, &mut self.statistics);
                match answer {
                    Some(assignment) => waiting.parked.set_assignment(assignment),
                    None => continue,
                }
            }
            self.state.resume(self.image, waiting.parked);
            return Some(waiting.view);
        }
    }

    fn end(&mut self, termination: Termination, observer: &mut dyn Observer) {
        *self.statistics.ends.entry(termination.name()).or_default() += 1;
        observer.path_ended(PathEnd {
            termination,
            state: &mut self.state,
            shared: &mut self.shared,
            solver: &mut *self.solver,
        });
    }

    /// Ends every state that waits, as far as there is an input for it.
    pub fn drain(&mut self, observer: &mut dyn Observer) {
        while let Some(_view) = self.wake() {
            self.end(Termination::Limit("run"), observer);
        }
    }
}

/// Asks the solver; `None` if there is no such input, or none is known.
fn ask(
    solver: &mut dyn Solver,
    shared: &mut Shared,
    query: &Query<'_>,
    statistics: &mut Statistics,
) -> Option<Assignment> {
    let start = Instant::now();
    let verdict = solver.check(&mut shared.expressions, query);
    statistics.solver_time += start.elapsed();
    statistics.queries += 1;
    match verdict {
        Ok(Verdict::Sat(model)) => Some(model),
        Ok(Verdict::Unsat(_)) => {
            statistics.infeasible += 1;
            None
        }
        Ok(Verdict::Unknown(reason)) => {
            *statistics.unknown.entry(reason.name()).or_default() += 1;
            None
        }
        Err(_) => {
            *statistics.unknown.entry("error").or_default() += 1;
            None
        }
    }
}

/// Where the machine hands in the other sides of forks.
struct Desk<'a> {
    solver: &'a mut dyn Solver,
    statistics: &'a mut Statistics,
    limits: &'a Limits,
    /// State, fork, number of constraints before, and whether it can run at once.
    kept: Vec<(Parked, Fork, usize, bool)>,
    pauses: bool,
    paused: bool,
    /// Of the fork that was answered last.
    base: usize,
    solved: bool,
}

impl<'a> Desk<'a> {
    fn new(
        solver: &'a mut dyn Solver,
        statistics: &'a mut Statistics,
        limits: &'a Limits,
        pauses: bool,
    ) -> Self {
        Self {
            solver,
            statistics,
            limits,
            kept: Vec::new(),
            pauses,
            paused: false,
            base: 0,
            solved: false,
        }
    }

    /// The limit that forbids another state, if one does.
    fn forbidden(&self, path: &Path, fork: &Fork) -> Option<&'static str> {
        let limits = self.limits;
        if fork.reason == ForkReason::Assumption {
            return None;
        }
        if limits.depth.is_some_and(|depth| path.depth() >= depth) {
            return Some("depth");
        }
        if fork.reason == ForkReason::Value
            && limits.values.is_some_and(|values| path.values() > values)
        {
            return Some("values");
        }
        if limits.forks.is_some_and(|forks| self.statistics.forks.values().sum::<u64>() >= forks) {
            return Some("forks");
        }
        None
    }
}

impl Forks for Desk<'_> {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        *self.statistics.forks.entry(fork.reason.name()).or_default() += 1;
        if let Some(limit) = self.forbidden(path, fork) {
            *self.statistics.dropped.entry(limit).or_default() += 1;
            return OtherSide::Drop;
        }
        self.base = path.constraints().len();
        // Most checks cannot fail: ask before a state is made.
        let at_once = matches!(fork.reason, ForkReason::Check | ForkReason::Pointer);
        self.solved = at_once;
        if !at_once {
            return OtherSide::Keep(None);
        }
        let query = Query::new(path.constraints(), fork.condition).with_hint(path.assignment());
        match ask(self.solver, shared, &query, self.statistics) {
            Some(assignment) => OtherSide::Keep(Some(assignment)),
            None => OtherSide::Drop,
        }
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        self.paused = self.pauses;
        self.kept.push((parked, *fork, self.base, self.solved));
    }

    fn wants_pause(&self) -> bool {
        self.paused
    }
}
