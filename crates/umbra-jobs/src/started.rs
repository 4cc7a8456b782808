//! A program in one world, before it starts.

use umbra_case::Case;
use umbra_engine::{Image, Limits, Memory, Shared, State, UninitialisedReads};
use umbra_os::Kernel;
use umbra_strategy::{Built, World, given};

use crate::Error;

/// What there is of a program in one world.
pub struct Started {
    pub shared: Shared,
    /// It has not started.
    pub state: State,
    pub built: Built,
}

impl Started {
    /// Builds a world for a program to run in, which has its globals in `memory`.
    pub fn new(
        limits: Limits,
        image: &Image,
        memory: &mut Memory,
        world: &World,
    ) -> Result<Self, Error> {
        let mut own = Memory::new(limits.memory, UninitialisedReads::Zero);
        own.resume(memory.fork());
        let mut shared = Shared::new(image);
        // As the native sandbox makes it, for the same user.
        let (mut config, _) = given(world.base.as_ref().unwrap_or(&Case::default()));
        let identity = [config.uid, config.uid, config.gid, config.gid];
        let built = world.build(&mut shared.expressions, identity);
        built.configure(&mut shared.expressions, &mut config);
        let kernel = Kernel::new(config).map_err(Error::Start)?;
        let state = State::new(own, Box::new(kernel), limits);
        Ok(Self { shared, state, built })
    }
}
