//! The flags of `umbra run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use umbra_jobs::{
    Budget, OpenTests, RunJob, SearchLimits, Strategy, Subject, TestChoice, Threading, WhichTests,
};

use super::inputs::SymbolicInputs;
use crate::commands::calls::CallArgs;
use crate::commands::flags::{Exploring, Printing};
use crate::commands::resume::Resume;
use crate::duration;
use crate::terminal::ColourChoice;

const EXPLORING: &str = "Exploring";
const LIMITS: &str = "Limits";

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The program (an executable made by `umbra cc`, a bitcode file, or a C file) and its
    /// arguments, which may include KLEE's --sym-arg N and so on
    // Without `allow_hyphen_values`: from the program's name on everything is taken as it is, but
    // a flag that does not exist is not taken for the name.
    #[arg(required_unless_present = "run", trailing_var_arg = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub inputs: SymbolicInputs,

    /// Run one function with symbolic arguments
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "concrete",
        help_heading = "Symbolic inputs"
    )]
    pub function: Option<String>,

    /// Run once, on the host's files and input, even if the program asks for symbolic inputs
    ///
    /// What the program makes symbolic itself then comes from the file that KTEST_FILE names.
    #[arg(
        long,
        conflicts_with_all = ["sym", "sym-arg", "sym-args", "sym-files", "sym-stdin"],
        help_heading = "Running"
    )]
    pub concrete: bool,

    /// Run once, in the world of a test case, with its arguments; with --from, explore its calls
    #[arg(
        long,
        value_name = "CASE",
        conflicts_with_all = ["concrete", "function", "sym", "sym-arg", "sym-args", "sym-files", "sym-stdin"],
        help_heading = "Running"
    )]
    pub case: Option<PathBuf>,

    #[command(flatten)]
    pub calls: CallArgs,

    #[command(flatten)]
    pub exploring: Exploring,

    #[command(flatten)]
    pub resume: Resume,

    #[command(flatten)]
    pub tests: TestArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Report reads of memory that was never written
    #[arg(long, help_heading = "Running")]
    pub check_uninitialised: bool,

    /// In which order threads run: `round-robin` (each until it waits), `newest` (the last one that
    /// can), or a number, from which the order is chosen by chance
    #[arg(long, value_name = "ORDER", default_value = "round-robin", help_heading = "Running")]
    pub schedule: Threading,

    /// Copy the tree below the working directory, as the program left it, to a new folder
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    pub commit: Option<PathBuf>,

    /// Write the lines that ran as an lcov tracefile
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub coverage: Option<PathBuf>,

    /// Print more about the resources the run used
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    #[command(flatten)]
    pub printing: Printing,

    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t = ColourChoice::Auto,
        help_heading = "Output"
    )]
    pub color: ColourChoice,
}

impl Args {
    /// The work that is asked for, if paths are explored.
    pub fn job(&self) -> RunJob {
        self.job_of(&self.command)
    }

    /// The same for other words than its own.
    pub fn job_of(&self, command: &[OsString]) -> RunJob {
        let tests = &self.tests;
        let open = match (tests.no_open_tests, tests.open_tests_time) {
            (true, _) => OpenTests::None,
            (false, None) => OpenTests::Tenth,
            (false, Some(time)) => OpenTests::Within(time),
        };
        RunJob {
            subject: Subject {
                old: None,
                program: PathBuf::from(&command[0]),
                function: self.function.clone(),
                from: self.calls.source(),
            },
            inputs: self.inputs.of(command),
            test: self.case.clone().filter(|_| !self.calls.from.is_empty()),
            strategy: Strategy { seed: tests.seed, ..self.exploring.strategy() },
            limits: self.limits.limits(),
            tests: TestChoice {
                which: tests.tests.which(),
                most: tests.max_tests,
                ktest: tests.ktest,
                open,
            },
            check_uninitialised: self.check_uninitialised,
            schedule: self.schedule,
            log_queries: tests.log_queries.clone(),
        }
    }

