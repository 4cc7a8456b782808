//! `umbra replay`: test cases, natively, on one version or on two.

mod judge;
mod one;
mod show;
mod versions;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use umbra_replay::{Error, Limits, Outcome, Pool, Program, SanitizerReport, Symbolizer};

use crate::cases::{self, Named};
use crate::{duration, environment, interrupt};
use versions::Versions;

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
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    max_time: Duration,

    /// MiB of memory of one run
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    max_memory: u64,

    /// End standard output with one JSON object
    #[arg(long)]
    json: bool,
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
    let limits = limits(args);
    let pool = Pool::start_best(&environment::launcher(), jobs(args).get())?;
    let symbolizer = match args.sanitize {
        true => Some(Mutex::new(Symbolizer::start(environment::toolchain()?.tools.symbolizer)?)),
        false => None,
    };
    let session = Session { args, cases, limits, pool, symbolizer, stop, start };
    match versions::find(args)? {
        Versions::One(program) => one::run(&session, &program),
        Versions::Two(pairs) => judge::run(&session, &pairs),
    }
}

/// What all runs of the command have in common.
struct Session<'a> {
    args: &'a Args,
    cases: Vec<Named>,
    limits: Limits,
    pool: Pool,
    /// For the reports of sanitizers.
    symbolizer: Option<Mutex<Symbolizer>>,
    /// Becomes true when the user has had enough.
    stop: Arc<AtomicBool>,
    start: Instant,
}

impl Session<'_> {
    /// The report of a run of a build with sanitizers, with places where they are known.
    fn report(
        &self,
        outcome: Outcome,
        program: &Program,
        trees: &[PathBuf],
    ) -> Result<Option<SanitizerReport>, Error> {
        let Some(mut report) = outcome.report else { return Ok(None) };
        if let Some(symbolizer) = &self.symbolizer {
            let mut symbolizer = symbolizer.lock().unwrap_or_else(PoisonError::into_inner);
            symbolizer.symbolize(program, &mut report)?;
        }
        let places = report.stack.iter_mut().filter_map(|frame| frame.place.as_mut());
        for place in places.chain(report.place.as_mut()) {
            let below =
                trees.iter().find_map(|tree| Path::new(&place.file).strip_prefix(tree).ok());
            if let Some(below) = below {
                place.file = below.to_string_lossy().into_owned();
            }
        }
        Ok(Some(report))
    }
}

fn limits(args: &Args) -> Limits {
    let memory = args.max_memory << 20;
    Limits {
        wall: args.max_time,
        cpu: args.max_time,
        memory,
        address_space: memory.saturating_mul(2),
        ..Limits::default()
    }
}

fn jobs(args: &Args) -> NonZeroUsize {
    let one = NonZeroUsize::MIN;
    args.jobs.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(one))
}
