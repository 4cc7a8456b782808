//! Test cases, natively: on one version, does it behave as predicted ([`one`])? On two, what differs, and what of it
//! is worth a look ([`judge`])?

pub(crate) mod cost;
pub(crate) mod judge;
mod one;
mod result;
pub(crate) mod versions;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_project::{Builder, Manifest};
use umbra_report::MemoryLine;

use crate::Error;
use crate::cases::{Found, Named, find_cases};
use crate::error::Boxed;
use crate::native::{Native, Sandboxes, native_limits};
use crate::program::Tools;
use crate::revision::Building;
use versions::Versions;

pub(crate) use versions::Pair;

pub use result::{
    CaseCluster, CaseCounts, ChangedLines, Comparison, LineRuns, Predicted, Prediction,
    ReplayResult, Shown,
};

/// Cases that run before their outcomes are judged.
const BATCH: usize = 256;

/// Test cases to run natively.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayJob {
    /// Cases, or folders and stores of them.
    pub cases: Vec<PathBuf>,
    /// What they run on.
    pub on: ReplayOn,
    /// Whether builds with sanitizers run as well, for their reports.
    pub sanitize: bool,
    /// Runs to make the example of each cluster smaller with, if it is to be.
    pub minimise: Option<usize>,
    /// Cases that run at one time; one for each processor, if nothing is said.
    pub at_a_time: Option<NonZeroUsize>,
    /// Time of one run.
    pub time: Duration,
    /// MiB of memory of one run.
    pub memory_mib: u64,
}

/// What cases run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayOn {
    /// One executable.
    Program(PathBuf),
    /// Two.
    Pair {
        /// The old version.
        old: PathBuf,
        /// The new version.
        new: PathBuf,
    },
    /// Revisions of a project.
    Revisions {
        /// Two of them, or one and its parent; the working tree and the last commit, if nothing is said.
        range: Option<String>,
        /// More, each of which is compared with the old one.
        also: Vec<String>,
    },
}

/// Who knows what a job of replaying does not.
pub struct ReplayWatch<'a> {
    /// How sandboxes are started, and what ends them.
    pub sandboxes: &'a Sandboxes,
    /// The tools, for the reports of sanitizers.
    pub tools: Tools<'a>,
    /// The project whose revisions are meant.
    pub project: &'a dyn Fn() -> Result<(Builder, Manifest), Boxed>,
    /// Makes what shows how a build goes; it is dropped when the build is over.
    pub building: Building<'a>,
    /// Is told of each case on one version as it ends, and whether to go on.
    pub ended: &'a dyn Fn(&Prediction) -> ControlFlow<()>,
}

/// What came of a job of replaying.
pub struct Replayed {
    /// What the cases did.
    pub result: ReplayResult,
    /// What the limit on the memory of a run covers here.
    pub memory: MemoryLine,
    /// The example of each cluster, in their order.
    examples: Vec<Case>,
}

impl Replayed {
    /// Writes the example of each cluster as a case to a new folder.
    pub fn write_examples(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir(folder).map_err(Error::file("making", folder))?;
        let Shown::Comparisons(comparisons) = &self.result.shown else { return Ok(()) };
        let clusters = comparisons.iter().flat_map(|comparison| &comparison.clusters);
        for (number, (cluster, example)) in (1..).zip(clusters.zip(&self.examples)) {
            example.write(&folder.join(format!("{number:03}-{}", cluster.class.name())))?;
        }
        Ok(())
    }
}

