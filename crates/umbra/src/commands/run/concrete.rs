//! One run of a program, as if it ran natively.

use std::any::Any;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context;
use umbra_case::Case;
use umbra_engine::{
    Image, Inputs, Limits, LineCoverage, Machine, Memory, NoForks, Process, Shared, State,
    Termination, UninitialisedReads,
};
use umbra_ir::Program;
use umbra_os::Kernel;
use umbra_report::{ConcretePath, ConcreteSummary, LineCounts, Undefined, tracefile};
use umbra_strategy::{Stopped, given, place_of};
use umbra_text::Show;

use super::explore::undefined;
use super::options::Args;
use super::usage::usage;
use super::{Watched, last_words};
use crate::host;
use crate::out::{self, tell};

/// Instructions between two looks at what the program has written.
const SLICE: u64 = 500_000;

/// What a finished run is summed up by.
struct Outcome {
    termination: Termination,
    instructions: u64,
    coverage: LineCoverage,
    undefined: Vec<Undefined>,
    kernel: Kernel,
    /// Seconds that execution itself took.
    execute_s: f64,
}

/// The exit status of a run that a limit has stopped.
pub const LIMITED: u8 = 4;

/// Runs the program; the exit status is its own, 1 for an error in it, 2 for ours, 4 if a limit has
/// stopped it.
pub fn run(
    args: &Args,
    loaded: Program,
    case: Option<&Case>,
    watched: &Watched,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let unused = args.exploring_only();
    if !unused.is_empty() && !args.printing.quiet {
        tell!(
            "nothing is symbolic, so the program runs once, without {}; see --sym",
            unused.join(", ")
        );
    }
    let mut outcome = execute(args, loaded, case, watched, start)?;
    watched.guard.disarm();
    if let Some(directory) = &args.commit {
        commit(&mut outcome.kernel, case, directory)?;
    }
    if let Some(file) = &args.coverage {
        std::fs::write(file, tracefile(&outcome.coverage))
            .with_context(|| format!("writing {}", file.shown()))?;
    }
    let exit = report(&outcome);
    if args.stats {
        print_stats(&outcome, start);
    }
    if args.printing.json {
        out::json_line(&summary(&outcome, exit, start).to_json())?;
    }
    Ok(ExitCode::from(exit))
}

fn execute(
    args: &Args,
    loaded: Program,
    case: Option<&Case>,
    watched: &Watched,
    started: Instant,
) -> anyhow::Result<Outcome> {
    let uninitialised = match args.check_uninitialised {
        true => UninitialisedReads::Error,
        false => UninitialisedReads::Zero,
    };
    let limits = Limits { memory: args.limits.max_memory << 20, ..Limits::default() };
    let mut memory = Memory::new(limits.memory, uninitialised);
    let image = Image::new(Arc::new(loaded), &mut memory, Inputs::Given);
    let (config, process) = case.map_or_else(|| on_host(args), given);
    let kernel = Kernel::new(config).context("starting the process")?;
    let mut state = State::new(memory, Box::new(kernel), limits);
    let mut shared = Shared::new(&image);
    shared.alarm = Some(Arc::clone(watched.control.flag()));
    watched.guard.set_up();
    let done = Arc::new(AtomicU64::new(0));
    watched.guard.set_last_words(last_words::of_concrete(args, started, Arc::clone(&done)));
    let start = Instant::now();
    let termination = step(args, &image, &mut state, &mut shared, &process, |instructions| {
        done.store(instructions, Ordering::Relaxed);
        watched.control.stopped()
    })?;
    let execute_s = start.elapsed().as_secs_f64();
    let coverage = image.line_coverage(&shared.coverage);
    let undefined = undefined(&shared.unrelated, &image);
    let instructions = state.instructions();
    let kernel = kernel_of(&mut state).clone();
    Ok(Outcome { termination, instructions, coverage, undefined, kernel, execute_s })
}

/// The world of the host, with the arguments of the command line.
fn on_host(args: &Args) -> (umbra_os::Config, Process) {
    let config = host::config();
    let identity = [config.uid, config.uid, config.gid, config.gid];
    let arguments: Vec<Vec<u8>> =
        args.command.iter().map(|word| word.as_bytes().to_vec()).collect();
    let environment: Vec<Vec<u8>> = std::env::vars_os().map(variable).collect();
    let process = Process::concrete(&arguments, &environment, identity);
    (config, process)
}

fn variable((name, value): (OsString, OsString)) -> Vec<u8> {
    let mut variable = name.into_vec();
    variable.push(b'=');
    variable.extend(value.into_vec());
    variable
}