    /// The flags that were given and have no effect if the program runs only once.
    pub fn exploring_only(&self) -> Vec<&'static str> {
        let (exploring, tests, limits) = (&self.exploring, &self.tests, &self.limits);
        let given = [
            ("--output", exploring.output.is_some()),
            ("--tests", tests.tests != Tests::All),
            ("--ktest", tests.ktest),
            ("--no-open-tests", tests.no_open_tests),
            ("--open-tests-time", tests.open_tests_time.is_some()),
            ("--require-complete", exploring.require_complete),
            ("--search", exploring.search.is_some()),
            ("--workers", exploring.workers.is_some()),
            ("--deterministic", exploring.deterministic),
            ("--max-depth", limits.max_depth.is_some()),
            ("--max-forks", limits.max_forks.is_some()),
            ("--max-states", limits.max_states.is_some()),
            ("--max-path-instructions", limits.max_path_instructions.is_some()),
            ("--max-query-time", limits.max_query_time.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// What a job that started then may take.
pub fn budget(job: &RunJob, start: Instant) -> Budget {
    let open = match job.tests.open {
        OpenTests::Within(time) => Some(time),
        OpenTests::None | OpenTests::Tenth => None,
    };
    Budget::of(&job.limits, &job.strategy, open, start)
}

/// Which test cases are made.
#[derive(clap::Args)]
#[command(next_help_heading = EXPLORING)]
pub struct TestArgs {
    /// Which paths get a test case
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Tests::All)]
    pub tests: Tests,

    /// Test cases after which only new code and new errors get one [default: 1000, or up to 10000
    /// while they are written as fast as paths end]
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Write each test case also as test.ktest, for KLEE's tools
    #[arg(long)]
    pub ktest: bool,

    /// No test cases for paths that are still open at the end
    #[arg(long)]
    pub no_open_tests: bool,

    /// Time to find inputs for paths that are still open at the end, after those whose input is known
    /// [default: the last twentieth of --max-time, at most 3s; without, a tenth of the run, 1s to 1m]
    #[arg(long, value_name = "TIME", value_parser = duration::parse, conflicts_with_all = ["no_open_tests", "deterministic"])]
    pub open_tests_time: Option<Duration>,

    /// Write every question to the solver, with its answer, to a new or empty folder
    ///
    /// One SMT-LIB file each, named by worker and number. This takes more time than most answers. Questions
    /// after a limit is reached, for tests of open paths, are left out.
    #[arg(long, value_name = "DIR")]
    pub log_queries: Option<PathBuf>,

    /// Seed for searchers that choose at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// When to stop.
#[derive(clap::Args)]
#[command(next_help_heading = LIMITS)]
pub struct LimitArgs {
    /// Stop after this time, for example 30s, 2m, 1h, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub max_time: Option<Duration>,

    /// Stop after this many instructions, on all paths together
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,

    /// Memory of this process, all paths together, and of the program's objects
    ///
    /// Paths are dropped before it is used up. Umbra itself and the program that it reads take some
    /// of it: less than about 150 MiB is a limit for the program's objects only.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    pub max_memory: u64,

    /// Stop forking on a path after this many forks
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// Stop forking on all paths after this many forks together
    #[arg(long, value_name = "N")]
    pub max_forks: Option<u64>,

    /// Paths to keep at a time; others are dropped
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,

    /// End a path after this many instructions
    #[arg(long, value_name = "N")]
    pub max_path_instructions: Option<u64>,

    /// Wall-clock time for one question to the solver [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub max_query_time: Option<Duration>,
}

/// Which ended paths get a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tests {
    /// All
    All,
    /// Those that ran something new, and errors
    New,
    /// Errors: for each the first, and smaller ones
    Errors,
    /// None
    None,
}

impl Tests {
    fn which(self) -> WhichTests {
        match self {
            Self::All => WhichTests::All,
            Self::New => WhichTests::New,
            Self::Errors => WhichTests::Errors,
            Self::None => WhichTests::None,
        }
    }
}

impl LimitArgs {
    /// What a search may take.
    pub fn limits(&self) -> SearchLimits {
        SearchLimits {
            time: self.max_time,
            instructions: self.max_instructions,
            memory_mib: self.max_memory,
            depth: self.max_depth,
            forks: self.max_forks,
            states: self.max_states,
            path_instructions: self.max_path_instructions,
            query_time: self.max_query_time,
        }
    }
}
