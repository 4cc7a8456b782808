//! `umbra diff`: where two versions of a program part.

mod collect;
mod complete;
mod options;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::program;
pub use options::Args;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    if !args.complete {
        bail!("only the complete comparison is there so far: add --complete");
    }
    let world = args.inputs.world(&args.command)?;
    let function = args.function.as_deref();
    let bitcode = program::find_bitcode(args.program(), function)?;
    let mut loaded = program::load(&bitcode)?;
    if let Some(function) = function {
        umbra_strategy::run_function(&mut loaded, function)
            .with_context(|| format!("--function {function}"))?;
    }
    complete::run(args, loaded, &world, start)
}
