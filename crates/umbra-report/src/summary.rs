//! What a run of symbolic execution comes down to.
//!
//! The JSON that users see is made in `json.rs`; the names here are free to change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Findings, LineCounts};
use umbra_words::Place;

/// A finished run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSummary {
    /// The exit code of the command.
    pub exit: u8,
    /// Time, memory and instructions.
    pub usage: Usage,
    /// Paths and states.
    pub search: Search,
    /// What the solver was asked.
    pub solver: SolverUse,
    /// Lines of the whole program, libc included.
    pub lines: LineCounts,
    /// Lines of the program's own files.
    pub program_lines: LineCounts,
    /// The errors found, one per place and kind.
    pub findings: Findings,
    /// What the program asked for that is not modelled.
    pub unsupported: Vec<String>,
    /// What it did that has no meaning in C and no machine stops at.
    pub undefined: Vec<Undefined>,
    /// Test cases written.
    pub tests: u64,
    /// Paths that got no test case because there were too many.
    pub tests_left_out: u64,
    /// Paths whose test case is that of another path: they differ in bytes that a test case has no
    /// place for, behind the NUL that ends an argument.
    pub tests_alike: u64,
}

/// A line whose result C leaves undefined: it depends on where objects lie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Undefined {
    /// The stable name of the kind, as "pointer-order".
    pub kind: String,
    /// Where it happened.
    pub place: Place,
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Seconds from start to end.
    pub wall_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// Seconds of `wall_s` in which the program ran.
    pub execute_s: f64,
    /// The largest resident size, in MiB.
    pub peak_mib: f64,
    /// LLVM instructions executed, on all paths.
    pub instructions: u64,
    /// LLVM instructions executed a second time, since the process of the run was killed.
    pub again: u64,
    /// Threads that followed paths; 0 counts as one.
    pub workers: u64,
    /// The instructions that each of them executed.
    pub worker_instructions: Vec<u64>,
    /// Where the time went, in the order of the work.
    pub phases: Vec<Phase>,
}

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name, as "load".
    pub name: String,
    /// How long it took.
    pub seconds: f64,
}

/// Paths and states of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// How often paths ended each way, by class and stable name of the termination.
    pub terminations: BTreeMap<(PathEnd, String), u64>,
    /// A number for the set of all paths that ended; equal sets have equal numbers.
    pub path_set: u64,
    /// States made, the first included.
    pub states_created: u64,
    /// States that were still to be continued when the run ended.
    pub states_open: u64,
    /// Of these, states for which no test was written, since no input was found for them in time.
    pub states_untested: u64,
    /// Branches at which both sides were possible.
    pub forks: u64,
    /// The limits that were hit, by name, in the order in which they were.
    pub limits_hit: Vec<String>,
}

impl Search {
    /// Counts a path that ended.
    pub fn add_path(&mut self, end: PathEnd, termination: &str) {
        *self.terminations.entry((end, termination.to_owned())).or_default() += 1;
    }

    /// Paths by class.
    pub fn paths(&self) -> Paths {
        let sum = |end| self.ended(end).map(|(_, count)| count).sum();
        Paths {
            completed: sum(PathEnd::Completed),
            error: sum(PathEnd::Error),
            cut: sum(PathEnd::Cut),
        }
    }

    /// The terminations of one class, by name.
    pub fn ended(&self, end: PathEnd) -> impl Iterator<Item = (&str, u64)> {
        let all = self.terminations.iter().filter(move |((class, _), _)| *class == end);
        all.map(|((_, name), count)| (&**name, *count))
    }
}

/// How a path can end, in the three classes that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathEnd {
    /// The program ended.
    Completed,
    /// It did something wrong.
    Error,
    /// A limit, something unsupported, or a question that the solver could not answer.
    Cut,
}

/// Numbers of paths by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    /// See [`PathEnd::Completed`].
    pub completed: u64,
    /// See [`PathEnd::Error`].
    pub error: u64,
    /// See [`PathEnd::Cut`].
    pub cut: u64,
}

impl Paths {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.completed + self.error + self.cut
    }
}

/// What the solver was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverUse {
    /// Questions to the chain.
    pub queries: u64,
    /// Seconds that they took.
    pub seconds: f64,
    /// Questions without an answer, by reason.
    pub unknown: BTreeMap<String, u64>,
    /// Questions at which the solver itself failed, by how; none, unless it has a bug.
    pub failures: BTreeMap<String, u64>,
    /// Its layers, the outermost first.
    pub layers: Vec<SolverLayer>,
}

impl SolverUse {
    /// Whether the solver contradicted itself or was refused: its other answers are in doubt then.
    pub fn has_failed(&self) -> bool {
        self.failures.values().any(|count| *count > 0)
    }
}

/// A layer of the solver: what reached it, and what it answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverLayer {
    /// Its stable name.
    pub name: String,
    /// Questions that reached it.
    pub queries: u64,
    /// Of those it answered itself: satisfiable.
    pub sat: u64,
    /// Of those it answered itself: unsatisfiable.
    pub unsat: u64,
    /// Of those it answered itself: not known.
    pub unknown: u64,
    /// Seconds in it, without the layers below.
    pub seconds: f64,
}

impl RunSummary {
    /// Whether every path was followed to its end: some were, and none is cut, open, limited or
    /// without an answer from the solver.
    pub fn is_complete(&self) -> bool {
        let paths = self.search.paths();
        paths.total() > 0
            && paths.cut == 0
            && self.search.states_open == 0
            && self.search.limits_hit.is_empty()
            && self.solver.unknown.values().all(|count| *count == 0)
            && !self.solver.has_failed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> RunSummary {
        let mut summary = RunSummary::default();
        summary.search.add_path(PathEnd::Completed, "exited");
        summary.search.add_path(PathEnd::Error, "abort");
        summary
    }

    #[test]
    fn a_run_is_complete_if_nothing_is_missing() {
        assert!(complete().is_complete());
        assert!(!RunSummary::default().is_complete());
        for change in [
            (|summary| summary.search.add_path(PathEnd::Cut, "memory")) as fn(&mut RunSummary),
            |summary| summary.search.states_open = 1,
            |summary| summary.search.limits_hit.push("time".to_owned()),
            |summary| {
                summary.solver.unknown.insert("timeout".to_owned(), 1);
            },
            |summary| {
                summary.solver.failures.insert("wrong-model".to_owned(), 1);
            },
        ] {
            let mut summary = complete();
            change(&mut summary);
            assert!(!summary.is_complete(), "{summary:?}");
        }
    }

    #[test]
    fn paths_are_counted_by_class() {
        let mut search = complete().search;
        search.add_path(PathEnd::Completed, "exited");
        search.add_path(PathEnd::Cut, "memory");
        assert_eq!(search.paths(), Paths { completed: 2, error: 1, cut: 1 });
        assert_eq!(search.ended(PathEnd::Completed).collect::<Vec<_>>(), [("exited", 2)]);
    }
}
