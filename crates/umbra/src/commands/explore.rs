//! `umbra run` with symbolic inputs: all paths of a program.

use std::sync::Arc;
use std::time::Instant;

use umbra_engine::{
    Image, Inputs, Limits, Memory, Process, Shared, State, Termination, UninitialisedReads,
};
use umbra_os::Kernel;
use umbra_strategy::{Config, Observer, PathEnd, Search, Worker};

struct Printer {
    paths: u64,
}

impl Observer for Printer {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.paths += 1;
        match &end.termination {
            Termination::Error(report) => {
                eprintln!("{report}");
                for input in end.state.path.inputs() {
                    let bytes: Vec<u8> = (0..input.size)
                        .map(|offset| end.state.path.assignment().get(input.array, offset))
                        .collect();
                    eprintln!("   {} = {bytes:?}", input.name);
                }
            }
            Termination::Unsupported { what, .. } => eprintln!("unsupported {what}"),
            Termination::EngineBug(what) => eprintln!("bug {what}"),
            _ => {}
        }
    }
}

/// Experimental.
pub fn explore(program: umbra_ir::Program, arguments: Vec<Vec<u8>>, seconds: u64) -> anyhow::Result<()> {
    let limits = Limits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let kernel = Kernel::new(umbra_os::Config::default())?;
    let shared = Shared::new(&image);
    let state = State::new(memory, Box::new(kernel), limits);
    let process = Process::concrete(&arguments, &[], [0; 4]);
    let start = Instant::now();
    let config = Config {
        limits: umbra_strategy::Limits {
            time: Some(std::time::Duration::from_secs(seconds)),
            ..Default::default()
        },
        search: Search::DepthFirst,
        seed: 0,
        solver: umbra_solver::Config::default(),
    };
    let mut worker = Worker::new(&image, shared, state, config);
    let mut printer = Printer { paths: 0 };
    worker.start(&process, &mut printer);
    let stopped = worker.explore(&mut printer);
    eprintln!("{stopped:?} after {:?}: {:#?}", start.elapsed(), worker.statistics());
    eprintln!("{} expressions", worker.shared().expressions.len());
    let mut layers = Vec::new();
    worker.solver().report(&mut layers);
    for layer in layers {
        eprintln!("{layer:?}");
    }
    Ok(())
}
