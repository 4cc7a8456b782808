//! Exploration on several threads.
//!
//! Every worker has its own expressions, solver and searcher, so workers share nothing while they
//! run. The first one starts the program; whoever has no state waits for others to give some of
//! theirs. The observers are called on the threads of their workers, without a lock, and come back
//! when all is done. What is observed has to be owned: expressions mean nothing in another worker.

use std::num::NonZeroUsize;
use std::sync::Arc;

use umbra_engine::{
    Coverage, Image, Limits as StateLimits, Memory, Path, Process, Shared, State,
    UninitialisedReads, Unrelated,
};
use umbra_solver::LayerStatistics;

use crate::exchange::Exchange;
use crate::limits::{Stopped, Used};
use crate::searcher::Again;
use crate::snapshot::{Book, Journal, Snapshot};
use crate::statistics::Statistics;
use crate::terrain::Terrain;
use crate::worker::{Config, NotRemade, Observer, Worker};

/// Bytes of a worker's stack, as much as the first thread of a process usually has.
pub const WORKER_STACK: usize = 8 << 20;

/// Added to the seed for each further worker.
const SEED_STEP: u64 = 0x9e37_79b9;

/// What is explored.
pub struct Exploration<'a> {
    /// The program.
    pub image: &'a Image,
    /// What the initial states share; inputs are expressions in it.
    pub shared: Shared,
    /// A state that has not started.
    pub state: State,
    /// What the program starts with: several are alternatives.
    pub paths: Vec<(Process, Path)>,
    /// Keeps snapshots of the run.
    pub journal: Option<&'a dyn Journal>,
    /// Where the run was when a process before this one was killed; it goes on there.
    pub snapshot: Option<Snapshot>,
}

impl<'a> Exploration<'a> {
    /// One that begins at the start and keeps no journal.
    pub fn new(
        image: &'a Image,
        shared: Shared,
        state: State,
        paths: Vec<(Process, Path)>,
    ) -> Self {
        Self { image, shared, state, paths, journal: None, snapshot: None }
    }
}

/// What came out of it.
pub struct Outcome<O> {
    /// Why not everything was explored.
    pub stopped: Option<Stopped>,
    /// All workers together.
    pub statistics: Statistics,
    /// Instructions of each worker.
    pub worker_instructions: Vec<u64>,
    /// What ran in any worker.
    pub coverage: Coverage,
    /// Where pointers to different objects were ordered or subtracted.
    pub unrelated: Unrelated,
    /// The layers of each worker's solver.
    pub layers: Vec<Vec<LayerStatistics>>,
    /// Expressions of all workers together.
    pub expressions: usize,
    /// The observers of all workers.
    pub observers: Vec<O>,
    /// Why there are fewer workers than were wanted, if there are: the system has no more threads.
    pub too_few_workers: Option<std::io::Error>,
    /// Why the run could not go on where it was; then nothing was explored.
    pub not_resumed: Option<NotRemade>,
}

/// One worker's part of the outcome.
struct Part<O> {
    stopped: Option<Stopped>,
    statistics: Statistics,
    coverage: Coverage,
    unrelated: Unrelated,
    layers: Vec<LayerStatistics>,
    expressions: usize,
    observer: O,
    not_resumed: Option<NotRemade>,
}

/// What the first worker begins with.
struct Beginning {
    paths: Vec<(Process, Path)>,
    snapshot: Option<Snapshot>,
}

