//! Near tests: the own path of each, then what the new version does where the versions part.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use umbra_case::{Case, EntryKind};
use umbra_engine::{Coverage, Path};
use umbra_ir::Program;
use umbra_report::RunFolder;
use umbra_strategy::{Config, Search, SearchKind, Seed, Worker, World};

use super::collect::{Collector, Found};
use super::options::Args;
use super::setup::{Setup, strategy};
use super::summary::{Compared, Explored, summarise};

/// How long all of it takes at most, if nothing is said; tests share it equally.
const TIME: Duration = Duration::from_secs(60);

/// Follows each test and explores from where the versions part.
pub fn explore(
    args: &Args,
    program: Program,
    stop: &Arc<AtomicBool>,
    mut folder: RunFolder,
) -> anyhow::Result<Compared> {
    let seeds = seeds_of(args)?;
    let start = Instant::now();
    let time = args.limits.max_time.unwrap_or(TIME) / seeds.len().max(1) as u32;
    let mut all: Option<(Setup, World, Explored)> = None;
    for (name, seed) in &seeds {
        let world = seed.world(args.command[0].as_bytes().to_vec());
        let setup = Setup::new(args, program.clone(), &world)?;
        let mut config = strategy(args, stop, Search::new(vec![SearchKind::BreadthFirst]));
        if !args.deterministic {
            config.limits.time = Some(time);
        }
        let found = all.as_mut().map(|(.., all)| std::mem::take(&mut all.found));
        let followed = follow(args, setup, seed, config, folder, found.unwrap_or_default())?;
        folder = followed.folder;
        let (explored, tests) = (followed.explored, vec![(name.clone(), followed.covered)]);
        match &mut all {
            None => {
                let setup = Setup::new(args, program.clone(), &world)?;
                all = Some((setup, world, Explored { tests, ..explored }));
            }
            Some((.., all)) => {
                all.found = explored.found;
                all.stopped = all.stopped.or(explored.stopped);
                all.statistics.merge(&explored.statistics);
                all.coverage.merge(&explored.coverage);
                all.tests.extend(tests);
            }
        }
    }
    let (setup, world, explored) = all.context("there is a test to start from")?;
    let mut compared = summarise(args, &world, &setup.image, explored)?;
    compared.summary.execute_s = start.elapsed().as_secs_f64();
    Ok(compared)
}

/// What came of one test.
struct Followed {
    explored: Explored,
    /// What its own path, and those beside it, cover.
    covered: Coverage,
    folder: RunFolder,
}

fn follow(
    args: &Args,
    setup: Setup,
    seed: &Seed,
    config: Config,
    folder: RunFolder,
    found: Found,
) -> anyhow::Result<Followed> {
    let Setup { image, mut shared, state, built } = setup;
    let input = built.assignment(&mut shared.expressions, seed);
    let path = Path::begin(0, input.clone(), &shared.expressions, &built.constraints);
    let mut collector = Collector {
        image: &image,
        built: &built,
        function: args.function.as_deref(),
        folder,
        tests_per_place: args.tests_per_place,
        phase: "seed",
        seed: Some(input),
        found,
        pair_makers: 0,
    };
    let mut worker = Worker::new(&image, shared, state, config);
    let process = &built.starts.first().context("the test has a start")?.process;
    let points = worker.follow(process, path, &mut collector);
    let covered = worker.shared().coverage.clone();
    for point in &points {
        collector.phase = point.phase.name();
        worker.show(point, &mut collector);
    }
    collector.phase = "bounded";
    let stopped = worker.explore_from(points, &mut collector);
    let explored = Explored {
        found: collector.found,
        stopped,
        statistics: worker.statistics().clone(),
        coverage: worker.shared().coverage.clone(),
        tests: Vec::new(),
    };
    Ok(Followed { explored, covered, folder: collector.folder })
}

/// The tests to start from, with what they are called.
fn seeds_of(args: &Args) -> anyhow::Result<Vec<(String, Seed)>> {
    if args.cases.is_empty() {
        let read = |file: &PathBuf| {
            std::fs::read(file).with_context(|| format!("reading {}", file.display()))
        };
        let seed = Seed {
            arguments: args.command[1..].iter().map(|word| word.as_bytes().to_vec()).collect(),
            stdin: args.stdin.as_ref().map(read).transpose()?,
            files: Vec::new(),
            objects: args.object.clone(),
        };
        return Ok(vec![("command line".to_owned(), seed)]);
    }
    if args.command.len() > 1 {
        bail!("--case: the arguments are those of the test case, so give none after the program");
    }
    let read = |folder: &PathBuf| {
        let case = Case::read(folder).with_context(|| format!("reading {}", folder.display()))?;
        Ok((folder.display().to_string(), seed_of(case)))
    };
    args.cases.iter().map(read).collect()
}

/// A test case as far as its inputs can be others: what lies in folders of its tree stays out.
fn seed_of(case: Case) -> Seed {
    let objects = case.objects.into_iter();
    let files = case.tree.into_iter().filter_map(|entry| match entry.kind {
        EntryKind::File(bytes) if !entry.path.contains(&b'/') => {
            Some((PathBuf::from(OsStr::from_bytes(&entry.path)), bytes))
        }
        _ => None,
    });
    Seed {
        arguments: case.arguments,
        stdin: case.stdin.bytes().map(<[u8]>::to_vec),
        files: files.collect(),
        objects: objects
            .map(|object| (String::from_utf8_lossy(&object.name).into_owned(), object.bytes))
            .collect(),
    }
}
