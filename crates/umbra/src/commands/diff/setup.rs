//! A program with two versions, ready to run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};
use umbra_engine::{Image, Inputs, Limits, Memory, Shared, State, UninitialisedReads};
use umbra_ir::Program;
use umbra_os::Kernel;
use umbra_strategy::{Built, Config, Search, World};

use super::options::Args;
use crate::commands::run::explore::world_config;
use crate::commands::run::usage;

/// A program with two versions, and a state that has not started.
pub struct Setup {
    pub image: Image,
    pub shared: Shared,
    pub state: State,
    pub built: Built,
}

impl Setup {
    /// Lowers the program and builds the world that it runs in.
    pub fn new(args: &Args, program: Program, world: &World) -> anyhow::Result<Self> {
        let limits = Limits {
            memory: args.limits.max_memory << 20,
            alone: args.max_alone,
            ..Limits::default()
        };
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
        Ok(Self { image, shared, state, built })
    }
}

/// How the worker works; there is one, since only the worker that made a pair knows what it comes
/// from.
pub fn strategy(args: &Args, stop: &Arc<AtomicBool>, default: Search) -> Config {
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
        drain: None,
        search: args.search.clone().unwrap_or(default),
        seed: 0,
        solver,
        terrain: None,
        pruner: None,
    };
    if args.deterministic { config.deterministic() } else { config }
}
