//! A worker: runs states of one program, one at a time.
//!
//! A state that was selected gets an input from the solver if it has none that takes its side, and
//! runs for as long as the searcher's turns are ([`Batch`]). Between slices of instructions the
//! worker looks at its limits, at what other workers want (see [`crate::explorer`]), and whether an
//! error waits to be reported.

mod amplify;
mod config;
mod desk;
mod drain;
mod end;
mod follow;
mod lead;
mod memory;
mod move_out;
mod observer;
mod points;
mod pool;
mod remake;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use umbra_engine::{
    Fork, Image, Machine, NoForks, Parked, Path, Process, Shared, State, Termination,
};
use umbra_solver::{Query, Solver};

use crate::exchange::Exchange;
use crate::limits::{DrainLimits, Limits, Stopped, Used};
use crate::prune::Pruner;
use crate::queue::{StateView, Waiting};
use crate::searcher::{Batch, Thrifty};
use crate::snapshot::{Book, Snapshot};
use crate::statistics::Statistics;
use crate::terrain::Terrain;
use desk::{Desk, Kept, ask};
use pool::Pool;

/// Instructions between two looks at the limits.
const SLICE: u64 = 100_000;

pub use amplify::Route;
pub use config::Config;
pub(crate) use desk::find;
pub use follow::{FollowLimits, Followed, Point};
pub use observer::{Observer, PathEnd};
pub use points::{Open, PointBudget, Searches};
pub use remake::NotRemade;

/// The state that runs.
struct Running {
    view: StateView,
    /// Instructions in this turn.
    turn: u64,
}

/// The name under which states are dropped because the run is over.
const END_OF_RUN: &str = "end-of-run";

/// Runs states of one program, one at a time.
pub struct Worker<'a> {
    image: &'a Image,
    shared: Shared,
    solver: Box<dyn Solver>,
    solver_limits: umbra_solver::Limits,
    /// The room in which states run.
    state: State,
    /// The state that it was made with, to empty the room.
    unstarted: Option<Parked>,
    pool: Pool,
    limits: Limits,
    drain: Option<DrainLimits>,
    pruner: Option<Arc<Pruner>>,
    statistics: Statistics,
    used: Arc<Used>,
    /// The other workers, if there are any.
    exchange: Option<Arc<Exchange>>,
    /// How much of the coverage they know.
    published: usize,
    /// How often it was asked for memory so far.
    asked: u64,
    /// Which of the workers it is.
    number: usize,
    /// Where it writes its part of snapshots.
    book: Option<&'a Book<'a>>,
}

impl<'a> Worker<'a> {
    /// A worker with one state, which starts the program; inputs are expressions in `shared`.
    pub fn new(image: &'a Image, mut shared: Shared, state: State, mut config: Config) -> Self {
        config.end_queries_with_the_run();
        let stop = config.limits.control.flag();
        config.solver.limits.stop.get_or_insert_with(|| Arc::clone(stop));
        shared.alarm = Some(Arc::clone(stop));
        let terrain = match config.terrain {
            None if config.search.needs_terrain() => Some(Arc::new(Terrain::new(image, &|_| true))),
            terrain => terrain,
        };
        let mut searcher = config.search.searcher(config.seed, terrain.as_ref());
        if let Some(again) = config.again {
            searcher = Box::new(Thrifty::new(searcher, again));
        }
        Self {
            image,
            shared,
            solver_limits: config.solver.limits.clone(),
            solver: umbra_solver::chain(config.solver),
            state,
            pool: Pool::new(searcher),
            limits: config.limits,
            drain: config.drain,
            pruner: config.pruner,
            statistics: Statistics::default(),
            used: Arc::new(Used::new()),
            exchange: None,
            published: 0,
            asked: 0,
            number: 0,
            book: None,
            unstarted: None,
        }
    }

    /// The same worker with another solver.
    pub fn with_solver(self, solver: Box<dyn Solver>) -> Self {
        Self { solver, ..self }
    }

    /// A worker that shares its states with others.
    pub(crate) fn with_others(self, exchange: Arc<Exchange>, used: Arc<Used>) -> Self {
        Self { exchange: Some(exchange), used, ..self }
    }

    /// A worker of this number that writes down its part of snapshots.
    pub(crate) fn with_book(self, number: usize, book: Option<&'a Book<'a>>) -> Self {
        Self { number, book, ..self }
    }

