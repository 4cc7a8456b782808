//! What was found runs natively once more, and becomes findings.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use umbra_report::{Event, Stage, StageEnd};

use super::{Check, counted};
use crate::Error;
use crate::check::Told;
use crate::check::export::OUTPUTS;
use crate::check::findings::{Candidate, Made, Maker};
use crate::check::hunks::{Known, Region};
use crate::native::{Native, native_limits};
use crate::replay::Pair;

/// The least time for native runs of what was found.
const LEAST: Duration = Duration::from_secs(60);

impl Check<'_> {
    /// Runs what was found natively.
    pub(super) fn confirm(
        &mut self,
        maker: &mut Making<'_>,
        known: &Known,
        candidates: Vec<Candidate>,
    ) -> Result<Made, Error> {
        let begun = Instant::now();
        if candidates.is_empty() {
            let found = "nothing was found".to_owned();
            self.ended(Stage::Confirm, StageEnd::Skipped, found, begun);
            return Ok(Made::default());
        }
        let count = candidates.len();
        let watch = self.watch;
        let made = maker.make(self, known, candidates, &mut |done| {
            let text = format!("{done} of {}", counted(count as u64, "case"));
            let share = done as f64 / count.max(1) as f64;
            (watch.tell)(Told::Doing(Stage::Confirm, &text, Some(share)));
        })?;
        let confirmed = made.findings.iter().filter(|finding| finding.confirmed).count();
        let not_run = match made.not_run {
            0 => String::new(),
            count => {
                let left = counted(count as u64, "case");
                if !self.is_stopped() {
                    self.report.notes.push(format!(
                        "{left} found by the search did not run natively: the time for that was used up."
                    ));
                }
                format!("; {left} left")
            }
        };
        let found = format!(
            "{confirmed} of {} confirmed{not_run}",
            counted(made.findings.len() as u64, "finding")
        );
        self.ended(Stage::Confirm, StageEnd::Done, found, begun);
        for (number, finding) in (1..).zip(&made.findings) {
            let Some(stage) = (!finding.by_suite).then_some(Stage::Search) else { continue };
            self.report.events.push(Event {
                seconds: finding.seconds,
                stage,
                text: finding.verdict.clone(),
                finding: Some(number),
                lines_run: known.tests.iter().flatten().filter(|(_, tests)| **tests > 0).count()
                    as u64,
                lines: known.code.len() as u64,
            });
        }
        Ok(made)
    }

    pub(super) fn native(&self, pair: &Pair) -> Result<Native, Error> {
        self.native_for(pair, self.job.run_time)
    }

    /// Native runs that take at most so long each.
    pub(super) fn native_for(&self, pair: &Pair, time: Duration) -> Result<Native, Error> {
        let limits = native_limits(time, self.job.run_memory_mib);
        let native = Native::start(limits, None, self.watch.sandboxes)?;
        match pair.new.sanitized.is_empty() {
            true => Ok(native),
            false => {
                let tools = (self.watch.tools)().map_err(Error::Given)?.tools;
                Ok(native.with_symbolizer(tools.symbolizer)?)
            }
        }
    }
}

/// What findings are made with, beside the check.
pub struct Making<'a> {
    pub regions: &'a [Region],
    pub pair: &'a Pair,
}

impl Making<'_> {
    pub fn make(
        &mut self,
        check: &Check<'_>,
        known: &Known,
        candidates: Vec<Candidate>,
        seen: &mut dyn FnMut(usize),
    ) -> Result<Made, Error> {
        let Some(patch) = &self.pair.patch else { return Ok(Made::default()) };
        for folder in ["cases", OUTPUTS] {
            check.keep.empty_folder(folder)?;
        }
        let paths: BTreeMap<String, String> = self
            .pair
            .new
            .built()
            .iter()
            .map(|program| {
                (program.name.clone(), program.path_in_tree.to_string_lossy().into_owned())
            })
            .collect();
        let maker = Maker {
            pair: self.pair,
            patch,
            regions: self.regions,
            code: &known.code,
            native: &check.native(self.pair)?,
            paths: &paths,
            folder: check.keep.path(),
            deadline: check.job.budget.map(|budget| Instant::now() + budget.max(LEAST)),
        };
        maker.make(candidates, seen)
    }
}
