//! Many runs in parallel.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use umbra_case::Case;

use crate::{Confinement, Error, Launcher, Limits, Program, Sandbox};
use umbra_compare::{MemoryCount, Outcome};

/// One run to be made.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The case.
    pub case: &'a Case,
    /// What runs it.
    pub program: &'a Program,
}

/// Sandboxes that are used by one thread each. They are kept between calls.
pub struct Pool {
    sandboxes: Vec<Mutex<Sandbox>>,
}

impl Pool {
    /// A pool of `workers` sandboxes of this kind.
    pub fn start(
        launcher: &Launcher,
        confinement: Confinement,
        workers: usize,
    ) -> Result<Self, Error> {
        let start = |_| Sandbox::start(launcher, confinement).map(Mutex::new);
        Ok(Self { sandboxes: (0..workers.max(1)).map(start).collect::<Result<_, _>>()? })
    }

    /// A pool of the best sandboxes that are available.
    pub fn start_best(launcher: &Launcher, workers: usize) -> Result<Self, Error> {
        let first = Sandbox::start_best(launcher)?;
        let start = |_| Sandbox::start(launcher, first.confinement()).map(Mutex::new);
        let mut sandboxes = (1..workers).map(start).collect::<Result<Vec<_>, _>>()?;
        sandboxes.push(Mutex::new(first));
        Ok(Self { sandboxes })
    }

    /// What the limit on memory covers.
    pub fn memory_count(&self) -> MemoryCount {
        self.sandboxes[0].lock().unwrap_or_else(PoisonError::into_inner).memory_count()
    }

    /// The kind of sandbox.
    pub fn confinement(&self) -> Confinement {
        self.sandboxes[0].lock().unwrap_or_else(PoisonError::into_inner).confinement()
    }

    /// Makes all runs; results are in the order of the runs. When `cancel` becomes true, what runs
    /// is given up and what has not started is not; both have [`Error::Cancelled`].
    pub fn run(
        &self,
        runs: &[Run<'_>],
        limits: &Limits,
        cancel: &AtomicBool,
    ) -> Vec<Result<Outcome, Error>> {
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Result<Outcome, Error>>>> =
            runs.iter().map(|_| Mutex::new(None)).collect();
        thread::scope(|scope| {
            for sandbox in &self.sandboxes {
                scope.spawn(|| {
                    // A panic in an earlier run can have left nothing half done: a sandbox is
                    // taken out while it runs and replaced if it does not come back.
                    let mut sandbox = sandbox.lock().unwrap_or_else(PoisonError::into_inner);
                    while !cancel.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(run) = runs.get(index) else { return };
                        let result = sandbox.run_until(run.case, run.program, limits, cancel);
                        *results[index].lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(result);
                    }
                });
            }
        });
        let finish = |result: Mutex<Option<Result<Outcome, Error>>>| {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            result.unwrap_or(Err(Error::Cancelled))
        };
        results.into_iter().map(finish).collect()
    }
}