    /// Goes on where a run was: with what was counted and what ran, and with its states.
    pub(crate) fn go_on(
        &mut self,
        snapshot: &Snapshot,
        starts: &[(Process, Path)],
    ) -> Result<(), NotRemade> {
        snapshot.cover(&mut self.shared.coverage);
        self.statistics.merge(&snapshot.statistics);
        self.used.instructions.fetch_add(snapshot.statistics.instructions, Ordering::Relaxed);
        self.used.forks.fetch_add(snapshot.forks, Ordering::Relaxed);
        let remade = self.remake(&snapshot.states, starts);
        // What was counted while they were made again is counted already.
        self.shared.lockstep = snapshot.statistics.lockstep.clone();
        self.shared.unrelated.merge(&snapshot.unrelated);
        remade
    }

    /// What was counted so far.
    pub fn statistics(&self) -> Statistics {
        Statistics { lockstep: self.shared.lockstep.clone(), ..self.statistics.clone() }
    }

    /// What its states share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The solver, for its own statistics.
    pub fn solver(&self) -> &dyn Solver {
        &*self.solver
    }

    /// The limit of the run that is reached, if one is.
    pub fn limit_reached(&self) -> Option<Stopped> {
        self.limits.reached(&self.used)
    }

    /// From now on it may take so much more time.
    pub fn allow(&mut self, time: std::time::Duration) {
        self.limits.time = Some(self.used.start.elapsed() + time);
    }

    /// From now on it may keep so many bytes.
    pub fn limit_memory(&mut self, bytes: usize) {
        self.limits.memory = Some(bytes);
    }

    /// States that wait.
    pub fn waiting(&self) -> usize {
        self.pool.len()
    }

    /// Bytes that only states that wait use.
    pub fn waiting_bytes(&self) -> usize {
        self.pool.bytes()
    }

    /// Adds a state that starts the program on a path; several are alternatives.
    pub fn start(&mut self, process: &Process, path: Path, observer: &mut dyn Observer) {
        // There may be thousands, with thousands of arguments each.
        if self.limits.reached(&self.used).is_some() {
            self.statistics.drop(END_OF_RUN);
            return;
        }
        let unstarted = self.state.fork(self.image);
        self.state.path = path;
        let mut desk = Desk::new(&mut *self.solver, &mut self.statistics, &self.limits, &self.used);
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
        let started = machine.start(process);
        let view = StateView::new(self.pool.new_id());
        match started {
            Ok(()) => self.park(view),
            Err(termination) => self.end(&view, termination, observer),
        }
        self.unstarted.get_or_insert_with(|| unstarted.copy());
        self.state.resume(self.image, unstarted);
    }

    /// Ends it without giving back its memory. For a process that is about to end: to give back gigabytes piece
    /// by piece, and Z3's terms, takes seconds that the limits do not allow.
    pub fn abandon(self) {
        std::mem::forget(self);
    }

    /// Explores until nothing is left, here or with the other workers, or a limit is reached.
    pub fn explore(&mut self, observer: &mut dyn Observer) -> Option<Stopped> {
        if self.exchange.is_none() {
            self.used = Arc::new(Used::new());
        }
        let mut running: Option<Running> = None;
        loop {
            self.share(running.is_some());
            if let Some(stopped) = self.stopped() {
                if let Some(running) = running {
                    self.park(running.view);
                }
                if let Some(exchange) = &self.exchange {
                    exchange.stop(stopped);
                }
                return Some(stopped);
            }
            self.stand_still(running.as_ref());
            self.shrink();
            running = self.give_memory(running, observer);
            let next = running.take().or_else(|| self.wake());
            match next {
                Some(state) => running = self.run(state, observer),
                // The time ran out while it looked for a state.
                None if self.pool.len() > 0 => {}
                None if self.receive() => {}
                None => return self.exchange.as_ref().and_then(|exchange| exchange.stopped()),
            }
            observer.progress(&self.statistics, &self.shared, self.pool.len());
        }
    }

    /// Why to stop now, if at all.
    fn stopped(&self) -> Option<Stopped> {
        let elsewhere = self.exchange.as_ref().and_then(|exchange| exchange.stopped());
        if elsewhere.is_some() {
            return elsewhere;
        }
        if self.shared.expressions.limit_reached() {
            return Some(Stopped::Expressions);
        }
        let expressions = self.shared.expressions.bytes();
        if self.limits.memory.is_some_and(|limit| expressions >= limit) {
            return Some(Stopped::Memory);
        }
        self.limits.reached(&self.used)
    }

