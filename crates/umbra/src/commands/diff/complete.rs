//! All paths of both versions.

use std::num::NonZeroUsize;
use std::path::Path as FilePath;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use umbra_engine::{Image, Inputs, Limits, Memory, Path, Shared, State, UninitialisedReads};
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_os::Kernel;
use umbra_report::{ChangeLine, DiffSummary, Info, Place, RunFolder};
use umbra_strategy::{
    Argument, Config, Data, DrainLimits, Exploration, Outcome, PathEnd, Search, Statistics, World,
};

use super::collect::{Collector, Found};
use super::options::Args;
use crate::commands::run::explore::world_config;
use crate::commands::run::{interrupt, usage};

/// Explores and reports.
pub fn run(
    args: &Args,
    program: Program,
    world: &World,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let folder = match &args.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(FilePath::new(""))?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let mut summary = explore(args, program, world, &stop, folder)?;
    summary.wall_s = start.elapsed().as_secs_f64();
    (summary.cpu_s, summary.peak_mib) = usage::usage();
    summary.exit = match summary.divergences.is_empty() {
        false => 1,
        true if args.require_complete && !summary.is_complete() => 3,
        true => 0,
    };
    report(args, &summary);
    Ok(ExitCode::from(summary.exit))
}

fn report(args: &Args, summary: &DiffSummary) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // Nobody reads it any more: that is their choice, not an error.
    if !args.quiet {
        let _ = out.write_all(summary.to_text().as_bytes());
    }
    if args.json {
        let _ = writeln!(out, "{}", summary.to_json());
    }
}

fn explore(
    args: &Args,
    program: Program,
    world: &World,
    stop: &Arc<AtomicBool>,
    folder: RunFolder,
) -> anyhow::Result<DiffSummary> {
    let limits =
        Limits { memory: args.limits.max_memory << 20, alone: args.max_alone, ..Limits::default() };
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    if image.changes().is_empty() {
        bail!(
            "{} has no annotated change: mark what differs with change(old, new) or \
             execute(OLD) and execute(NEW) of umbra.h",
            args.program().display()
        );
    }
    let mut shared = Shared::new(&image);
    let mut config = world_config();
    let identity = [config.uid, config.uid, config.gid, config.gid];
    let built = world.build(&mut shared.expressions, identity);
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config).context("starting the process")?;
    let mut state = State::new(memory, Box::new(kernel), limits);
    state.run_both_versions();
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let exploration = Exploration { image: &image, shared, state, paths };
    let collector = Collector {
        image: &image,
        built: &built,
        function: args.function.as_deref(),
        folder,
        tests_per_place: args.tests_per_place,
        found: Found::default(),
    };
    // There is one worker: provenance of pairs is known to the worker that made them.
    let collector = Mutex::new(Some(collector));
    let start = Instant::now();
    let outcome = umbra_strategy::explore(
        exploration,
        NonZeroUsize::MIN,
        |_| strategy(args, stop),
        |_| Single(collector.lock().ok().and_then(|mut collector| collector.take())),
    );
    let execute_s = start.elapsed().as_secs_f64();
    let mut summary = summarise(args, world, &image, outcome)?;
    summary.execute_s = execute_s;
    Ok(summary)
}

/// The collector of the only worker.
struct Single<'a>(Option<Collector<'a>>);

impl umbra_strategy::Observer for Single<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        if let Some(collector) = &mut self.0 {
            collector.path_ended(end);
        }
    }
}

fn summarise(
    args: &Args,
    world: &World,
    image: &Image,
    outcome: Outcome<Single<'_>>,
) -> anyhow::Result<DiffSummary> {
    let Outcome { stopped, statistics, coverage, observers, .. } = outcome;
    let collector = observers.into_iter().find_map(|single| single.0);
    let Collector { found, .. } = collector.context("the worker was lost")?;
    if let Some(failure) = found.failure {
        return Err(failure.into());
    }
    let mut left_out = found.left_out;
    let Statistics { dropped, unknown, .. } = &statistics;
    for (what, count) in dropped {
        left_out.insert(format!("limit on {what}"), *count);
    }
    for (reason, count) in unknown {
        left_out.insert(format!("solver: {reason}"), *count);
    }
    if let Some(stopped) = stopped {
        left_out.entry(format!("stopped by {}", stopped.name())).or_insert(1);
    }
    let divergences: Vec<_> = found.divergences.into_values().collect();
    let changes = image.changes().into_iter().map(|(place, target)| {
        let place = Place { file: place.file, line: place.line };
        ChangeLine {
            reached: coverage.is_covered(target),
            diverged: divergences.iter().any(|line| line.changes.contains(&place)),
            place,
        }
    });
    let mut all: Vec<ChangeLine> = Vec::new();
    for change in changes {
        match all.iter_mut().find(|known| known.place == change.place) {
            Some(known) => known.reached |= change.reached,
            None => all.push(change),
        }
    }
    Ok(DiffSummary {
        same: found.same,
        diff: found.diff,
        cut: found.cut,
        left_out,
        bounds: bounds(args, world),
        changes: all,
        divergences,
        instructions: statistics.instructions,
        queries: statistics.queries,
        solver_s: statistics.solver_time.as_secs_f64(),
        ..DiffSummary::default()
    })
}

/// What an answer holds for.
fn bounds(args: &Args, world: &World) -> Vec<String> {
    let mut bounds = Vec::new();
    if let Some(function) = &args.function {
        bounds.push(format!("function {function}, pointers to at most 8 objects of 64 bytes"));
    }
    if world.is_symbolic() {
        bounds.extend(described(world));
    } else if args.function.is_none() {
        bounds.push("inputs that the program makes symbolic itself, and no others".to_owned());
    }
    bounds.push(format!("a version runs alone for at most {} instructions", args.max_alone));
    bounds
}

/// The symbolic inputs in words.
fn described(world: &World) -> Vec<String> {
    let size = |data: &Data| match data.shorter {
        true => format!("at most {} bytes", data.size),
        false => format!("{} bytes", data.size),
    };
    let mut inputs = Vec::new();
    for argument in &world.arguments {
        if let Argument::Symbolic { minimum, maximum, length } = argument {
            inputs.push(format!("{minimum} to {maximum} arguments of at most {length} bytes"));
        }
    }
    inputs.extend(world.stdin.iter().map(|data| format!("standard input of {}", size(data))));
    for file in &world.files {
        inputs.push(format!("file {} of {}", file.name.display(), size(&file.data)));
    }
    for variable in &world.environment {
        let (name, length) = (&variable.name, variable.length);
        inputs.push(format!("variable {name} of at most {length} bytes"));
    }
    inputs
}

fn strategy(args: &Args, stop: &Arc<AtomicBool>) -> Config {
    let limits = &args.limits;
    let mut solver = umbra_solver::Config::default();
    if let Some(time) = limits.max_query_time {
        solver.limits.time = Some(time.max(Duration::from_millis(1)));
    }
    let config = Config {
        limits: umbra_strategy::Limits {
            time: limits.max_time,
            instructions: limits.max_instructions,
            depth: limits.max_depth,
            forks: limits.max_forks,
            states: limits.max_states,
            memory: Some((limits.max_memory as usize) << 20),
            resident: (!args.deterministic).then_some(usage::resident_bytes),
            path_instructions: limits.max_path_instructions,
            values: None,
            stop: Some(Arc::clone(stop)),
        },
        drain: DrainLimits { queries: 0, ..DrainLimits::default() },
        search: args.search.clone().unwrap_or_else(Search::depth_first),
        seed: 0,
        solver,
        terrain: None,
    };
    if args.deterministic { config.deterministic() } else { config }
}
