//! The program that is explored, and the world it runs in.

use std::path::Path as FilePath;
use std::sync::Arc;

use umbra_engine::{
    Image, Inputs, Limits, Memory, Path, Process, Shared, State, UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_strategy::{Seed, World};

use crate::wanted::Wanted;

/// A program that has not started.
pub struct Subject {
    pub image: Image,
    pub shared: Shared,
    pub state: State,
    pub starts: Vec<(Process, Path)>,
}

impl Subject {
    /// Loads the program and builds its world.
    pub fn new(wanted: &Wanted) -> Self {
        // In a child, so that what LLVM takes is not in this process's memory.
        let loader = umbra_ir::Loader {
            program: wanted.umbra.clone().into(),
            arguments: vec!["__load".into()],
            limits: umbra_ir::Limits::default(),
        };
        let program = loader.load(FilePath::new(&wanted.bitcode)).expect("the program can be read");
        let limits = Limits::default();
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
        let mut shared = Shared::new(&image);
        let seed = wanted.follow.clone();
        let seed = seed.map(|stdin| Seed::of_words(b"program".to_vec(), Vec::new(), Some(stdin)));
        let words = wanted.words.clone();
        let command: Vec<_> = [b"program".to_vec()].into_iter().chain(words).collect();
        let mut world = World::from_command(&command).expect("the words describe inputs");
        if let Some(seed) = &seed {
            world.stdin = seed.world().stdin;
        }
        let built = world.build(&mut shared.expressions, [0; 4]);
        let mut os = umbra_os::Config::default();
        built.configure(&mut shared.expressions, &mut os);
        let kernel = Kernel::new(os).expect("a kernel can be made");
        let mut state = State::new(memory, Box::new(kernel), limits);
        if wanted.both {
            state.run_both_versions(&image, &mut shared);
        }
        let input = match &seed {
            Some(seed) => built.assignment(&mut shared.expressions, seed),
            None => Assignment::new(),
        };
        let begin =
            |origin| Path::begin(origin, input.clone(), &shared.expressions, &built.constraints);
        let starts = (0..).zip(&built.starts);
        let starts = starts.map(|(at, start)| (start.process.clone(), begin(at))).collect();
        Self { image, shared, state, starts }
    }
}
