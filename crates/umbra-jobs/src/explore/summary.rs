//! What a run of all paths came to, in numbers: at its end, and before.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use umbra_report::{LineCounts, Phase, RunSummary, Search, SolverLayer, SolverUse, Usage};

use super::Explored;
use super::board::Posted;
use super::collect::Told;
use super::write::{Results, SoFar};
use crate::{Stopped, own};

/// Limits at which a path goes on without forking.
const FORK_LIMITS: [&str; 3] = ["depth", "values", "forks"];

/// The summary of a run that is over.
pub fn of_run(explored: &Explored, results: &Results, phases: Vec<Phase>) -> RunSummary {
    let Explored { statistics, coverage, told, .. } = explored;
    let explore = phases.iter().find(|phase| phase.name == "explore");
    RunSummary {
        exit: 0,
        usage: Usage {
            execute_s: explore.map_or(0.0, |phase| phase.seconds),
            instructions: statistics.instructions,
            again: statistics.remade,
            workers: explored.worker_instructions.len() as u64,
            worker_instructions: explored.worker_instructions.clone(),
            phases: phases.clone(),
            ..Usage::default()
        },
        search: search(explored),
        solver: solver(explored),
        lines: LineCounts::of(coverage),
        program_lines: LineCounts::of_files(coverage, own::is_own),
        findings: results.findings.clone(),
        unsupported: told.unsupported.iter().cloned().collect(),
        undefined: explored.undefined.clone(),
        tests: results.folder.cases() as u64,
        tests_left_out: told.left_out + results.late,
        tests_alike: results.alike,
    }
}

fn search(explored: &Explored) -> Search {
    let Explored { statistics, told, stopped, starts, open, .. } = explored;
    let sum = |counts: &BTreeMap<&str, u64>| counts.values().sum::<u64>();
    // Sides that were offered, without those that nobody can take or that were not kept.
    let never = statistics.dropped.iter().filter(|(limit, _)| FORK_LIMITS.contains(limit));
    let never: u64 = never.map(|(_, count)| count).sum();
    let unanswered = sum(&statistics.unknown) + sum(&statistics.failures);
    let gone = never + statistics.infeasible + unanswered;
    let forks = sum(&statistics.forks).saturating_sub(gone);
    let mut limits_hit: Vec<String> =
        stopped.iter().map(|stopped| stopped.name().to_owned()).collect();
    let dropped = statistics.dropped.keys().filter(|name| **name != "end-of-run");
    let others = dropped.copied().chain(told.limits.iter().map(String::as_str));
    for name in others {
        if !limits_hit.iter().any(|known| known == name) {
            limits_hit.push(name.to_owned());
        }
    }
    Search {
        path_set: statistics.path_set,
        states_created: starts + forks,
        states_open: *open,
        states_untested: statistics.dropped.get("end-of-run").copied().unwrap_or(0),
        forks,
        limits_hit,
        ..told.search.clone()
    }
}

fn solver(explored: &Explored) -> SolverUse {
    let statistics = &explored.statistics;
    let owned = |counts: &BTreeMap<&'static str, u64>| {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let layers = explored.layers.iter().map(|layer| SolverLayer {
        name: layer.name.to_owned(),
        queries: layer.queries,
        sat: layer.sat,
        unsat: layer.unsat,
        unknown: layer.unknown,
        seconds: layer.time.as_secs_f64(),
    });
    SolverUse {
        queries: statistics.queries,
        seconds: statistics.solver_time.as_secs_f64(),
        unknown: owned(&statistics.unknown),
        failures: owned(&statistics.failures),
        layers: layers.collect(),
    }
}

/// What can be asked of a run while it goes on, whatever it is doing.
pub struct Standing {
    pub(super) told: Arc<Mutex<Told>>,
    pub(super) posted: Arc<Mutex<Posted>>,
    pub(super) written: SoFar,
}

impl Standing {
    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        &self.written.folder
    }

    /// What is known of a run that is ended in the middle of something. `usage` has what the process
    /// took.
    pub fn summary(&self, why: Stopped, usage: Usage) -> RunSummary {
        let told = glance(&self.told, Told::clone).unwrap_or_default();
        let (sample, lines) = glance(&self.posted, Posted::now).unwrap_or_default();
        let mut limits_hit = vec![why.name().to_owned()];
        limits_hit.extend(told.limits.iter().filter(|name| *name != why.name()).cloned());
        RunSummary {
            usage: Usage { instructions: sample.instructions, ..usage },
            search: Search {
                states_open: sample.states + told.open,
                states_untested: sample.states,
                limits_hit,
                ..told.search.clone()
            },
            solver: SolverUse {
                queries: sample.queries,
                seconds: sample.solver_seconds,
                ..SolverUse::default()
            },
            program_lines: lines,
            findings: glance(&self.written.findings, Clone::clone).unwrap_or_default(),
            unsupported: told.unsupported.iter().cloned().collect(),
            tests: self.written.tests.load(Ordering::Relaxed),
            tests_left_out: told.left_out,
            ..RunSummary::default()
        }
    }
}

/// A look at something that another thread may be holding; that one does not go on for long.
fn glance<T, R>(shared: &Mutex<T>, look: impl Fn(&T) -> R) -> Option<R> {
    for _ in 0..50 {
        if let Ok(held) = shared.try_lock() {
            return Some(look(&held));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}
