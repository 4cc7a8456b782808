//! Exploration in this process: paths with their conditions, which no file has.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_case::Case;
use umbra_engine::{
    Byte, Divergence, Environment, Image, Input, Inputs, Limits, Memory, Place, Process, Shared,
    State, Termination, UninitialisedReads,
};
use umbra_expr::{Array, Assignment, ExprId, Expressions, Importer};
use umbra_ir::Program;
use umbra_os::{Kernel, OutputAction, OutputBytes};
use umbra_strategy::{
    Built, Config, DrainLimits, Observer, PathEnd, PathJudgement, Pruner, Search, SearchKind,
    Start, Statistics, Stopped, World, judge_path,
};

use super::directives::Directives;

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
    pub judgement: PathJudgement,
    /// Where the versions parted.
    pub divergence: Option<Divergence>,
    /// The changes that a difference of outputs comes from.
    pub changes: Vec<Place>,
    /// What the old version did, if the new one did not part from it.
    pub old: Option<Box<Explored>>,
    /// What the old version did on each of its paths under this one's condition, if they parted.
    pub pairs: Vec<Explored>,
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
    /// System calls of both versions that were undone.
    pub undone_calls: u64,
    /// Why it stopped early, if it did.
    pub stopped: Option<Stopped>,
}

struct Collector<'a> {
    image: &'a Image,
    built: &'a Built,
    paths: Vec<Ended>,
    /// The expressions of the paths, when all have ended.
    table: Option<Expressions>,
    undone_calls: u64,
}

/// A path that has ended in some worker.
struct Ended {
    path: Explored,
    /// The number of the new version's path, if the versions parted on it.
    diff_path: Option<u64>,
    /// It is the old version's, under the condition of that one.
    is_pair: bool,
}

impl<'a> Collector<'a> {
    fn new(image: &'a Image, built: &'a Built) -> Self {
        Self { image, built, paths: Vec::new(), table: None, undone_calls: 0 }
    }
}

impl Observer for Collector<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let path = end.state.path.clone();
        let kernel = Kernel::of(&*end.state.environment);
        let origin = path.origin() as usize;
        let refused = end.state.memory.refused();
        let case = self.built.case(origin, &path, kernel, refused, end.shared, &end.termination);
        let PathEnd { termination, state, shared, solver, .. } = end;
        let judgement = judge_path(&termination, state, shared, solver);
        let changes = match &judgement {
            PathJudgement::Differs(difference) => {
                let behind =
                    difference.value.map(|value| state.changes_behind(self.image, shared, value));
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
                pairs: Vec::new(),
            })
        });
        let explored = Explored {
            status: state.exit_status(),
            constraints: path.constraints().to_vec(),
            inputs: path.inputs().to_vec(),
            output: output_of(&*state.environment),
            case,
            judgement,
            divergence: state.divergence().cloned(),
            changes,
            old,
            pairs: Vec::new(),
            termination,
        };
        let (diff_path, is_pair) = (state.diff_path(), state.new_end().is_some());
        self.paths.push(Ended { path: explored, diff_path, is_pair });
    }

    fn worker_ended(&mut self, shared: &Shared) {
        self.table = Some(shared.expressions.clone());
        self.undone_calls = shared.undone_calls;
    }
}

fn output_of(environment: &dyn Environment) -> Vec<(u32, OutputBytes)> {
    let output =
        Kernel::of(environment).output().into_iter().filter_map(|event| match event.action {
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
        world.add(&symbolic.to_string())?;
    }
    Ok(world)
}

/// How a program is explored; it must not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Workers.
    pub workers: NonZeroUsize,
    /// What they run next.
    pub search: Search,
    /// What chance depends on.
    pub seed: u64,
}

impl Default for Manner {
    fn default() -> Self {
        Self::number(0)
    }
}

impl Manner {
    /// How many there are, apart from the seed.
    pub const COUNT: u64 = 2 * (SearchKind::ALL.len() as u64 + 1);

    /// The one of this number; any number will do. The first is that of a user who asks for nothing.
    pub fn number(number: u64) -> Self {
        let kinds = SearchKind::ALL;
        let search = match number as usize / 2 % (kinds.len() + 1) {
            0 => Search::default(),
            kind => Search::new(vec![kinds[kind - 1]]),
        };
        let workers = if number.is_multiple_of(2) { NonZeroUsize::MIN } else { TWO };
        Self { workers, search, seed: number }
    }
}

const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

impl fmt::Display for Manner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--workers {} --search {} --seed {}", self.workers, self.search, self.seed)
    }
}

/// The program in `bitcode`, which `umbra` loads.
pub fn load(umbra: &Path, bitcode: &Path) -> anyhow::Result<Arc<Program>> {
    let loader = umbra_ir::Loader {
        program: PathBuf::from(umbra),
        arguments: vec!["__load".into()],
        limits: umbra_ir::Limits::default(),
    };
    Ok(Arc::new(loader.load(bitcode).context("loading the bitcode")?))
}

/// What is explored of a program, and how far.
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

