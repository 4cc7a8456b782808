//! Exploration in this process: paths with their conditions, which no file has.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_case::Case;
use umbra_engine::{
    Image, Input, Inputs, Limits, Memory, Shared, State, Termination, UninitialisedReads,
};
use umbra_expr::{Assignment, ExprId, Expressions};
use umbra_os::{Kernel, OutputAction, OutputBytes};
use umbra_strategy::{
    Built, Config, DrainLimits, Observer, PathEnd, Search, Statistics, Stopped, Worker, World,
};

use super::directives::{Directives, Symbolic};

/// A path that has ended.
pub struct Explored {
    /// How.
    pub termination: Termination,
    /// The exit status, if it depends on the input.
    pub status: Option<ExprId>,
    /// What holds on it.
    pub constraints: Vec<ExprId>,
    /// The inputs that the program asked for, in order.
    pub inputs: Vec<Input>,
    /// What it wrote: the stream (1 or 2), and the bytes.
    pub output: Vec<(u32, OutputBytes)>,
    /// Its test case.
    pub case: Case,
}

/// Everything that came of an exploration.
pub struct Exploration {
    /// The paths, in the order in which they ended.
    pub paths: Vec<Explored>,
    /// The table of their expressions.
    pub expressions: Expressions,
    /// What was counted.
    pub statistics: Statistics,
    /// Why it stopped early, if it did.
    pub stopped: Option<Stopped>,
}

struct Collector<'a> {
    built: &'a Built,
    paths: Vec<Explored>,
}

impl Observer for Collector<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let path = end.state.path.clone();
        let environment: &dyn Any = &*end.state.environment;
        let kernel: &Kernel = environment.downcast_ref().expect("programs run in this kernel");
        let origin = path.origin() as usize;
        let case = self.built.case(origin, &path, kernel, end.shared, &end.termination);
        let output = kernel.output().into_iter().filter_map(|event| match event.action {
            OutputAction::Write { bytes, .. } => Some((event.sink.0, bytes)),
            OutputAction::Truncate(_) => None,
        });
        self.paths.push(Explored {
            termination: end.termination,
            status: end.state.exit_status(),
            constraints: path.constraints().to_vec(),
            inputs: path.inputs().to_vec(),
            output: output.collect(),
            case,
        });
    }
}

/// The world of a program of the corpus. The number of arguments is fixed: that is how the inputs
/// of an enumerable program are counted.
pub fn world(directives: &Directives, program: &str) -> anyhow::Result<World> {
    let mut world = World { program: program.into(), ..World::default() };
    for symbolic in &directives.symbolic {
        world.add(&match symbolic {
            Symbolic::Stdin(size) => format!("stdin={size}"),
            Symbolic::Args { count, length } => format!("args={count}x{length}"),
            Symbolic::File { name, size } => format!("file:{name}={size}"),
        })?;
    }
    Ok(world)
}

/// Explores the program in `bitcode`, which `umbra` loads.
pub fn explore(
    umbra: &Path,
    bitcode: &Path,
    world: &World,
    time: Duration,
) -> anyhow::Result<Exploration> {
    let loader = umbra_ir::Loader {
        program: PathBuf::from(umbra),
        arguments: vec!["__load".into()],
        limits: umbra_ir::Limits::default(),
    };
    let program = loader.load(bitcode).context("loading the bitcode")?;
    let limits = Limits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut config = umbra_os::Config::default();
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config)?;
    let state = State::new(memory, Box::new(kernel), limits);
    let begin = |origin| {
        let assignment = Assignment::new();
        let expressions = &shared.expressions;
        umbra_engine::Path::begin(origin, assignment, expressions, &built.constraints)
    };
    let starts: Vec<_> = (0..).zip(&built.starts).map(|(at, start)| (start, begin(at))).collect();
    ensure!(!starts.is_empty(), "there is no way to start the program");
    let mut solver = umbra_solver::Config::default();
    // A machine that is busy must not leave a question open.
    solver.limits.time = Some(time);
    let config = Config {
        limits: umbra_strategy::Limits { time: Some(time), ..Default::default() },
        drain: Some(DrainLimits::default()),
        search: Search::default(),
        seed: 0,
        solver,
        terrain: None,
    };
    let mut worker = Worker::new(&image, shared, state, config);
    let mut collector = Collector { built: &built, paths: Vec::new() };
    for (start, path) in starts {
        worker.start(&start.process, path, &mut collector);
    }
    let stopped = worker.explore(&mut collector);
    Ok(Exploration {
        paths: collector.paths,
        expressions: worker.shared().expressions.clone(),
        statistics: worker.statistics().clone(),
        stopped,
    })
}
