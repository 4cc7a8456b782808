//! A program with two versions, ready to run.

use std::sync::Arc;

use anyhow::{Context, bail};
use umbra_case::Case;
use umbra_engine::{Image, Inputs, Limits, Memory, Shared, State, UninitialisedReads};
use umbra_ir::Program;
use umbra_os::Kernel;
use umbra_strategy::{Built, Config, Search, World, given};
use umbra_text::Show;

use super::options::Args;
use super::watched::Watched;

/// A program with two versions, and a state that has not started.
pub struct Setup {
    pub image: Image,
    pub shared: Shared,
    pub state: State,
    pub built: Built,
}

impl Setup {
    /// Lowers the program and builds the world that it runs in.
    pub fn new(
        args: &Args,
        program: impl Into<Arc<Program>>,
        world: &World,
    ) -> anyhow::Result<Self> {
        let limits = Limits {
            memory: args.limits.max_memory << 20,
            alone: args.max_alone,
            ..Limits::default()
        };
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(program.into(), &mut memory, Inputs::Symbolic);
        if image.changes().is_empty() {
            bail!(
                "{} has no annotated change: mark what differs with change(old, new) or \
                 execute(OLD) and execute(NEW) of umbra.h",
                args.program().shown()
            );
        }
        let mut shared = Shared::new(&image);
        // As the native sandbox makes it, for the same user.
        let (mut config, _) = given(world.base.as_ref().unwrap_or(&Case::default()));
        let identity = [config.uid, config.uid, config.gid, config.gid];
        let built = world.build(&mut shared.expressions, identity);
        built.configure(&mut shared.expressions, &mut config);
        let kernel = Kernel::new(config).context("starting the process")?;
        let mut state = State::new(memory, Box::new(kernel), limits);
        state.run_both_versions();
        Ok(Self { image, shared, state, built })
    }
}

/// How a worker works.
pub fn strategy(args: &Args, watched: &Watched, default: Search) -> Config {
    let config = Config {
        limits: args.limits.strategy(&watched.budget, &watched.control),
        drain: None,
        search: args.exploring.search.clone().unwrap_or(default),
        seed: 0,
        solver: args.limits.solver(),
        terrain: None,
        pruner: None,
    };
    if args.exploring.deterministic { config.deterministic() } else { config }
}