impl Limited {
    /// All of a program that has one version only.
    pub fn one_version() -> Self {
        let alone = Limits::default().alone;
        Self { versions: Versions::New, alone, path: None, prune: false }
    }
}

/// Explores a program.
pub fn explore(
    program: Arc<Program>,
    world: &World,
    time: Duration,
    manner: &Manner,
    limited: Limited,
) -> anyhow::Result<Exploration> {
    let Limited { versions, alone, path: path_instructions, prune } = limited;
    let limits = Limits { alone, ..Limits::default() };
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(program, &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut config = umbra_os::Config::default();
    built.configure(&mut shared.expressions, &mut config);
    let mut state = State::new(memory, Box::new(Kernel::new(config)?), limits);
    match versions {
        Versions::Both => state.run_both_versions(&image, &mut shared),
        Versions::Old => state.run_old_version(&image),
        Versions::New => {}
    }
    let paths = starts(&built, &shared.expressions)?;
    let pruner = prune.then(|| Pruner::new(&image.program)).transpose()?.map(Arc::new);
    let exploration = umbra_strategy::Exploration::new(&image, shared, state, paths);
    let configure = |_| Config {
        search: manner.search.clone(),
        seed: manner.seed,
        pruner: pruner.clone(),
        ..unhurried(time, path_instructions)
    };
    let observe = |_| Collector::new(&image, &built);
    let outcome = umbra_strategy::explore(exploration, manner.workers, configure, observe);
    let (mut merged, mut undone_calls) = (Merged::default(), 0);
    for Collector { paths, table, undone_calls: undone, .. } in outcome.observers {
        merged.add(paths, table.context("a worker left no expressions")?);
        undone_calls += undone;
    }
    let Merged { paths, expressions } = merged;
    let paths = with_pairs(paths);
    let (statistics, stopped) = (outcome.statistics, outcome.stopped);
    Ok(Exploration { paths, expressions, statistics, undone_calls, stopped })
}

/// What a program starts with.
pub(super) fn starts(
    built: &Built,
    expressions: &Expressions,
) -> anyhow::Result<Vec<(Process, umbra_engine::Path)>> {
    let begin = |(origin, start): (u32, &Start)| {
        let path =
            umbra_engine::Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    };
    let starts: Vec<_> = (0..).zip(&built.starts).map(begin).collect();
    ensure!(!starts.is_empty(), "there is no way to start the program");
    Ok(starts)
}

/// A machine that is busy must not leave a question open.
fn unhurried(time: Duration, path_instructions: Option<u64>) -> Config {
    let mut solver = umbra_solver::Config::default();
    solver.limits.time = Some(time);
    Config {
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
        pruner: None,
        again: None,
    }
}

impl Explored {
    /// Replaces all expressions.
    fn translate(&mut self, import: &mut dyn FnMut(&mut ExprId)) {
        self.status.iter_mut().for_each(&mut *import);
        self.constraints.iter_mut().for_each(&mut *import);
        for (_, bytes) in &mut self.output {
            if let OutputBytes::Mixed(mixed) = bytes {
                let mut mixed = mixed.to_vec();
                for byte in &mut mixed {
                    if let Byte::Symbolic(id) = byte {
                        import(id);
                    }
                }
                *bytes = OutputBytes::Mixed(mixed.into());
            }
        }
        if let PathJudgement::Differs(difference) = &mut self.judgement {
            difference.translate(import);
        }
        if let Some(old) = &mut self.old {
            old.translate(import);
        }
    }
}

/// The paths of all workers, over one table of expressions.
#[derive(Default)]
struct Merged {
    paths: Vec<Ended>,
    expressions: Expressions,
}

impl Merged {
    fn add(&mut self, paths: Vec<Ended>, table: Expressions) {
        // The first worker's table stays as it is.
        if self.paths.is_empty() {
            (self.paths, self.expressions) = (paths, table);
            return;
        }
        let target = &mut self.expressions;
        let mut importer = Importer::new(&table);
        for mut ended in paths {
            let mut import = |id: &mut ExprId| *id = importer.import(target, *id);
            ended.path.translate(&mut import);
            for input in &mut ended.path.inputs {
                if let Array::Input { name, size } = table.array(input.array) {
                    input.array = target.input(name, *size);
                }
            }
            self.paths.push(ended);
        }
    }
}

/// The paths of all workers, those of the old version with the path of the new one that they belong to.
fn with_pairs(ended: Vec<Ended>) -> Vec<Explored> {
    let (pairs, others): (Vec<Ended>, Vec<Ended>) =
        ended.into_iter().partition(|ended| ended.is_pair);
    let numbers = others.iter().zip(0..).filter_map(|(ended, at)| Some((ended.diff_path?, at)));
    let numbers: BTreeMap<u64, usize> = numbers.collect();
    let mut paths: Vec<Explored> = others.into_iter().map(|ended| ended.path).collect();
    for pair in pairs {
        let at = pair.diff_path.and_then(|number| numbers.get(&number));
        match at {
            Some(&at) => paths[at].pairs.push(pair.path),
            None => paths.push(pair.path),
        }
    }
    paths
}
