//! The search in one program, by a process of its own.
//!
//! A search may take all the memory that it may have, or meet a step that does not end: then the guard ends the process.
//! What the check knows of other programs must not go with it. So the check writes a [`SearchOrder`] and starts itself
//! again; [`carry_out`] is what that process does. It keeps a journal, so a check that is killed goes on there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_project::{Repository, TreeId};
use umbra_replay::{Program, Siblings};
use umbra_report::{DiffSummary, RunFolder};
use umbra_words::Version;

use super::keep::write_json;
use crate::native::Sandboxes;
use crate::program::Tools;
use crate::revision::{Programs, introduce};
use crate::{
    DiffJob, Differences, Ended, Error, Job, JobResult, Kept, Logbook, Pair, Patch, Subject,
    Watched, compare,
};

/// What is to be searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchOrder {
    /// The folder of the project.
    pub project: PathBuf,
    /// The old and the new source.
    pub trees: [TreeId; 2],
    /// Folders of library code.
    pub library: Vec<PathBuf>,
    /// Where both were built.
    pub tree: PathBuf,
    /// The executables of both versions by name: a program may run others.
    pub programs: [BTreeMap<String, PathBuf>; 2],
    /// The name of the program.
    pub name: String,
    /// The work.
    pub job: DiffJob,
    /// The folder for what is found.
    pub folder: PathBuf,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Searched {
    /// The versions were compared.
    Compared(Box<DiffSummary>),
    /// They are the same program, but for what means nothing.
    Same(Option<String>),
}

/// The file of the order, and that of the answer, beside the folder.
pub const ORDER: &str = "order.json";
const ANSWER: &str = "answer.json";
const SO_FAR: &str = "so-far.json";

impl SearchOrder {
    /// The key of the order: equal searches have equal ones, whatever time they are given.
    pub fn key(&self) -> String {
        let mut job = self.job.clone();
        job.limits.time = None;
        super::keep::digest(&(&self.trees, &self.library, &self.name, job))
    }

    /// Reads the order in a file.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let bytes = fs::read(file).map_err(Error::file("reading", file))?;
        serde_json::from_slice(&bytes).map_err(|error| Error::file("reading", file)(error.into()))
    }

    /// The answer that a process has left.
    pub fn answer(&self) -> Option<Searched> {
        self.read_answer(ANSWER)
    }

    /// What a process has left that was interrupted. Nobody but who waits for it takes that for an answer.
    pub(super) fn so_far(&self) -> Option<Searched> {
        self.read_answer(SO_FAR)
    }

    /// Forgets what an earlier process had so far.
    pub(super) fn forget(&self) {
        // One that is not there need not go, and one that does not go is of the same search.
        let _ = fs::remove_file(self.beside(SO_FAR));
    }

    fn read_answer(&self, name: &str) -> Option<Searched> {
        let bytes = fs::read(self.beside(name)).ok()?;
        let (key, answer): (String, Searched) = serde_json::from_slice(&bytes).ok()?;
        (key == self.key()).then_some(answer)
    }

    fn keep(&self, name: &str, answer: &Searched) -> Result<(), Error> {
        write_json(&self.beside(name), &(self.key(), answer))
    }

    /// Writes the order, for a process to read.
    pub(super) fn write(&self) -> Result<PathBuf, Error> {
        let file = self.beside(ORDER);
        write_json(&file, self)?;
        Ok(file)
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.parent().unwrap_or(&self.folder).join(name)
    }

    fn natives(&self, version: Version) -> Result<Programs, Error> {
        let mut programs = Programs::new();
        for (name, path) in &self.programs[usize::from(version == Version::New)] {
            programs.insert(name.clone(), Program::open(path)?);
        }
        let siblings = Siblings::from(programs.clone());
        introduce(&mut programs, &siblings);
        Ok(programs)
    }

    fn pair(&self, job: &DiffJob, tools: Tools<'_>) -> Result<Pair, Error> {
        let cache = tools().map_err(Error::Given)?.cache;
        let repository = Repository::find(&self.project, &cache)?;
        let [old, new] = self.trees.clone();
        let patch = Patch::new(&repository, (old, new), &self.library, &self.tree)?;
        let pair = Pair::load(&job.subject, Some(&patch), tools)?;
        let native =
            |version| -> Result<_, Error> { Ok(self.natives(version)?.remove(&self.name)) };
        Ok(match (native(Version::Old)?, native(Version::New)?) {
            (Some(old), Some(new)) => pair.with_natives([old, new]),
            _ => pair,
        })
    }

    /// The run in the folder, if it is of this order and can go on.
    fn kept(&self) -> Option<Kept> {
        let kept = Logbook::open(&self.folder).ok()?;
        let same = matches!(kept.job(), Job::Diff(job) if is_same(job, &self.job));
        (same && kept.ended.is_none()).then_some(kept)
    }
}

