//! All paths of both versions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_engine::Path;
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_strategy::{Config, Exploration, Outcome, Pruner, Search, Snapshot, World};

use umbra_words::Phase;

use super::collect::{Collector, Found, Teller};
use super::ledger::{Ledger, Mark};
use super::pairs::{Parted, SavedParted};
use super::setup::{Setup, strategy};
use super::summary::{Compared, Explored, summarise};
use crate::{Control, DiffJob, Error, Journal, JournalError, Logbook, Stopped, Watched};

/// Instructions that are executed for each state, and for each path on which the versions parted, between two pages of the
/// journal: so many are written, the latter with their branches.
const PER_STATE: u64 = 300;
const PER_PARTED: u64 = 3_000;

/// Where a comparison of all paths stands.
#[derive(Serialize, Deserialize)]
struct Progress {
    snapshot: Snapshot,
    found: Found,
    parted: SavedParted,
    ledger: Mark,
}

/// Keeps the journal.
struct Keeper<'c, 'a> {
    collector: &'c Mutex<Collector<'a>>,
    ledger: &'c Ledger,
    journal: &'c Journal,
    control: &'c Control,
    failure: Mutex<Option<JournalError>>,
}

impl<'c, 'a> Keeper<'c, 'a> {
    fn collector(&self) -> MutexGuard<'c, Collector<'a>> {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl umbra_strategy::Journal for Keeper<'_, '_> {
    /// All workers stand still: nothing is told or written meanwhile.
    fn write(&self, snapshot: Snapshot) {
        let (found, parted) = {
            let collector = self.collector();
            (collector.found.clone(), collector.parted.save())
        };
        let progress = Progress { snapshot, found, parted, ledger: self.ledger.mark() };
        if let Err(error) = self.journal.keep(progress) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
            self.control.stop(Stopped::Interrupted);
        }
    }

    fn pace(&self, states: usize, done: u64) -> u64 {
        if done == 0 {
            return FIRST;
        }
        let parted = self.collector().parted.len() as u64;
        PACE.max(states as u64 * PER_STATE + parted * PER_PARTED)
    }
}

/// Instructions between two pages of the journal at least.
const PACE: u64 = 50_000;

/// Instructions before the first one.
const FIRST: u64 = 250_000;

/// Explores all paths.
pub fn explore(
    job: &DiffJob,
    program: Arc<Program>,
    (world, prune): (&World, bool),
    watched: &Watched<'_>,
    logbook: Logbook,
) -> Result<Compared, Error> {
    let Setup { image, shared, state, built } = Setup::new(job, program, world)?;
    let paths = built.starts.iter().zip(0..).map(|(start, origin)| {
        let expressions = &shared.expressions;
        let path = Path::begin(origin, Assignment::new(), expressions, &built.constraints);
        (start.process.clone(), path)
    });
    let paths = paths.collect();
    let (journal, before, folder) = logbook.unpack(|before: &Progress| before.ledger.cases)?;
    let (snapshot, told) = before
        .map(|Progress { snapshot, found, parted, ledger }| (snapshot, (found, parted, ledger)))
        .unzip();
    let (found, parted, mark) = match told {
        Some((found, parted, mark)) => {
            (found, Parted::restore(parted).ok_or(JournalError::NoLine)?, mark)
        }
        None => Default::default(),
    };
    let ledger = Ledger::new(folder, job.tests_per_place, mark);
    let collector = Collector {
        image: &image,
        built: Arc::new(built),
        function: job.subject.function.as_deref(),
        page: Some(ledger.page(0, 0, ledger.tally(0))),
        tests_per_place: job.tests_per_place,
        phase: Phase::Complete,
        seed: None,
        seed_name: None,
        kept: 0,
        found,
        parted,
    };
    let collector = Mutex::new(collector);
    let keeper = Keeper {
        collector: &collector,
        ledger: &ledger,
        journal: &journal,
        control: watched.control,
        failure: Mutex::new(None),
    };
    let exploration = Exploration {
        journal: Some(&keeper),
        snapshot,
        ..Exploration::new(&image, shared, state, paths)
    };
    let pruner = match prune {
        true => Some(Arc::new(Pruner::new(&image.program).map_err(Error::Prune)?)),
        false => None,
    };
    watched.guard.set_up();
    let start = Instant::now();
    let outcome = umbra_strategy::explore(
        exploration,
        job.strategy.workers,
        |_| Config {
            pruner: pruner.clone(),
            again: job.limits.again(),
            ..strategy(job, watched, Search::patient())
        },
        |_| Teller::new(&collector),
    );
    let execute_s = start.elapsed().as_secs_f64();
    if let Some(why) = outcome.not_resumed {
        return Err(JournalError::from(why).into());
    }
    let Outcome { stopped, statistics, unrelated, coverage, observers, .. } = outcome;
    drop(observers);
    if let Some(failure) = keeper.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure.into());
    }
    let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
    let found = collector.finish(&statistics, stopped.is_some());
    let tests = BTreeMap::new();
    let explored = Explored { found, stopped, statistics, unrelated, coverage, tests };
    let mut compared = summarise(job, world, &image, explored, ledger)?;
    compared.summary.execute_s = execute_s;
    Ok(compared)
}
