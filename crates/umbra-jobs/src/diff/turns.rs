//! One test near which differences are looked for, between its turns.
//!
//! In its first turn both versions follow the test. What that leaves open (points where they part, and what is around the
//! test's path) is explored then and in later turns, each of which goes on where the last one ended.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use umbra_engine::{Coverage, Image, Memory, Path};
use umbra_strategy::{
    Config, FollowLimits, Followed, Open, PointBudget, Searches, Stopped, Worker,
};
use umbra_words::Phase;

use super::collect::{Collector, Found, Teller};
use super::ledger::{Page, Tally};
use super::pairs::Parted;
use super::seeds::NamedSeed;
use super::setup::start;
use super::summary::Part;
use crate::started::Started;
use crate::{DiffJob, Error};

/// A test that was followed.
pub struct OpenTest<'a> {
    /// Its position in the order of the choice.
    pub position: usize,
    named: &'a NamedSeed,
    image: &'a Image,
    worker: Worker<'a>,
    collector: Mutex<Collector<'a>>,
    open: Open,
    /// The changes that ran on its own path, as coverage names their blocks.
    reached: BTreeSet<u32>,
    /// What it has shown, between its turns.
    tally: Tally,
    /// Why it was not followed to its end, if it was not.
    cut: Option<Stopped>,
    /// Why its last turn ended.
    stopped: Option<Stopped>,
    spent: Duration,
    /// Test cases that its last turn has brought.
    brought: u64,
}

/// What a test is followed with.
pub struct Following<'a> {
    pub job: &'a DiffJob,
    pub image: &'a Image,
    pub config: Config,
    pub beside: FollowLimits,
}

impl<'a> OpenTest<'a> {
    /// Follows a test, within the time of the configuration. `page` is for this turn.
    pub fn follow(
        position: usize,
        named: &'a NamedSeed,
        following: Following<'a>,
        memory: &mut Memory,
        page: Page<'a>,
        (time, searches): (Option<Duration>, impl FnOnce(&BTreeSet<u32>) -> Searches),
    ) -> Result<Self, Error> {
        let Following { job, image, config, beside } = following;
        let begun = Instant::now();
        let started = start(job, image, memory, &named.seed.world())?;
        let Started { mut shared, state, built } = started;
        let input = built.assignment(&mut shared.expressions, &named.seed);
        let path = Path::begin(0, input.clone(), &shared.expressions, &built.constraints);
        let process = built.starts.first().ok_or(Error::NoTest)?.process.clone();
        let collector = Mutex::new(Collector {
            image,
            built: Arc::new(built),
            function: job.subject.function.as_deref(),
            page: Some(page),
            tests_per_place: job.tests_per_place,
            phase: Phase::Seed,
            seed: Some(input),
            seed_name: Some(&named.name),
            kept: 0,
            found: Found::default(),
            parted: Parted::default(),
        });
        let mut worker = Worker::new(image, shared, state, config);
        if let Some(time) = time {
            worker.allow(time);
        }
        let followed: Followed =
            worker.follow(&process, path, beside, &mut Teller::new(&collector));
        let reached = reached(image, &worker.shared().coverage);
        let cut = worker.limit_reached();
        let open = worker.open(followed, &searches(&reached));
        let spent = begun.elapsed();
        Ok(Self {
            position,
            named,
            image,
            worker,
            collector,
            open,
            reached,
            tally: Tally::default(),
            cut,
            stopped: None,
            spent,
            brought: 0,
        })
    }

    fn collector(&self) -> MutexGuard<'_, Collector<'a>> {
        // Nothing here is left half done by a panic.
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Explores what is open; where a clock counts, for so long.
    pub fn explore(&mut self, time: Option<Duration>, budget: &PointBudget) {
        let begun = Instant::now();
        let before = self.collector().kept;
        if let Some(time) = time {
            self.worker.allow(time);
        }
        let mut teller = Teller::new(&self.collector);
        self.stopped = self.worker.explore_open(&mut self.open, budget, &mut teller);
        let kept = self.collector().kept;
        self.brought = kept - before;
        self.spent += begun.elapsed();
    }

    /// Whether nothing is left to explore, or nothing can be any more.
    pub fn is_over(&self) -> bool {
        self.open.is_done() || self.stopped.is_some_and(|stopped| stopped != Stopped::Time)
    }

    /// How long it has taken so far.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Whether its last turn has shown something that was not known.
    pub fn has_brought(&self) -> bool {
        self.brought > 0
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> usize {
        self.worker.shared().expressions.bytes() + self.open.bytes()
    }

    /// It may keep so many bytes.
    pub fn limit_memory(&mut self, bytes: usize) {
        self.worker.limit_memory(bytes);
    }

    /// Its next turn has this page.
    pub fn open_page(&mut self, page: impl FnOnce(Tally) -> Page<'a>) {
        let page = page(std::mem::take(&mut self.tally));
        self.collector().page = Some(page);
    }

    /// Its turn is over.
    pub fn close_page(&mut self) {
        let page = self.collector().page.take();
        self.tally = page.map(Page::close).unwrap_or_default();
    }

    /// Nothing more is explored: what it has come to. The last page is closed.
    pub fn close(mut self, is_stopped: bool) -> Part {
        let is_whole = self.open.is_done();
        let open = std::mem::take(&mut self.open);
        self.worker.close(open, &mut Teller::new(&self.collector));
        let stopped = self.cut.or(self.stopped.filter(|_| !is_whole));
        let statistics = self.worker.statistics();
        let collector = self.collector.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut found = collector.finish(&statistics, stopped.is_some());
        if self.named.seed.fixed_files() > 0 {
            let what = "files of tests that are too large to vary".to_owned();
            *found.left_out.entry(what).or_default() += self.named.seed.fixed_files();
        }
        let covered = reached(self.image, &self.worker.shared().coverage);
        let unrelated = self.worker.shared().unrelated.clone();
        if is_stopped {
            self.worker.abandon();
        }
        Part { found, stopped, statistics, unrelated, reached: self.reached, covered }
    }
}

/// The changes that ran.
fn reached(image: &Image, covered: &Coverage) -> BTreeSet<u32> {
    let targets = image.changes().into_iter().map(|(_, target)| target);
    targets.filter(|target| covered.is_covered(*target)).collect()
}
