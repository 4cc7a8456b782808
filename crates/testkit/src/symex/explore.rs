//! Exploration in this process: paths with their conditions, which no file has.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_case::Case;
use umbra_engine::{
    Divergence, Environment, Image, Input, Inputs, Limits, Memory, Place, Shared, State,
    Termination, UninitialisedReads,
};
use umbra_expr::{Assignment, ExprId, Expressions};
use umbra_os::{Kernel, OutputAction, OutputBytes};
use umbra_strategy::{
    Built, Config, DrainLimits, Judgement, Observer, PathEnd, Pruner, Search, Statistics, Stopped,
    Worker, World, judge,
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
    /// What its end says of two versions.
    pub judgement: Judgement,
    /// Where the versions parted.
    pub divergence: Option<Divergence>,
    /// The changes that a difference of outputs comes from.
    pub changes: Vec<Place>,
    /// What the old version did, if the new one did not part from it.
    pub old: Option<Box<Explored>>,
}

/// What is explored of a program with two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// The old one.
    Old,
    /// The new one; also a program that has only one.
    New,
    /// Both in each state.
    Both,
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
    image: &'a Image,
    built: &'a Built,
    paths: Vec<Explored>,
}

impl Observer for Collector<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let path = end.state.path.clone();
        let environment: &dyn Any = &*end.state.environment;
        let kernel: &Kernel = environment.downcast_ref().expect("programs run in this kernel");
        let origin = path.origin() as usize;
        let refused = end.state.memory.refused();
        let case = self.built.case(origin, &path, kernel, refused, end.shared, &end.termination);
        let PathEnd { termination, state, shared, solver, .. } = end;
        let judgement = judge(&termination, state, shared, solver);
        let changes = match &judgement {
            Judgement::Differs(difference) => {
                let behind = difference.value.map(|value| shared.changes_behind(self.image, value));
                let behind = behind.filter(|behind| !behind.is_empty());
                behind.unwrap_or_else(|| state.changes_apart(self.image))
            }
            _ => Vec::new(),
        };
        let old = state.divergence().is_none().then(|| {
            let (termination, status, environment) = match state.old_end() {
                Some(end) => (&end.termination, end.exit_status, Some(&*end.environment)),
                None => (&termination, state.exit_status(), state.old_environment()),
            };
            Box::new(Explored {
                termination: termination.clone(),
                status,
                constraints: Vec::new(),
                inputs: Vec::new(),
                output: output_of(environment.unwrap_or(&*state.environment)),
                case: case.clone(),
                judgement: judgement.clone(),
                divergence: None,
                changes: Vec::new(),
                old: None,
            })
        });
        self.paths.push(Explored {
            status: state.exit_status(),
            constraints: path.constraints().to_vec(),
            inputs: path.inputs().to_vec(),
            output: output_of(&*state.environment),
            case,
            judgement,
            divergence: state.divergence().cloned(),
            changes,
            old,
            termination,
        });
    }
}

fn output_of(environment: &dyn Environment) -> Vec<(u32, OutputBytes)> {
    let environment: &dyn Any = environment;
    let kernel: &Kernel = environment.downcast_ref().expect("programs run in this kernel");
    let output = kernel.output().into_iter().filter_map(|event| match event.action {
        OutputAction::Write { bytes, .. } => Some((event.sink.0, bytes)),
        OutputAction::Truncate(_) => None,
    });
    output.collect()
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
    let limited = Limited {
        versions: Versions::New,
        alone: Limits::default().alone,
        path: None,
        prune: false,
    };
    explore_limited(umbra, bitcode, world, time, limited)
}

/// What is explored, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    /// One version, or both.
    pub versions: Versions,
    /// Instructions of a version that runs alone.
    pub alone: u64,
    /// Instructions of a path.
    pub path: Option<u64>,
    /// Whether paths end where the versions can only do the same.
    pub prune: bool,
}

/// Explores one or both versions of the program in `bitcode`.
pub fn explore_limited(
    umbra: &Path,
    bitcode: &Path,
    world: &World,
    time: Duration,
    limited: Limited,
) -> anyhow::Result<Exploration> {
    let Limited { versions, alone, path: path_instructions, prune } = limited;
    let loader = umbra_ir::Loader {
        program: PathBuf::from(umbra),
        arguments: vec!["__load".into()],
        limits: umbra_ir::Limits::default(),
    };
    let program = loader.load(bitcode).context("loading the bitcode")?;
    let limits = Limits { alone, ..Limits::default() };
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut config = umbra_os::Config::default();
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config)?;
    let mut state = State::new(memory, Box::new(kernel), limits);
    match versions {
        Versions::Both => state.run_both_versions(),
        Versions::Old => state.run_old_version(),
        Versions::New => {}
    }
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
        limits: umbra_strategy::Limits {
            time: Some(time),
            path_instructions,
            ..Default::default()
        },
        drain: Some(DrainLimits::default()),
        search: Search::default(),
        seed: 0,
        solver,
        terrain: None,
        pruner: prune.then(|| Pruner::new(&image.program)).transpose()?.map(Arc::new),
    };
    let mut worker = Worker::new(&image, shared, state, config);
    let mut collector = Collector { image: &image, built: &built, paths: Vec::new() };
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
