//! Folders on the host that runs under Landlock work in.
//!
//! A keeper removes its own when it ends. Should it be killed together with the process that asked,
//! the folder stays, and the next keeper removes it: its name has the number of that process, and nobody
//! holds it any more.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};

use super::{identity, remove};

/// What the names of folders start with; the number of the asking process and another one follow.
pub const PREFIX: &str = "umbra-replay-";

/// Removes folders beside `scratch` whose process is gone: those of the user that keepers run as, which
/// the caller has become. Failing to is no reason not to go on.
pub fn remove_stale(scratch: &Path) {
    let (own, _) = identity::ids();
    let entries = scratch.parent().and_then(|parent| fs::read_dir(parent).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let is_gone = entry.file_name().to_str().is_some_and(is_stale);
        // Only what our own keepers can have made.
        let is_ours = entry.metadata().is_ok_and(|at| at.is_dir() && at.uid() == own);
        if is_gone && is_ours && hold(&entry.path()).is_ok() {
            _ = remove::clear(&entry.path());
            _ = fs::remove_dir(entry.path());
        }
    }
}

/// Holds a folder, as long as what is returned lives; fails if somebody else does. The process that its
/// name tells of may be in a namespace that is not seen from here.
pub fn hold(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(CWD, folder, flags, Mode::empty())?;
    flock(&opened, FlockOperation::NonBlockingLockExclusive)?;
    Ok(opened)
}

/// Whether something of this name belongs to an asking process that is gone.
pub fn is_stale(name: &str) -> bool {
    let asker =
        name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
    asker.is_some_and(|asker| !Path::new("/proc").join(asker.to_string()).exists())
}
