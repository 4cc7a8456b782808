//! All paths of both versions.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::Context;
use umbra_engine::Path;
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_report::{DiffSummary, RunFolder};
use umbra_strategy::{Config, Exploration, Outcome, PathEnd, Pruner, Search, World};

use super::collect::{Collector, Found};
use super::options::Args;
use super::setup::{Setup, strategy};
use super::summary::{Explored, summarise};

/// Explores all paths.
pub fn explore(
    args: &Args,
    program: Program,
    world: &World,
    stop: &Arc<AtomicBool>,
    folder: RunFolder,
) -> anyhow::Result<DiffSummary> {
    let Setup { image, shared, state, built } = Setup::new(args, program, world)?;
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let exploration = Exploration { image: &image, shared, state, paths };
    let collector = Collector {
        image: &image,
        built: &built,
        function: args.function.as_deref(),
        folder,
        tests_per_place: args.tests_per_place,
        phase: "complete",
        seed: None,
        found: Found::default(),
    };
    let collector = Mutex::new(Some(collector));
    let pruner = match args.prune {
        true => Some(Arc::new(
            Pruner::new(&image.program)
                .context("--prune: no path can be cut short; run it without")?,
        )),
        false => None,
    };
    let start = Instant::now();
    let outcome = umbra_strategy::explore(
        exploration,
        NonZeroUsize::MIN,
        |_| Config { pruner: pruner.clone(), ..strategy(args, stop, Search::depth_first()) },
        |_| Single(collector.lock().ok().and_then(|mut collector| collector.take())),
    );
    let execute_s = start.elapsed().as_secs_f64();
    let Outcome { stopped, statistics, coverage, observers, .. } = outcome;
    let collector = observers.into_iter().find_map(|single| single.0);
    let Collector { found, .. } = collector.context("the worker was lost")?;
    let explored = Explored { found, stopped, statistics, coverage, tests: Vec::new() };
    let summary = summarise(args, world, &image, explored)?;
    Ok(DiffSummary { execute_s, ..summary })
}

/// The collector of the only worker.
struct Single<'a>(Option<Collector<'a>>);

impl umbra_strategy::Observer for Single<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        if let Some(collector) = &mut self.0 {
            collector.path_ended(end);
        }
    }
}
