//! Jobs: what is to be done, as values.
//!
//! A job names its program, where it starts from (a test, or symbolic inputs), how the search goes and
//! what it may take. It can be written, read back and compared; two equal deterministic jobs give equal
//! results. Nothing here knows of flags or of a terminal.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_case::Call;
use umbra_engine::Schedule;

use crate::{Inputs, SearchName};

/// The program that a job is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// An executable with bitcode beside it, a bitcode file, or a C file.
    pub program: PathBuf,
    /// The old version, likewise, where two programs are compared.
    pub old: Option<PathBuf>,
    /// The function that runs in place of the program.
    pub function: Option<String>,
    /// Calls inside the program whose arguments are its inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CallSource>,
}

/// Calls of functions inside a program, whose arguments are inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSource {
    /// The functions.
    pub functions: Vec<String>,
    /// Which of their calls.
    pub choice: CallChoice,
}

impl CallSource {
    /// What stands for the functions if they are to be found: those that lead to a change.
    pub const OPEN: &str = "auto";

    /// Whether they are to be found.
    pub fn is_open(&self) -> bool {
        self.functions == [Self::OPEN]
    }
}

/// Which calls of functions are inputs, each for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallChoice {
    /// The one of this number of each, counted from 1.
    Number(u32),
    /// So many at most of those with different arguments.
    Most(usize),
    /// These.
    These(Vec<Call>),
}

/// How a search goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// Which path is next; what suits the job if nothing is said.
    pub search: Option<SearchName>,
    /// Paths to follow at a time.
    pub workers: NonZeroUsize,
    /// Whether equal jobs give equal results: then the clock decides nothing.
    pub deterministic: bool,
    /// Seed for searchers that choose at random.
    pub seed: u64,
}

impl Default for Strategy {
    fn default() -> Self {
        Self { search: None, workers: NonZeroUsize::MIN, deterministic: false, seed: 0 }
    }
}

/// What a search may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchLimits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Instructions on all paths together.
    pub instructions: Option<u64>,
    /// MiB of memory of the process, and of the program's objects.
    pub memory_mib: u64,
    /// Stop forking on a path after this many forks.
    pub depth: Option<u32>,
    /// Stop forking on all paths after this many forks together.
    pub forks: Option<u64>,
    /// Paths to keep at a time.
    pub states: Option<usize>,
    /// Instructions of one path.
    pub path_instructions: Option<u64>,
    /// Time for one question to the solver.
    pub query_time: Option<Duration>,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            time: None,
            instructions: None,
            memory_mib: 4096,
            depth: None,
            forks: None,
            states: None,
            path_instructions: None,
            query_time: None,
        }
    }
}

/// All paths of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJob {
    /// The program.
    pub subject: Subject,
    /// What is symbolic.
    pub inputs: Inputs,
    /// The test case that the program starts from, where calls inside of it are the inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<PathBuf>,
    /// How the search goes.
    pub strategy: Strategy,
    /// What it may take.
    pub limits: SearchLimits,
    /// Which test cases are made.
    pub tests: TestChoice,
    /// Whether reading memory that was never written is an error.
    pub check_uninitialised: bool,
    /// In which order threads run: the name of a schedule.
    #[serde(default)]
    pub schedule: Threading,
    /// A new or empty folder for every question to the solver.
    pub log_queries: Option<PathBuf>,
}

/// In which order threads run, as a job says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threading {
    /// Each until it waits, in turn.
    #[default]
    RoundRobin,
    /// The last one that can.
    Newest,
    /// By chance, from this seed.
    Random(u64),
}

impl std::str::FromStr for Threading {
    type Err = umbra_engine::UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.parse()? {
            Schedule::RoundRobin => Self::RoundRobin,
            Schedule::Newest => Self::Newest,
            Schedule::Random(seed) => Self::Random(seed),
        })
    }
}

