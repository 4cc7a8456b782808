//! The work folder of a project and flavour: a tree that moves from revision to revision.
//!
//! ```text
//! lock            held by whoever works here
//! tree/           the source, and what was built from it
//! state           what the last build left; absent while one is at work
//! log             what the last build printed
//! bin/            the compiler and other files that builds are pointed to
//! config.cache    results of configure, and what they are for in config.cache.key
//! export/         a build on its way into the cache
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use super::Progress;
use super::safety::{self, Reads, Tracking, Verdict};
use super::setting::SOURCE_TIME;
use super::state::{self, State};
use crate::git::{ChangedFile, FileChange, TreeId};
use crate::lock::{Lock, Mode};
use crate::{Error, Repository, files};

/// A work folder that nobody else is in.
#[derive(Debug)]
pub struct WorkFolder {
    pub folder: PathBuf,
    pub lock: Lock,
}

/// What is to be done for a revision.
pub enum Plan {
    /// The tree is at it, and built.
    Ready,
    /// Build on top of what is there.
    Incremental { code: Vec<PathBuf>, other: Vec<ChangedFile>, unread: BTreeSet<PathBuf> },
    /// Start anew; if there was something to build on, this file speaks against it.
    Scratch(Option<PathBuf>),
}

impl WorkFolder {
    /// Enters a work folder, which is made if it is not there.
    pub fn enter(folder: PathBuf, progress: &mut dyn FnMut(Progress)) -> Result<WorkFolder, Error> {
        let path = lock_path(&folder);
        let lock = loop {
            fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
            match Lock::take(&path, Mode::Exclusive, |path| progress(Progress::Waiting(path))) {
                // A collector removed the folder before it was locked.
                Err(_) if !folder.is_dir() => {}
                result => break result?,
            }
        };
        Ok(WorkFolder { folder, lock })
    }

    pub fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    pub fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    pub fn lock_path(&self) -> PathBuf {
        lock_path(&self.folder)
    }

    fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// Decides how to come to a revision, and removes what tests left behind.
    pub fn plan(
        &self,
        repository: &Repository,
        tree: &TreeId,
        configuration: &str,
        incremental: bool,
    ) -> Result<Plan, Error> {
        let Some(state) = State::load(&self.state())? else { return Ok(Plan::Scratch(None)) };
        if state.configuration != configuration {
            return Ok(Plan::Scratch(None));
        }
        let root = self.tree();
        // Tests may leave folders that cannot be read, or not be written: all the more
        // reason to start anew.
        let Ok(drift) = state.drift(&root) else { return Ok(Plan::Scratch(None)) };
        let stuck = drift.extra.into_iter().find(|path| files::remove(&root.join(path)).is_err());
        if let Some(path) = drift.changed.or(stuck) {
            return Ok(Plan::Scratch(Some(path)));
        }
        if state.tree == *tree {
            return Ok(Plan::Ready);
        }
        if !incremental {
            return Ok(Plan::Scratch(None));
        }
        // The old tree may be gone from the repository: then nobody knows what changed.
        let Ok(changes) = repository.changed_files(&state.tree, tree) else {
            return Ok(Plan::Scratch(None));
        };
        Ok(self.judge(&state, &changes))
    }

    /// Whether the file system notes when a file is read. Where it does not, all count as read.
    fn keeps_access_times(&self) -> bool {
        let probe = self.folder.join("probe");
        let read = || -> std::io::Result<bool> {
            fs::write(&probe, "x")?;
            set_source_time(&probe).map_err(std::io::Error::other)?;
            fs::read(&probe)?;
            Ok(fs::metadata(&probe)?.atime() != SOURCE_TIME)
        };
        let kept = read().unwrap_or(false);
        // It is empty but for a letter, and written anew each time.
        let _ = fs::remove_file(&probe);
        kept
    }

