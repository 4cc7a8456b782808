//! The journal of a run: what another process needs to go on where this one was killed.
//!
//! A [`Logbook`] is the folder of a run with its journal. The journal names the job and the version of Umbra, and the
//! program as soon as it says how far the run is: a run goes on only with the same ones. Where it stands is an entry of the job's own ([`Entry`]), written beside what
//! is in the folder then, so that nothing is there twice or not at all when the run goes on. A process that works on a run
//! has the folder locked; the lock ends with the process.

mod error;
mod file;
pub(crate) mod pairs;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use umbra_report::RunFolder;

pub use error::{Damage, JournalError};

use crate::{DiffJob, Identity, JobResult, RunJob};

/// The version of what writes journals and reads them.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a process works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// All paths of a program.
    Run(RunJob),
    /// Two versions.
    Diff(DiffJob),
}

/// What a run is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    version: String,
    job: Job,
}

/// Where a run stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Entry<P> {
    /// It has begun.
    Begun,
    /// It was there.
    At {
        /// How long it took up to there.
        elapsed: Duration,
        /// What the program is known by.
        program: String,
        /// Where.
        progress: P,
    },
    /// It is over.
    Ended(Ended),
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The exit code.
    pub exit: u8,
    /// What was printed for people.
    pub text: String,
    /// What was printed for machines.
    pub json: String,
    /// What came of it.
    pub result: JobResult,
}

/// Writes the journal of a run.
pub struct Journal {
    folder: PathBuf,
    head: String,
    program: Identity,
    /// From when the time of the run counts.
    start: Instant,
    /// Ends with the process.
    _lock: File,
}

impl Journal {
    /// Writes where the run stands.
    pub(crate) fn keep(&self, progress: impl Serialize) -> Result<(), JournalError> {
        let elapsed = self.start.elapsed();
        let program = self.program.digest().to_owned();
        file::write(&self.folder, &self.head, &Entry::At { elapsed, program, progress })
    }

    /// The run is over.
    pub fn finish(&self, ended: Ended) -> Result<(), JournalError> {
        file::write(&self.folder, &self.head, &Entry::<()>::Ended(ended))
    }
}

/// The folder of a run with its journal.
pub struct Logbook {
    journal: Arc<Journal>,
    folder: Contents,
}

enum Contents {
    /// The run begins.
    New(RunFolder),
    /// It was there, as its journal says.
    Kept(String),
}

impl Logbook {
    /// That of a run that begins; its time counts from `start`.
    pub fn begin(
        folder: RunFolder,
        job: Job,
        program: Identity,
        start: Instant,
    ) -> Result<Self, JournalError> {
        let head = Head { version: VERSION.to_owned(), job };
        let head = serde_json::to_string(&head).map_err(JournalError::Encode)?;
        let path = folder.path().to_owned();
        let journal = Journal { _lock: lock(&path)?, folder: path, head, program, start };
        file::write(&journal.folder, &journal.head, &Entry::<()>::Begun)?;
        Ok(Self { journal: Arc::new(journal), folder: Contents::New(folder) })
    }

    /// That of a run whose process is gone.
    pub fn open(folder: &Path) -> Result<Kept, JournalError> {
        let lock = lock(folder)?;
        let text = file::read(folder)?;
        let head: Head = file::value(&text.head)?;
        if head.version != VERSION {
            let (folder, run) = (folder.to_owned(), head.version);
            return Err(JournalError::Version { folder, run, this: VERSION });
        }
        // Where exactly it was is for the job to read.
        let entry: Entry<serde::de::IgnoredAny> = file::value(&text.entry)?;
        let mut kept = Kept {
            path: folder.to_owned(),
            lock,
            text,
            head,
            program: None,
            elapsed: Duration::ZERO,
            ended: None,
        };
        match entry {
            Entry::Begun => {}
            Entry::At { elapsed, program, .. } => {
                (kept.elapsed, kept.program) = (elapsed, Some(program));
            }
            Entry::Ended(ended) => kept.ended = Some(ended),
        }
        Ok(kept)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.journal.folder
    }

    /// Its journal.
    pub(crate) fn journal(&self) -> Arc<Journal> {
        Arc::clone(&self.journal)
    }

    /// The journal, where the run was, and its folder, which `reopen` opens as it was then.
    pub(crate) fn unpack<P: DeserializeOwned>(
        self,
        cases: impl FnOnce(&P) -> usize,
    ) -> Result<(Arc<Journal>, Option<P>, RunFolder), JournalError> {
        let text = match self.folder {
            Contents::New(folder) => return Ok((self.journal, None, folder)),
            Contents::Kept(text) => text,
        };
        let progress = match file::value(&text)? {
            Entry::At { progress, .. } => Some(progress),
            Entry::Begun | Entry::Ended(_) => None,
        };
        let folder = RunFolder::reopen(&self.journal.folder, progress.as_ref().map_or(0, cases))?;
        Ok((self.journal, progress, folder))
    }
}

/// A run whose process is gone: it is over, or can go on.
pub struct Kept {
    path: PathBuf,
    lock: File,
    text: file::Text,
    head: Head,
    /// What the program is known by, if something was done with it.
    program: Option<String>,
    /// How long it took up to where it was.
    pub elapsed: Duration,
    /// What came of it, if it is over.
    pub ended: Option<Ended>,
}

impl Kept {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it works on.
    pub fn job(&self) -> &Job {
        &self.head.job
    }

    /// Goes on, if this is the same program; the run's time counts from `start`.
    pub fn go_on(self, program: Identity, start: Instant) -> Result<Logbook, JournalError> {
        if self.program.as_ref().is_some_and(|before| before != program.digest()) {
            return Err(JournalError::Program(self.path));
        }
        let Self { path, lock, text, .. } = self;
        let journal = Journal { folder: path, head: text.head, program, start, _lock: lock };
        Ok(Logbook { journal: Arc::new(journal), folder: Contents::Kept(text.entry) })
    }
}

/// Keeps other processes from working on the run.
fn lock(folder: &Path) -> Result<File, JournalError> {
    let failed = |source| JournalError::Folder { folder: folder.to_owned(), source };
    let file = File::open(folder).map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(error) if error == rustix::io::Errno::WOULDBLOCK => {
            Err(JournalError::Locked(folder.to_owned()))
        }
        Err(error) => Err(failed(io::Error::from(error))),
    }
}