impl Threading {
    pub(crate) fn schedule(self) -> Schedule {
        match self {
            Self::RoundRobin => Schedule::RoundRobin,
            Self::Newest => Schedule::Newest,
            Self::Random(seed) => Schedule::Random(seed),
        }
    }
}

/// Which test cases a run makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestChoice {
    /// Which paths get one.
    pub which: WhichTests,
    /// After how many only new code and new errors get one; about as many as can be written meanwhile,
    /// if nothing is said.
    pub most: Option<u64>,
    /// Whether each is written for KLEE's tools, too.
    pub ktest: bool,
    /// What paths get that are still open at the end.
    pub open: OpenTests,
}

/// Which ended paths get a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichTests {
    /// All.
    All,
    /// Those that ran something new, and errors.
    New,
    /// Errors: for each the first, and smaller ones.
    Errors,
    /// None.
    None,
}

/// Test cases of paths that are still open at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpenTests {
    /// None.
    None,
    /// Those that are found within a tenth of the time of the run.
    Tenth,
    /// Those that are found within so much.
    Within(Duration),
}

/// Where the two versions of a program part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffJob {
    /// The program, with its changes.
    pub subject: Subject,
    /// Where the search starts.
    pub start: Start,
    /// How it goes.
    pub strategy: Strategy,
    /// What it may take.
    pub limits: SearchLimits,
    /// Instructions after which a version that runs alone is taken not to terminate.
    pub max_alone: u64,
    /// Test cases for each place where the versions part.
    pub tests_per_place: u64,
    /// What is run natively.
    pub native: NativeLimits,
}

/// Where a comparison starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// From all inputs: every path of both versions.
    Complete {
        /// What is symbolic.
        inputs: Inputs,
        /// Whether paths end where nothing differs and no change can be reached any more.
        prune: bool,
    },
    /// From tests, and what is near them.
    Near(Near),
}

/// A comparison near tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Near {
    /// Which tests there are.
    pub tests: Tests,
    /// Which of them are followed.
    pub choice: SeedChoice,
    /// How many tests in other shapes are followed beside them; if nothing is said, some, where there is a time to be used up.
    pub shapes: Option<usize>,
    /// Time for one test.
    pub seed_time: Option<Duration>,
    /// Branches on values that differ, whose other sides are taken up on the path of one input.
    pub sides: usize,
    /// Inputs beside a test that are followed like it.
    pub followed: usize,
    /// Time to explore the new version from one point where the versions part.
    pub point_time: Duration,
    /// Instructions from there.
    pub point_instructions: Option<u64>,
    /// Instructions around one test, on other sides of branches that both versions take together; if nothing is said, as many as
    /// the time allows, where one is given.
    pub around_instructions: Option<u64>,
}

/// The tests to start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tests {
    /// Cases, or folders and stores of them.
    Cases(Vec<PathBuf>),
    /// A command line, what is read from standard input, and the objects that the program makes
    /// symbolic itself.
    Command {
        /// The name of the program and its arguments.
        words: Vec<Vec<u8>>,
        /// Standard input.
        stdin: Option<Vec<u8>>,
        /// The objects by name.
        objects: Vec<(String, Vec<u8>)>,
    },
}

/// Which tests are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedChoice {
    /// All of them.
    All,
    /// As few as reach all changes that any of them reaches.
    Cover,
    /// So many at most.
    Most(usize),
}

/// What native runs may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeLimits {
    /// Whether there are any.
    pub wanted: bool,
    /// Time of all together.
    pub all: Duration,
    /// CPU time of one.
    pub one: Duration,
}