    fn judge(&self, state: &State, changes: &[ChangedFile]) -> Plan {
        let tracking = Tracking::of(state.stamps.keys());
        let sources = state.stamps.iter().filter(|(_, stamp)| stamp.is_source());
        let reads = Reads::new(sources.map(|(path, _)| path.as_path()), &state.unread);
        match safety::judge(changes, tracking, &reads) {
            Verdict::Scratch(path) => Plan::Scratch(Some(path)),
            Verdict::Incremental { code, other } => {
                let files = state.stamps.keys();
                let included = match tracking {
                    Tracking::Headers => None,
                    Tracking::Unknown => safety::included(&self.tree(), files, &code),
                };
                match included {
                    Some(path) => Plan::Scratch(Some(path)),
                    None => Plan::Incremental { code, other, unread: state.unread.clone() },
                }
            }
        }
    }

    /// From here until [`WorkFolder::finish`] the tree is of no use to anybody else.
    pub fn begin(&self) -> Result<(), Error> {
        files::remove_file(&self.state())
    }

    /// Notes what the tree now is.
    pub fn finish(&self, tree: &TreeId, configuration: &str) -> Result<(), Error> {
        let stamps = state::stamps(&self.tree())?;
        let unread = match self.keeps_access_times() {
            true => state::unread(&self.tree())?,
            false => BTreeSet::new(),
        };
        let configuration = configuration.into();
        let state = State { tree: tree.clone(), configuration, stamps, unread };
        state.save(&self.state())
    }

    /// Checks a revision out into an empty tree. Returns the submodules that are missing.
    pub fn check_out(&self, repository: &Repository, tree: &TreeId) -> Result<Vec<PathBuf>, Error> {
        let root = self.tree();
        files::remove_tree(&root)?;
        fs::create_dir_all(&root).map_err(Error::io("create", &root))?;
        let missing = repository.check_out_all(tree, &root, &self.folder.join("index"))?;
        // Generated files under version control must not look older than their sources.
        for found in files::walk(&root)? {
            set_source_time(&root.join(found.path))?;
        }
        Ok(missing)
    }

    /// Brings the tree from one revision to another that [`WorkFolder::plan`] found near.
    pub fn update(
        &self,
        repository: &Repository,
        tree: &TreeId,
        (code, other): (&[PathBuf], &[ChangedFile]),
        unread: &BTreeSet<PathBuf>,
    ) -> Result<(), Error> {
        let root = self.tree();
        // Tests may have read what the build had not: what was not read when it ended, is not read.
        unread.iter().try_for_each(|path| set_access_time(&root.join(path)))?;
        let (gone, there): (Vec<_>, Vec<_>) =
            other.iter().partition(|change| change.kind == FileChange::Deleted);
        for change in gone {
            files::remove_file(&root.join(&change.path))?;
        }
        let there: Vec<PathBuf> = there.iter().map(|change| change.path.clone()).collect();
        let paths = [code, &there].concat();
        repository.check_out(tree, Some(&paths), &root, &self.folder.join("index"))?;
        // No program depends on these, and make is not to think so.
        there.iter().try_for_each(|path| set_source_time(&root.join(path)))
    }
}

/// The lock of a work folder.
pub fn lock_path(folder: &Path) -> PathBuf {
    folder.join("lock")
}

fn set_source_time(path: &Path) -> Result<(), Error> {
    let time = Timespec { tv_sec: SOURCE_TIME, tv_nsec: 0 };
    set_times(path, &Timestamps { last_access: time, last_modification: time })
}

/// Makes a file look as if nobody had read it.
fn set_access_time(path: &Path) -> Result<(), Error> {
    let time = Timespec { tv_sec: SOURCE_TIME, tv_nsec: 0 };
    let same = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    set_times(path, &Timestamps { last_access: time, last_modification: same })
}

fn set_times(path: &Path, times: &Timestamps) -> Result<(), Error> {
    match utimensat(CWD, path, times, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(()) => Ok(()),
        Err(errno) => Err(Error::io("set the time of", path)(errno.into())),
    }
}
