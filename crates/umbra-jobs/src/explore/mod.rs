//! All paths of a program.
//!
//! `collect.rs` is told of every path by all workers and decides which get a test case; a thread of its
//! own writes them (`write.rs`), since a folder takes longer than a path. `board.rs` is where workers post
//! how far they are.

mod board;
mod collect;
mod observe;
mod summary;
mod write;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use umbra_case::{Call, Case};
use umbra_engine::{
    Image, Inputs, Limits, Memory, Path, Shared, State, UninitialisedReads, Unrelated,
};
use umbra_expr::Assignment;
use umbra_os::{Kernel, MemoryLower};
use umbra_report::{LineCoverage, Phase, RunFolder, RunSummary, Sample, Undefined};
use umbra_solver::{LayerStatistics, Recorder, folder_recorder};
use umbra_strategy::{
    Config, DrainLimits, DrainTime, Exploration, Outcome, Search, Seed, Snapshot, Statistics,
    Terrain, World, place_of,
};

use crate::program::Loaded;
use crate::{
    CallChoice, CallSource, Error, Journal, JournalError, Logbook, OpenTests, RunJob, SearchName,
    Watched, WhichTests, own, read_case,
};
use board::{Board, Post};
use collect::{Collector, MOST, Most, Told};
use observe::PathObserver;
use write::{Page, Progress, Queue, Results, Writer, Written};

pub use board::Line;
pub(crate) use collect::finding;
pub use summary::Standing;

/// Instructions that are executed for each state between two pages of the journal. A search that is not thrifty keeps many
/// states, and much has to be done again anyhow.
const PER_STATE: u64 = 100;
const PER_STATE_OF_MANY: u64 = 500;

/// Instructions between two pages of the journal at least.
const PACE: u64 = 80_000;

/// Instructions before the first one: a run that is over sooner keeps no journal.
const FIRST: u64 = 250_000;

/// Keeps the journal: sends pages to the writer.
struct Keeper {
    per_state: u64,
    told: Arc<Mutex<Told>>,
    queue: Queue,
}

impl umbra_strategy::Journal for Keeper {
    fn write(&self, snapshot: Snapshot) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.queue.send_page(Page { snapshot, told });
    }

    fn pace(&self, states: usize, done: u64) -> u64 {
        if done == 0 { FIRST } else { PACE.max(states as u64 * self.per_state) }
    }
}

/// What exploring came to, before it is summed up.
struct Explored {
    statistics: Statistics,
    layers: Vec<LayerStatistics>,
    stopped: Option<umbra_strategy::Stopped>,
    /// What each worker executed.
    worker_instructions: Vec<u64>,
    /// States that were made at the start.
    starts: u64,
    /// States that waited when the run stopped.
    open: u64,
    coverage: LineCoverage,
    /// Where pointers to different objects were ordered or subtracted.
    undefined: Vec<Undefined>,
    history: Vec<Sample>,
    told: Told,
    too_few_workers: Option<String>,
}

/// What all paths of a program came to.
pub struct Paths {
    /// The numbers; what the process took and the exit code are left to the caller.
    pub summary: RunSummary,
    /// The lines that ran.
    pub coverage: LineCoverage,
    /// Where the run stood over time.
    pub history: Vec<Sample>,
    /// What went wrong with us, in words.
    pub problems: Vec<String>,
    /// Test cases that KLEE's format has no place for.
    pub without_ktest: u64,
    /// Where the test cases are.
    pub folder: RunFolder,
    /// The journal there.
    pub journal: Arc<Journal>,
}

/// Who wants to know how a run goes.
pub struct RunWatch<'a> {
    /// What keeps it within its limits.
    pub watched: Watched<'a>,
    /// Is given what can be asked of the run from now on, whatever it is doing.
    pub standing: &'a dyn Fn(Standing),
    /// Shows where it stands.
    pub line: Option<Line<'a>>,
}

/// What the program starts from: symbolic inputs; or calls inside of it, on a command line or in a test.
fn world(job: &RunJob) -> Result<World, Error> {
    let calls = match &job.subject.from {
        None => return Ok(job.inputs.world()?),
        Some(CallSource { choice: CallChoice::These(calls), .. }) => calls.clone(),
        Some(CallSource { functions, choice: CallChoice::Number(number) }) => {
            let call = |function: &String| Call {
                function: function.clone(),
                number: *number,
                arguments: Vec::new(),
            };
            functions.iter().map(call).collect()
        }
        // Nobody has chosen.
        Some(CallSource { .. }) => return Err(Error::CallsWithoutNative),
    };
    let world = match &job.test {
        None => job.inputs.world()?,
        Some(test) => {
            let case = Case { call: calls.first().cloned(), ..read_case(test)? };
            Seed::of_case(case).world()
        }
    };
    Ok(World { calls, ..world })
}

