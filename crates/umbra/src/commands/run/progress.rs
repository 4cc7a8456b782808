//! How the run goes: a line on the terminal, and samples over time.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use umbra_engine::{Coverage, Image};
use umbra_report::{LineCounts, Sample, progress_line};
use umbra_strategy::Statistics;

use super::usage;
use super::write::{Message, Queue};
use super::{own, terminal};

/// Time between two lines: people do not read faster.
const LINE: Duration = Duration::from_millis(100);

/// Time between two samples.
const SAMPLE: Duration = Duration::from_secs(1);

/// Follows a run.
pub struct Progress<'a> {
    image: &'a Image,
    queue: Queue,
    tests: Arc<AtomicU64>,
    shows_line: bool,
    start: Instant,
    next_line: Instant,
    next_sample: Instant,
    /// Lines that ran when this many blocks had: counting lines takes long, and blocks seldom run
    /// for the first time.
    lines: LineCounts,
    blocks: Option<usize>,
    history: Vec<Sample>,
}

impl<'a> Progress<'a> {
    /// A run that starts now.
    pub fn new(image: &'a Image, queue: Queue, tests: Arc<AtomicU64>, shows_line: bool) -> Self {
        let start = Instant::now();
        Self {
            image,
            queue,
            tests,
            shows_line,
            start,
            next_line: start,
            next_sample: start,
            lines: LineCounts::default(),
            blocks: None,
            history: Vec::new(),
        }
    }

    /// Called often; seldom does something.
    pub fn update(&mut self, statistics: &Statistics, coverage: &Coverage, waiting: usize) {
        let now = Instant::now();
        if now >= self.next_sample {
            self.next_sample = now + SAMPLE;
            self.sample(statistics, coverage, waiting);
        }
        if self.shows_line && now >= self.next_line {
            self.next_line = now + LINE;
            let line = progress_line(&self.now(statistics, waiting), terminal::width());
            // A terminal that went away is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }

    /// Takes a sample.
    fn sample(&mut self, statistics: &Statistics, coverage: &Coverage, waiting: usize) {
        if self.blocks != Some(coverage.count()) {
            self.blocks = Some(coverage.count());
            let lines = self.image.line_coverage(coverage);
            self.lines = LineCounts::of_files(&lines, own::is_own);
        }
        let sample = self.now(statistics, waiting);
        self.history.push(sample);
        self.queue.send(Message::Sample(sample));
    }

    fn now(&self, statistics: &Statistics, waiting: usize) -> Sample {
        Sample {
            seconds: self.start.elapsed().as_secs_f64(),
            instructions: statistics.instructions,
            paths: statistics.paths(),
            states: waiting as u64,
            covered_lines: self.lines.covered,
            lines: self.lines.lines,
            queries: statistics.queries,
            solver_seconds: statistics.solver_time.as_secs_f64(),
            memory_mib: usage::resident_mib(),
            tests: self.tests.load(Ordering::Relaxed),
        }
    }

    /// Takes the last sample and removes the line; all samples.
    pub fn finish(
        mut self,
        statistics: &Statistics,
        coverage: &Coverage,
        waiting: usize,
    ) -> Vec<Sample> {
        self.sample(statistics, coverage, waiting);
        if self.shows_line {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        self.history
    }
}
