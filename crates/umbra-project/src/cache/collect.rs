//! Removing what has not been used for longest.
//!
//! Builds go first, then logs of failed builds, then work trees. What somebody uses is
//! locked, and stays. The libc in use, packages and sources are never touched: other
//! commands own them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Cache;
use crate::build::lock_path;
use crate::git::use_path;
use crate::lock::{Lock, Mode};
use crate::{Error, Libc, files};

/// How much to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Until the cache takes no more than this many bytes.
    ToSize(u64),
    /// Everything that can be built again and is not in use, a libc of another version of
    /// Umbra too.
    All,
}

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// In the order in which it went.
    pub removed: Vec<Removed>,
    /// What could have gone, but is in use.
    pub in_use: Vec<PathBuf>,
    /// The bytes that the cache takes now.
    pub left: u64,
}

/// Something that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Where it was.
    pub path: PathBuf,
    /// The bytes it took.
    pub bytes: u64,
}

impl Collected {
    /// The bytes that were freed.
    pub fn freed(&self) -> u64 {
        self.removed.iter().map(|removed| removed.bytes).sum()
    }
}

/// Something that can be removed. The order is that of removal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: Rank,
    used: SystemTime,
    path: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// What an interrupted removal left.
    Trash,
    Build,
    Failed,
    Work,
    OldLibc,
}

/// Removes things from the cache.
pub fn collect(cache: &Cache, collection: Collection) -> Result<Collected, Error> {
    let mut collected = Collected { left: files::disk_usage(cache.root()), ..Collected::default() };
    let mut candidates = candidates(cache);
    candidates.sort();
    for candidate in candidates {
        let wanted = match collection {
            Collection::All => true,
            Collection::ToSize(_) if candidate.rank == Rank::Trash => true,
            Collection::ToSize(limit) => collected.left > limit && candidate.rank != Rank::OldLibc,
        };
        if !wanted {
            continue;
        }
        let bytes = files::disk_usage(&candidate.path);
        if remove(cache, &candidate)? {
            collected.left = collected.left.saturating_sub(bytes);
            collected.removed.push(Removed { path: candidate.path, bytes });
        } else {
            collected.in_use.push(candidate.path);
        }
    }
    for project in children(&cache.work_folder()) {
        remove_project(&project)?;
    }
    Ok(collected)
}

/// Removes the folder of a project that has no work tree any more, with the objects in it: they are of no
/// use then. Whoever builds, or compares revisions, has it locked before there is any.
fn remove_project(project: &Path) -> Result<(), Error> {
    if children(project).iter().any(|path| lock_path(path).exists()) {
        return Ok(());
    }
    let path = use_path(project);
    let lock = match Lock::try_take(&path, Mode::Exclusive) {
        Ok(Some(lock)) => lock,
        Ok(None) => return Ok(()),
        // Another collector was faster.
        Err(_) if !project.exists() => return Ok(()),
        Err(error) => return Err(error),
    };
    files::remove_tree(&project.join("objects"))?;
    files::remove_file(&path)?;
    drop(lock);
    // It may hold something of somebody who just came.
    let _ = fs::remove_dir(project);
    Ok(())
}

fn candidates(cache: &Cache) -> Vec<Candidate> {
    let root = cache.root();
    let mut candidates = Vec::new();
    let mut add = |rank, path: PathBuf, stamp: &str| {
        let stamp = fs::metadata(path.join(stamp)).or_else(|_| fs::metadata(&path));
        let used = stamp.and_then(|stamp| stamp.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        candidates.push(Candidate { rank, used, path });
    };
    for path in children(&root.join("builds")) {
        add(Rank::Build, path, "lock");
    }
    for path in children(&root.join("failed")) {
        add(Rank::Failed, path, "log");
    }
    for path in children(&root.join("work")).iter().flat_map(|project| children(project)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if lock_path(&path).exists() {
            add(Rank::Work, path, "state");
        } else if name.starts_with("index-") && is_stale(&path) {
            add(Rank::Trash, path, "");
        }
    }
    let used = Libc::find(cache).ok().and_then(|libc| libc.sysroot().canonicalize().ok());
    for path in children(root) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_libc = name.starts_with("libc-") && !name.starts_with("libc-for-");
        if name.starts_with("trash-") {
            add(Rank::Trash, path, "");
        } else if is_libc && used.is_some() && path.canonicalize().ok() != used {
            add(Rank::OldLibc, path, "");
        }
    }
    candidates
}

/// Whether a folder that lives for seconds was left by somebody who was killed.
fn is_stale(path: &Path) -> bool {
    let age =
        fs::metadata(path).and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
    matches!(age, Ok(Ok(age)) if age > Duration::from_secs(3600))
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// Removes a candidate unless it is in use. It vanishes at once: whoever looks sees
/// all of it or nothing.
fn remove(cache: &Cache, candidate: &Candidate) -> Result<bool, Error> {
    let path = &candidate.path;
    if candidate.rank == Rank::Trash {
        return files::remove_tree(path).map(|()| true);
    }
    let lock = match candidate.rank {
        Rank::Build | Rank::Work => match Lock::try_take(&lock_path(path), Mode::Exclusive) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => return Ok(false),
            // Another collector was faster.
            Err(_) if !path.exists() => return Ok(true),
            Err(error) => return Err(error),
        },
        _ => None,
    };
    let trash = tempfile::Builder::new()
        .prefix("trash-")
        .tempdir_in(cache.root())
        .map_err(Error::io("create a folder in", cache.root()))?;
    match fs::rename(path, trash.path().join("removed")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("remove", path)(error));
        }
        _ => {}
    }
    drop(lock);
    files::remove_tree(&trash.keep())?;
    Ok(true)
}
