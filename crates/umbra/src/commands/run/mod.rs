//! `umbra run`: a program in the engine.
//!
//! With nothing symbolic the program runs once, as if natively ([`concrete`]); otherwise all its
//! paths are explored ([`explore`]).

mod collect;
mod concrete;
pub(super) mod explore;
pub(super) mod inputs;
mod last_words;
pub(super) mod limits;
mod observe;
pub(super) mod options;
mod output;
pub(super) mod own;
mod progress;
pub(super) mod usage;
mod write;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use umbra_ir::Program;
use umbra_strategy::{Control, World};

use crate::guard::Guard;
use crate::{cases, program};
pub use options::Args;

/// Functions that make an input; a program that contains one is explored.
const INPUT_FUNCTIONS: [&str; 4] =
    ["klee_make_symbolic", "umbra_symbolic", "klee_int", "klee_range"];

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    // What is wrong with the flags is said before anything takes time.
    let given = args.case.as_deref().map(cases::read).transpose()?;
    let world = match args.concrete || given.is_some() {
        true => None,
        false => Some(args.inputs.world(&args.command)?),
    };
    if given.is_some() && args.command.len() > 1 {
        bail!("the arguments are those of the case: give only the program with --case");
    }
    let function = args.function.as_deref();
    let control = Control::default();
    let explores = function.is_some() || world.as_ref().is_some_and(World::is_symbolic);
    let words = last_words::of_set_up(args, explores, start);
    let watched = Watched { guard: Guard::start(args.budget(start), &control, words)?, control };
    let bitcode = program::find_bitcode(args.program(), function)?;
    let mut loaded = program::load(&bitcode)?;
    if let Some(function) = function {
        umbra_strategy::run_function(&mut loaded, function)
            .with_context(|| format!("--function {function}"))?;
    }
    match world {
        Some(world) if function.is_some() || world.is_symbolic() || makes_inputs(&loaded) => {
            explore::run(args, loaded, &world, &watched, start)
        }
        _ => concrete::run(args, loaded, given.as_ref(), &watched, start),
    }
}

/// What keeps a run within its limits.
pub struct Watched {
    guard: Guard,
    control: Control,
}

fn makes_inputs(program: &Program) -> bool {
    program.functions.values().any(|function| INPUT_FUNCTIONS.contains(&function.name.as_str()))
}