/// Steps to the end, passing on what the program writes as it goes.
fn step(
    args: &Args,
    image: &Image,
    state: &mut State,
    shared: &mut Shared,
    process: &Process,
    stopped: impl Fn(u64) -> Option<Stopped>,
) -> anyhow::Result<Termination> {
    let limit = args.limits.max_instructions.unwrap_or(u64::MAX);
    let mut forks = NoForks;
    if let Err(termination) = Machine::new(image, state, shared, &mut forks).start(process) {
        return Ok(termination);
    }
    loop {
        let left = limit - state.instructions().min(limit);
        let mut machine = Machine::new(image, state, shared, &mut forks);
        let termination = machine.run(left.min(SLICE));
        let kernel = kernel_of(state);
        match host::forward(&kernel.drain_output()) {
            Ok(()) => {}
            Err((sink, error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                kernel.close_sink(sink);
            }
            Err((_, error)) => return Err(error).context("passing on what the program wrote"),
        }
        match (termination, stopped(state.instructions())) {
            // In the middle of an operation, or between two.
            (Some(Termination::Limit(_)) | None, Some(stopped)) => {
                return Ok(Termination::Limit(stopped.name()));
            }
            (Some(termination), _) => return Ok(termination),
            (None, None) if state.instructions() >= limit => {
                return Ok(Termination::Limit("instructions"));
            }
            (None, None) => {}
        }
    }
}

/// The operating system that the state runs in.
fn kernel_of(state: &mut State) -> &mut Kernel {
    let environment: &mut dyn Any = &mut *state.environment;
    environment.downcast_mut().expect("programs run in this kernel")
}

/// Says how the run ended, where the program has not said so itself; returns the exit code.
fn report(outcome: &Outcome) -> u8 {
    match &outcome.termination {
        Termination::Exited(status) => *status as u8,
        Termination::Killed(signal) => 128 + *signal as u8,
        Termination::Error(error) => {
            tell!("{error}");
            1
        }
        Termination::Unsupported { what, stack } => {
            let mut text = format!("unsupported: {what}");
            for (depth, place) in stack.iter().enumerate() {
                text += &format!("\n    #{depth} {place}");
            }
            tell!("{text}");
            2
        }
        Termination::Excluded | Termination::Silent => 0,
        Termination::Limit(what) => {
            tell!("stopped at the limit on {what}");
            LIMITED
        }
        Termination::EngineBug(message) => {
            tell!("a bug of the engine: {message}");
            2
        }
    }
}

fn commit(kernel: &mut Kernel, case: Option<&Case>, directory: &Path) -> anyhow::Result<()> {
    let from = match case {
        Some(case) => OsString::from_vec(case.root().to_vec()).into(),
        None => std::env::current_dir().context("finding the working directory")?,
    };
    umbra_os::export_tree(kernel, &from, directory)
        .with_context(|| format!("copying the tree to {}", directory.shown()))
}

fn print_stats(outcome: &Outcome, start: Instant) {
    let LineCounts { lines, covered } = LineCounts::of(&outcome.coverage);
    let (cpu, peak) = usage();
    tell!(
        "{} instructions, {covered} of {lines} lines, {:.3} s, {cpu:.3} s CPU, {peak:.0} MiB",
        outcome.instructions,
        start.elapsed().as_secs_f64(),
    );
    for call in outcome.kernel.unsupported_calls() {
        tell!("not modelled: {} ({} times)", call.name, call.count);
    }
    for Undefined { kind, place } in &outcome.undefined {
        tell!("undefined in C: {kind} at {place}");
    }
}

/// The run in numbers.
fn summary(outcome: &Outcome, exit: u8, start: Instant) -> ConcreteSummary {
    let (cpu_s, peak_mib) = usage();
    let mut unsupported: Vec<String> =
        outcome.kernel.unsupported_calls().into_iter().map(|call| call.name).collect();
    let path = match &outcome.termination {
        Termination::Exited(_) | Termination::Killed(_) => ConcretePath::Completed,
        Termination::Excluded | Termination::Silent => ConcretePath::Uncounted,
        Termination::Error(report) => {
            let place = report.stack.first().map(place_of);
            ConcretePath::Error(report.kind.name().to_owned(), place)
        }
        Termination::Unsupported { what, .. } => {
            unsupported.push(what.clone());
            ConcretePath::Cut(None)
        }
        Termination::Limit(what) => ConcretePath::Cut(Some((*what).to_owned())),
        Termination::EngineBug(_) => ConcretePath::Cut(None),
    };
    ConcreteSummary {
        exit,
        wall_s: start.elapsed().as_secs_f64(),
        execute_s: outcome.execute_s,
        cpu_s,
        peak_mib,
        instructions: outcome.instructions,
        path,
        lines: LineCounts::of(&outcome.coverage),
        unsupported,
        undefined: outcome.undefined.clone(),
    }
}
