//! All paths of a program.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path as FilePath;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use umbra_engine::{
    Image, Inputs, Limits, Memory, Path, Shared, State, UninitialisedReads, Unrelated,
};
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_os::{Kernel, MemoryLower};
use umbra_report::{Info, LineCoverage, Phase, RunFolder, Sample, Undefined};
use umbra_solver::{LayerStatistics, Recorder, folder_recorder};
use umbra_strategy::{
    Config, Control, DrainLimits, DrainTime, Exploration, Outcome, Search, Statistics, Stopped,
    Terrain, World,
};
use umbra_text::Show;
use umbra_words::Place;

use super::collect::{Collector, MOST, Most, Told};
use super::observe::PathObserver;
use super::options::{Args, Tests};
use super::output;
use super::own;
use super::progress::{Board, Post};
use super::write::{Queue, Writer};
use super::{Watched, last_words};
use crate::guard::Budget;
use crate::interrupt;
use crate::out::tell;
use crate::terminal;

/// The working directory of an explored program.
const HOME: &str = "/home/user";

/// What exploring came to, before it is summed up.
pub struct Explored {
    pub statistics: Statistics,
    pub layers: Vec<LayerStatistics>,
    pub stopped: Option<Stopped>,
    pub workers: usize,
    /// What each of them executed.
    pub worker_instructions: Vec<u64>,
    /// States that were made at the start.
    pub starts: u64,
    /// States that waited when the run stopped.
    pub open: u64,
    pub coverage: LineCoverage,
    /// Where pointers to different objects were ordered or subtracted.
    pub undefined: Vec<Undefined>,
    pub history: Vec<Sample>,
    pub told: Told,
}

/// Explores and reports.
pub fn run(
    args: &Args,
    program: Program,
    world: &World,
    watched: &Watched,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    if args.commit.is_some() {
        bail!(
            "--commit is for one run of the program: add --concrete, or leave out what is symbolic"
        );
    }
    if let Some(folder) = &args.tests.log_queries {
        prepare_log(folder)?;
    }
    let folder = open_folder(args)?;
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let mut clock = Clock { last: start, phases: Vec::new() };
    clock.ended("load");
    interrupt::catch(watched.control.flag())?;
    let budget = args.budget(start);
    let (writer, queue) = Writer::start(folder, args.tests.ktest, budget, &watched.control)?;
    let explored = explore(args, program, world, watched, budget, &writer, queue, &mut clock)?;
    let results = writer.finish();
    clock.ended("write");
    output::Outcome { args, explored, results, phases: clock.phases, start }.report()
}

fn open_folder(args: &Args) -> anyhow::Result<RunFolder> {
    Ok(match &args.exploring.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(FilePath::new(""))?,
    })
}

