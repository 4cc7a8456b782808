//! `umbra run` with symbolic inputs: all paths of a program.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use umbra_engine::{
    Image, Inputs, Limits, Memory, Path, Shared, State, Termination, UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_strategy::{Built, Config, Observer, PathEnd, Search, Worker, World};

struct Printer<'a> {
    built: &'a Built,
    paths: u64,
    seen: std::collections::HashSet<String>,
    out: Option<std::path::PathBuf>,
}

impl Observer for Printer<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.paths += 1;
        let path = end.state.path.clone();
        let environment: &dyn Any = &*end.state.environment;
        let kernel: &Kernel = environment.downcast_ref().expect("kernel");
        let case =
            self.built.case(path.origin() as usize, &path, kernel, end.shared, &end.termination);
        if let Some(out) = &self.out {
            case.write(&out.join(format!("{:06}", self.paths))).expect("written");
        }
        let text = match &end.termination {
            Termination::Error(report) => report.to_string(),
            Termination::Unsupported { what, stack } => {
                format!("unsupported {what} at {:?}", stack.first())
            }
            Termination::EngineBug(what) => format!("bug {what}"),
            _ => return,
        };
        if self.seen.insert(text.clone()) {
            eprintln!("{text}\n{:?} {:?}", case.arguments, case.objects);
        }
    }
}

/// Experimental.
pub fn explore(
    program: umbra_ir::Program,
    command: &[Vec<u8>],
    seconds: u64,
) -> anyhow::Result<()> {
    let limits = Limits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let world = World::from_command(command)?;
    let built = world.build(&mut shared.expressions, [0; 4]);
    let mut config = umbra_os::Config::default();
    config.cwd = "/tmp".into();
    built.configure(&mut shared.expressions, &mut config);
    let kernel = Kernel::new(config)?;
    let state = State::new(memory, Box::new(kernel), limits);
    let start = Instant::now();
    let paths: Vec<Path> = (0..built.starts.len())
        .map(|origin| {
            Path::begin(
                origin as u32,
                Assignment::new(),
                &shared.expressions,
                &built.constraints,
            )
        })
        .collect();
    let config = Config {
        limits: umbra_strategy::Limits {
            time: Some(std::time::Duration::from_secs(seconds)),
            ..Default::default()
        },
        search: std::env::var("UMBRA_SEARCH").map_or(Ok(Search::default()), |text| text.parse())?,
        ..Config::default()
    };
    let mut worker = Worker::new(&image, shared, state, config);
    let out = std::env::var_os("UMBRA_OUT").map(Into::into);
    let mut printer = Printer { built: &built, paths: 0, seen: Default::default(), out };
    for (start, path) in built.starts.iter().zip(paths) {
        worker.start(&start.process, path, &mut printer);
    }
    let stopped = worker.explore(&mut printer);
    eprintln!("{stopped:?} after {:?}: {:#?}", start.elapsed(), worker.statistics());
    eprintln!("{} expressions", worker.shared().expressions.len());
    let mut layers = Vec::new();
    worker.solver().report(&mut layers);
    for layer in layers {
        eprintln!("{layer:?}");
    }
    let coverage = image.line_coverage(&worker.shared().coverage);
    for (file, lines) in coverage {
        if file.to_string_lossy().contains("/src/") && !file.starts_with("musl") {
            let hit = lines.values().filter(|x| **x).count();
            eprintln!("{} {hit}/{} {}%", file.display(), lines.len(), hit * 100 / lines.len());
        }
    }
    Ok(())
}
