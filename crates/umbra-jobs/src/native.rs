//! Native runs of test cases on two versions of a program, and what they come to.
//!
//! `umbra replay` and `umbra diff` both judge cases this way: one run of each version at first, in
//! parallel; where these differ, another of each, since chance is no difference.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use umbra_case::Case;
use umbra_compare::{
    Difference, Judgement, MemoryCount, Outcome, Patience, SanitizerReport, judge,
};
use umbra_replay::{Error, Launcher, Limits, Pool, Program, Run, Symbolizer};
use umbra_report::DifferenceLine;
use umbra_words::Version;

/// How many times as long a version gets that hangs alone.
const LONGER: u32 = 2;
/// How often a version is run again at one time.
const AGAIN: usize = 2;

/// Sandboxes, and what all runs in them have in common.
pub struct Native {
    limits: Limits,
    pool: Pool,
    /// For the reports of sanitizers.
    symbolizer: Option<Mutex<Symbolizer>>,
    /// Becomes true when the user has had enough.
    stop: Arc<AtomicBool>,
}

/// How sandboxes are started, and what ends them.
#[derive(Clone, Debug)]
pub struct Sandboxes {
    /// How they are started.
    pub launcher: Launcher,
    /// Becomes true when the user has had enough.
    pub stop: Arc<AtomicBool>,
}

/// The executables of one version.
pub struct Executables<'a> {
    /// The one whose behaviour counts.
    pub plain: &'a Program,
    /// Of this one only the reports count.
    pub sanitized: Option<&'a Program>,
    /// Folders in which it was built: places are shown relative to them.
    pub trees: Vec<PathBuf>,
}

/// A case and the two versions that it runs on.
pub struct Trial<'a> {
    /// The case.
    pub case: &'a Case,
    /// The old version.
    pub old: Executables<'a>,
    /// The new version.
    pub new: Executables<'a>,
}

impl Trial<'_> {
    fn executables(&self, version: Version) -> &Executables<'_> {
        match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        }
    }

    fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let programs = [&self.old, &self.new]
            .into_iter()
            .flat_map(|version| std::iter::once(version.plain).chain(version.sanitized));
        programs.map(|program| Run { case: self.case, program })
    }
}

impl Native {
    /// Starts sandboxes, one for each processor if nothing is said.
    pub fn start(
        limits: Limits,
        jobs: Option<NonZeroUsize>,
        sandboxes: &Sandboxes,
    ) -> Result<Self, Error> {
        let stop = &sandboxes.stop;
        let jobs = jobs.or_else(|| std::thread::available_parallelism().ok());
        let pool = Pool::start_best(&sandboxes.launcher, jobs.map_or(1, NonZeroUsize::get))?;
        Ok(Self { limits, pool, symbolizer: None, stop: Arc::clone(stop) })
    }

    /// The same, with places in the reports of sanitizers.
    pub fn with_symbolizer(self, tool: PathBuf) -> Result<Self, Error> {
        Ok(Self { symbolizer: Some(Mutex::new(Symbolizer::start(tool)?)), ..self })
    }

    /// What the limit on memory covers.
    pub fn memory_count(&self) -> MemoryCount {
        self.pool.memory_count()
    }

    /// Makes runs, in parallel.
    pub fn run_all(&self, runs: &[Run<'_>]) -> Vec<Result<Outcome, Error>> {
        self.pool.run(runs, &self.limits, &self.stop)
    }

    fn limits(&self, patience: Patience) -> Limits {
        let patience = match patience {
            Patience::Usual => self.limits.patience,
            Patience::Long => LONGER,
        };
        Limits { patience, ..self.limits.clone() }
    }

    /// Judges cases. Results are in the order of the trials; what was not run any more because the
    /// user has had enough is [`Error::Cancelled`].
    pub fn judge_all(&self, trials: &[Trial<'_>]) -> Vec<Result<Judgement, Error>> {
        let runs: Vec<Run<'_>> = trials.iter().flat_map(Trial::runs).collect();
        let mut outcomes = self.run_all(&runs).into_iter();
        let mut next = || outcomes.next().unwrap_or(Err(Error::Cancelled));
        let mut first_runs = Vec::new();
        for trial in trials {
            // All are taken out before any failure is looked at: the next ones are others'.
            first_runs.push([&trial.old, &trial.new].map(|executables| {
                let plain = next();
                let sanitized = executables.sanitized.map(|program| (program, next()));
                self.joined(plain, sanitized, executables)
            }));
        }
        let judged = trials.iter().zip(first_runs).map(|(trial, [old, new])| {
            judge(old?, new?, |version, patience| self.again(trial, trial.case, version, patience))
        });
        judged.collect()
    }

    /// Judges another case on the versions of a trial.
    pub fn judge(&self, trial: &Trial<'_>, case: &Case) -> Result<Judgement, Error> {
        let first = |version| {
            let mut runs = self.run(trial.executables(version), case, &self.limits, 1)?;
            runs.pop().ok_or(Error::Cancelled)
        };
        judge(first(Version::Old)?, first(Version::New)?, |version, patience| {
            self.again(trial, case, version, patience)
        })
    }

    /// Runs a version again, in several sandboxes at once: a program may show which one it is in.
    fn again(
        &self,
        trial: &Trial<'_>,
        case: &Case,
        version: Version,
        patience: Patience,
    ) -> Result<Vec<Outcome>, Error> {
        self.run(trial.executables(version), case, &self.limits(patience), AGAIN)
    }

    /// What one version does on a case, in one run.
    pub fn outcome(&self, executables: &Executables<'_>, case: &Case) -> Result<Outcome, Error> {
        let mut runs = self.run(executables, case, &self.limits, 1)?;
        runs.pop().ok_or(Error::Cancelled)
    }

    fn run(
        &self,
        executables: &Executables<'_>,
        case: &Case,
        limits: &Limits,
        count: usize,
    ) -> Result<Vec<Outcome>, Error> {
        let run = |program| {
            let runs: Vec<Run<'_>> = (0..count).map(|_| Run { case, program }).collect();
            self.pool.run(&runs, limits, &self.stop).into_iter()
        };
        let mut sanitized = executables.sanitized.map(|program| (program, run(program)));
        let joined = run(executables.plain).map(|plain| {
            let next =
                sanitized.as_mut().and_then(|(program, runs)| Some((*program, runs.next()?)));
            self.joined(plain, next, executables)
        });
        joined.collect()
    }

    /// What a version does, with what sanitizers say of it.
    fn joined(
        &self,
        plain: Result<Outcome, Error>,
        sanitized: Option<(&Program, Result<Outcome, Error>)>,
        executables: &Executables<'_>,
    ) -> Result<Outcome, Error> {
        let outcome = plain?;
        let report = match sanitized {
            Some((program, run)) => self.report(run?, program, &executables.trees)?,
            None => None,
        };
        Ok(Outcome { report, ..outcome })
    }

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

/// The limits of native runs that take at most so long and so many MiB.
pub fn native_limits(time: std::time::Duration, mebibytes: u64) -> Limits {
    let memory = mebibytes << 20;
    Limits {
        wall: time,
        cpu: time,
        memory,
        address_space: memory.saturating_mul(2),
        ..Limits::default()
    }
}

/// A difference between native runs, for a report.
pub fn difference_line(difference: &Difference) -> DifferenceLine {
    DifferenceLine {
        channel: difference.channel.name().to_owned(),
        place: difference.channel.to_string(),
        old: difference.old.clone(),
        new: difference.new.clone(),
    }
}