    /// Runs a state for a while; returns it if it goes on.
    fn run(&mut self, mut running: Running, observer: &mut dyn Observer) -> Option<Running> {
        let (before, covered) = (self.state.instructions(), self.shared.coverage.count());
        let batch = self.pool.batch();
        let path_limit = self.limits.path_instructions.unwrap_or(u64::MAX);
        let alone_limit = self.state.given_up_at().unwrap_or(u64::MAX);
        let slice = match batch {
            Batch::Instructions(turn) => SLICE.min(turn.saturating_sub(running.turn).max(1)),
            Batch::ToTheEnd | Batch::UntilFork => SLICE,
        };
        let slice = slice
            .min(path_limit.min(alone_limit).saturating_sub(before))
            .min(self.limits.instructions_left(&self.used));
        let mut desk = Desk::new(&mut *self.solver, &mut self.statistics, &self.limits, &self.used)
            .behind(self.state.diff_path());
        if batch == Batch::UntilFork {
            desk = desk.pausing();
        }
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
        let mut ended = machine.run(slice);
        let (kept, paused) = (std::mem::take(&mut desk.kept), desk.paused);
        let diverged = desk.diverged;

        let ran = self.state.instructions() - before;
        self.statistics.instructions += ran;
        self.used.instructions.fetch_add(ran, Ordering::Relaxed);
        running.turn += ran;
        let new = self.shared.coverage.count() > covered;
        running.view.is_new |= new;
        running.view.stale = if new { 0 } else { running.view.stale + ran };
        for side in kept {
            self.keep(&running.view, side);
        }
        if ended.is_none() && self.state.instructions() >= path_limit {
            ended = Some(Termination::Limit("instructions"));
        }
        if ended.is_none() && self.state.instructions() >= alone_limit {
            ended = Some(Termination::Limit("alone"));
        }
        if let Some(termination) = ended {
            self.end(&running.view, termination, observer);
            return None;
        }
        if diverged {
            self.tell_diverged(observer);
        }
        let over = match batch {
            Batch::Instructions(turn) => running.turn >= turn && self.pool.len() > 0,
            Batch::ToTheEnd => false,
            Batch::UntilFork => paused,
        };
        if over || self.pool.is_urgent() {
            self.park(running.view);
            return None;
        }
        Some(running)
    }

    /// Keeps the other side of a fork.
    fn keep(&mut self, parent: &StateView, side: Kept) {
        let view = StateView {
            parent: Some(parent.id),
            reason: Some(side.fork.reason),
            target: side.fork.target,
            stale: parent.stale,
            near: parent.near.saturating_add(side.parked.path.depth().saturating_sub(parent.depth)),
            ..StateView::new(self.pool.new_id())
        };
        let goal = (!side.solved).then_some((side.base, side.fork.condition));
        self.pool.add(self.image, &self.shared.coverage, view, side.parked, goal);
        self.statistics.peak_states = self.statistics.peak_states.max(self.pool.len() + 1);
    }

    /// Puts the running state back to the others.
    fn park(&mut self, view: StateView) {
        let view = StateView { reason: None, target: None, ..view };
        let parked = self.state.fork(self.image);
        self.pool.add(self.image, &self.shared.coverage, view, parked, None);
    }

    /// Wakes the next state for which there is an input.
    fn wake(&mut self) -> Option<Running> {
        loop {
            let mut waiting = self.pool.select(self.image, &self.shared.coverage)?;
            if self.is_settled(&waiting) {
                self.pool.forget(waiting.view.id);
                self.statistics.pruned += 1;
                continue;
            }
            if let Some((base, goal)) = waiting.goal {
                let path = &waiting.parked.path;
                let before = path.constraints().first(base);
                let query = Query::new(&before, goal).with_witness(path.assignment());
                let diff_path = waiting.parked.diff_path();
                let (solver, statistics) = (&mut *self.solver, &mut self.statistics);
                let answer = ask(solver, &mut self.shared, &query, statistics, diff_path);
                let Some(assignment) = answer else {
                    self.pool.forget(waiting.view.id);
                    // With many sides that nobody can take, time may run out here.
                    if self.limits.reached(&self.used).is_some() {
                        return None;
                    }
                    continue;
                };
                waiting.parked.set_assignment(assignment);
            }
            self.state.resume(self.image, waiting.parked);
            return Some(Running { view: waiting.view, turn: 0 });
        }
    }

    /// Whether nothing that a state can come to is different in two versions.
    fn is_settled(&self, waiting: &Waiting) -> bool {
        let Some(pruner) = &self.pruner else { return false };
        pruner.is_settled(self.image, &self.shared.expressions, &waiting.view, &waiting.parked)
    }

    fn machine<'b>(&'b mut self, forks: &'b mut NoForks) -> Machine<'b> {
        Machine::new(self.image, &mut self.state, &mut self.shared, forks)
    }
}
