//! The flags of `umbra amplify`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use umbra_case::shell_word;
use umbra_jobs::{AmplifyJob, CheckName, NativeLimits, SearchLimits, Strategy, Subject, Tests};
use umbra_text::Show;

use crate::duration;

/// Tests in other shapes, if nothing else is said.
const MOVES: usize = 200;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// A program: an executable made by `umbra cc`, bitcode or a C file [default: the programs of the project in this
    /// folder, with its recorded tests]
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,

    /// The arguments of the program, which are the test; without a program, a command that runs the tests of the project,
    /// to be recorded first
    #[arg(last = true, value_name = "ARGS")]
    pub command: Vec<OsString>,

    /// A test case, or a folder or store of them (such as .umbra/recordings); may be given several times
    #[arg(long = "case", value_name = "DIR", help_heading = "The tests")]
    pub cases: Vec<PathBuf>,

    /// Only this program of the project: its name, or its path in the built tree; may be given several times
    #[arg(
        long = "only",
        value_name = "NAME",
        conflicts_with = "program",
        help_heading = "The tests"
    )]
    pub programs: Vec<PathBuf>,

    /// The revision of the project; `.` is the working tree
    #[arg(
        long,
        value_name = "REV",
        default_value = ".",
        conflicts_with = "program",
        help_heading = "The tests"
    )]
    pub revision: String,

    /// The standard input of the test
    #[arg(long, value_name = "FILE", conflicts_with = "cases", help_heading = "The tests")]
    pub stdin: Option<PathBuf>,

    /// Amplify only so many tests, drawn at random, and say how likely a bug is found then
    #[arg(long, value_name = "N", help_heading = "The tests")]
    pub sample: Option<usize>,

    /// Seed for what is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "The tests")]
    pub seed: u64,

    /// Tests in other shapes to follow beside these: an argument, a line, a few bytes more or less [default: some for each
    /// test, in a quarter of the time; none with --max-instructions]
    #[arg(long, value_name = "N", help_heading = "The tests")]
    pub moves: Option<usize>,

    /// The greatest distance: divergence points between where a path leaves that of the test and a sensitive operation
    /// [default: as far as the time allows]
    #[arg(long, value_name = "N", help_heading = "The search")]
    pub distance: Option<u32>,

    /// How many branches deep to explore for each step of distance
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "The search")]
    pub depth: u32,

    /// Make only these checks: memory, division, assertion
    #[arg(
        long = "check",
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "no_check",
        help_heading = "The search"
    )]
    pub check: Vec<CheckName>,

    /// Leave these checks out
    #[arg(
        long = "no-check",
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "The search"
    )]
    pub no_check: Vec<CheckName>,

    /// Time for all tests together
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "5m",
        help_heading = "The search"
    )]
    pub budget: Duration,

    /// Time for one test at one distance [default: some times its share of what is left]
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = "The search")]
    pub max_test_time: Option<Duration>,

    /// Time for one divergence point at one distance
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "10s",
        help_heading = "The search"
    )]
    pub max_point_time: Duration,

    /// Instructions for each test, in place of the time: then equal runs have equal results
    #[arg(long, value_name = "N", conflicts_with_all = ["budget", "workers"], help_heading = "The search")]
    pub max_instructions: Option<u64>,

    /// Time for one question to the solver
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "2s",
        help_heading = "The search"
    )]
    pub max_query_time: Duration,

    /// MiB of memory
    #[arg(long, value_name = "MIB", default_value_t = 4096, help_heading = "The search")]
    pub max_memory: u64,

    /// How many tests to follow at a time [default: one for each processor]
    #[arg(long, value_name = "N", help_heading = "The search")]
    pub workers: Option<std::num::NonZeroUsize>,

    /// A build of the program with sanitizers; of a C file, and of a project, one is made
    #[arg(long, value_name = "PROGRAM", requires = "program", help_heading = "Native runs")]
    pub sanitized: Option<PathBuf>,

    /// Do not build the project with sanitizers: errors that do not show themselves are then not confirmed
    #[arg(long, help_heading = "Native runs")]
    pub no_sanitize: bool,

    /// Run nothing natively: all that is found is a prediction
    #[arg(long, help_heading = "Native runs")]
    pub no_replay: bool,

    /// CPU time of one native run
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "10s",
        help_heading = "Native runs"
    )]
    pub max_run_time: Duration,

    /// Time of all native runs together
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "60s",
        help_heading = "Native runs"
    )]
    pub max_replay_time: Duration,

    /// The folder for the results, new or empty [default: the next in .umbra/runs]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Exit with 3 if anything was left out (and nothing was found)
    #[arg(long, help_heading = "Output")]
    pub require_complete: bool,

    #[command(flatten)]
    pub printing: super::super::flags::Printing,
}

/// What a shell calls a program that is an executable.
fn called(program: &Path) -> Option<String> {
    let is_executable = program.extension().is_none_or(|end| end != "c" && end != "bc");
    let is_bare = program.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    let program = if is_bare { Path::new(".").join(program) } else { program.to_owned() };
    is_executable.then(|| shell_word(program.as_os_str().as_bytes())).flatten()
}

impl Args {
    /// The work that is asked for on one program.
    pub fn job(&self, program: PathBuf, tests: Tests) -> AmplifyJob {
        let is_fixed = self.max_instructions.is_some();
        let one = std::num::NonZeroUsize::MIN;
        let all = || std::thread::available_parallelism().unwrap_or(one);
        AmplifyJob {
            called: called(&program),
            subject: Subject { program, ..Subject::default() },
            tests,
            strategy: Strategy {
                workers: if is_fixed { one } else { self.workers.unwrap_or_else(all) },
                deterministic: is_fixed,
                seed: self.seed,
                ..Strategy::default()
            },
            limits: SearchLimits {
                time: (!is_fixed).then_some(self.budget),
                instructions: self.max_instructions,
                memory_mib: self.max_memory,
                query_time: (!is_fixed).then_some(self.max_query_time),
                ..SearchLimits::default()
            },
            distance: self.distance,
            depth: self.depth,
            test_time: self.max_test_time,
            point_time: self.max_point_time,
            unchecked: self.unchecked(),
            moves: self.moves.unwrap_or(if is_fixed { 0 } else { MOVES }),
            sample: self.sample,
            native: NativeLimits {
                wanted: !self.no_replay,
                all: self.max_replay_time,
                one: self.max_run_time,
            },
        }
    }

    fn unchecked(&self) -> BTreeSet<CheckName> {
        match self.check.is_empty() {
            true => self.no_check.iter().copied().collect(),
            false => {
                let all = CheckName::ALL.into_iter();
                all.filter(|check| !self.check.contains(check)).collect()
            }
        }
    }

    /// The tests of the program that is named.
    pub fn tests(&self, program: &Path) -> anyhow::Result<Tests> {
        if !self.cases.is_empty() {
            if !self.command.is_empty() {
                bail!(
                    "--case: the arguments are those of the test case, so give none after the program"
                );
            }
            return Ok(Tests::Cases(self.cases.clone()));
        }
        let read = |file: &PathBuf| {
            std::fs::read(file).with_context(|| format!("reading {}", file.shown()))
        };
        let words =
            std::iter::once(program.as_os_str()).chain(self.command.iter().map(|word| &**word));
        Ok(Tests::Command {
            words: words.map(|word| word.as_bytes().to_vec()).collect(),
            stdin: self.stdin.as_ref().map(read).transpose()?,
            objects: Vec::new(),
        })
    }
}
