//! What two versions in one execution cost: `shadow UMBRA PROGRAM.bc both|new [OPTION...] [WORDS...]`.
//!
//! Explores a program and prints what it took, on one line of `NAME=VALUE` words. Nothing is written
//! and nothing is replayed. `new` runs the program as plain symbolic execution does, `both` runs two
//! versions. WORDS are the program's arguments, with KLEE's descriptions of inputs among them.
//!
//! - `--follow FILE`: follow one input instead, FILE as standard input, whose bytes are symbolic
//! - `--instructions N`: stop after so many
//! - `--workers N`: with so many workers; only the time of the clock and what was found is printed
//! - `--sizes`: also count the expressions in each question to the solver, which takes time itself

mod sizes;
mod subject;
mod wanted;

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use umbra_engine::Termination;
use umbra_strategy::{
    Config, Exploration, FollowLimits, Observer, PathEnd, PathJudgement, Search, Stopped, Worker,
    explore, judge_path,
};

use sizes::Sizes;
use subject::Subject;
use wanted::Wanted;

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
        *match judge_path(&end.termination, end.state, end.shared, end.solver) {
            PathJudgement::Same => &mut self.same,
            PathJudgement::Parted | PathJudgement::Differs(_) => &mut self.diff,
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

/// How to work: each run is to ask the same, so the time that a question takes decides nothing.
fn config(wanted: &Wanted) -> Config {
    let config = Config {
        limits: umbra_strategy::Limits { instructions: wanted.instructions, ..Default::default() },
        drain: None,
        search: Search::depth_first(),
        ..Config::default()
    };
    config.deterministic()
}

fn main() {
    let Some(wanted) = Wanted::read(std::env::args().skip(1)) else {
        return eprintln!("usage: shadow UMBRA PROGRAM.bc both|new [OPTION...] [WORDS...]");
    };
    let Subject { image, shared, state, starts } = Subject::new(&wanted);
    if let Some(workers) = wanted.workers {
        let exploration = Exploration::new(&image, shared, state, starts);
        return explore_together(exploration, workers, &wanted);
    }
    let mut config = config(&wanted);
    let sizes = Sizes::default();
    let solver = umbra_solver::chain(std::mem::take(&mut config.solver));
    let worker = Worker::new(&image, shared, state, config);
    let mut worker = worker.with_solver(match wanted.sizes {
        true => Box::new(sizes.counting(solver)),
        false => solver,
    });
    let mut paths = Paths { both: wanted.both, ..Paths::default() };
    let (wall, cpu, before) = (Instant::now(), cpu_time(), status("VmHWM:"));
    let mut points = 0;
    for (process, path) in starts {
        match wanted.follow.is_some() {
            true => {
                points +=
                    worker.follow(&process, path, FollowLimits::default(), &mut paths).points.len();
            }
            false => worker.start(&process, path, &mut paths),
        }
    }
    let stopped = match wanted.follow.is_some() {
        true => None,
        false => worker.explore(&mut paths),
    };
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    println!(
        "wall_s={:.4} cpu_s={:.4} before_kib={before} peak_kib={} points={points} stopped={} {} {}",
        wall.as_secs_f64(),
        cpu.as_secs_f64(),
        status("VmHWM:"),
        stopped.map_or("end", Stopped::name),
        counted(&worker, &paths),
        sizes.report(),
    );
}

/// Explores all paths with several workers.
fn explore_together(exploration: Exploration<'_>, workers: NonZeroUsize, wanted: &Wanted) {
    let wall = Instant::now();
    let observe = |_| Paths { both: wanted.both, ..Paths::default() };
    let outcome = explore(exploration, workers, |_| config(wanted), observe);
    let wall = wall.elapsed();
    let diff: u64 = outcome.observers.iter().map(|paths| paths.diff).sum();
    println!("wall_s={:.4} diff={diff}", wall.as_secs_f64());
}

/// What was counted.
fn counted(worker: &Worker<'_>, paths: &Paths) -> String {
    let statistics = worker.statistics();
    let left_out = statistics.unknown.values().chain(statistics.dropped.values()).sum::<u64>();
    format!(
        "instructions={} same={} diff={} other={} queries={} solver_s={:.4} left_out={left_out} \
         failures={}",
        statistics.instructions,
        paths.same,
        paths.diff,
        paths.other,
        statistics.queries,
        statistics.solver_time.as_secs_f64(),
        statistics.failures.len(),
    )
}
