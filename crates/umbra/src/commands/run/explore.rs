//! All paths of a program.

use std::path::Path as FilePath;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use umbra_engine::{Image, Inputs, Limits, Memory, Path, Shared, State, UninitialisedReads};
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_os::{Kernel, MemoryLower};
use umbra_report::{Info, LineCoverage, Phase, RunFolder, Sample};
use umbra_solver::LayerStatistics;
use umbra_strategy::{Config, Statistics, Stopped, Worker, World};

use super::collect::{Collector, Told};
use super::interrupt;
use super::observe::PathObserver;
use super::options::Args;
use super::output::Outcome;
use super::progress::Progress;
use super::terminal;
use super::write::{Queue, Writer};

/// The working directory of an explored program.
const HOME: &str = "/home/user";

/// Work units of Z3 for one question, where no clock may decide: some ten seconds.
const DETERMINISTIC_WORK: u32 = 50_000_000;

/// What exploring came to, before it is summed up.
pub struct Explored {
    pub statistics: Statistics,
    pub layers: Vec<LayerStatistics>,
    pub stopped: Option<Stopped>,
    /// States that were made at the start.
    pub starts: u64,
    /// States that waited when the run stopped.
    pub open: u64,
    pub coverage: LineCoverage,
    pub history: Vec<Sample>,
    pub told: Told,
}

/// Explores and reports.
pub fn run(
    args: &Args,
    program: Program,
    world: &World,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    if args.commit.is_some() {
        bail!(
            "--commit is for one run of the program: add --concrete, or leave out what is symbolic"
        );
    }
    let folder = open_folder(args)?;
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let mut clock = Clock { last: start, phases: Vec::new() };
    clock.ended("load");
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let (writer, queue) = Writer::start(folder, args.exploring.ktest, Arc::clone(&stop));
    let explored = explore(args, program, world, &stop, &writer, queue, &mut clock)?;
    let results = writer.finish();
    clock.ended("write");
    Outcome { args, explored, results, phases: clock.phases, start }.report()
}

fn open_folder(args: &Args) -> anyhow::Result<RunFolder> {
    Ok(match &args.exploring.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(FilePath::new(""))?,
    })
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

fn explore(
    args: &Args,
    program: Program,
    world: &World,
    stop: &Arc<AtomicBool>,
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
    let paths: Vec<Path> = (0..built.starts.len() as u32)
        .map(|origin| {
            Path::begin(origin, Assignment::new(), &shared.expressions, &built.constraints)
        })
        .collect();
    clock.ended("prepare");

    let mut worker = Worker::new(&image, shared, state, strategy(args, stop));
    let shows_line = !args.quiet && terminal::is_watched();
    let progress = Progress::new(&image, queue.clone(), writer.counter(), shows_line);
    let collector = Collector::new(args.exploring.tests, args.exploring.max_tests, queue);
    let mut observer = PathObserver {
        image: &image,
        built: &built,
        collector: &collector,
        progress,
        covered: 0,
        is_over: false,
    };
    for (start, path) in built.starts.iter().zip(paths) {
        worker.start(&start.process, path, &mut observer);
    }
    let stopped = worker.explore(&mut observer);
    let open = worker.waiting() as u64;
    observer.is_over = true;
    if !args.exploring.no_open_tests {
        worker.drain(&mut observer);
    }
    clock.ended("explore");
    let statistics = worker.statistics().clone();
    let covered = &worker.shared().coverage;
    let history = observer.progress.finish(&statistics, covered, open as usize);
    let mut layers = Vec::new();
    worker.solver().report(&mut layers);
    Ok(Explored {
        layers,
        stopped,
        starts: built.starts.len() as u64,
        open,
        coverage: image.line_coverage(covered),
        history,
        told: collector.into_told(),
        statistics,
    })
}

/// The world of an explored program: the same on every host, but for the user, whom a test case is
/// run as.
fn world_config() -> umbra_os::Config {
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

fn strategy(args: &Args, stop: &Arc<AtomicBool>) -> Config {
    let limits = &args.limits;
    let mut solver = umbra_solver::Config::default();
    if args.exploring.deterministic {
        solver.limits.time = None;
        solver.limits.work = Some(DETERMINISTIC_WORK);
    }
    if let Some(time) = limits.max_query_time {
        solver.limits.time = Some(time.max(Duration::from_millis(1)));
    }
    Config {
        limits: umbra_strategy::Limits {
            time: limits.max_time,
            instructions: limits.max_instructions,
            depth: limits.max_depth,
            forks: limits.max_forks,
            states: limits.max_states,
            path_instructions: limits.max_path_instructions,
            values: None,
            stop: Some(Arc::clone(stop)),
        },
        search: args.exploring.search.clone().unwrap_or_default().0,
        seed: args.exploring.seed,
        solver,
    }
}
