//! What a run counts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_engine::{Lockstep, State, Termination};

use crate::snapshot::read_names;

/// Counters of a run or of one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// LLVM instructions executed.
    pub instructions: u64,
    /// LLVM instructions executed a second time, to make states again that were written down. They are not among
    /// `instructions`.
    pub remade: u64,
    /// Paths that ended, by how.
    #[serde(deserialize_with = "read_names")]
    pub ends: BTreeMap<&'static str, u64>,
    /// Other sides that were offered, by reason.
    #[serde(deserialize_with = "read_names")]
    pub forks: BTreeMap<&'static str, u64>,
    /// Other sides that were asked of the solver.
    pub queries: u64,
    /// Of these, sides that nobody can take.
    pub infeasible: u64,
    /// Questions that the solver left open, by reason: these sides were not explored.
    #[serde(deserialize_with = "read_names")]
    pub unknown: BTreeMap<&'static str, u64>,
    /// Questions at which the solver itself failed, by how: none, unless it has a bug. These sides
    /// were not explored, and what it said elsewhere cannot be trusted either.
    #[serde(deserialize_with = "read_names")]
    pub failures: BTreeMap<&'static str, u64>,
    /// Other sides that were dropped because of a limit, by the limit.
    #[serde(deserialize_with = "read_names")]
    pub dropped: BTreeMap<&'static str, u64>,
    /// Pairs of paths that ended: one of the new version, one of the old behind the split.
    pub pairs: u64,
    /// States that were left out in which the old version was followed behind the split, by the number of the new
    /// version's path ([`umbra_engine::State::diff_path`]). They are among `dropped` or `unknown`.
    pub open_pairs: BTreeMap<u64, u64>,
    /// Other sides of branches around tests, which both versions take together, that were not explored. There is no end to
    /// them, so they are not among `dropped`.
    pub around: u64,
    /// States that were not run because the versions can only do the same on all their paths.
    pub pruned: u64,
    /// A number for the set of paths that ended: two runs of one program that have the same have followed the same
    /// paths, in any order.
    pub path_set: u64,
    /// What two versions did together, and what alone.
    pub lockstep: Lockstep,
    /// The same on the paths of the tests themselves, without inputs beside them.
    pub tests: Lockstep,
    /// States that were kept at most at a time.
    pub peak_states: usize,
    /// Time in the solver.
    pub solver_time: Duration,
}

impl Statistics {
    /// Adds the counters of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.remade += other.remade;
        self.queries += other.queries;
        self.infeasible += other.infeasible;
        self.around += other.around;
        self.pruned += other.pruned;
        self.pairs += other.pairs;
        self.path_set = self.path_set.wrapping_add(other.path_set);
        self.lockstep.merge(&other.lockstep);
        self.tests.merge(&other.tests);
        for (path, count) in &other.open_pairs {
            *self.open_pairs.entry(*path).or_default() += count;
        }
        self.peak_states += other.peak_states;
        self.solver_time += other.solver_time;
        for (mine, theirs) in [
            (&mut self.ends, &other.ends),
            (&mut self.forks, &other.forks),
            (&mut self.unknown, &other.unknown),
            (&mut self.failures, &other.failures),
            (&mut self.dropped, &other.dropped),
        ] {
            for (name, count) in theirs {
                *mine.entry(name).or_default() += count;
            }
        }
    }

    /// The solver has failed.
    pub(crate) fn fail(&mut self, how: &'static str) {
        *self.failures.entry(how).or_default() += 1;
    }

    /// A path has ended.
    pub(crate) fn end(&mut self, how: &'static str) {
        *self.ends.entry(how).or_default() += 1;
    }

    /// A path has ended like this that no other is like.
    pub(crate) fn add_to_set(&mut self, state: &State, termination: &Termination) {
        let mut hasher = DefaultHasher::new();
        (state.path.origin(), state.path.identity(), state.instructions()).hash(&mut hasher);
        (termination.name(), state.is_behind()).hash(&mut hasher);
        self.path_set = self.path_set.wrapping_add(hasher.finish());
    }

    /// A state was dropped because of a limit.
    pub(crate) fn drop(&mut self, limit: &'static str) {
        self.drop_many(limit, 1);
    }

    /// Something of these new version's paths was left out: where the old one was followed on them.
    pub(crate) fn leave_open(&mut self, diff_paths: impl IntoIterator<Item = u64>) {
        for path in diff_paths {
            *self.open_pairs.entry(path).or_default() += 1;
        }
    }

    /// States were dropped because of a limit.
    pub(crate) fn drop_many(&mut self, limit: &'static str, count: usize) {
        if count > 0 {
            *self.dropped.entry(limit).or_default() += count as u64;
        }
    }

    /// Paths that ended.
    pub fn paths(&self) -> u64 {
        self.ends.values().sum()
    }
}
