//! What a run of all paths came to, as a summary, on the screen and in files.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use umbra_jobs::{Ended, JobResult, Paths, usage};
use umbra_report::{Colour, RunSummary, SummaryText, tracefile};
use umbra_text::Show;

use super::options::Args;
use crate::out::{self, tell};
use crate::terminal;

/// A run that is over.
pub struct Outcome<'a> {
    pub args: &'a Args,
    pub paths: Paths,
    pub start: Instant,
}

impl Outcome<'_> {
    /// Writes what is left to write and prints the summary.
    pub fn report(mut self) -> anyhow::Result<ExitCode> {
        let mut summary = std::mem::take(&mut self.paths.summary);
        summary.usage.wall_s = self.start.elapsed().as_secs_f64();
        (summary.usage.cpu_s, summary.usage.peak_mib) = usage();
        summary.exit = exit(&summary, self.args.exploring.require_complete);
        let folder = &mut self.paths.folder;
        for (finding, count) in summary.findings.iter() {
            folder.write_error(finding, count)?;
        }
        folder.write_coverage(&self.paths.coverage)?;
        folder.write_summary(&summary)?;
        self.paths.journal.finish(Ended {
            exit: summary.exit,
            text: self.text(&summary, Colour::Plain),
            json: summary.to_json(),
            result: JobResult::of_run(&summary, &self.paths.coverage),
        })?;
        if let Some(file) = &self.args.coverage {
            std::fs::write(file, tracefile(&self.paths.coverage))
                .with_context(|| format!("writing {}", file.shown()))?;
        }
        self.messages();
        match (self.args.printing.json, self.args.printing.quiet) {
            (true, _) => out::json_line(&summary.to_json())?,
            (false, true) => {}
            (false, false) => {
                let colour = terminal::colour(self.args.color);
                out::page(format_args!("{}", self.text(&summary, colour)), colour)?;
            }
        }
        Ok(ExitCode::from(summary.exit))
    }

    /// The summary for people. The layers of the solver are for those who ask.
    fn text(&self, summary: &RunSummary, colour: Colour) -> String {
        let mut shown = summary.clone();
        if !self.args.stats {
            shown.solver.layers.clear();
            shown.usage.phases.clear();
        }
        let text = SummaryText {
            summary: &shown,
            folder: Some(self.paths.folder.path()),
            history: &self.paths.history,
            colour,
        };
        text.to_string()
    }

    fn messages(&self) {
        for problem in &self.paths.problems {
            tell!("{problem}");
        }
        if self.paths.without_ktest > 0 {
            tell!(
                "{} of the test cases cannot be written as .ktest: KLEE has no such files",
                self.paths.without_ktest
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
