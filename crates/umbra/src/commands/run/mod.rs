//! `umbra run`: a program in the engine.
//!
//! With nothing symbolic the program runs once, as if natively ([`concrete`]); otherwise all its
//! paths are explored ([`explore`]).

mod concrete;
mod explore;
pub(super) mod inputs;
mod last_words;
pub(super) mod options;
mod output;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use umbra_jobs::{Budget, Control, Loaded, read_case};

use crate::environment;
use crate::guard::Guard;
pub use options::Args;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    // What is wrong with the flags is said before anything takes time.
    let given = args.case.as_deref().map(read_case).transpose()?;
    let job = args.job();
    let is_symbolic = match args.concrete || given.is_some() {
        true => None,
        false => Some(job.inputs.check()?),
    };
    if given.is_some() && args.command.len() > 1 {
        bail!("--case brings its own arguments: give only the program");
    }
    let is_function = job.subject.function.is_some();
    let control = Control::default();
    let explores = is_function || is_symbolic == Some(true);
    let words = last_words::of_set_up(args, explores, start);
    let watched = Watched { guard: Guard::start(args.budget(start), &control, words)?, control };
    let loaded = Loaded::new(&job.subject, &environment::toolchain)?;
    match is_symbolic {
        Some(is_symbolic) if is_function || is_symbolic || loaded.makes_inputs() => {
            explore::run(args, &job, loaded, &watched, start)
        }
        _ => concrete::run(args, loaded, given.as_ref(), &watched, start),
    }
}

/// What keeps a run within its limits.
pub struct Watched {
    guard: Guard,
    control: Control,
}

impl Watched {
    /// For a job that may take so much.
    fn of(&self, budget: Budget) -> umbra_jobs::Watched<'_> {
        umbra_jobs::Watched { control: &self.control, budget, guard: &self.guard }
    }
}
