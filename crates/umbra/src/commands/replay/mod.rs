//! `umbra replay`: test cases, natively, on one version or on two.

mod show;

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use umbra_jobs::{Prediction, ReplayJob, ReplayOn, ReplayWatch, Sandboxes, Shown, replay};

use crate::project;
use crate::{cases, duration, environment, interrupt};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Folders of cases, of runs, or of recordings [default: what was recorded in this project]
    #[arg(value_name = "CASE")]
    cases: Vec<PathBuf>,

    /// An executable to run the cases on; given twice, the old version and the new one
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["range", "also"])]
    on: Vec<PathBuf>,

    /// Two revisions of this project, OLD..NEW; one revision and its parent; `.` is the working tree
    /// [default: the working tree against HEAD]
    #[arg(long, value_name = "RANGE")]
    range: Option<String>,

    /// Another revision whose behaviour is compared with the old one's
    #[arg(long, value_name = "REV")]
    also: Vec<String>,

    /// Run the builds with sanitizers as well, for their reports
    #[arg(long)]
    sanitize: bool,

    /// Make the example of each cluster smaller, with at most this many runs
    #[arg(long, value_name = "RUNS", default_missing_value = "500", num_args = 0..=1, require_equals = true)]
    minimise: Option<usize>,

    /// Write the examples of clusters as cases to a new folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Cases that run at one time [default: one a processor]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Time of one run
    ///
    /// One second at most for a case that a test had to end when it was recorded, as `tail -f`.
    /// Where only one version does not end in time, it gets twice as long.
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    max_time: Duration,

    /// MiB of memory of one run
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    max_memory: u64,

    /// Also what the versions do where they do the same, all differences, and the test that a case was made from
    #[arg(short, long)]
    verbose: bool,

    /// End standard output with one JSON object
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// The work that is asked for.
    fn job(&self) -> anyhow::Result<ReplayJob> {
        let on = match &*self.on {
            [] => ReplayOn::Revisions { range: self.range.clone(), also: self.also.clone() },
            [one] => ReplayOn::Program(one.clone()),
            [old, new] => ReplayOn::Pair { old: old.clone(), new: new.clone() },
            _ => bail!("--on takes one version or two; more revisions of a project go with --also"),
        };
        Ok(ReplayJob {
            cases: cases::paths(&self.cases)?,
            on,
            sanitize: self.sanitize,
            minimise: self.minimise,
            at_a_time: self.jobs,
            time: self.max_time,
            memory_mib: self.max_memory,
        })
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let job = args.job()?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let unwritten = RefCell::new(None);
    let watch = ReplayWatch {
        sandboxes: &Sandboxes { launcher: environment::launcher(), stop },
        tools: &environment::tools,
        project: &|| {
            let given = "without --on, cases run on two revisions of the project in this folder";
            Ok(project::builder().context(given)?)
        },
        building: &project::show_build,
        ended: &|prediction: &Prediction| {
            let shown = if args.json { Ok(()) } else { show::prediction(prediction) };
            match shown {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    *unwritten.borrow_mut() = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    };
    let replayed = replay(&job, &watch)?;
    if let Some(error) = unwritten.into_inner() {
        return Err(error.into());
    }
    let result = &replayed.result;
    let exit = exit_status(result.is_finding(), result.impossible());
    let report =
        show::Report { exit, start, result, memory: &replayed.memory, verbose: args.verbose };
    match &result.shown {
        Shown::Predictions(all) => report.predictions(all, args.json)?,
        Shown::Comparisons(all) => {
            if let Some(folder) = &args.output {
                replayed.write_examples(folder)?;
            }
            report.comparisons(all, args.json)?;
        }
    }
    Ok(ExitCode::from(exit))
}

/// The exit status: 1 if something was found; else 3 if there are cases of which nothing is known.
fn exit_status(is_finding: bool, impossible: usize) -> u8 {
    match (is_finding, impossible) {
        (true, _) => 1,
        (false, 0) => 0,
        (false, _) => 3,
    }
}
