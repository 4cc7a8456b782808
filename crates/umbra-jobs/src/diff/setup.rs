//! A program with two versions, ready to run.

use std::sync::Arc;

use umbra_case::Case;
use umbra_engine::{Image, Inputs, Limits, Memory, Shared, State, UninitialisedReads};
use umbra_ir::Program;
use umbra_os::Kernel;
use umbra_strategy::{Built, Config, Search, World, given};

use crate::{DiffJob, Error, SearchName, Watched};

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
        job: &DiffJob,
        program: impl Into<Arc<Program>>,
        world: &World,
    ) -> Result<Self, Error> {
        let limits = Limits {
            memory: job.limits.memory_mib << 20,
            alone: job.max_alone,
            ..Limits::default()
        };
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(program.into(), &mut memory, Inputs::Symbolic);
        if !image.program.has_two_versions() {
            return Err(Error::NoChange(job.subject.program.clone()));
        }
        let mut shared = Shared::new(&image);
        // As the native sandbox makes it, for the same user.
        let (mut config, _) = given(world.base.as_ref().unwrap_or(&Case::default()));
        let identity = [config.uid, config.uid, config.gid, config.gid];
        let built = world.build(&mut shared.expressions, identity);
        built.configure(&mut shared.expressions, &mut config);
        let kernel = Kernel::new(config).map_err(Error::Start)?;
        let mut state = State::new(memory, Box::new(kernel), limits);
        state.run_both_versions(&image, &mut shared);
        Ok(Self { image, shared, state, built })
    }
}

/// How a worker works.
pub fn strategy(job: &DiffJob, watched: &Watched<'_>, default: Search) -> Config {
    let config = Config {
        limits: job.limits.strategy(watched),
        drain: None,
        search: job.strategy.search.as_ref().map_or(default, SearchName::search),
        seed: 0,
        solver: job.limits.solver(),
        terrain: None,
        pruner: None,
        again: None,
    };
    if job.strategy.deterministic { config.deterministic() } else { config }
}
