//! What a run of all paths came to, as a summary, on the screen and in files.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use umbra_report::{
    LineCounts, Phase, RunSummary, Search, SolverLayer, SolverUse, SummaryText, Usage, tracefile,
};
use umbra_text::Show;

use super::explore::Explored;
use super::options::Args;
use super::own;
use super::usage::usage;
use super::write::Results;
use crate::out::{self, tell};
use crate::terminal;

/// Limits at which a path goes on without forking.
const FORK_LIMITS: [&str; 3] = ["depth", "values", "forks"];

/// A run that is over.
pub struct Outcome<'a> {
    pub args: &'a Args,
    pub explored: Explored,
    pub results: Results,
    pub phases: Vec<Phase>,
    pub start: Instant,
}

impl Outcome<'_> {
    /// Writes what is left to write and prints the summary.
    pub fn report(mut self) -> anyhow::Result<ExitCode> {
        if let Some(failure) = self.results.failure.take() {
            return Err(failure);
        }
        let mut summary = self.summary();
        summary.exit = exit(&summary, self.args.exploring.require_complete);
        let folder = &mut self.results.folder;
        for (finding, count) in summary.findings.iter() {
            folder.write_error(finding, count)?;
        }
        folder.write_coverage(&self.explored.coverage)?;
        folder.write_summary(&summary)?;
        if let Some(file) = &self.args.coverage {
            std::fs::write(file, tracefile(&self.explored.coverage))
                .with_context(|| format!("writing {}", file.shown()))?;
        }
        self.messages();
        match (self.args.printing.json, self.args.printing.quiet) {
            (true, _) => out::json_line(&summary.to_json())?,
            (false, true) => {}
            (false, false) => {
                out::page(
                    format_args!("{}", self.text(&summary)),
                    terminal::colour(self.args.color),
                )?;
            }
        }
        Ok(ExitCode::from(summary.exit))
    }

    fn summary(&self) -> RunSummary {
        let (cpu_s, peak_mib) = usage();
        let Explored { statistics, coverage, told, .. } = &self.explored;
        let explore = self.phases.iter().find(|phase| phase.name == "explore");
        RunSummary {
            exit: 0,
            usage: Usage {
                wall_s: self.start.elapsed().as_secs_f64(),
                cpu_s,
                execute_s: explore.map_or(0.0, |phase| phase.seconds),
                peak_mib,
                instructions: statistics.instructions,
                workers: self.explored.workers as u64,
                worker_instructions: self.explored.worker_instructions.clone(),
                phases: self.phases.clone(),
            },
            search: self.search(),
            solver: self.solver(),
            lines: LineCounts::of(coverage),
            program_lines: LineCounts::of_files(coverage, own::is_own),
            findings: self.results.findings.clone(),
            unsupported: told.unsupported.iter().cloned().collect(),
            undefined: self.explored.undefined.clone(),
            tests: self.results.folder.cases() as u64,
            tests_left_out: told.left_out + self.results.late,
            tests_alike: self.results.alike,
        }
    }

    fn search(&self) -> Search {
        let Explored { statistics, told, stopped, starts, open, .. } = &self.explored;
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
        let others = dropped.chain(&told.limits);
        for name in others {
            if !limits_hit.iter().any(|known| known == name) {
                limits_hit.push((*name).to_owned());
            }
        }
        Search {
            states_created: starts + forks,
            states_open: *open,
            states_untested: statistics.dropped.get("end-of-run").copied().unwrap_or(0),
            forks,
            limits_hit,
            ..told.search.clone()
        }
    }

    fn solver(&self) -> SolverUse {
        let statistics = &self.explored.statistics;
        let owned = |counts: &BTreeMap<&'static str, u64>| {
            counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        let layers = self.explored.layers.iter().map(|layer| SolverLayer {
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

    /// The summary for people. The layers of the solver are for those who ask.
    fn text(&self, summary: &RunSummary) -> String {
        let mut shown = summary.clone();
        if !self.args.stats {
            shown.solver.layers.clear();
            shown.usage.phases.clear();
        }
        let text = SummaryText {
            summary: &shown,
            folder: Some(self.results.folder.path()),
            history: &self.explored.history,
            colour: terminal::colour(self.args.color),
        };
        text.to_string()
    }

    fn messages(&self) {
        for bug in &self.explored.told.bugs {
            tell!("a bug of the engine ended a path: {bug}");
        }
        if self.results.without_ktest > 0 {
            tell!(
                "{} of the test cases cannot be written as .ktest: KLEE knows no such files",
                self.results.without_ktest
            );
        }
    }
}

/// The exit code. A bug of ours comes first, since it puts all else in doubt; then findings, which
/// are about the program; an unfinished run is about us.
pub fn exit(summary: &RunSummary, require_complete: bool) -> u8 {
    if summary.solver.has_failed() {
        2
    } else if !summary.findings.is_empty() {
        1
    } else if require_complete && !summary.is_complete() {
        3
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_report::PathEnd;
    use umbra_words::Finding;

    #[test]
    fn a_solver_that_failed_comes_before_findings_and_these_before_gaps() {
        let mut summary = RunSummary::default();
        summary.search.add_path(PathEnd::Completed, "exited");
        assert_eq!((exit(&summary, false), exit(&summary, true)), (0, 0));
        summary.search.states_open = 1;
        assert_eq!((exit(&summary, false), exit(&summary, true)), (0, 3));
        summary.findings.add(Finding::default());
        assert_eq!((exit(&summary, false), exit(&summary, true)), (1, 1));
        summary.solver.failures.insert("wrong-model".to_owned(), 1);
        assert_eq!((exit(&summary, false), exit(&summary, true)), (2, 2));
    }
}