/// Does a job: follows the paths of a program and writes test cases to the folder. Goes on where another
/// process was, if there was one.
pub fn explore(
    job: &RunJob,
    program: Loaded,
    logbook: Logbook,
    watch: &RunWatch<'_>,
) -> Result<Paths, Error> {
    let world = world(job)?;
    let watched = &watch.watched;
    let mut clock = Clock { last: watched.budget.start, phases: Vec::new() };
    clock.ended("load");
    let (journal, progress, folder) =
        logbook.unpack(|progress: &Progress| progress.written.cases)?;
    let (before, written) = match progress {
        Some(Progress { snapshot, told, written }) => (Some((snapshot, told)), written),
        None => (None, Written::default()),
    };
    let start = write::Start { folder, written, journal, ktest: job.tests.ktest };
    let (writer, queue) = Writer::start(start, watched.budget, watched.control)?;
    let explored =
        explore_paths(job, program, &world, watch, (&writer, queue, before), &mut clock)?;
    let mut results = writer.finish();
    clock.ended("write");
    if let Some(failure) = results.failure.take() {
        return Err(failure);
    }
    Ok(paths(explored, results, clock.phases))
}

fn paths(explored: Explored, results: Results, phases: Vec<Phase>) -> Paths {
    let summary = summary::of_run(&explored, &results, phases);
    let few = explored.too_few_workers.into_iter();
    let bugs = explored.told.bugs.iter();
    let bugs = bugs.map(|bug| format!("an engine bug ended a path: {bug}"));
    Paths {
        summary,
        problems: few.chain(bugs).collect(),
        coverage: explored.coverage,
        history: explored.history,
        without_ktest: results.without_ktest,
        folder: results.folder,
        journal: results.journal,
    }
}

/// Makes the folder for the questions to the solver; files of another run would be taken for this
/// one's.
pub fn prepare_log(folder: &FilePath) -> Result<(), Error> {
    let making = "creating the folder for queries";
    std::fs::create_dir_all(folder).map_err(Error::file(making, folder))?;
    if std::fs::read_dir(folder).map_err(Error::file(making, folder))?.next().is_some() {
        return Err(Error::LogNotEmpty(folder.to_owned()));
    }
    Ok(())
}

/// Measures the parts of a run.
struct Clock {
    last: Instant,
    phases: Vec<Phase>,
}

impl Clock {
    fn ended(&mut self, name: &str) {
        let seconds = self.last.elapsed().as_secs_f64();
        self.phases.push(Phase { name: name.to_owned(), seconds });
        self.last = Instant::now();
    }
}

