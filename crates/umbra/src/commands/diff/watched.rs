//! What keeps `umbra diff` within its limits while it explores; native runs have limits of their own.

use std::path::{Path, PathBuf};
use std::time::Instant;

use umbra_jobs::{Budget, Control, DiffJob, Stopped, usage};
use umbra_report::DiffSummary;
use umbra_text::Show;

use super::options::Args;
use crate::guard::{Guard, LastWords};
use crate::out::{self, tell};

/// What keeps the command within its limits.
pub struct Watched {
    pub guard: Guard,
    pub control: Control,
    pub budget: Budget,
}

impl Watched {
    /// Begins to watch a command that started then.
    pub fn start(args: &Args, job: &DiffJob, start: Instant) -> anyhow::Result<Self> {
        let budget = Budget::of(&job.limits, &job.strategy, None, start);
        let control = Control::default();
        let guard = Guard::start(budget, &control, last_words(args, start, None))?;
        Ok(Self { guard, control, budget })
    }

    /// From now on what is found is in this folder.
    pub fn set_last_words(&self, args: &Args, folder: &Path) {
        let words = last_words(args, self.budget.start, Some(folder.to_owned()));
        self.guard.set_last_words(words);
    }
}

/// What is said if the command is in the middle of something that does not end.
fn last_words(args: &Args, start: Instant, folder: Option<PathBuf>) -> LastWords {
    let (json, require_complete) = (args.printing.json, args.exploring.require_complete);
    Box::new(move |why| {
        let limit = match why {
            Stopped::Interrupted => "interrupted".to_owned(),
            _ => format!("stopped at the limit on {}", why.name()),
        };
        // Only what diverges gets test cases.
        let cases = folder.as_ref().map(|folder| folder.join("cases"));
        let found = cases.as_ref().is_some_and(|cases| cases.exists());
        let place = match (found, cases) {
            (true, Some(cases)) => format!("; what was found is in {}", cases.shown()),
            _ => String::new(),
        };
        tell!("{limit}, in the middle of one step, so nothing can be summed up{place}");
        let exit = match found {
            true => 1,
            false if require_complete => 3,
            false => 0,
        };
        if json {
            let (cpu_s, peak_mib) = usage();
            let left_out = [(why.name().to_owned(), 1)].into();
            let wall_s = start.elapsed().as_secs_f64();
            let summary = DiffSummary {
                exit,
                cut: 1,
                left_out,
                wall_s,
                cpu_s,
                peak_mib,
                ..Default::default()
            };
            out::last_words(&(summary.to_json() + "\n"));
        }
        exit
    })
}