/// Makes the folder for the questions to the solver; files of another run would be taken for this
/// one's.
fn prepare_log(folder: &FilePath) -> anyhow::Result<()> {
    let making = || format!("making the folder {} for queries", folder.shown());
    std::fs::create_dir_all(folder).with_context(making)?;
    if std::fs::read_dir(folder).with_context(making)?.next().is_some() {
        bail!("--log-queries {}: the folder is not empty", folder.shown());
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

#[expect(clippy::too_many_arguments, reason = "the parts of one run")]
fn explore(
    args: &Args,
    program: Program,
    world: &World,
    watched: &Watched,
    budget: Budget,
    writer: &Writer,
    queue: Queue,
    clock: &mut Clock,
) -> anyhow::Result<Explored> {
    let limits = Limits { memory: args.limits.max_memory << 20, ..Limits::default() };
    let uninitialised = match args.check_uninitialised {
        true => UninitialisedReads::Error,
        false => UninitialisedReads::Zero,
    };
    let mut memory = Memory::new(limits.memory, uninitialised);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let mut config = world_config();
    let identity = [config.uid, config.uid, config.gid, config.gid];
    let built = world.build(&mut shared.expressions, identity);
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config).context("starting the process")?;
    let state = State::new(memory, Box::new(kernel), limits);
    let starts = built.starts.len() as u64;
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let search = args.exploring.search.clone().unwrap_or_default();
    let terrain = Arc::new(Terrain::of_files(&image, &own::is_own));
    clock.ended("prepare");

    let workers = affordable(args.exploring.workers(), shared.expressions.bytes(), budget.memory);
    let shows_line = !args.printing.quiet && terminal::is_watched();
    let board =
        Board::new(&image, workers.get(), queue.clone(), writer.progress().tests, shows_line);
    let most = match args.tests.max_tests {
        Some(most) => Most::Exactly(most),
        // How fast things are written is different each time.
        None if args.exploring.deterministic => Most::Exactly(MOST),
        None => Most::AsFastAsWritten,
    };
    let collector = Collector::new(args.tests.tests, most, queue);
    watched.guard.set_up();
    watched.guard.set_last_words(last_words::of_exploration(
        args,
        budget.start,
        collector.told_so_far(),
        board.standing(),
        writer.progress(),
    ));
    let exploration = Exploration { image: &image, shared, state, paths };
    let configure = |worker| {
        let mut config = Config {
            terrain: Some(Arc::clone(&terrain)),
            ..strategy(args, &search, &budget, &watched.control)
        };
        config.solver.log = log_of(args, worker);
        config
    };
    let outcome = umbra_strategy::explore(exploration, workers, configure, |worker| PathObserver {
        image: &image,
        built: &built,
        function: args.function.as_deref(),
        collector: &collector,
        post: Post { board: &board, worker, next: Instant::now() },
    });
    clock.ended("explore");
    // What is left is to write what was found, which the writer ends in time by itself.
    watched.guard.disarm();
    let Outcome { stopped, statistics, worker_instructions, coverage, layers, .. } = outcome;
    let undefined = undefined(&outcome.unrelated, &image);
    let observers = outcome.observers;
    drop(observers);
    if let Some(error) = outcome.too_few_workers {
        let (there, wanted) = (worker_instructions.len(), workers.get());
        tell!("{there} workers instead of {wanted}: no more threads ({error})");
    }
    let told = collector.into_told();
    let open = told.open + statistics.dropped.get("end-of-run").copied().unwrap_or(0);
    Ok(Explored {
        layers: merge_layers(layers),
        stopped,
        workers: worker_instructions.len(),
        worker_instructions,
        starts,
        open,
        history: board.finish(&statistics, &coverage, open),
        coverage: image.line_coverage(&coverage),
        undefined,
        told,
        statistics,
    })
}

/// What the program did that has no meaning in C, one for each line.
pub fn undefined(unrelated: &Unrelated, image: &Image) -> Vec<Undefined> {
    let places = unrelated.places(image).into_iter().map(|(relation, place)| Undefined {
        kind: relation.name().to_owned(),
        place: Place { file: place.file, line: place.line },
    });
    places.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Where a worker's questions to the solver are written.
fn log_of(args: &Args, worker: usize) -> Option<Recorder> {
    let folder = args.tests.log_queries.as_ref()?;
    // The folder is there already: only someone who removes it meanwhile makes this fail.
    folder_recorder(folder, &format!("w{worker}-")).ok()
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
pub fn world_config() -> umbra_os::Config {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let mut lower = MemoryLower::minimal();
    lower.directory(HOME, 0o755).owner(HOME, uid, gid);
    umbra_os::Config {
        lower: Arc::new(lower),
        cwd: HOME.into(),
        uid,
        gid,
        groups: vec![gid],
        ..umbra_os::Config::default()
    }
}

fn strategy(args: &Args, search: &Search, budget: &Budget, control: &Control) -> Config {
    let time = args.tests.open_tests_time.map_or(DrainTime::Tenth, DrainTime::Exactly);
    let drain = DrainLimits { time: Some(time), ..DrainLimits::default() };
    let unwanted = args.tests.no_open_tests || args.tests.tests == Tests::None;
    let config = Config {
        limits: args.limits.strategy(budget, control),
        drain: (!unwanted).then_some(drain),
        search: search.clone(),
        seed: args.tests.seed,
        solver: args.limits.solver(),
        terrain: None,
        pruner: None,
    };
    if args.exploring.deterministic { config.deterministic() } else { config }
}
