//! Native runs of tests, and of tests in other shapes: which blocks they run.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use umbra_case::{Case, CaseId};
use umbra_compare::{Blocks, Outcome};
use umbra_replay::{Program, Run};
use umbra_strategy::{Ran, Seed};

use crate::native::Native;

/// Runs before the time is looked at.
const BATCH: usize = 16;

/// A test that ran natively.
pub struct Tried {
    /// What it is called.
    pub name: String,
    /// The test.
    pub seed: Seed,
    /// The numbers of the blocks that it ran, rising.
    pub ran: Vec<u32>,
    /// Whether the user has given it; else it is one in another shape.
    pub is_given: bool,
    /// Whether its own shapes were tried.
    pub is_expanded: bool,
    /// The same as what it ran step by step, once somebody has asked.
    pub steps: OnceCell<Option<Ran>>,
}

impl Tried {
    /// Whether it ran a block.
    pub fn runs(&self, block: u32) -> bool {
        self.ran.binary_search(&block).is_ok()
    }
}

/// All tests that ran so far, each once.
#[derive(Default)]
pub struct Tests {
    all: Vec<Tried>,
    /// What was tried, or is being tried.
    known: BTreeSet<CaseId>,
}

/// The executable and the sandboxes that it runs in.
pub struct Runner<'a> {
    pub native: &'a Native,
    pub program: &'a Program,
}

impl Runner<'_> {
    /// The outcome of a case, if it can run.
    pub fn run(&self, case: &Case) -> Option<Outcome> {
        self.run_all(&[case]).pop().flatten()
    }

    fn run_all(&self, cases: &[&Case]) -> Vec<Option<Outcome>> {
        let runs: Vec<Run<'_>> =
            cases.iter().map(|case| Run { case, program: self.program }).collect();
        self.native.run_all(&runs).into_iter().map(Result::ok).collect()
    }
}

/// The numbers of the blocks that a run has run, rising.
pub fn ran(outcome: &Outcome) -> Vec<u32> {
    outcome.blocks.iter().flat_map(Blocks::ran).map(|block| block as u32).collect()
}

impl Tests {
    /// All of them, those that were given first.
    pub fn all(&self) -> &[Tried] {
        &self.all
    }

    /// Shapes of this test are tried now.
    pub fn expand(&mut self, index: usize) {
        self.all[index].is_expanded = true;
    }

    /// Runs tests that are new; stops when `goes_on` says so. Says how many ran.
    pub fn add(
        &mut self,
        runner: Option<&Runner<'_>>,
        tests: Vec<(String, Case)>,
        is_given: bool,
        goes_on: &mut dyn FnMut(&Self) -> bool,
    ) -> usize {
        let mut count = 0;
        let mut new: Vec<(CaseId, String, Case)> = Vec::new();
        for (name, case) in tests {
            let id = case.id();
            if self.known.insert(id) {
                new.push((id, name, case));
            }
        }
        let mut new = new.into_iter();
        loop {
            let batch: Vec<_> = new.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return count;
            }
            let cases: Vec<&Case> = batch.iter().map(|(_, _, case)| case).collect();
            let outcomes = match runner {
                Some(runner) => runner.run_all(&cases),
                None => cases.iter().map(|_| None).collect(),
            };
            count += batch.len();
            for ((_, name, case), outcome) in batch.into_iter().zip(outcomes) {
                let ran = outcome.as_ref().map(ran).unwrap_or_default();
                // A shape that cannot run leads nowhere.
                if !is_given && ran.is_empty() {
                    continue;
                }
                let seed = Seed::of_case(case);
                self.all.push(Tried {
                    name,
                    seed,
                    ran,
                    is_given,
                    is_expanded: false,
                    steps: OnceCell::new(),
                });
            }
            if !goes_on(self) {
                // What was not run may be tried another time.
                for (id, ..) in new {
                    self.known.remove(&id);
                }
                return count;
            }
        }
    }
}