fn explore_paths(
    job: &RunJob,
    program: Loaded,
    world: &World,
    watch: &RunWatch<'_>,
    (writer, queue, before): (&Writer, Queue, Option<(Snapshot, Told)>),
    clock: &mut Clock,
) -> Result<Explored, Error> {
    let watched = &watch.watched;
    let schedule = job.schedule.schedule();
    let limits = Limits { memory: job.limits.memory_mib << 20, schedule, ..Limits::default() };
    let uninitialised = match job.check_uninitialised {
        true => UninitialisedReads::Error,
        false => UninitialisedReads::Zero,
    };
    let mut memory = Memory::new(limits.memory, uninitialised);
    let image = Image::new(Arc::clone(&program.program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let mut config = world_config();
    let identity = [config.uid, config.uid, config.gid, config.gid];
    let built = world.build(&mut shared.expressions, identity);
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config).map_err(Error::Start)?;
    let state = State::new(memory, Box::new(kernel), limits);
    let starts = built.starts.len() as u64;
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let search = job.strategy.search.as_ref().map(SearchName::search).unwrap_or_default();
    let terrain = Arc::new(Terrain::of_files(&image, &own::is_own));
    clock.ended("prepare");

    let workers =
        affordable(job.strategy.workers, shared.expressions.bytes(), watched.budget.memory);
    let board = Board::new(&image, workers.get(), queue.clone(), writer.so_far().tests, watch.line);
    let most = match job.tests.most {
        Some(most) => Most::Exactly(most),
        // How fast things are written is different each time.
        None if job.strategy.deterministic => Most::Exactly(MOST),
        None => Most::AsFastAsWritten,
    };
    let round = before.as_ref().map_or(0, |(snapshot, _)| snapshot.rounds() + 1);
    let (snapshot, told) = before.unzip();
    let collector = Collector::new(job.tests.which, most, queue.clone(), told.unwrap_or_default());
    let is_thrifty = job.limits.again().is_some();
    let per_state = if is_thrifty { PER_STATE } else { PER_STATE_OF_MANY };
    let keeper = Keeper { per_state, told: collector.told_so_far(), queue };
    watched.guard.set_up();
    (watch.standing)(Standing {
        told: collector.told_so_far(),
        posted: board.standing(),
        written: writer.so_far(),
    });
    let exploration = Exploration {
        journal: Some(&keeper),
        snapshot,
        ..Exploration::new(&image, shared, state, paths)
    };
    let configure = |worker| {
        let mut config =
            Config { terrain: Some(Arc::clone(&terrain)), ..strategy(job, &search, watched) };
        config.solver.log = log_of(job, round, worker);
        config
    };
    let outcome = umbra_strategy::explore(exploration, workers, configure, |worker| PathObserver {
        image: &image,
        built: &built,
        function: job.subject.function.as_deref(),
        collector: &collector,
        guard: watched.guard,
        post: Post { board: &board, worker, next: Instant::now() },
    });
    clock.ended("explore");
    // What is left is to write what was found, which the writer ends in time by itself.
    watched.guard.over();
    if let Some(why) = outcome.not_resumed {
        return Err(JournalError::from(why).into());
    }
    let Outcome { stopped, statistics, worker_instructions, coverage, layers, .. } = outcome;
    let undefined = undefined(&outcome.unrelated, &image);
    let observers = outcome.observers;
    drop(observers);
    let too_few_workers = outcome.too_few_workers.map(|error| {
        let (there, wanted) = (worker_instructions.len(), workers.get());
        format!("running {there} workers instead of {wanted}: cannot start more threads ({error})")
    });
    let told = collector.into_told();
    let open = told.open + statistics.dropped.get("end-of-run").copied().unwrap_or(0);
    Ok(Explored {
        layers: merge_layers(layers),
        stopped,
        worker_instructions,
        starts,
        open,
        history: board.finish(&statistics, &coverage, open),
        coverage: image.line_coverage(&coverage),
        undefined,
        told,
        statistics,
        too_few_workers,
    })
}

/// What the program did that has no meaning in C, one for each line.
pub(crate) fn undefined(unrelated: &Unrelated, image: &Image) -> Vec<Undefined> {
    let places = unrelated.places(image).into_iter().map(|(relation, place)| Undefined {
        kind: relation.name().to_owned(),
        place: place_of(&place),
    });
    places.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Where a worker's questions to the solver are written.
fn log_of(job: &RunJob, round: u32, worker: usize) -> Option<Recorder> {
    let folder = job.log_queries.as_ref()?;
    let prefix = match round {
        0 => format!("w{worker}-"),
        _ => format!("r{round}-w{worker}-"),
    };
    // The folder is there already: only someone who removes it meanwhile makes this fail.
    folder_recorder(folder, &prefix).ok()
}

/// How many workers there can be: each has a copy of the expressions, for which a quarter of the
/// memory is enough.
fn affordable(workers: NonZeroUsize, expressions: usize, memory: u64) -> NonZeroUsize {
    let copies = (memory / 4).checked_div(expressions as u64).unwrap_or(u64::MAX);
    let most = usize::try_from(copies).unwrap_or(usize::MAX).max(1);
    workers.min(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN))
}

/// The layers of all workers' solvers, added up.
fn merge_layers(workers: Vec<Vec<LayerStatistics>>) -> Vec<LayerStatistics> {
    let mut sum: Vec<LayerStatistics> = Vec::new();
    for layer in workers.into_iter().flatten() {
        match sum.iter_mut().find(|known| known.name == layer.name) {
            Some(known) => {
                known.queries += layer.queries;
                known.sat += layer.sat;
                known.unsat += layer.unsat;
                known.unknown += layer.unknown;
                known.time += layer.time;
            }
            None => sum.push(layer),
        }
    }
    sum
}

/// The world of an explored program: the same on every host, but for the user, whom a test case is
/// run as.
fn world_config() -> umbra_os::Config {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let mut lower = MemoryLower::minimal();
    let home = FilePath::new(OsStr::from_bytes(Case::ROOT));
    lower.directory(home, 0o755).owner(home, uid, gid);
    umbra_os::Config {
        lower: Arc::new(lower),
        cwd: home.into(),
        uid,
        gid,
        groups: vec![gid],
        ..umbra_os::Config::default()
    }
}

fn strategy(job: &RunJob, search: &Search, watched: &Watched<'_>) -> Config {
    let time = match job.tests.open {
        _ if job.tests.which == WhichTests::None => None,
        OpenTests::None => None,
        OpenTests::Tenth => Some(DrainTime::Tenth),
        OpenTests::Within(time) => Some(DrainTime::Exactly(time)),
    };
    let config = Config {
        limits: job.limits.strategy(watched),
        drain: time.map(|time| DrainLimits { time: Some(time), ..DrainLimits::default() }),
        search: search.clone(),
        seed: job.strategy.seed,
        solver: job.limits.solver(),
        terrain: None,
        pruner: None,
        again: job.limits.again(),
    };
    if job.strategy.deterministic { config.deterministic() } else { config }
}
