//! How the run goes: where it stands, for who watches, and samples over time.
//!
//! Workers post where they stand on one board; whoever finds that it is time shows it or takes the
//! sample.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use umbra_engine::{Coverage, Image};
use umbra_report::{LineCounts, Sample};
use umbra_strategy::Statistics;

use super::write::{Message, Queue};
use crate::{own, usage};

/// Time between two lines: people do not read faster.
const LINE: Duration = Duration::from_millis(100);

/// Time between two samples.
const SAMPLE: Duration = Duration::from_secs(1);

/// Time between two posts of one worker.
const POST: Duration = Duration::from_millis(50);

/// Shows where the run stands, now and then; `None` when it is over.
pub type Line<'a> = &'a (dyn Fn(Option<&Sample>) + Sync);

/// Where all workers stand.
pub struct Board<'a> {
    image: &'a Image,
    queue: Queue,
    tests: Arc<AtomicU64>,
    line: Option<Line<'a>>,
    start: Instant,
    posted: Arc<Mutex<Posted>>,
}

/// What all workers have posted.
pub struct Posted {
    /// Of each worker; their counts are added up.
    workers: Vec<Sample>,
    next_line: Instant,
    next_sample: Instant,
    /// Lines that ran when this many blocks had: counting lines takes long, and blocks seldom run
    /// for the first time.
    lines: LineCounts,
    blocks: Option<usize>,
    history: Vec<Sample>,
}

/// A worker's way to the board.
pub struct Post<'a> {
    pub board: &'a Board<'a>,
    pub worker: usize,
    pub next: Instant,
}

impl Post<'_> {
    /// Called often; seldom does something.
    pub fn update(&mut self, statistics: &Statistics, coverage: &Coverage, waiting: usize) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + POST;
            self.board.update(self.worker, &counts(statistics, waiting), coverage, now);
        }
    }
}

impl<'a> Board<'a> {
    /// The board of a run that starts now.
    pub fn new(
        image: &'a Image,
        workers: usize,
        queue: Queue,
        tests: Arc<AtomicU64>,
        line: Option<Line<'a>>,
    ) -> Self {
        let start = Instant::now();
        let posted = Posted {
            workers: vec![Sample::default(); workers],
            next_line: start,
            next_sample: start,
            lines: LineCounts::default(),
            blocks: None,
            history: Vec::new(),
        };
        Self { image, queue, tests, line, start, posted: Arc::new(Mutex::new(posted)) }
    }

    /// Where all workers stand, for who has to know before the end.
    pub fn standing(&self) -> Arc<Mutex<Posted>> {
        Arc::clone(&self.posted)
    }

    fn posted(&self) -> MutexGuard<'_, Posted> {
        // Numbers for people: half an update does no harm.
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, worker: usize, counts: &Sample, coverage: &Coverage, now: Instant) {
        let mut posted = self.posted();
        posted.workers[worker] = *counts;
        if now >= posted.next_sample {
            posted.next_sample = now + SAMPLE;
            let sum = posted.sum();
            self.sample(&mut posted, sum, coverage);
        }
        if let Some(show) = self.line
            && now >= posted.next_line
        {
            posted.next_line = now + LINE;
            let mut sample = self.complete(posted.sum(), posted.lines);
            // The line has the share of the time, and each worker has a solver of its own.
            sample.solver_seconds /= posted.workers.len() as f64;
            show(Some(&sample));
        }
    }

    fn sample(&self, posted: &mut Posted, counts: Sample, coverage: &Coverage) {
        if posted.blocks != Some(coverage.count()) {
            posted.blocks = Some(coverage.count());
            let lines = self.image.line_coverage(coverage);
            posted.lines = LineCounts::of_files(&lines, own::is_own);
        }
        let sample = self.complete(counts, posted.lines);
        posted.history.push(sample);
        self.queue.send(Message::Sample(sample));
    }

    /// Adds what is not a worker's.
    fn complete(&self, counts: Sample, lines: LineCounts) -> Sample {
        Sample {
            seconds: self.start.elapsed().as_secs_f64(),
            covered_lines: lines.covered,
            lines: lines.lines,
            memory_mib: usage::resident_mib(),
            tests: self.tests.load(Ordering::Relaxed),
            ..counts
        }
    }

    /// Takes the last sample and removes the line; returns all samples.
    pub fn finish(self, statistics: &Statistics, coverage: &Coverage, open: u64) -> Vec<Sample> {
        let mut posted = self.posted();
        self.sample(&mut posted, counts(statistics, open as usize), coverage);
        if let Some(show) = self.line {
            show(None);
        }
        std::mem::take(&mut posted.history)
    }
}

impl Posted {
    /// The counts of all workers, and how many lines of the program's own files ran.
    pub fn now(&self) -> (Sample, LineCounts) {
        (self.sum(), self.lines)
    }

    fn sum(&self) -> Sample {
        let mut sum = Sample::default();
        for worker in &self.workers {
            sum.instructions += worker.instructions;
            sum.paths += worker.paths;
            sum.states += worker.states;
            sum.queries += worker.queries;
            sum.solver_seconds += worker.solver_seconds;
        }
        sum
    }
}

fn counts(statistics: &Statistics, waiting: usize) -> Sample {
    Sample {
        instructions: statistics.instructions,
        paths: statistics.paths(),
        states: waiting as u64,
        queries: statistics.queries,
        solver_seconds: statistics.solver_time.as_secs_f64(),
        ..Sample::default()
    }
}
