//! What becomes of paths near a test: errors get an example that differs from the test in as few bytes as possible.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use umbra_case::Case;
use umbra_engine::{ErrorReport, Termination};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_strategy::{Amplifier, Built, Observer, PathEnd, Statistics, Work, minimise};

use super::AmplifyJob;
use super::book::{At, Book, Example};
use crate::Guard;
use crate::explore::finding;

/// How long fewer changes are looked for.
const MINIMISING: Duration = Duration::from_secs(2);

/// Tells the book of each path near one test.
pub struct Teller<'a> {
    pub job: &'a AmplifyJob,
    pub book: &'a Mutex<Book>,
    pub built: &'a Built,
    pub guard: &'a dyn Guard,
    pub worker: usize,
    /// The input of the test.
    pub seed: &'a Assignment,
    pub name: &'a str,
    /// Bytes by which the test differs from the one that it was made of; 0 if it was made of none.
    pub moved: u64,
    pub at: At,
    /// How the test's own path has ended.
    pub seed_end: Option<Termination>,
}

impl Teller<'_> {
    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing here is left half done by a panic.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&mut self, report: &ErrorReport, end: PathEnd<'_>) {
        let mut finding = finding(report);
        let wanted = self.book().wants(&finding);
        let example = wanted.then(|| self.example(end));
        finding.input_bytes = example.as_ref().map_or(0, |example| example.case.input_bytes());
        self.book().add(self.at, finding, example);
    }

    /// An input of a path that differs little from the test.
    fn example(&self, end: PathEnd<'_>) -> Example {
        let PathEnd { termination, state, shared, solver, .. } = end;
        let constraints = state.path.constraints().to_vec();
        let found = state.path.assignment().clone();
        let expressions = &mut shared.expressions;
        let least = minimise(expressions, solver, &constraints, (self.seed, &found), MINIMISING);
        let path = state.path.with_assignment(least.assignment);
        let kernel = Kernel::of(&*state.environment);
        let start = state.path.origin() as usize;
        let refused = state.memory.refused();
        let mut case: Case = self.built.case(start, &path, kernel, refused, shared, &termination);
        case.origin.insert("seed".to_owned(), self.name.to_owned());
        Example {
            test: self.at.test,
            case,
            changed: least.changed.len() as u64 + self.moved,
            // Other moves may be shorter ways to the same.
            is_least: least.is_least && self.moved == 0,
        }
    }
}

impl Observer for Teller<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let termination = end.termination.clone();
        match &termination {
            Termination::Error(report) if self.job.wants(report.kind) => self.error(report, end),
            Termination::Unsupported { what, .. } => self.book().leave_out(what.clone()),
            Termination::Limit(what) => self.book().leave_out(format!("paths cut: {what}")),
            Termination::EngineBug(what) => self.book().leave_out(format!("engine bug: {what}")),
            _ => {}
        }
        if self.at.work == Work::Seed {
            self.seed_end = Some(termination);
        }
    }

    fn progress(&mut self, statistics: &Statistics, _: &umbra_engine::Shared, _: usize) {
        self.guard.ran(self.worker, statistics.instructions);
    }
}

impl Amplifier for Teller<'_> {
    fn is_done(&mut self, work: Work, distance: u32) -> bool {
        self.book().is_done(self.at.test, work, distance)
    }

    fn begins(&mut self, work: Work, distance: u32, depth: u32) {
        self.at = At { work, distance, depth, ..self.at };
        self.book().begins(work);
    }
}
