//! Near tests: the own path of each, then what the new version does where the versions part, and both around it.
//!
//! Tests are followed side by side, each by a worker with expressions and a solver of its own. What one test shows
//! does not depend on the others: only the time that they share does. Each has a first turn; then those of which something
//! is left go round until the time is used up ([`OpenTest`]). What is found comes together in
//! the order of the turns (see [`Ledger`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use umbra_case::{Case, Expected};
use umbra_engine::{Coverage, Image, Memory};
use umbra_ir::Program;
use umbra_report::{DivergenceLine, PathLines, SeedCounts};
use umbra_strategy::{
    Config, FollowLimits, PointBudget, Pruner, Search, Searches, Seed, Terrain, WORKER_STACK,
};
use umbra_words::{Class, Kind, Phase, Place};

use super::confirm::{NotReplayed, Versions};
use super::cover::{self, Choice, Shapes};
use super::ledger::{Ledger, Mark, Tally};
use super::neighbours::Shown;
use super::seeds::{self, NamedSeed, Seeds};
use super::setup::{Lowered, Setup, strategy};
use super::summary::{Compared, Explored, Part, summarise};
use super::turns::{Following, OpenTest};
use crate::calls::calls_of;
use crate::{DiffJob, Error, Journal, JournalError, Logbook, Near, Watched};

/// How long all of it takes at most, if nothing is said.
const TIME: Duration = Duration::from_secs(300);

/// How long the states of one point run before it is the next one's turn.
const TURN: Duration = Duration::from_secs(1);
const TURN_INSTRUCTIONS: u64 = 2_000_000;

/// The least that a turn of a test takes after its first one.
const LEAST_TURN: Duration = Duration::from_secs(1);

/// Other sides of branches around one test that are kept.
const MOST_AROUND: usize = 1 << 12;

/// Tests in other shapes that are followed, where a time is given: one for so much of it, but not too many.
const SHAPE: Duration = Duration::from_secs(4);
const MOST_SHAPES: u64 = 24;

/// So much of the time is for native runs of tests in other shapes.
const NATIVELY: u32 = 4;

/// What tests in other shapes are called together: what was made of a test takes long to say.
const SHAPED: &str = "a test in another shape";

/// The folder, in that of the run, of tests in other shapes that are followed.
const SHAPES: &str = "shapes";

/// The test, in the ledger, of what native runs show.
const NATIVE: usize = usize::MAX;

/// Instructions around one test, where no time is given that could be used up.
const AROUND_INSTRUCTIONS: u64 = 2_000_000;

