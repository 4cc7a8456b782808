//! What is said of a run that the guard has to end: it is in the middle of something, so only what
//! was posted before is known.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use umbra_jobs::{LIMITED, Standing, Stopped, usage};
use umbra_report::{Colour, ConcretePath, ConcreteSummary, RunSummary, SummaryText, Usage};

use super::options::Args;
use super::output;
use crate::guard::LastWords;
use crate::out::last_words;
use crate::out::tell;

/// How a run is summed up.
#[derive(Clone, Copy)]
struct Form {
    json: bool,
    quiet: bool,
    require_complete: bool,
    start: Instant,
}

impl Form {
    fn of(args: &Args, start: Instant) -> Self {
        Self {
            json: args.printing.json,
            quiet: args.printing.quiet,
            require_complete: args.exploring.require_complete,
            start,
        }
    }

    fn usage(&self, instructions: u64) -> Usage {
        let (cpu_s, peak_mib) = usage();
        let wall_s = self.start.elapsed().as_secs_f64();
        Usage { wall_s, cpu_s, peak_mib, instructions, workers: 1, ..Usage::default() }
    }
}

/// The last words while the program is read and lowered.
pub fn of_set_up(args: &Args, explores: bool, start: Instant) -> LastWords {
    let form = Form::of(args, start);
    if !explores {
        return of_concrete(args, start, Arc::default());
    }
    Box::new(move |why| {
        let mut summary = RunSummary { usage: form.usage(0), ..RunSummary::default() };
        summary.search.limits_hit.push(why.name().to_owned());
        finish(form, summary, why, "while the program was read", None)
    })
}

/// The last words of one run of the program, of which so many instructions are done.
pub fn of_concrete(args: &Args, start: Instant, instructions: Arc<AtomicU64>) -> LastWords {
    let form = Form::of(args, start);
    Box::new(move |why| {
        tell!("stopped at the limit on {}", why.name());
        if form.json {
            let usage = form.usage(instructions.load(Ordering::Relaxed));
            let summary = ConcreteSummary {
                exit: LIMITED,
                wall_s: usage.wall_s,
                execute_s: usage.wall_s,
                cpu_s: usage.cpu_s,
                peak_mib: usage.peak_mib,
                instructions: usage.instructions,
                path: ConcretePath::Cut(Some(why.name().to_owned())),
                ..ConcreteSummary::default()
            };
            last_words(&(summary.to_json() + "\n"));
        }
        LIMITED
    })
}

/// The last words of an exploration.
pub fn of_exploration(args: &Args, start: Instant, standing: Standing) -> LastWords {
    let form = Form::of(args, start);
    Box::new(move |why| {
        let summary = standing.summary(why, form.usage(0));
        let what = "in the middle of a step, so some counts are missing";
        finish(form, summary, why, what, Some(&standing.folder().to_owned()))
    })
}

fn finish(
    form: Form,
    mut summary: RunSummary,
    why: Stopped,
    when: &str,
    folder: Option<&PathBuf>,
) -> u8 {
    summary.exit = output::exit(&summary, form.require_complete);
    let text = summary.to_json() + "\n";
    if let Some(folder) = folder {
        // It is printed too.
        let _ = std::fs::write(folder.join("summary.json"), &text);
    }
    let limit = match why {
        Stopped::Interrupted => "interrupted".to_owned(),
        _ => format!("stopped at the limit on {}", why.name()),
    };
    tell!("{limit}, {when}");
    if form.json {
        last_words(&text);
    } else if !form.quiet {
        let folder = folder.map(PathBuf::as_path);
        last_words(
            &SummaryText { summary: &summary, folder, history: &[], colour: Colour::Plain }
                .to_string(),
        );
    }
    summary.exit
}
