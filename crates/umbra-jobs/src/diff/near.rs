//! Near tests: the own path of each, then what the new version does where the versions part.
//!
//! Tests are followed side by side, each by a worker with expressions and a solver of its own. What one test shows
//! does not depend on the others: only the time that they share does. What is found comes together in
//! the order of the tests (see [`Ledger`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use umbra_engine::{Coverage, Image, Path};
use umbra_ir::Program;
use umbra_report::SeedCounts;
use umbra_strategy::{Config, FollowLimits, PointBudget, Search, Terrain, WORKER_STACK, Worker};
use umbra_words::Phase;

use super::collect::{Collector, Found, Teller};
use super::confirm::{NotReplayed, Versions};
use super::cover::{self, Choice};
use super::ledger::{Ledger, Mark};
use super::pairs::Parted;
use super::seeds::{self, NamedSeed, Seeds};
use super::setup::{Setup, strategy};
use super::summary::{Compared, Explored, Part, summarise};
use crate::{DiffJob, Error, Journal, JournalError, Logbook, Near, Watched};

/// How long all of it takes at most, if nothing is said.
const TIME: Duration = Duration::from_secs(300);

/// How long the states of one point run before it is the next one's turn.
const TURN: Duration = Duration::from_secs(1);
const TURN_INSTRUCTIONS: u64 = 2_000_000;

/// Follows tests and explores from where the versions part.
pub fn explore(
    job: &DiffJob,
    near: &Near,
    program: Program,
    versions: &Result<Versions, NotReplayed>,
    watched: &Watched<'_>,
    logbook: Logbook,
) -> Result<Compared, Error> {
    let Seeds { all: seeds, other_programs } = seeds::find(job, &near.tests)?;
    let program = Arc::new(program);
    let first = seeds.first().ok_or(Error::NoTest)?;
    let Setup { image, .. } = Setup::new(job, Arc::clone(&program), &first.seed.world())?;
    let (journal, before, folder) = logbook.unpack(|before: &Kept| before.ledger.cases)?;
    let names: Vec<String> = seeds.iter().map(|named| named.name.clone()).collect();
    let Kept { choice, ledger: mark, parts, .. } = match before {
        Some(before) if before.names != names => return Err(JournalError::Tests.into()),
        Some(before) => before,
        None => Kept {
            choice: cover::choose(job, near.choice, versions, &image, &seeds),
            names: names.clone(),
            ledger: Mark::default(),
            parts: BTreeMap::new(),
        },
    };
    watched.guard.set_up();
    let start = Instant::now();
    let begun = mark.pages;
    let ledger = Ledger::new(folder, job.tests_per_place, mark);
    let following = Following {
        job,
        near,
        program,
        watched,
        seeds: &seeds,
        choice: &choice,
        ledger: &ledger,
        // What it took to choose tests counts where a time was given.
        time: watched.budget.exploring().unwrap_or(TIME),
        start,
        journal: &journal,
        names,
        progress: Mutex::new(Progress { begun, kept: begun, failed: false, parts }),
    };
    let Progress { begun, parts, .. } = following.follow_all()?;
    let mut explored = Explored::new(Coverage::new(&image));
    for (position, part) in parts {
        explored.add(&seeds[choice.order[position]].name, part);
    }
    for (named, reached) in seeds.iter().zip(&choice.reached) {
        explored.add_test(&named.name, reached.clone());
    }
    let mut compared = summarise(job, &first.seed.world(), &image, explored, ledger)?;
    compared.summary.execute_s = start.elapsed().as_secs_f64();
    let out_of_time = (choice.order.len() - begun) as u64;
    if out_of_time > 0 {
        let left_out = &mut compared.summary.left_out;
        left_out.insert("tests that were not followed".to_owned(), out_of_time);
    }
    compared.summary.seeds = SeedCounts {
        given: seeds.len() as u64 + other_programs,
        other_programs,
        followed: begun as u64,
        out_of_time,
        choice: choice.text.clone(),
    };
    Ok(compared)
}