/// Follows tests and explores from where the versions part.
pub fn explore(
    job: &DiffJob,
    near: &Near,
    program: Arc<Program>,
    versions: &Result<Versions, NotReplayed>,
    watched: &Watched<'_>,
    logbook: Logbook,
) -> Result<Compared, Error> {
    let Seeds { all: mut seeds, other_programs } = seeds::find(&job.subject.program, &near.tests)?;
    let mut fewer_calls = 0;
    if let Some(source) = &job.subject.from {
        let Ok(versions) = versions else { return Err(Error::CallsWithoutNative) };
        (seeds, fewer_calls) = calls_of(source, seeds, &versions.new, &versions.native)?;
    }
    let (given, world) = (seeds.len(), seeds.first().ok_or(Error::NoTest)?.seed.world());
    let Setup { image, .. } = Setup::new(job, Arc::clone(&program), &world)?;
    let (journal, before, folder) = logbook.unpack(|before: &Kept| before.ledger.cases)?;
    let results = folder.path().to_owned();
    let (ledger, kept, pages) = match before {
        Some(before) => {
            for (index, name) in before.names.iter().enumerate().skip(given) {
                let case = Case::read(&shape_folder(&results, index))?;
                seeds.push(NamedSeed { name: name.clone(), seed: Seed::of_case(case) });
            }
            let parts = &before.parts;
            let is_done = |test| test == NATIVE || parts.contains_key(&test);
            let pages = before.ledger.pages;
            let mark = before.ledger.clone().of_tests(is_done);
            (Ledger::new(folder, job.tests_per_place, mark), before, pages)
        }
        None => {
            let ledger = Ledger::new(folder, job.tests_per_place, Mark::default());
            let mut page = ledger.page(0, NATIVE, Tally::default());
            let mut tell = |named: &NamedSeed, shown: &Shown| {
                page.add(line(&image, shown), Some((of_seed(named), PathLines::default())));
            };
            let time = watched.budget.exploring().unwrap_or(TIME) / NATIVELY;
            let most = most_shapes(job, near);
            let shapes =
                (most > 0).then(|| Shapes { program: &program, most, time, tell: &mut tell });
            let choice = cover::choose(job, near.choice, versions, &image, &mut seeds, shapes);
            page.close();
            // Those of a process that was killed before it could say so.
            drop(fs::remove_dir_all(results.join(SHAPES)));
            let folder = results.join(SHAPES);
            fs::create_dir_all(&folder).map_err(Error::file("making the folder", &folder))?;
            for (index, named) in seeds.iter().enumerate().skip(given) {
                named.seed.case().write(&shape_folder(&results, index))?;
            }
            let names = seeds.iter().map(|named| named.name.clone()).collect();
            (ledger, Kept { choice, names, ledger: Mark::default(), parts: BTreeMap::new() }, 1)
        }
    };
    let Kept { names, choice, parts, .. } = kept;
    if !names.iter().eq(seeds.iter().map(|named| &named.name)) {
        return Err(JournalError::Tests.into());
    }
    watched.guard.set_up();
    let start = Instant::now();
    let waiting = choice.order.len() - parts.len();
    let searching = Searching {
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
        pruner: OnceLock::new(),
        progress: Mutex::new(Progress {
            waiting: (0..choice.order.len()).filter(|test| !parts.contains_key(test)).collect(),
            pages,
            failed: false,
            last_pages: BTreeMap::new(),
            parts,
        }),
        workers: job.strategy.workers.min(NonZeroUsize::new(waiting).unwrap_or(NonZeroUsize::MIN)),
    };
    let Progress { waiting, parts, .. } = searching.search_all()?;
    let mut explored = Explored::new(Coverage::new(&image));
    let mut parted = Vec::new();
    for (position, part) in parts {
        let test = choice.order[position];
        let name = if test < given { &seeds[test].name } else { SHAPED };
        if part.found.test_parts {
            parted.push(name.to_owned());
        }
        explored.add(name, part);
    }
    for (test, (named, reached)) in seeds.iter().zip(&choice.reached).enumerate() {
        let name = if test < given { &named.name } else { SHAPED };
        explored.add_test(name, reached.clone());
    }
    let mut compared = summarise(job, &world, &image, explored, ledger)?;
    compared.summary.execute_s = start.elapsed().as_secs_f64();
    // Tests in other shapes are more than anybody asked for.
    let is_given = |position: &&usize| choice.order[**position] < given;
    let out_of_time = waiting.iter().filter(is_given).count() as u64;
    let all: Vec<usize> = (0..choice.order.len()).collect();
    let chosen = all.iter().filter(is_given).count() as u64;
    let shapes = (all.len() - waiting.len()) as u64 - (chosen - out_of_time);
    if fewer_calls > 0 {
        let left_out = &mut compared.summary.left_out;
        left_out.insert("calls that were not followed (--max-calls)".to_owned(), fewer_calls);
    }
    if out_of_time > 0 {
        let left_out = &mut compared.summary.left_out;
        left_out.insert("tests that were not followed".to_owned(), out_of_time);
    }
    compared.summary.seeds = SeedCounts {
        given: given as u64 + other_programs,
        other_programs,
        followed: chosen - out_of_time,
        shapes,
        tried: choice.tried,
        out_of_time,
        choice: choice.text.clone(),
        parted,
    };
    Ok(compared)
}

/// The folder of a test in another shape, by its position: whoever goes on with the run reads it there.
fn shape_folder(results: &Path, index: usize) -> PathBuf {
    results.join(SHAPES).join(format!("{index:04}"))
}

