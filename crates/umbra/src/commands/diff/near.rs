//! Near a test: its own path, then what the new version does where the versions part.

use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context;
use umbra_engine::Path;
use umbra_ir::Program;
use umbra_report::{DiffSummary, RunFolder};
use umbra_strategy::{Search, SearchKind, Seed, Worker};

use super::collect::{Collector, Found};
use super::options::Args;
use super::setup::{Setup, strategy};
use super::summary::{Explored, summarise};

/// How long the new version is explored, if nothing is said.
const TIME: Duration = Duration::from_secs(60);

/// Follows the test and explores from where the versions part.
pub fn explore(
    args: &Args,
    program: Program,
    stop: &Arc<AtomicBool>,
    folder: RunFolder,
) -> anyhow::Result<DiffSummary> {
    let seed = seed_of(args)?;
    let world = seed.world(args.command[0].as_bytes().to_vec());
    let Setup { image, mut shared, state, built } = Setup::new(args, program, &world)?;
    let input = built.assignment(&mut shared.expressions, &seed);
    let path = Path::begin(0, input.clone(), &shared.expressions, &built.constraints);
    let mut config = strategy(args, stop, Search::new(vec![SearchKind::BreadthFirst]));
    if !args.deterministic {
        config.limits.time.get_or_insert(TIME);
    }
    let mut collector = Collector {
        image: &image,
        built: &built,
        function: args.function.as_deref(),
        folder,
        tests_per_place: args.tests_per_place,
        phase: "seed",
        seed: Some(input.clone()),
        found: Found::default(),
    };
    let start = Instant::now();
    let mut worker = Worker::new(&image, shared, state, config);
    let process = &built.starts.first().context("the test has a start")?.process;
    let points = worker.follow(process, path, &mut collector);
    for point in &points {
        collector.phase = point.phase.name();
        worker.show(point, &mut collector);
    }
    collector.phase = "bounded";
    let stopped = worker.explore_from(points, &mut collector);
    let execute_s = start.elapsed().as_secs_f64();
    let explored = Explored {
        found: collector.found,
        stopped,
        statistics: worker.statistics().clone(),
        coverage: worker.shared().coverage.clone(),
    };
    let summary = summarise(args, &world, &image, explored)?;
    Ok(DiffSummary { execute_s, ..summary })
}

fn seed_of(args: &Args) -> anyhow::Result<Seed> {
    let stdin = match &args.stdin {
        Some(file) => {
            Some(std::fs::read(file).with_context(|| format!("reading {}", file.display()))?)
        }
        None => None,
    };
    Ok(Seed {
        arguments: args.command[1..].iter().map(|word| word.as_bytes().to_vec()).collect(),
        stdin,
        objects: args.object.clone(),
    })
}
