//! What two versions in one execution cost: `shadow UMBRA PROGRAM.bc both|new [OPTION...] [WORDS...]`.
//!
//! Explores a program and prints what it took, on one line of `NAME=VALUE` words. Nothing is written
//! and nothing is replayed. `new` runs the program as plain symbolic execution does, `both` runs two
//! versions. WORDS are the program's arguments, with KLEE's descriptions of inputs among them.
//!
//! - `--follow FILE`: follow one input instead, FILE as standard input, whose bytes are symbolic
//! - `--instructions N`: stop after so many
//! - `--sizes`: also count the expressions in each question to the solver, which takes time itself

mod sizes;

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use umbra_engine::{
    Image, Inputs, Limits, Memory, Path, Shared, State, Termination, UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_strategy::{
    Config, Judgement, Observer, PathEnd, Search, Seed, Stopped, Worker, World, judge,
};

use sizes::Sizes;

/// What is to be done.
#[derive(Default)]
struct Wanted {
    umbra: String,
    bitcode: String,
    both: bool,
    follow: Option<Vec<u8>>,
    instructions: Option<u64>,
    sizes: bool,
    words: Vec<Vec<u8>>,
}

impl Wanted {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut wanted = Self {
            umbra: arguments.next()?,
            bitcode: arguments.next()?,
            both: match arguments.next()?.as_str() {
                "both" => true,
                "new" => false,
                _ => return None,
            },
            ..Self::default()
        };
        while let Some(word) = arguments.next() {
            match word.as_str() {
                "--follow" => wanted.follow = Some(std::fs::read(arguments.next()?).ok()?),
                "--instructions" => wanted.instructions = Some(arguments.next()?.parse().ok()?),
                "--sizes" => wanted.sizes = true,
                _ => {
                    wanted.words.push(word.into_bytes());
                    wanted.words.extend(arguments.by_ref().map(String::into_bytes));
                }
            }
        }
        Some(wanted)
    }
}

/// Counts how paths end.
#[derive(Default)]
struct Paths {
    both: bool,
    same: u64,
    diff: u64,
    other: u64,
}

impl Observer for Paths {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        if matches!(end.termination, Termination::Excluded | Termination::Silent) {
            return;
        }
        if !self.both {
            self.same += 1;
            return;
        }
        *match judge(&end.termination, end.state, end.shared, end.solver) {
            Judgement::Same => &mut self.same,
            Judgement::Parted | Judgement::Differs(_) => &mut self.diff,
            _ => &mut self.other,
        } += 1;
    }
}

/// CPU time of this thread, which is all there is.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// A line of the process's status, in KiB.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn main() {
    let Some(wanted) = Wanted::read(std::env::args().skip(1)) else {
        return eprintln!("usage: shadow UMBRA PROGRAM.bc both|new [OPTION...] [WORDS...]");
    };
    // In a child, so that what LLVM takes is not in this process's memory.
    let loader = umbra_ir::Loader {
        program: wanted.umbra.clone().into(),
        arguments: vec!["__load".into()],
        limits: umbra_ir::Limits::default(),
    };
    let program = loader.load(FilePath::new(&wanted.bitcode)).expect("the program can be read");
    let limits = Limits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);

    let seed = wanted.follow.clone().map(|stdin| Seed { stdin: Some(stdin), ..Seed::default() });
    let command: Vec<_> = [b"program".to_vec()].into_iter().chain(wanted.words.clone()).collect();
    let mut world = World::from_command(&command).expect("the words describe inputs");
    if let Some(seed) = &seed {
        world.stdin = seed.world(Vec::new()).stdin;
    }
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut os = umbra_os::Config::default();
    built.configure(&mut shared.expressions, &mut os);
    let kernel = Kernel::new(os).expect("a kernel can be made");
    let mut state = State::new(memory, Box::new(kernel), limits);
    if wanted.both {
        state.run_both_versions();
    }
    let input = match &seed {
        Some(seed) => built.assignment(&mut shared.expressions, seed),
        None => Assignment::new(),
    };
    let begin =
        |origin| Path::begin(origin, input.clone(), &shared.expressions, &built.constraints);
    let starts: Vec<_> = (0..).zip(&built.starts).map(|(at, start)| (start, begin(at))).collect();
    let config = Config {
        limits: umbra_strategy::Limits { instructions: wanted.instructions, ..Default::default() },
        drain: None,
        search: Search::depth_first(),
        ..Config::default()
    };
    // Each run is to ask the same: the time that a question takes decides nothing.
    let mut config = config.deterministic();
    let sizes = Sizes::default();
    let solver = std::mem::take(&mut config.solver);
    let mut worker = Worker::new(&image, shared, state, config);
    let solver = umbra_solver::chain(solver);
    worker = worker.with_solver(match wanted.sizes {
        true => Box::new(sizes.counting(solver)),
        false => solver,
    });

    let mut paths = Paths { both: wanted.both, ..Paths::default() };
    let (wall, cpu, before) = (Instant::now(), cpu_time(), status("VmHWM:"));
    let mut stopped: Option<Stopped> = None;
    let mut points = 0;
    for (start, path) in starts {
        if seed.is_some() {
            points += worker.follow(&start.process, path, &mut paths).len();
        } else {
            worker.start(&start.process, path, &mut paths);
        }
    }
    if seed.is_none() {
        stopped = worker.explore(&mut paths);
    }
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    let statistics = worker.statistics();
    let left_out = statistics.unknown.values().chain(statistics.dropped.values()).sum::<u64>();
    println!(
        "wall_s={:.4} cpu_s={:.4} before_kib={before} peak_kib={} instructions={} same={} diff={} \
         other={} points={points} queries={} solver_s={:.4} left_out={left_out} failures={} stopped={} {}",
        wall.as_secs_f64(),
        cpu.as_secs_f64(),
        status("VmHWM:"),
        statistics.instructions,
        paths.same,
        paths.diff,
        paths.other,
        statistics.queries,
        statistics.solver_time.as_secs_f64(),
        statistics.failures.len(),
        stopped.map_or("end", Stopped::name),
        sizes.report(),
    );
}
