//! Writes every query down, with its verdict and how long it took.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use umbra_expr::Expressions;

use crate::query::{Error, LayerStatistics, Query, Solver, Verdict};
use crate::record::query_text;

/// A query that was answered.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// Which query of the run, from zero.
    pub number: u64,
    /// As SMT-LIB, with verdict and hint; see [`RecordedQuery`](crate::RecordedQuery).
    pub text: String,
    /// `sat`, `unsat`, `unknown` or `error`.
    pub verdict: &'static str,
    /// What the layers below took.
    pub time: Duration,
}

/// Takes the entries of a log, one by one.
pub type Recorder = Box<dyn FnMut(LogEntry) -> io::Result<()>>;

/// A recorder that writes a file per query into a folder, which it makes. Names of files start with
/// the prefix, so that several recorders can share a folder.
pub fn folder_recorder(folder: &Path, prefix: &str) -> io::Result<Recorder> {
    fs::create_dir_all(folder)?;
    let (folder, prefix) = (folder.to_owned(), prefix.to_owned());
    Ok(Box::new(move |entry| {
        let LogEntry { number, text, verdict, time } = entry;
        let head = format!("; query {number}: {verdict} after {} us\n", time.as_micros());
        fs::write(folder.join(format!("{prefix}q{number:07}.smt2")), head + &text)
    }))
}

/// Passes queries on and tells a recorder.
pub struct Log<S> {
    next: S,
    recorder: Recorder,
    number: u64,
    layer: LayerStatistics,
}

impl<S: Solver> Log<S> {
    /// Logs what `next` answers.
    pub fn new(next: S, recorder: Recorder) -> Self {
        Self { next, recorder, number: 0, layer: LayerStatistics::new("log") }
    }
}

impl<S: Solver> Solver for Log<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let result = self.next.check(expressions, query);
        let time = start.elapsed();
        let start = Instant::now();
        let verdict = result.as_ref().map_or("error", Verdict::name);
        // To others a query without an answer is one of unknown status.
        let status = if verdict == "error" { "unknown" } else { verdict };
        let text = query_text(expressions, query, status);
        (self.recorder)(LogEntry { number: self.number, text, verdict, time })?;
        self.number += 1;
        self.layer.pass(start.elapsed());
        result
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
