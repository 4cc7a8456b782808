//! All paths of both versions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use umbra_engine::Path;
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_report::RunFolder;
use umbra_strategy::{Config, Exploration, Outcome, Pruner, Search, World};

use umbra_words::Phase;

use super::collect::{Collector, Found, Teller};
use super::ledger::Ledger;
use super::pairs::Parted;
use super::setup::{Setup, strategy};
use super::summary::{Compared, Explored, summarise};
use crate::{DiffJob, Error, Watched};

/// Explores all paths.
pub fn explore(
    job: &DiffJob,
    program: Program,
    (world, prune): (&World, bool),
    watched: &Watched<'_>,
    folder: RunFolder,
) -> Result<Compared, Error> {
    let Setup { image, shared, state, built } = Setup::new(job, program, world)?;
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let exploration = Exploration::new(&image, shared, state, paths);
    let ledger = Ledger::new(folder, job.tests_per_place);
    let collector = Collector {
        image: &image,
        built: &built,
        function: job.subject.function.as_deref(),
        page: ledger.page(0),
        tests_per_place: job.tests_per_place,
        phase: Phase::Complete,
        seed: None,
        seed_name: None,
        found: Found::default(),
        parted: Parted::default(),
    };
    let collector = Mutex::new(collector);
    let pruner = match prune {
        true => Some(Arc::new(Pruner::new(&image.program).map_err(Error::Prune)?)),
        false => None,
    };
    watched.guard.set_up();
    let start = Instant::now();
    let outcome = umbra_strategy::explore(
        exploration,
        job.strategy.workers,
        |_| Config { pruner: pruner.clone(), ..strategy(job, watched, Search::patient()) },
        |_| Teller::new(&collector),
    );
    let execute_s = start.elapsed().as_secs_f64();
    let Outcome { stopped, statistics, coverage, observers, .. } = outcome;
    drop(observers);
    let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
    let found = collector.finish(&statistics, stopped.is_some());
    let explored = Explored { found, stopped, statistics, coverage, tests: BTreeMap::new() };
    let mut compared = summarise(job, world, &image, explored, ledger)?;
    compared.summary.execute_s = execute_s;
    Ok(compared)
}
