//! What is said of a run that the guard has to end: it is in the middle of something, so only what
//! was posted before is known.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use umbra_report::{
    Colour, ConcretePath, ConcreteSummary, RunSummary, Search, SolverUse, SummaryText, Usage,
};
use umbra_strategy::Stopped;

use super::collect::Told;
use super::concrete::LIMITED;
use super::options::Args;
use super::output;
use super::progress::Posted;
use super::usage::usage;
use super::write::Progress;
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
pub fn of_exploration(
    args: &Args,
    start: Instant,
    told: Arc<Mutex<Told>>,
    posted: Arc<Mutex<Posted>>,
    written: Progress,
) -> LastWords {
    let form = Form::of(args, start);
    Box::new(move |why| {
        let told = glance(&told, Told::clone).unwrap_or_default();
        let (sample, lines) = glance(&posted, Posted::now).unwrap_or_default();
        let mut limits_hit = vec![why.name().to_owned()];
        let others = told.limits.iter().filter(|name| **name != why.name());
        limits_hit.extend(others.map(|name| (*name).to_owned()));
        let summary = RunSummary {
            usage: form.usage(sample.instructions),
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
            findings: glance(&written.findings, Clone::clone).unwrap_or_default(),
            unsupported: told.unsupported.iter().cloned().collect(),
            tests: written.tests.load(Ordering::Relaxed),
            tests_left_out: told.left_out,
            ..RunSummary::default()
        };
        let what = "in the middle of one step, so not all counts are known";
        finish(form, summary, why, what, Some(&written.folder))
    })
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