/// What native runs show of a test in another shape, as a line.
fn line(image: &Image, shown: &Shown) -> DivergenceLine {
    let changes = image.changes().into_iter().filter(|(_, target)| shown.reached.contains(target));
    let mut changes: Vec<Place> =
        changes.map(|(place, _)| Place { file: place.file, line: place.line }).collect();
    changes.sort();
    changes.dedup();
    DivergenceLine {
        kind: Kind::Data,
        place: changes.first().cloned().unwrap_or_default(),
        class: shown.class.unwrap_or(Class::ToJudge),
        detail: format!("native runs of both versions differ: {}", shown.kinds.join(", ")),
        phase: Phase::Shape,
        changes,
        ..DivergenceLine::default()
    }
}

/// The test case of a test in another shape.
fn of_seed(named: &NamedSeed) -> Case {
    let mut case = named.seed.case().clone();
    case.expected = Expected::default();
    case.origin.insert("seed".to_owned(), named.name.clone());
    case
}

/// How many tests in other shapes may be followed: none, if there is no time given that could be used up.
fn most_shapes(job: &DiffJob, near: &Near) -> usize {
    // What the program starts from is no input where a call is.
    if job.subject.from.is_some() {
        return 0;
    }
    let time = job.limits.time.filter(|_| is_timed(job)).unwrap_or_default();
    near.shapes.unwrap_or((time.as_secs() / SHAPE.as_secs()).min(MOST_SHAPES) as usize)
}

/// Whether there is a time that is to be used up.
fn is_timed(job: &DiffJob) -> bool {
    !job.strategy.deterministic && job.limits.time.is_some()
}

/// What all workers know.
struct Searching<'a> {
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
    pruner: OnceLock<Option<Arc<Pruner>>>,
    progress: Mutex<Progress>,
    /// No more than there are tests.
    workers: NonZeroUsize,
}

/// How far all workers together are. Tests are named by their position in the order of the choice.
struct Progress {
    /// Tests that were not begun.
    waiting: VecDeque<usize>,
    /// Pages of the ledger that were opened.
    pages: usize,
    /// Whether a worker has failed, so that nothing more is begun.
    failed: bool,
    /// The last page of tests that are over.
    last_pages: BTreeMap<usize, usize>,
    /// What tests have come to.
    parts: BTreeMap<usize, Part>,
}

/// Where a comparison near tests stands: which tests are over, and what they came to.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// All tests by name.
    names: Vec<String>,
    choice: Choice,
    ledger: Mark,
    parts: BTreeMap<usize, Part>,
}

/// What a worker does next.
enum Next<'a> {
    /// A test is begun, which may have so much time to be followed, and so much for the rest of its turn.
    Begin { position: usize, page: usize, follow: Duration, explore: Duration },
    /// A test goes on for so long.
    GoOn { test: Box<OpenTest<'a>>, page: usize, time: Duration },
}

