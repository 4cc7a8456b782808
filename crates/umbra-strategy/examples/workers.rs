//! Explores a program with several workers: `workers PROGRAM.bc WORKERS LIMIT [ARGUMENT...]`.
//!
//! The limit is a number of seconds, or of instructions with an `i` behind it; then nothing depends on
//! time, and with one worker equal runs print equal fingerprints. `UMBRA_SEARCH` names the searchers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, Instant};

use umbra_engine::{Image, Inputs, Limits, Memory, Path, Shared, State, UninitialisedReads};
use umbra_expr::Assignment;
use umbra_strategy::{
    Config, Exploration, Limits as RunLimits, Observer, PathEnd, Search, Terrain, World, explore,
};

/// Counts the paths of one worker, with a fingerprint of how and in which order they ended.
#[derive(Default)]
struct Count {
    paths: usize,
    fingerprint: DefaultHasher,
}

impl Observer for Count {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.paths += 1;
        let constraints = end.state.path.constraints().len();
        let end = (end.termination.name(), end.state.instructions(), constraints);
        end.hash(&mut self.fingerprint);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, workers, limit, ..] = arguments.as_slice() else {
        return eprintln!("usage: workers PROGRAM.bc WORKERS LIMIT [ARGUMENT...]");
    };
    let program = umbra_ir::load_bitcode(FilePath::new(path)).expect("the program can be read");
    let state_limits = Limits::default();
    let mut memory = Memory::new(state_limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let command: Vec<Vec<u8>> = std::iter::once(path)
        .chain(&arguments[3..])
        .map(|word| word.clone().into_bytes())
        .collect();
    let world = World::from_command(&command).expect("the arguments are right");
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut config = umbra_os::Config::default();
    built.configure(&mut shared.expressions, &mut config);
    let kernel = umbra_os::Kernel::new(config).expect("a kernel can be made");
    let paths = (0u32..).zip(&built.starts).map(|(origin, start)| {
        let path = Path::begin(origin, Assignment::new(), &shared.expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let terrain = Arc::new(Terrain::of_files(&image, &|file| !file.starts_with("musl")));
    let search =
        std::env::var("UMBRA_SEARCH").map_or_else(|_| Ok(Search::default()), |text| text.parse());
    let search: Search = search.expect("the searchers are known");
    let limits = match limit.strip_suffix('i') {
        Some(count) => RunLimits {
            instructions: Some(count.parse().expect("a number of instructions")),
            ..RunLimits::default()
        },
        None => RunLimits {
            time: Some(Duration::from_secs(limit.parse().expect("a number of seconds"))),
            ..RunLimits::default()
        },
    };
    let workers: NonZeroUsize = workers.parse().expect("a number of workers");

    let state = State::new(memory, Box::new(kernel), state_limits);
    let exploration = Exploration::new(&image, shared, state, paths);
    let configure = |_| {
        let config = Config {
            limits: limits.clone(),
            search: search.clone(),
            terrain: Some(Arc::clone(&terrain)),
            ..Config::default()
        };
        if limits.instructions.is_some() { config.deterministic() } else { config }
    };
    let start = Instant::now();
    let outcome = explore(exploration, workers, configure, |_| Count::default());
    println!("{:?} after {:.2?}: {:#?}", outcome.stopped, start.elapsed(), outcome.statistics);
    for count in &outcome.observers {
        println!("{} paths, fingerprint {:016x}", count.paths, count.fingerprint.finish());
    }
    println!("{} expressions", outcome.expressions);
    let (mut lines, mut covered) = (0, 0);
    for (file, own) in image.line_coverage(&outcome.coverage) {
        if !file.starts_with("musl") {
            lines += own.len();
            covered += own.values().filter(|&&ran| ran).count();
        }
    }
    println!("{covered} of {lines} lines of the program's own files");
}
