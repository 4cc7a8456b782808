//! The whole job for a patch: what does it change, is that tested, does it break anything?
//!
//! | stage | what it does |
//! |---|---|
//! | build | builds both versions |
//! | patch | finds the changed lines of each program that have code |
//! | record | runs the test suite, unless there are recordings |
//! | suite | runs the recordings on both versions |
//! | reach | makes inputs that run changed lines which no recording runs |
//! | search | looks for inputs near the tests on which the versions differ, one program after the other |
//! | confirm | runs what was found natively once more, with sanitizers, and puts together what shows the same |
//!
//! Each stage keeps its result in the folder of the check ([`Keep`]), so whoever checks the patch again, or goes on after
//! this process was killed, does not do it again. A stage that cannot be done says why, and what can be done without it is
//! done. Whoever has had enough gets a report of what was found so far.

mod baseline;
mod child;
mod early;
mod export;
mod findings;
mod hunks;
mod keep;
mod order;
mod reach;
mod search;
mod stages;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_project::{Builder, Manifest, Revision};
use umbra_report::{CheckFinding, Stage, StageLine};

use crate::native::Sandboxes;
use crate::program::Tools;
use crate::revision::Building;
use crate::{Boxed, DiffJob, Inputs};

pub use baseline::{accept, accepted, forget, load, mark};
pub use child::SEARCH;
pub use export::{Exported, export};
pub use keep::{REPORT, checks};
pub use order::{SearchOrder, carry_out};
pub use reach::{REACH, ReachOrder, carry_out_reach};
pub use stages::check;

/// A patch to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckJob {
    /// Two revisions, or one and its parent; the working tree and the last commit, if nothing is said.
    pub range: Option<String>,
    /// Further versions on which what was found runs, too.
    pub also: Vec<String>,
    /// Only these programs: names, or paths in the built tree. All, if there are none.
    pub programs: Vec<PathBuf>,
    /// What the tests are.
    pub tests: CheckTests,
    /// Whether inputs are made that run changed lines which no test runs.
    pub reach: bool,
    /// Where searches start that have no test to start from.
    pub explore: Option<Inputs>,
    /// Whether all inputs of this shape are looked at in place of what is near tests.
    pub complete: bool,
    /// Whether builds with sanitizers run as well, for their reports.
    pub sanitize: bool,
    /// Time for the search in all programs together; none, if its limits say all.
    pub budget: Option<Duration>,
    /// How the search in one program goes: its program, tests and time are filled in.
    pub search: DiffJob,
    /// Time of one native run.
    pub run_time: Duration,
    /// MiB of memory of one native run.
    pub run_memory_mib: u64,
}

/// The tests of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckTests {
    /// What is recorded of the suite; it is recorded if nothing is.
    Suite,
    /// These cases, or folders and stores of them.
    Cases(Vec<PathBuf>),
    /// One command line: a program of the project, its arguments, and standard input.
    Command {
        /// The program and its arguments.
        words: Vec<Vec<u8>>,
        /// Standard input.
        stdin: Option<Vec<u8>>,
    },
    /// None: inputs of a shape are explored.
    None,
}

/// The project that is checked.
pub struct Project {
    /// Its folder.
    pub folder: PathBuf,
    /// Builds it.
    pub builder: Builder,
    /// Describes it.
    pub manifest: Manifest,
    /// What a reader must know of how it was found.
    pub notes: Vec<String>,
}

/// What recording a suite came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The file with what the tests wrote.
    pub log: PathBuf,
    /// Different cases.
    pub cases: usize,
    /// How the suite ended.
    pub status: i32,
    /// Invocations of programs, and those of them that became cases.
    pub invocations: (u64, u64),
    /// Why there is no case, if there is none.
    pub why_none: Option<String>,
}

/// Records the suite of a revision.
pub type Record<'a> = &'a dyn Fn(&Project, &Revision) -> Result<Recorded, Boxed>;

/// Who knows what a check does not, and is told how far it is.
pub struct CheckWatch<'a> {
    /// How sandboxes are started, and what ends the check.
    pub sandboxes: &'a Sandboxes,
    /// The tools.
    pub tools: Tools<'a>,
    /// Makes what shows how a build goes.
    pub building: Building<'a>,
    /// Records the suite.
    pub record: Record<'a>,
    /// Is told how far the check is.
    pub tell: &'a dyn Fn(Told<'_>),
}

/// How far a check is.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// This is done now: how far it is, in words, and as a share if that can be said.
    Doing(Stage, &'a str, Option<f64>),
    /// A stage has ended.
    Ended(&'a StageLine),
    /// The suite alone has shown this.
    Found(&'a CheckFinding),
}

/// What the folder of a check is named by.
#[derive(Serialize)]
struct Identity<'a> {
    trees: [&'a str; 2],
    tests: &'a CheckTests,
    project: &'a Path,
}