/// Whether it is the same work, whatever time it may take.
fn is_same(one: &DiffJob, other: &DiffJob) -> bool {
    let mut one = one.clone();
    one.limits.time = other.limits.time;
    one == *other
}

/// Starts to watch a job that began then.
pub type Watch<'a, W> = &'a dyn Fn(&DiffJob, Instant) -> Result<W, crate::Boxed>;

/// Does what an order says, and leaves the answer. `watch` begins to watch the work, and `with` lends what it watches with.
pub fn carry_out<W>(
    order: &SearchOrder,
    tools: Tools<'_>,
    sandboxes: &Sandboxes,
    watch: Watch<'_, W>,
    with: impl Fn(&W) -> Watched<'_>,
) -> Result<(), Error> {
    let kept = order.kept();
    let elapsed = kept.as_ref().map_or_else(Default::default, |kept| kept.elapsed);
    let now = Instant::now();
    let start = now.checked_sub(elapsed).unwrap_or(now);
    let mut job = order.job.clone();
    // What was used of the time before is used.
    if let Some(time) = &mut job.limits.time {
        *time += elapsed;
    }
    let watching = watch(&job, start).map_err(Error::Given)?;
    let watched = with(&watching);
    let pair = order.pair(&job, tools)?;
    if pair.is_same_program() {
        watched.guard.over();
        return order.keep(ANSWER, &Searched::Same(pair.ignored()));
    }
    let logbook = match kept {
        Some(kept) => kept.go_on(pair.identity(), start)?,
        None => {
            let folder = empty_run(&order.folder)?;
            Logbook::begin(folder, Job::Diff(order.job.clone()), pair.identity(), start)?
        }
    };
    let (Differences { mut summary, .. }, journal) =
        compare(&job, pair, logbook, &watched, sandboxes)?;
    summary.wall_s = start.elapsed().as_secs_f64();
    (summary.cpu_s, summary.peak_mib) = crate::usage();
    summary.exit = u8::from(!summary.divergences.is_empty());
    let ended = Ended {
        exit: summary.exit,
        text: summary.to_text(),
        json: summary.to_json(),
        result: JobResult::of_diff(&summary),
    };
    let answer = Searched::Compared(Box::new(summary));
    if sandboxes.stop.load(Ordering::Relaxed) {
        // The journal stays open: another process goes on from there.
        return order.keep(SO_FAR, &answer);
    }
    order.keep(ANSWER, &answer)?;
    Ok(journal.finish(ended)?)
}

/// A new folder for a run, in place of what is there.
fn empty_run(folder: &Path) -> Result<RunFolder, Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file("removing", folder)(error));
        }
        _ => {}
    }
    Ok(RunFolder::create_at(folder)?)
}

/// The subject of a search: both executables.
pub fn subject(old: &Path, new: &Path) -> Subject {
    Subject { program: new.to_owned(), old: Some(old.to_owned()), ..Subject::default() }
}
