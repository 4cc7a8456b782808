//! One run of a program, as if it ran natively.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use anyhow::Context;
use umbra_case::Case;
use umbra_jobs::{Loaded, Once, OnceJob, World, run_once, usage};
use umbra_report::{ConcreteSummary, LineCounts, Undefined, tracefile};
use umbra_text::Show;

use super::options::Args;
use super::{Watched, last_words};
use crate::host::{self, HostStreams};
use crate::out::{self, tell};

/// Runs the program; the exit status is its own, 1 for an error in it, 2 for ours, 4 if a limit has
/// stopped it.
pub fn run(
    args: &Args,
    program: Loaded,
    case: Option<&Case>,
    watched: &Watched,
    start: Instant,
) -> anyhow::Result<ExitCode> {
    let unused = args.exploring_only();
    if !unused.is_empty() && !args.printing.quiet {
        tell!(
            "nothing is symbolic, so the program runs once; these flags have no effect: {} (see --sym)",
            unused.join(", ")
        );
    }
    let mut once = execute(args, program, case, watched, start)?;
    if let Some(directory) = &args.commit {
        let current = std::env::current_dir().context("finding the working directory")?;
        once.commit(case, &current, directory)?;
    }
    if let Some(file) = &args.coverage {
        std::fs::write(file, tracefile(&once.coverage))
            .with_context(|| format!("writing {}", file.shown()))?;
    }
    let (exit, message) = once.verdict();
    if let Some(message) = message {
        tell!("{message}");
    }
    let (cpu_s, peak_mib) = usage();
    let wall_s = start.elapsed().as_secs_f64();
    let summary = ConcreteSummary { exit, wall_s, cpu_s, peak_mib, ..once.summary() };
    if args.stats {
        print_stats(&once, &summary);
    }
    if args.printing.json {
        out::json_line(&summary.to_json())?;
    }
    Ok(ExitCode::from(exit))
}

fn execute(
    args: &Args,
    program: Loaded,
    case: Option<&Case>,
    watched: &Watched,
    start: Instant,
) -> anyhow::Result<Once> {
    let world = match case {
        Some(case) => World::Case(case),
        None => World::Host {
            arguments: args.command.iter().map(|word| word.as_bytes().to_vec()).collect(),
            environment: std::env::vars_os().map(variable).collect(),
            descriptors: host::descriptors(),
        },
    };
    let job = OnceJob {
        world,
        limits: args.limits.limits(),
        check_uninitialised: args.check_uninitialised,
        schedule: args.schedule,
    };
    let done = Arc::new(AtomicU64::new(0));
    let words = last_words::of_concrete(args, start, Arc::clone(&done));
    watched.guard.set_last_words(words);
    let watch = watched.of();
    Ok(run_once(&job, program, &watch, &done, &mut HostStreams)?)
}

fn variable((name, value): (OsString, OsString)) -> Vec<u8> {
    let mut variable = name.into_vec();
    variable.push(b'=');
    variable.extend(value.into_vec());
    variable
}

fn print_stats(once: &Once, summary: &ConcreteSummary) {
    let LineCounts { lines, covered } = summary.lines;
    let ConcreteSummary { cpu_s, peak_mib, wall_s, instructions, .. } = summary;
    tell!(
        "{instructions} instructions, {covered} of {lines} lines, {wall_s:.3} s, {cpu_s:.3} s CPU, \
         {peak_mib:.0} MiB"
    );
    for (name, count) in once.unsupported_calls() {
        tell!("not modelled: {name} ({count} times)");
    }
    for Undefined { kind, place } in &summary.undefined {
        tell!("undefined in C: {kind} at {place}");
    }
}