/// Does a job: runs cases, and says what they show.
pub fn replay(job: &ReplayJob, watch: &ReplayWatch<'_>) -> Result<Replayed, Error> {
    let cases = find_cases(&job.cases)?;
    if cases.is_empty() {
        return Err(Error::NoCases);
    }
    let limits = native_limits(job.time, job.memory_mib);
    let native = Native::start(limits, job.at_a_time, watch.sandboxes)?;
    let native = match job.sanitize {
        true => {
            let tools = (watch.tools)().map_err(Error::Given)?.tools;
            native.with_symbolizer(tools.symbolizer)?
        }
        false => native,
    };
    let count = native.memory_count();
    let memory = MemoryLine {
        mib: job.memory_mib,
        counted_by: count.name().to_owned(),
        covers: count.covers().to_owned(),
    };
    // Executables are made for one function; what is not for it is told case by case.
    let first = cases.first().and_then(|found| found.read().ok());
    let hooked = first.and_then(|named| Some(named.case.call?.function));
    let minimise = job.minimise;
    let versions = versions::find(job, watch)?;
    let versions = match &hooked {
        Some(function) => versions::hook(versions, function, &cases, watch.tools)?,
        None => versions,
    };
    let session = Session { cases, native, minimise, hooked, ended: watch.ended };
    let mut examples = Vec::new();
    let shown = match versions {
        Versions::One(program) => Shown::Predictions(one::run(&session, &program)?),
        Versions::Two(pairs) => {
            let mut run = |pair| judge::run(&session, pair, &mut examples, &mut |_| {});
            let judged = pairs.iter().map(|pair| Ok(run(pair)?.0));
            Shown::Comparisons(judged.collect::<Result<_, Error>>()?)
        }
    };
    let result = ReplayResult { cases: session.cases.len(), shown };
    Ok(Replayed { result, memory, examples })
}

/// What all runs of a job have in common.
pub(crate) struct Session<'a> {
    /// The cases.
    pub cases: Vec<Found>,
    /// Where they run.
    pub native: Native,
    /// Runs to make the example of each cluster smaller with, if it is to be.
    pub minimise: Option<usize>,
    /// The function whose calls are hooked in the executables, if there is one.
    pub hooked: Option<String>,
    /// Is told of each case on one version as it ends, and whether to go on.
    pub ended: &'a dyn Fn(&Prediction) -> ControlFlow<()>,
}

/// A case that no run can be made of, and why. The others run.
type Impossible = (String, String);

impl Session<'_> {
    /// Why a case is not for these executables: their calls are not hooked as it needs them.
    fn misfit(&self, case: &Case) -> Option<String> {
        let function = case.call.as_ref().map(|call| &call.function);
        if function == self.hooked.as_ref() {
            return None;
        }
        Some(match function {
            Some(function) => {
                format!("it is an input of calls of `{function}`: replay it without other cases")
            }
            None => {
                "it is an input of the program: replay it without those of a function".to_owned()
            }
        })
    }

    /// The cases, as many at a time as may be in memory with the outcomes of their runs; and those that
    /// cannot be read.
    fn batches(&self) -> impl Iterator<Item = (Vec<(&Found, Named)>, Vec<Impossible>)> {
        self.cases.chunks(BATCH).map(|batch| {
            let (mut cases, mut impossible) = (Vec::new(), Vec::new());
            for found in batch {
                match found.read() {
                    Ok(named) => match self.misfit(&named.case) {
                        None => cases.push((found, named)),
                        Some(reason) => impossible.push((named.name, reason)),
                    },
                    Err(error) => impossible.push((found.name().to_owned(), error.to_string())),
                }
            }
            (cases, impossible)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_back_as_they_were() {
        let whats = [
            ReplayOn::Program("build/cut".into()),
            ReplayOn::Pair { old: "old/cut".into(), new: "new/cut".into() },
            ReplayOn::Revisions { range: None, also: Vec::new() },
            ReplayOn::Revisions {
                range: Some("v9.1..".to_owned()),
                also: vec![".".to_owned(), "v9.3".to_owned()],
            },
        ];
        for on in whats {
            let job = ReplayJob {
                cases: vec!["recordings".into(), "runs/1/cases/000004".into()],
                on,
                sanitize: true,
                minimise: Some(500),
                at_a_time: NonZeroUsize::new(3),
                time: Duration::from_millis(2500),
                memory_mib: 64,
            };
            let text = serde_json::to_string(&job).unwrap();
            assert_eq!(serde_json::from_str::<ReplayJob>(&text).unwrap(), job, "{text}");
        }
    }
}
