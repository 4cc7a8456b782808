//! `umbra replay`: test cases, natively, on one version or on two.

mod judge;
mod one;
mod show;
mod versions;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::bail;
use umbra_jobs::{Found, Named, Native, Sandboxes, native_limits};
use umbra_report::MemoryLine;

use crate::cases;
use crate::{duration, environment, interrupt};
use versions::Versions;

/// Cases that run before their outcomes are judged.
const BATCH: usize = 256;

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

    /// End standard output with one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let cases = cases::find(&args.cases)?;
    if cases.is_empty() {
        bail!("there are no cases to run");
    }
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop };
    let limits = native_limits(args.max_time, args.max_memory);
    let native = Native::start(limits, args.jobs, &sandboxes)?;
    let native = match args.sanitize {
        true => native.with_symbolizer(environment::toolchain()?.tools.symbolizer)?,
        false => native,
    };
    let session = Session { args, cases, native, start };
    match versions::find(args)? {
        Versions::One(program) => one::run(&session, &program),
        Versions::Two(pairs) => judge::run(&session, &pairs),
    }
}

/// What all runs of the command have in common.
struct Session<'a> {
    args: &'a Args,
    cases: Vec<Found>,
    native: Native,
    start: Instant,
}

impl Session<'_> {
    /// The cases, as many at a time as may be in memory with the outcomes of their runs; and those that
    /// cannot be read.
    fn batches(&self) -> impl Iterator<Item = (Vec<(&Found, Named)>, Vec<Impossible>)> {
        self.cases.chunks(BATCH).map(|batch| {
            let (mut cases, mut impossible) = (Vec::new(), Vec::new());
            for found in batch {
                match found.read() {
                    Ok(named) => cases.push((found, named)),
                    Err(error) => impossible.push(Impossible::new(found.name(), &error)),
                }
            }
            (cases, impossible)
        })
    }

    /// What the limit on the memory of a run covers here.
    fn memory_limit(&self) -> MemoryLine {
        let count = self.native.memory_count();
        MemoryLine {
            mib: self.args.max_memory,
            counted_by: count.name().to_owned(),
            covers: count.covers().to_owned(),
        }
    }
}

/// A case that no run can be made of. The others run.
struct Impossible {
    case: String,
    reason: String,
}

impl Impossible {
    fn new(case: &str, error: &anyhow::Error) -> Self {
        Self { case: case.to_owned(), reason: error.to_string() }
    }
}

/// The exit status: 1 if something was found; else 3 if there are cases of which nothing is known.
fn exit_status(is_finding: bool, impossible: usize) -> u8 {
    match (is_finding, impossible) {
        (true, _) => 1,
        (false, 0) => 0,
        (false, _) => 3,
    }
}
