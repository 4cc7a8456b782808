//! Runs that are killed and go on.
//!
//! A process of its own does a job (`umbra_jobs::explore`) and kills itself with SIGKILL when its workers have executed
//! so many instructions; another process goes on from the journal. The set of paths, how they ended, the errors and the
//! lines that ran must be those of a run that nobody disturbed, each path counted once, and every test case must be there
//! once. What was executed twice is counted: what the killed process did after the last entry of its
//! journal, and what it took to make the open states again.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, ensure};
use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_jobs::{
    Budget, Control, Guard, Inputs, Job, Loaded, Logbook, OpenTests, RunJob, RunWatch,
    SearchLimits, Strategy, Subject, TestChoice, Threading, Watched, WhichTests,
};
use umbra_report::RunFolder;

/// The argument with which the test executable does a job.
pub const WORK: &str = "__work";

/// Workers of a run that is not deterministic.
const WORKERS: usize = 2;

/// Test cases of a run, apart from those for new code and new errors.
const TESTS: u64 = 200;

/// What a process is to do.
#[derive(Serialize, Deserialize)]
struct Order {
    job: RunJob,
    folder: PathBuf,
    /// Whether the run was begun by another process.
    resumes: bool,
    /// Instructions after which the process kills itself.
    kill_at: Option<u64>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Came {
    /// A number for the set of paths.
    path_set: u64,
    /// Paths by how they ended.
    terminations: Vec<(String, u64)>,
    /// Errors: what, where, on how many paths.
    errors: Vec<(String, String, u64)>,
    /// Lines that ran.
    lines: u64,
    /// What was not explored.
    open: u64,
    /// Instructions on all paths, each counted once.
    instructions: u64,
}

/// What a process says at its end.
#[derive(Serialize, Deserialize)]
struct Said {
    came: Came,
    /// Instructions that were executed to make states again.
    again: u64,
    /// Test cases that it says there are.
    tests: u64,
}

/// Kills the process when its workers have done so much, and says how much that was.
struct Killer {
    at: Option<u64>,
    done: [AtomicU64; WORKERS],
}

impl Guard for Killer {
    fn set_up(&self) {}

    fn over(&self) {}

    fn ran(&self, worker: usize, instructions: u64) {
        let Some(at) = self.at else { return };
        self.done[worker].store(instructions, Ordering::Relaxed);
        let all: u64 = self.done.iter().map(|done| done.load(Ordering::Relaxed)).sum();
        if all >= at {
            // Nobody reads a second line, should another worker come here as well.
            println!("{all}");
            let _ = std::io::stdout().flush();
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }
}

/// A program and the manner in which it is explored.
pub struct Killed<'a> {
    /// This executable, which does the work when it is started with [`WORK`].
    pub command: &'a Path,
    /// The program, with its bitcode beside it.
    pub program: PathBuf,
    /// Its arguments, with KLEE's flags among them.
    pub words: Vec<String>,
    /// Whether its runs are deterministic.
    pub deterministic: bool,
}

/// What was seen of a program that was killed at several moments.
#[derive(Debug)]
pub struct Seen {
    /// Paths of a run.
    pub paths: u64,
    /// Instructions of a run.
    pub instructions: u64,
    /// The largest share of them that was executed twice, in percent.
    pub again: f64,
    /// How many of the killed runs had written where they were.
    pub kept: usize,
}

impl Killed<'_> {
    /// Runs the program undisturbed, then kills it at moments that are spread over the run and drawn from a seed, and
    /// lets each go on. At most `percent` of the work may be done twice.
    pub fn check(&self, moments: u64, percent: f64) -> anyhow::Result<Seen> {
        let whole = self.finish(tempfile::tempdir()?.path(), false)?;
        let paths = whole.came.terminations.iter().map(|(_, count)| count).sum();
        let all = whole.came.instructions;
        let mut seen = Seen { paths, instructions: all, again: 0.0, kept: 0 };
        let mut random = fastrand::Rng::with_seed(moments);
        for moment in 0..moments {
            let kill_at = ((moment as f64 + random.f64()) / moments as f64 * all as f64) as u64;
            let again = self
                .kill_and_go_on(kill_at, &whole)
                .with_context(|| format!("killed at {kill_at} of {all} instructions"))?;
            let share = 100.0 * (again.lost + again.remade) as f64 / all as f64;
            ensure!(
                share <= percent,
                "killed at {kill_at} of {all} instructions, {share:.1} % were executed again: {again:?}"
            );
            seen.again = seen.again.max(share);
            seen.kept += usize::from(again.kept_at > 0);
        }
        Ok(seen)
    }