/// What all workers know.
struct Following<'a> {
    job: &'a DiffJob,
    near: &'a Near,
    program: Arc<Program>,
    watched: &'a Watched<'a>,
    seeds: &'a [NamedSeed],
    choice: &'a Choice,
    ledger: &'a Ledger,
    start: Instant,
    /// How long all of it may take.
    time: Duration,
    journal: &'a Journal,
    /// All tests by name.
    names: Vec<String>,
    progress: Mutex<Progress>,
}

/// How far all workers together are.
struct Progress {
    /// Tests that were begun, in the order of the choice.
    begun: usize,
    /// Tests of which the journal knows.
    kept: usize,
    /// Whether a worker has failed, so that nothing more is begun.
    failed: bool,
    /// What tests have come to, by their position.
    parts: BTreeMap<usize, Part>,
}

/// Where a comparison near tests stands: which tests were followed, and what they came to.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// All tests by name.
    names: Vec<String>,
    choice: Choice,
    ledger: Mark,
    parts: BTreeMap<usize, Part>,
}

impl Following<'_> {
    /// Follows tests as long as there is time.
    fn follow_all(self) -> Result<Progress, Error> {
        let workers = self.workers();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 1..workers {
                let thread = std::thread::Builder::new().stack_size(WORKER_STACK);
                // If the system has no more threads, those that there are do the work.
                threads.extend(thread.spawn_scoped(scope, || self.work()));
            }
            let mut done = self.work();
            for thread in threads {
                let also = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                done = done.and(also);
            }
            done
        })?;
        Ok(self.progress.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// No more than there are tests.
    fn workers(&self) -> usize {
        self.job.strategy.workers.get().min(self.choice.order.len()).max(1)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        // Nothing here is left half done by a panic.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: follows one test after the other.
    fn work(&self) -> Result<(), Error> {
        while let Some((position, time)) = self.next() {
            if let Err(error) = self.follow(position, time) {
                self.progress().failed = true;
                return Err(error);
            }
        }
        Ok(())
    }

    /// The next test to follow, and its time: all tests that are left share what is left equally.
    fn next(&self) -> Option<(usize, Duration)> {
        let mut progress = self.progress();
        let (position, tests) = (progress.begun, self.choice.order.len());
        let left = self.time.saturating_sub(self.start.elapsed());
        let is_late = !self.job.strategy.deterministic && left.is_zero();
        let is_over = is_late || self.watched.control.stopped().is_some() || progress.failed;
        if position >= tests || is_over {
            return None;
        }
        progress.begun += 1;
        let share = share(left, tests - position, self.workers());
        Some((position, self.near.seed_time.map_or(share, |most| most.min(left))))
    }

    /// Follows one test.
    fn follow(&self, position: usize, time: Duration) -> Result<(), Error> {
        let (job, named) = (self.job, &self.seeds[self.choice.order[position]]);
        let page = self.ledger.page(position);
        let setup = Setup::new(job, Arc::clone(&self.program), &named.seed.world())?;
        let Setup { image, mut shared, state, built } = setup;
        let input = built.assignment(&mut shared.expressions, &named.seed);
        let path = Path::begin(0, input.clone(), &shared.expressions, &built.constraints);
        let collector = Mutex::new(Collector {
            image: &image,
            built: &built,
            function: job.subject.function.as_deref(),
            page,
            tests_per_place: job.tests_per_place,
            phase: Phase::Seed,
            seed: Some(input),
            seed_name: Some(&named.name),
            found: Found::default(),
            parted: Parted::default(),
        });
        let mut teller = Teller::new(&collector);
        let mut worker = Worker::new(&image, shared, state, self.config(time));
        let process = &built.starts.first().ok_or(Error::NoTest)?.process;
        let beside = FollowLimits { sides: self.near.sides, inputs: self.near.followed };
        let points = worker.follow(process, path, beside, &mut teller);
        let reached = reached(&image, &worker.shared().coverage);
        teller.collector().phase = Phase::Bounded;
        let (search, terrain) = self.search(&image, &reached);
        let budget = self.budget();
        let stopped =
            worker.explore_points(points, &budget, &search, terrain.as_ref(), &mut teller);
        let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut found = collector.finish(&worker.statistics(), stopped.is_some());
        if named.seed.fixed_files() > 0 {
            let what = "files of tests that are too large to vary".to_owned();
            *found.left_out.entry(what).or_default() += named.seed.fixed_files();
        }
        let covered = self::reached(&image, &worker.shared().coverage);
        let stopped = stopped.or_else(|| worker.limit_reached());
        let statistics = worker.statistics();
        self.keep(position, Part { found, stopped, statistics, reached, covered })?;
        if self.watched.control.stopped().is_some() {
            worker.abandon();
        }
        Ok(())
    }

    /// Keeps what a test has come to. The journal has it when all tests before are closed too; a test that was stopped
    /// from outside is followed again.
    fn keep(&self, position: usize, part: Part) -> Result<(), Error> {
        let mut progress = self.progress();
        progress.parts.insert(position, part);
        let mark = self.ledger.last_turn();
        let is_whole = (0..mark.pages).all(|page| progress.parts.contains_key(&page));
        if !is_whole || mark.pages <= progress.kept || self.watched.control.stopped().is_some() {
            return Ok(());
        }
        progress.kept = mark.pages;
        let done = progress.parts.range(..mark.pages);
        Ok(self.journal.keep(Kept {
            names: self.names.clone(),
            choice: self.choice.clone(),
            ledger: mark,
            parts: done.map(|(position, part)| (*position, part.clone())).collect(),
        })?)
    }

    /// How the worker of one test works: limits that are those of all workers together are divided.
    fn config(&self, time: Duration) -> Config {
        let mut config = strategy(self.job, self.watched, Search::depth_first());
        let workers = self.workers();
        config.limits.states = config.limits.states.map(|states| states.div_ceil(workers));
        config.limits.memory = config.limits.memory.map(|memory| memory / workers);
        if !self.job.strategy.deterministic {
            config.limits.time = Some(time);
        }
        config
    }

    /// How the new version is explored from a point: breadth-first; if there are changes that neither this
    /// test nor, natively, any other reaches, every other turn is for the state that is likely to reach one soon.
    fn search(&self, image: &Image, reached: &BTreeSet<u32>) -> (Search, Option<Arc<Terrain>>) {
        if let Some(search) = &self.job.strategy.search {
            return (search.search(), None);
        }
        let by_tests = |target: &u32| self.choice.reached.iter().any(|test| test.contains(target));
        let targets = image.changes().into_iter().map(|(_, target)| target);
        let unreached: Vec<u32> =
            targets.filter(|target| !reached.contains(target) && !by_tests(target)).collect();
        if unreached.is_empty() {
            return (Search::breadth_first(), None);
        }
        (Search::steered(), Some(Arc::new(Terrain::to_blocks(image, &unreached))))
    }

    fn budget(&self) -> PointBudget {
        let has_clock = !self.job.strategy.deterministic;
        PointBudget {
            time: has_clock.then_some(self.near.point_time),
            instructions: self.near.point_instructions,
            turn_time: has_clock.then_some(TURN),
            turn_instructions: TURN_INSTRUCTIONS,
        }
    }
}

/// The changes that ran.
fn reached(image: &Image, covered: &Coverage) -> BTreeSet<u32> {
    let targets = image.changes().into_iter().map(|(_, target)| target);
    targets.filter(|target| covered.is_covered(*target)).collect()
}

/// The time of one test, if so many are left for so many workers: each worker has all the time that is left.
fn share(left: Duration, tests: usize, workers: usize) -> Duration {
    left.mul_f64(workers.min(tests) as f64 / tests as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_share_the_time_of_all_workers() {
        let share = |tests, workers| share(Duration::from_secs(60), tests, workers).as_secs();
        assert_eq!([share(6, 1), share(6, 2), share(6, 3)], [10, 20, 30]);
        // The last ones have all that is left.
        assert_eq!([share(1, 1), share(2, 2), share(1, 2)], [60, 60, 60]);
    }
}