impl DiffJob {
    /// Whether all paths are to be followed.
    pub fn is_complete(&self) -> bool {
        matches!(self.start, Start::Complete { .. })
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::CallArgument;

    use super::*;
    use crate::Input;

    /// Nothing is as it is by default, so that what is forgotten shows.
    fn strategy() -> Strategy {
        Strategy {
            search: Some("dfs".parse().unwrap()),
            workers: NonZeroUsize::new(3).unwrap(),
            deterministic: true,
            seed: 9,
        }
    }

    fn limits() -> SearchLimits {
        SearchLimits {
            time: Some(Duration::from_millis(3500)),
            instructions: Some(1),
            memory_mib: 2,
            depth: Some(3),
            forks: Some(4),
            states: Some(5),
            path_instructions: Some(6),
            query_time: Some(Duration::from_micros(7)),
        }
    }

    fn near() -> DiffJob {
        DiffJob {
            subject: Subject {
                program: "a.c".into(),
                old: Some("b.c".into()),
                function: Some("f".to_owned()),
                from: Some(CallSource {
                    functions: vec!["g".to_owned()],
                    choice: CallChoice::These(vec![Call {
                        function: "g".to_owned(),
                        number: 3,
                        arguments: vec![CallArgument::Bytes, CallArgument::Number(-1)],
                    }]),
                }),
            },
            start: Start::Near(Near {
                tests: Tests::Command {
                    words: vec![b"a.c".to_vec(), vec![0xff]],
                    stdin: Some(b"in".to_vec()),
                    objects: vec![("x".to_owned(), vec![1])],
                },
                choice: SeedChoice::Most(3),
                shapes: Some(3),
                seed_time: Some(Duration::from_millis(1500)),
                sides: 4,
                followed: 5,
                point_time: Duration::from_secs(20),
                around_instructions: Some(7),
                point_instructions: Some(11),
            }),
            strategy: strategy(),
            limits: limits(),
            max_alone: 7,
            tests_per_place: 8,
            native: NativeLimits {
                wanted: true,
                all: Duration::from_secs(60),
                one: Duration::from_secs(2),
            },
        }
    }

    #[test]
    fn jobs_come_back_as_they_were() {
        let inputs = Inputs {
            command: vec![b"a.c".to_vec(), b"--sym-arg".to_vec(), b"2".to_vec()],
            more: vec![
                Input::Spec("stdin=16".to_owned()),
                Input::Klee(vec![b"--sym-files".to_vec(), b"1".to_vec(), vec![0xfe]]),
            ],
        };
        let complete = DiffJob { start: Start::Complete { inputs, prune: true }, ..near() };
        let cases = Near {
            tests: Tests::Cases(vec!["store".into()]),
            choice: SeedChoice::Cover,
            ..of(near())
        };
        let all = Near { choice: SeedChoice::All, ..cases.clone() };
        let more = [cases, all].map(|seeds| DiffJob { start: Start::Near(seeds), ..near() });
        for job in more.into_iter().chain([near(), complete]) {
            let text = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<DiffJob>(&text).unwrap(), job, "{text}");
        }
    }

    fn of(job: DiffJob) -> Near {
        let Start::Near(near) = job.start else { panic!("{job:?}") };
        near
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        use WhichTests::{All, Errors, New, None};
        let opens =
            [OpenTests::None, OpenTests::Tenth, OpenTests::Within(Duration::from_millis(1500))];
        for (which, open) in [All, New, Errors, None].into_iter().zip(opens.into_iter().cycle()) {
            let job = RunJob {
                subject: Subject { program: "a.bc".into(), ..Subject::default() },
                inputs: Inputs::of_command(vec![b"a.bc".to_vec()]),
                test: Some("case".into()),
                strategy: strategy(),
                limits: limits(),
                tests: TestChoice { which, most: Some(5), ktest: true, open },
                check_uninitialised: true,
                schedule: Threading::Random(7),
                log_queries: Some("log".into()),
            };
            let text = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<RunJob>(&text).unwrap(), job, "{text}");
        }
    }

    #[test]
    fn a_searcher_that_does_not_exist_is_in_no_job() {
        let job = serde_json::to_string(&near()).unwrap();
        let changed = job.replace("\"dfs\"", "\"none\"");
        assert_ne!(job, changed);
        assert!(serde_json::from_str::<DiffJob>(&changed).is_err());
    }
}