    /// Kills a run and lets it go on; compares it with a whole one.
    fn kill_and_go_on(&self, kill_at: u64, whole: &Said) -> anyhow::Result<Again> {
        let scratch = tempfile::tempdir()?;
        let output = self.work(scratch.path(), false, Some(kill_at))?;
        let died = std::os::unix::process::ExitStatusExt::signal(&output.status);
        ensure!(died == Some(9), "it was not killed: {}", text(&output.stderr));
        let done = text(&output.stdout);
        let done: u64 = done.lines().next().unwrap_or_default().parse().context("instructions")?;
        let kept_at = kept_at(scratch.path())?;
        let said = self.finish(scratch.path(), true)?;
        ensure!(said.came == whole.came, "{:?}\nundisturbed:\n{:?}", said.came, whole.came);
        check_cases(scratch.path(), said.tests)?;
        let lost = done.saturating_sub(kept_at);
        Ok(Again { lost, remade: said.again, kept_at })
    }

    /// Runs the program to its end.
    fn finish(&self, folder: &Path, resumes: bool) -> anyhow::Result<Said> {
        let output = self.work(folder, resumes, None)?;
        ensure!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    fn work(
        &self,
        folder: &Path,
        resumes: bool,
        kill_at: Option<u64>,
    ) -> anyhow::Result<std::process::Output> {
        let order = Order { job: self.job(), folder: folder.to_owned(), resumes, kill_at };
        let file = tempfile::NamedTempFile::new()?;
        serde_json::to_writer(&file, &order)?;
        Ok(Command::new(self.command).arg(WORK).arg(file.path()).output()?)
    }

    fn job(&self) -> RunJob {
        let name = self.program.clone().into_os_string().into_encoded_bytes();
        let words = self.words.iter().map(|word| word.clone().into_bytes());
        let workers = if self.deterministic { 1 } else { WORKERS };
        RunJob {
            subject: Subject { program: self.program.clone(), ..Subject::default() },
            inputs: Inputs::of_command([name].into_iter().chain(words).collect()),
            test: None,
            strategy: Strategy {
                workers: NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN),
                deterministic: self.deterministic,
                ..Strategy::default()
            },
            limits: SearchLimits::default(),
            tests: TestChoice {
                which: WhichTests::All,
                most: Some(TESTS),
                ktest: false,
                open: OpenTests::None,
            },
            check_uninitialised: false,
            schedule: Threading::default(),
            log_queries: None,
        }
    }
}

/// What was executed twice.
#[derive(Debug)]
struct Again {
    /// After the last entry of the journal.
    lost: u64,
    /// To make states again.
    remade: u64,
    /// Where the last entry was.
    kept_at: u64,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The instructions up to the last entry of a journal.
fn kept_at(run: &Path) -> anyhow::Result<u64> {
    let journal = fs::read_to_string(run.join("journal"))?;
    let entry = journal.lines().nth(2).context("an entry")?;
    let entry: serde_json::Value = serde_json::from_str(entry)?;
    let statistics = &entry["at"]["progress"]["snapshot"]["statistics"];
    Ok(statistics["instructions"].as_u64().unwrap_or(0))
}

/// Every test case is there, once.
fn check_cases(run: &Path, tests: u64) -> anyhow::Result<()> {
    let mut ids = BTreeSet::new();
    for folder in fs::read_dir(run.join("cases"))? {
        let folder = folder?.path();
        let id = Case::read(&folder)?.id();
        ensure!(ids.insert(id), "{} is there twice", folder.display());
    }
    ensure!(ids.len() as u64 == tests, "{} test cases instead of {tests}", ids.len());
    Ok(())
}

/// Does what an order says, in a process of its own, and prints what came of it.
pub fn work(order: &Path) -> anyhow::Result<()> {
    let Order { job, folder, resumes, kill_at } = serde_json::from_slice(&fs::read(order)?)?;
    let start = Instant::now();
    let program = Loaded::new(&job.subject, &|| Err("the program is compiled already".into()))?;
    let logbook = match resumes {
        true => Logbook::open(&folder)?.go_on(program.identity(), start)?,
        false => {
            let folder = RunFolder::create_at(&folder)?;
            Logbook::begin(folder, Job::Run(job.clone()), program.identity(), start)?
        }
    };
    let killer = Killer { at: kill_at, done: Default::default() };
    let budget = Budget::of(&job.limits, &job.strategy, None, start);
    let watched = Watched { control: &Control::default(), budget, guard: &killer };
    let watch = RunWatch { watched, standing: &|_| {}, line: None };
    let paths = umbra_jobs::explore(&job, program, logbook, &watch)?;
    let summary = paths.summary;
    let terminations = summary.search.terminations.iter();
    let errors = summary.findings.iter();
    let came = Came {
        path_set: summary.search.path_set,
        terminations: terminations.map(|((_, name), count)| (name.clone(), *count)).collect(),
        errors: errors
            .map(|(found, count)| (found.kind.clone(), found.place.to_string(), count))
            .collect(),
        lines: summary.lines.covered,
        open: summary.search.states_open,
        instructions: summary.usage.instructions,
    };
    let said = Said { came, again: summary.usage.again, tests: summary.tests };
    println!("{}", serde_json::to_string(&said)?);
    Ok(())
}
