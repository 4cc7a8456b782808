//! A program with two versions, ready to run.

use std::sync::Arc;

use umbra_engine::{Image, Inputs, Limits, Memory, Shared, State, UninitialisedReads};
use umbra_ir::Program;
use umbra_strategy::{Built, Config, Search, World};

use crate::started::Started;
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
    pub fn new(job: &DiffJob, program: Arc<Program>, world: &World) -> Result<Self, Error> {
        let mut lowered = Lowered::new(job, program)?;
        let Started { shared, state, built } = lowered.start(job, world)?;
        Ok(Self { image: lowered.image, shared, state, built })
    }
}

/// A program with two versions, lowered, for any number of worlds.
pub struct Lowered {
    pub image: Image,
    /// With the program's globals.
    memory: Memory,
}

impl Lowered {
    /// Lowers the program.
    pub fn new(job: &DiffJob, program: Arc<Program>) -> Result<Self, Error> {
        let mut memory = Memory::new(limits(job).memory, UninitialisedReads::Zero);
        let image = Image::new(program, &mut memory, Inputs::Symbolic);
        if !image.program.has_two_versions() {
            return Err(Error::NoChange(job.subject.program.clone()));
        }
        Ok(Self { image, memory })
    }

    /// Builds a world that it runs in.
    pub fn start(&mut self, job: &DiffJob, world: &World) -> Result<Started, Error> {
        let Self { image, memory } = self;
        start(job, image, memory, world)
    }

    /// The program, and its memory to start from.
    pub fn parts(&mut self) -> (&Image, &mut Memory) {
        (&self.image, &mut self.memory)
    }
}

/// Builds a world for both versions of a program to run in, which has its globals in `memory`.
pub fn start(
    job: &DiffJob,
    image: &Image,
    memory: &mut Memory,
    world: &World,
) -> Result<Started, Error> {
    let mut started = Started::new(limits(job), image, memory, world)?;
    started.state.run_both_versions(image, &mut started.shared);
    Ok(started)
}

fn limits(job: &DiffJob) -> Limits {
    Limits { memory: job.limits.memory_mib << 20, alone: job.max_alone, ..Limits::default() }
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