impl<'a> Searching<'a> {
    /// Follows tests as long as there is time.
    fn search_all(self) -> Result<Progress, Error> {
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 1..self.workers.get() {
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

    fn progress(&self) -> MutexGuard<'_, Progress> {
        // Nothing here is left half done by a panic.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: gives one test after the other its turn. What the tests have left at the end is given up.
    fn work(&self) -> Result<(), Error> {
        let mut lowered = Lowered::new(self.job, Arc::clone(&self.program))?;
        let (image, memory) = lowered.parts();
        let mut open = VecDeque::new();
        let mut done = self.take_turns(image, memory, &mut open);
        for mut test in open {
            if done.is_ok() {
                let page = self.next_page(&mut self.progress());
                self.open_page(&mut test, page);
                done = self.close(*test, page);
            }
        }
        if done.is_err() {
            self.progress().failed = true;
        }
        done
    }

    fn take_turns<'b>(
        &'b self,
        image: &'b Image,
        memory: &mut Memory,
        open: &mut VecDeque<Box<OpenTest<'b>>>,
    ) -> Result<(), Error> {
        let budget = self.budget();
        while let Some(next) = self.next(open) {
            let asked = self.watched.control.asked();
            let elsewhere = open.iter().map(|test| test.bytes()).sum::<usize>();
            let (mut test, page) = match next {
                Next::Begin { position, page, follow, explore } => {
                    let mut test = self.follow(position, page, follow, (image, memory))?;
                    self.limit_memory(&mut test, elsewhere);
                    let own = self.near.seed_time.map(|most| most.saturating_sub(test.spent()));
                    test.explore(self.clocked(own.unwrap_or(explore)), &budget);
                    (Box::new(test), page)
                }
                Next::GoOn { mut test, page, time } => {
                    self.open_page(&mut test, page);
                    self.limit_memory(&mut test, elsewhere);
                    test.explore(self.clocked(time), &budget);
                    (test, page)
                }
            };
            let is_late = self.near.seed_time.is_some_and(|most| test.spent() >= most);
            if test.is_over() || is_late || self.job.strategy.deterministic {
                self.close(*test, page)?;
                continue;
            }
            test.close_page();
            open.push_back(test);
            // Those that wait cannot give memory back while another one runs.
            let is_asked = self.watched.control.asked() != asked;
            self.make_room(open, is_asked)?;
        }
        Ok(())
    }

    /// Time counts only where equal runs need not be equal.
    fn clocked(&self, time: Duration) -> Option<Duration> {
        (!self.job.strategy.deterministic).then_some(time)
    }

    /// What is next: a test that was not begun, or the one that has waited longest. Tests that are begun share what is left equally;
    /// half of it is for later, when it is known which of them have something left.
    fn next<'b>(&self, open: &mut VecDeque<Box<OpenTest<'b>>>) -> Option<Next<'b>> {
        let mut progress = self.progress();
        let left = self.time.saturating_sub(self.start.elapsed());
        let is_late = !self.job.strategy.deterministic && left.is_zero();
        if is_late || self.watched.control.stopped().is_some() || progress.failed {
            return None;
        }
        let tests = progress.waiting.len();
        if let Some(position) = progress.waiting.pop_front() {
            let share = share(left, tests, self.workers.get());
            let follow = self.near.seed_time.map_or(share, |most| most.min(left));
            let explore = share / 2;
            let page = self.next_page(&mut progress);
            return Some(Next::Begin { position, page, follow, explore });
        }
        let tests = open.len() as u32;
        let test = open.pop_front()?;
        let turn = (left / tests / if test.has_brought() { 1 } else { 2 }).max(LEAST_TURN);
        let own = self.near.seed_time.map(|most| most.saturating_sub(test.spent()));
        let time = turn.min(left).min(own.unwrap_or(left));
        let page = self.next_page(&mut progress);
        Some(Next::GoOn { test, page, time })
    }

    /// A page for the next turn, or for the end of a test.
    fn next_page(&self, progress: &mut Progress) -> usize {
        progress.pages += 1;
        progress.pages - 1
    }

    fn open_page<'b>(&'b self, test: &mut OpenTest<'b>, page: usize) {
        let position = test.position;
        test.open_page(|tally| self.ledger.page(page, position, tally));
    }

    /// Follows one test.
    fn follow<'b>(
        &'b self,
        position: usize,
        page: usize,
        time: Duration,
        (image, memory): (&'b Image, &mut Memory),
    ) -> Result<OpenTest<'b>, Error> {
        let page = self.ledger.page(page, position, Tally::default());
        let around = if self.around() == Some(0) { 0 } else { MOST_AROUND };
        let beside = FollowLimits { sides: self.near.sides, inputs: self.near.followed, around };
        let following = Following { job: self.job, image, config: self.config(), beside };
        let named = &self.seeds[self.choice.order[position]];
        let searches = |reached: &BTreeSet<u32>| self.searches(image, reached);
        let time = self.clocked(time);
        OpenTest::follow(position, named, following, memory, page, (time, searches))
    }

    /// A test is over: keeps what it has come to. The journal has it when all pages before are closed too; a test that was
    /// stopped from outside is followed again.
    fn close(&self, test: OpenTest<'_>, page: usize) -> Result<(), Error> {
        let position = test.position;
        let part = test.close(self.watched.control.stopped().is_some());
        let mut progress = self.progress();
        progress.parts.insert(position, part);
        progress.last_pages.insert(position, page);
        if self.watched.control.stopped().is_some() {
            return Ok(());
        }
        let mark = self.ledger.mark();
        let Progress { last_pages, parts, .. } = &*progress;
        let is_kept =
            |position: &usize| last_pages.get(position).is_none_or(|page| *page < mark.pages);
        let done = parts.iter().filter(|(position, _)| is_kept(position));
        Ok(self.journal.keep(Kept {
            names: self.names.clone(),
            choice: self.choice.clone(),
            parts: done.map(|(position, part)| (*position, part.clone())).collect(),
            ledger: mark,
        })?)
    }

    /// How the worker of one test works: limits that are those of all workers together are divided.
    fn config(&self) -> Config {
        let mut config = strategy(self.job, self.watched, Search::depth_first());
        let workers = self.workers.get();
        config.limits.states = config.limits.states.map(|states| states.div_ceil(workers));
        config.limits.memory = config.limits.memory.map(|memory| memory / workers);
        if !self.job.strategy.deterministic {
            config.limits.time = Some(self.time.saturating_sub(self.start.elapsed()));
        }
        config
    }

    /// The bytes that the tests of one worker may take together.
    fn memory(&self) -> usize {
        self.config().limits.memory.unwrap_or(usize::MAX)
    }

    /// A test may take what those that wait leave.
    fn limit_memory(&self, test: &mut OpenTest<'_>, elsewhere: usize) {
        test.limit_memory(self.memory().saturating_sub(elsewhere));
    }

    /// Closes tests that wait, the largest first, until they take at most half of the memory; or, if the whole process takes too
    /// much, at most half of what they take.
    fn make_room<'b>(
        &'b self,
        open: &mut VecDeque<Box<OpenTest<'b>>>,
        is_asked: bool,
    ) -> Result<(), Error> {
        let bytes = |open: &VecDeque<Box<OpenTest<'_>>>| -> usize {
            open.iter().map(|test| test.bytes()).sum()
        };
        let most = if is_asked { bytes(open) / 2 } else { self.memory() / 2 };
        while bytes(open) > most {
            let largest = (0..open.len()).max_by_key(|index| open[*index].bytes());
            let Some(mut test) = largest.and_then(|index| open.remove(index)) else { break };
            let page = self.next_page(&mut self.progress());
            self.open_page(&mut test, page);
            self.close(*test, page)?;
        }
        Ok(())
    }

    /// How the new version is explored from a point: breadth-first; if there are changes that neither this
    /// test nor, natively, any other reaches, every other turn is for the state that is likely to reach one soon.
    fn searches(&self, image: &Image, reached: &BTreeSet<u32>) -> Searches {
        let by_tests = |target: &u32| self.choice.reached.iter().any(|test| test.contains(target));
        let targets = image.changes().into_iter().map(|(_, target)| target);
        let unreached: Vec<u32> =
            targets.filter(|target| !reached.contains(target) && !by_tests(target)).collect();
        let (mut points, mut around, mut terrain) =
            (Search::breadth_first(), Search::around(), None);
        if !unreached.is_empty() {
            (points, around) = (Search::steered(), Search::around_and_steered());
            terrain = Some(Arc::new(Terrain::to_blocks(image, &unreached)));
        }
        if let Some(search) = &self.job.strategy.search {
            points = search.search();
        }
        Searches { points, around, terrain, pruner: self.pruner() }
    }

    /// Where nothing can be pruned, nothing is.
    fn pruner(&self) -> Option<Arc<Pruner>> {
        let pruner = || Pruner::new(&self.program).ok().map(Arc::new);
        self.pruner.get_or_init(pruner).clone()
    }

    fn budget(&self) -> PointBudget {
        let has_clock = !self.job.strategy.deterministic;
        PointBudget {
            time: has_clock.then_some(self.near.point_time),
            instructions: self.near.point_instructions,
            around: self.around(),
            turn_time: has_clock.then_some(TURN),
            turn_instructions: TURN_INSTRUCTIONS,
        }
    }

    /// Instructions around one test.
    fn around(&self) -> Option<u64> {
        let most = (!is_timed(self.job)).then_some(AROUND_INSTRUCTIONS);
        self.near.around_instructions.or(most)
    }
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
