//! `umbra diff`: where two versions of a program part.
//!
//! Near tests ([`near`]), or anywhere ([`complete`]); then what was found runs natively ([`confirm`]).

mod collect;
mod complete;
mod confirm;
mod cover;
mod near;
mod options;
mod pairs;
mod path;
mod seeds;
mod setup;
mod summary;
mod watched;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use umbra_report::{Info, RunFolder};

use crate::commands::run::usage;
use crate::{interrupt, program};
use confirm::{Versions, confirm};
pub use options::Args;
use watched::Watched;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    // What is wrong with the flags is said before anything takes time.
    let world = args.inputs.world(&args.command)?;
    let function = args.function.as_deref();
    let watched = Watched::start(args, start)?;
    let bitcode = program::find_bitcode(args.program(), function)?;
    let mut loaded = program::load(&bitcode)?;
    if let Some(function) = function {
        umbra_strategy::compare_function(&mut loaded, function)
            .with_context(|| format!("--function {function}"))?;
    }
    let folder = match &args.exploring.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(Path::new(""))?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let results = folder.path().to_owned();
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    // Limits stop what explores, and not the native runs that come after.
    interrupt::also(watched.control.flag())?;
    watched.set_last_words(args, &results);
    let versions = Versions::start(args, bitcode.executable(), &stop);
    let compared = match args.complete {
        true => complete::explore(args, loaded, &world, &watched, folder)?,
        false => near::explore(args, loaded, &versions, &watched, folder)?,
    };
    watched.guard.disarm();
    let mut summary = confirm(args, &versions, &results, compared);
    summary.wall_s = start.elapsed().as_secs_f64();
    (summary.cpu_s, summary.peak_mib) = usage::usage();
    summary.exit = match summary.divergences.is_empty() {
        false => 1,
        true if args.exploring.require_complete && !summary.is_complete() => 3,
        true => 0,
    };
    summary::report(args, &summary)?;
    Ok(ExitCode::from(summary.exit))
}
