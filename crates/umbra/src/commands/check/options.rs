//! The flags of `umbra check`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use umbra_jobs::{CheckJob, CheckTests, Input, Inputs, Strategy};
use umbra_report::CheckReport;
use umbra_text::Show;
use umbra_words::Class;

use crate::commands::diff;
use crate::commands::run::inputs::SymbolicInputs;
use crate::duration;

/// What a program gets that has no test, if nothing else is said.
const SHAPE: [&str; 2] = ["args=0..2x4", "stdin=0..8"];

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The patch: OLD..NEW, or one revision and its parent; `.` is the working tree
    /// [default: the working tree against HEAD]
    #[arg(value_name = "REV | OLD..NEW")]
    pub range: Option<String>,

    /// A program of the project and its arguments, to start from in place of the test suite
    #[arg(last = true, value_name = "PROGRAM ARGS", conflicts_with = "cases")]
    pub command: Vec<OsString>,

    /// The standard input of that command line
    #[arg(long, value_name = "FILE", requires = "command", help_heading = "The tests")]
    pub stdin: Option<PathBuf>,

    #[command(flatten)]
    pub flags: Flags,

    /// Run what was found on this revision, too; may be given several times
    #[arg(long, value_name = "REV", help_heading = "Native runs")]
    pub also: Vec<String>,
}

/// How a patch is checked, and what is said of it.
#[derive(clap::Args)]
pub struct Flags {
    /// Test cases to start from in place of the test suite: a case, or a folder or store of them; may be given several times
    #[arg(long = "case", value_name = "DIR", help_heading = "The tests")]
    pub cases: Vec<PathBuf>,

    /// Where the search starts: at the `tests`, at inputs made of them that run changed lines which no test runs (`reach`), and in
    /// programs without a test at all inputs of a shape (`explore`)
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        default_values = ["tests", "reach", "explore"],
        help_heading = "The tests"
    )]
    pub start_from: Vec<StartFrom>,

    /// Look at all inputs of a shape (--sym) instead of those near the tests
    #[arg(long, help_heading = "The search")]
    pub complete: bool,

    #[command(flatten)]
    pub inputs: SymbolicInputs,

    /// Search only in this program: its name, or its path in the built tree; may be given several times
    #[arg(long = "program", value_name = "NAME", help_heading = "The search")]
    pub programs: Vec<PathBuf>,

    /// Time for the search in all programs together
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "10m",
        help_heading = "The search"
    )]
    pub budget: Duration,

    /// Instructions for the search in one program; then the time is no limit
    #[arg(long, value_name = "N", conflicts_with = "budget", help_heading = "The search")]
    pub max_instructions: Option<u64>,

    /// MiB of memory of the search
    #[arg(long, value_name = "MIB", default_value_t = 4096, help_heading = "The search")]
    pub max_memory: u64,

    /// How many tests or paths to follow at a time [default: one for each processor]
    #[arg(long, value_name = "N", conflicts_with = "deterministic", help_heading = "The search")]
    pub workers: Option<NonZeroUsize>,

    /// The same results each time: one worker, and no clock in any decision (with --max-instructions)
    #[arg(long, requires = "max_instructions", help_heading = "The search")]
    pub deterministic: bool,

    /// Do not build with sanitizers: errors that do not show themselves are then missed natively
    #[arg(long, help_heading = "Native runs")]
    pub no_sanitize: bool,

    /// Time of one native run
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "10s",
        help_heading = "Native runs"
    )]
    pub max_run_time: Duration,

    /// MiB of memory of one native run
    #[arg(long, value_name = "MIB", default_value_t = 1024, help_heading = "Native runs")]
    pub max_run_memory: u64,

    /// What makes the exit status 1
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = FailOn::Difference, help_heading = "Output")]
    pub fail_on: FailOn,

    /// Exit with 3 if anything was left unexplored (and nothing was found)
    #[arg(long, help_heading = "Output")]
    pub require_complete: bool,

    /// Show traces, seeds and everything that was left out
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,

    /// End standard output with one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No report and no progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Where a search starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StartFrom {
    /// At tests.
    Tests,
    /// At inputs that are made of tests to run changed lines which no test runs.
    Reach,
    /// Anywhere.
    Explore,
}

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The new version does something wrong.
    Regression,
    /// It behaves differently.
    Difference,
    /// Nothing.
    Never,
}

