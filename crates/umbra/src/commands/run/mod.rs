//! `umbra run`: a program in the engine.
//!
//! With nothing symbolic the program runs once, as if natively ([`concrete`]); otherwise all its
//! paths are explored ([`explore`]).

mod concrete;
mod explore;
pub(super) mod inputs;
mod last_words;
pub(super) mod options;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::Parser;
use umbra_jobs::{Budget, Control, Job, Kept, Loaded, RunJob, Sandboxes, choose_calls, read_case};

use super::resume;
use crate::environment;
use crate::guard::Guard;
pub use options::Args;

/// How long the native run takes at most that tells of the calls of a program.
const RUN_TIME: Duration = Duration::from_secs(30);

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    if let Some(kept) = args.resume.open()? {
        return go_on(args, kept, start);
    }
    // What is wrong with the flags is said before anything takes time.
    let given = args.case.as_deref().map(read_case).transpose()?;
    let mut job = args.job();
    let is_from = job.subject.from.is_some();
    if is_from && args.concrete {
        bail!("--from explores: leave out --concrete");
    }
    let is_symbolic = match args.concrete || given.is_some() && !is_from {
        true => None,
        false => Some(job.inputs.check()?),
    };
    if given.is_some() && args.command.len() > 1 {
        bail!("--case brings its own arguments: give only the program");
    }
    let is_function = job.subject.function.is_some();
    let explores = is_function || is_from || is_symbolic == Some(true);
    let watched = Watched::start(args, &job, explores, start)?;
    let loaded = Loaded::new(&job.subject, &environment::tools)?;
    if let Some(source) = &job.subject.from {
        let words = job.inputs.command.clone();
        let (executable, test) = (loaded.executable(), job.test.as_deref());
        let stop = Arc::new(AtomicBool::new(false));
        let sandboxes = Sandboxes { launcher: environment::launcher(), stop };
        job.subject.from =
            Some(choose_calls(source, executable, words, test, RUN_TIME, &sandboxes)?);
    }
    match is_symbolic {
        Some(is_symbolic) if is_function || is_symbolic || loaded.makes_inputs() => {
            explore::begin(args, job, loaded, &watched)
        }
        _ => concrete::run(args, loaded, given.as_ref(), &watched, start),
    }
}

/// Goes on with a run whose process was killed, or shows what came of it.
fn go_on(args: &Args, kept: Kept, start: Instant) -> anyhow::Result<ExitCode> {
    let Job::Run(job) = kept.job().clone() else { return Err(resume::other_command(&kept)) };
    if args.concrete || args.case.is_some() {
        bail!("--resume goes on with an exploration: leave out --concrete and --case");
    }
    let words = resume::words(&job.inputs.command);
    let given = if args.command.is_empty() { &words } else { &args.command };
    let usual = Usual::parse_from([OsString::from("run"), "x".into()]).args.job_of(given);
    resume::check_flags(kept.path(), (&args.job_of(given), &usual, &job))?;
    if *given != words {
        resume::check_flags(kept.path(), (&args.job_of(given), &job, &job))?;
    }
    if let Some(ended) = &kept.ended {
        let printing = &args.printing;
        return resume::show(ended, !printing.quiet && !printing.json, printing.json);
    }
    // The time that the run took before counts too.
    let start = start.checked_sub(kept.elapsed).unwrap_or(start);
    let watched = Watched::start(args, &job, true, start)?;
    let loaded = Loaded::new(&job.subject, &environment::tools)?;
    let logbook = kept.go_on(loaded.identity(), start)?;
    explore::run(args, &job, loaded, logbook, &watched)
}

/// The command without any flags.
#[derive(clap::Parser)]
struct Usual {
    #[command(flatten)]
    args: Args,
}

/// What keeps a run within its limits.
pub struct Watched {
    guard: Guard,
    control: Control,
    budget: Budget,
}

impl Watched {
    /// Begins to watch a job that started then.
    fn start(args: &Args, job: &RunJob, explores: bool, start: Instant) -> anyhow::Result<Self> {
        let (control, budget) = (Control::default(), options::budget(job, start));
        let words = last_words::of_set_up(args, explores, start);
        Ok(Self { guard: Guard::start(budget, &control, words)?, control, budget })
    }

    /// For whoever does the job.
    fn of(&self) -> umbra_jobs::Watched<'_> {
        umbra_jobs::Watched { control: &self.control, budget: self.budget, guard: &self.guard }
    }
}