/// Explores a program with so many workers, each configured by `configure` and observed by what
/// `observe` makes. If a limit is reached, the states that wait are ended as far as the limits of
/// that allow.
///
/// Limits on time, instructions and forks are those of all workers together, as the configuration of
/// the first one says; limits on states and memory are divided among them. With one worker and a
/// configuration that is [`Config::deterministic`], equal runs have equal outcomes.
pub fn explore<O: Observer + Send>(
    exploration: Exploration<'_>,
    workers: NonZeroUsize,
    configure: impl Fn(usize) -> Config + Sync,
    observe: impl Fn(usize) -> O + Sync,
) -> Outcome<O> {
    let Exploration { image, shared, state, paths, journal, snapshot } = exploration;
    let exchange = Arc::new(Exchange::new(image, workers.get()));
    let used = Arc::new(Used::new());
    let terrain = {
        let first = configure(0);
        let needed = first.terrain.is_none() && first.search.needs_terrain();
        first.terrain.or_else(|| needed.then(|| Arc::new(Terrain::new(image, &|_| true))))
    };
    let done = snapshot.as_ref().map_or(0, |snapshot| snapshot.statistics.instructions);
    let rounds = snapshot.as_ref().map_or(0, |snapshot| snapshot.rounds + 1);
    let book = journal.map(|journal| Book::new(journal, workers.get(), (rounds, done)));
    let beginning = Beginning { paths, snapshot };
    let run = |index: usize, mut shared: Shared, state: State, beginning: Option<&Beginning>| {
        shared.number_from(index, rounds);
        let mut config = configure(index);
        config.again =
            config.again.map(|again| Again { before: done / workers.get() as u64, ..again });
        config.terrain = config.terrain.or_else(|| terrain.clone());
        config.seed = config.seed.wrapping_add(SEED_STEP.wrapping_mul(index as u64));
        config.limits.states = config.limits.states.map(|states| states.div_ceil(workers.get()));
        config.limits.memory = config.limits.memory.map(|memory| memory / workers);
        let worker = Worker::new(image, shared, state, config)
            .with_others(Arc::clone(&exchange), Arc::clone(&used))
            .with_book(index, book.as_ref());
        work(worker, beginning, &exchange, observe(index))
    };
    let mut rooms = Vec::new();
    for _ in 1..workers.get() {
        // Equal beginnings: ids of expressions that were made before the start hold everywhere.
        let mut room = Shared::new(image);
        room.expressions = shared.expressions.clone();
        let limits = StateLimits::default();
        let memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        rooms.push((room, State::new(memory, state.environment.fork(), limits)));
    }
    let run = &run;
    let mut too_few_workers = None;
    let parts: Vec<Part<O>> = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (index, (shared, state)) in (1..).zip(rooms) {
            let thread = std::thread::Builder::new().stack_size(WORKER_STACK);
            match thread.spawn_scoped(scope, move || run(index, shared, state, None)) {
                Ok(thread) => threads.push(thread),
                // Those that there are do the work, and nobody waits for the others.
                Err(error) => {
                    exchange.leave();
                    too_few_workers = Some(error);
                }
            }
        }
        let mut parts = vec![run(0, shared, state, Some(&beginning))];
        for thread in threads {
            parts.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        parts
    });
    Outcome { too_few_workers, ..merge(image, parts, &exchange) }
}

/// Tells the others if a worker is lost to a panic.
struct Presence<'a>(&'a Exchange);

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.leave();
        }
    }
}

fn work<O: Observer>(
    mut worker: Worker<'_>,
    beginning: Option<&Beginning>,
    exchange: &Exchange,
    mut observer: O,
) -> Part<O> {
    let _presence = Presence(exchange);
    let mut not_resumed = None;
    match beginning {
        Some(Beginning { paths, snapshot: Some(snapshot) }) => {
            not_resumed = worker.go_on(snapshot, paths).err();
        }
        Some(Beginning { paths, snapshot: None }) => {
            for (process, path) in paths {
                worker.start(process, path.clone(), &mut observer);
            }
        }
        None => {}
    }
    let stopped = worker.explore(&mut observer);
    if let Some(stopped) = stopped {
        worker.drain(stopped, &mut observer);
    }
    observer.worker_ended(worker.shared());
    let mut layers = Vec::new();
    worker.solver().report(&mut layers);
    let part = Part {
        stopped,
        statistics: worker.statistics(),
        coverage: worker.shared().coverage.clone(),
        unrelated: worker.shared().unrelated.clone(),
        layers,
        expressions: worker.shared().expressions.len(),
        observer,
        not_resumed,
    };
    if stopped.is_some_and(Stopped::is_from_outside) {
        worker.abandon();
    }
    part
}

fn merge<O>(image: &Image, parts: Vec<Part<O>>, exchange: &Exchange) -> Outcome<O> {
    let mut outcome = Outcome {
        stopped: None,
        statistics: Statistics::default(),
        worker_instructions: Vec::new(),
        coverage: Coverage::new(image),
        unrelated: Unrelated::default(),
        layers: Vec::new(),
        expressions: 0,
        observers: Vec::new(),
        too_few_workers: None,
        not_resumed: None,
    };
    for part in parts {
        outcome.stopped = outcome.stopped.or(part.stopped);
        outcome.statistics.merge(&part.statistics);
        outcome.worker_instructions.push(part.statistics.instructions);
        outcome.coverage.merge(&part.coverage);
        outcome.unrelated.merge(&part.unrelated);
        outcome.layers.push(part.layers);
        outcome.expressions += part.expressions;
        outcome.observers.push(part.observer);
        outcome.not_resumed = outcome.not_resumed.or(part.not_resumed);
    }
    for parcel in exchange.rest() {
        outcome.statistics.drop_many("end-of-run", parcel.len());
    }
    outcome
}