impl FailOn {
    /// Whether a finding of this class is a failure.
    fn is_failure(self, class: Class) -> bool {
        match self {
            Self::Never => false,
            Self::Difference => class.is_finding(),
            Self::Regression => {
                matches!(class, Class::Regression | Class::NondeterminismIntroduced)
            }
        }
    }
}

impl Args {
    /// The work that is asked for.
    pub fn job(&self) -> anyhow::Result<CheckJob> {
        let mut job = self.flags.job(self.range.clone())?;
        job.also.clone_from(&self.also);
        if !self.command.is_empty() {
            let read = |file: &PathBuf| {
                std::fs::read(file).with_context(|| format!("reading {}", file.shown()))
            };
            let words = self.command.iter().map(|word| word.as_bytes().to_vec()).collect();
            job.tests =
                CheckTests::Command { words, stdin: self.stdin.as_ref().map(read).transpose()? };
        }
        Ok(job)
    }
}

impl Flags {
    /// The work on a patch.
    pub fn job(&self, range: Option<String>) -> anyhow::Result<CheckJob> {
        let mut search = diff::usual_job()?;
        search.strategy = Strategy {
            workers: match (self.deterministic, self.workers) {
                (true, _) => NonZeroUsize::MIN,
                (false, Some(workers)) => workers,
                (false, None) => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            },
            deterministic: self.deterministic,
            ..search.strategy
        };
        search.limits.instructions = self.max_instructions;
        search.limits.memory_mib = self.max_memory;
        let budget = self.max_instructions.is_none().then_some(self.budget);
        Ok(CheckJob {
            range,
            also: Vec::new(),
            programs: self.programs.clone(),
            tests: self.tests()?,
            reach: self.start_from.contains(&StartFrom::Reach),
            explore: self.explore()?,
            complete: self.complete,
            sanitize: !self.no_sanitize,
            budget,
            search,
            run_time: self.max_run_time,
            run_memory_mib: self.max_run_memory,
        })
    }

    fn tests(&self) -> anyhow::Result<CheckTests> {
        let from_tests = self.start_from.contains(&StartFrom::Tests);
        Ok(match (self.cases.is_empty(), from_tests) {
            (false, true) => CheckTests::Cases(self.cases.clone()),
            (false, false) => {
                bail!("--case: with `--start-from explore` there are no tests to start from")
            }
            (true, true) => CheckTests::Suite,
            (true, false) => CheckTests::None,
        })
    }

    /// The shape of inputs where there is no test.
    fn explore(&self) -> anyhow::Result<Option<Inputs>> {
        let given = self.inputs.of(&[]);
        let is_given = !given.more.is_empty();
        if !self.complete && !is_given && !self.start_from.contains(&StartFrom::Explore) {
            return Ok(None);
        }
        if is_given {
            return Ok(Some(given));
        }
        let parsed: Result<Vec<Input>, _> = SHAPE.iter().map(|shape| Input::parse(shape)).collect();
        Ok(Some(Inputs { command: Vec::new(), more: parsed? }))
    }

    /// The exit status for what a check came to.
    pub fn exit(&self, report: &CheckReport) -> u8 {
        let is_failed = report.open().any(|finding| self.fail_on.is_failure(finding.class));
        match (is_failed, report.exit) {
            (true, _) => 1,
            (false, 2) => 2,
            (false, _) if self.require_complete && !report.is_complete() => 3,
            (false, _) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn job(words: &str) -> CheckJob {
        let words = ["check"].into_iter().chain(words.split_whitespace());
        Line::parse_from(words).args.job().unwrap()
    }

    #[test]
    fn flags_become_a_job() {
        let usual = job("");
        assert_eq!((usual.range.clone(), usual.tests.clone()), (None, CheckTests::Suite));
        assert_eq!(usual.budget, Some(Duration::from_secs(600)));
        assert!(usual.sanitize && usual.explore.is_some() && !usual.complete);
        let command = job("A..B --no-sanitize --budget 5s -- ./x -a --json");
        assert_eq!(command.range.as_deref(), Some("A..B"));
        let words = ["./x", "-a", "--json"].map(|word| word.as_bytes().to_vec()).to_vec();
        assert_eq!(command.tests, CheckTests::Command { words, stdin: None });
        assert!(!command.sanitize);
        let fixed = job("--max-instructions 7 --deterministic --start-from tests");
        assert_eq!((fixed.budget, fixed.search.limits.instructions), (None, Some(7)));
        assert_eq!((fixed.explore, fixed.search.strategy.workers), (None, NonZeroUsize::MIN));
        assert_eq!(job("--start-from explore").tests, CheckTests::None);
    }
}
