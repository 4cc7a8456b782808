//! Folders on the host that runs under Landlock work in.
//!
//! A keeper removes its own when it ends. Should it be killed together with the process that asked,
//! the folder stays, and the next keeper removes it: its name has the number of that process.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{identity, remove};

/// What the names of folders start with; the number of the asking process and another one follow.
pub const PREFIX: &str = "umbra-replay-";

/// Removes folders beside `scratch` whose process is gone: those of the user that keepers run as, which
/// the caller has become. Failing to is no reason not to go on.
pub fn remove_stale(scratch: &Path) {
    let (own, _) = identity::ids();
    let entries = scratch.parent().and_then(|parent| fs::read_dir(parent).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let asker = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let asker = asker.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        let is_gone = |asker: u32| !Path::new("/proc").join(asker.to_string()).exists();
        // Only what our own keepers can have made.
        let is_ours = entry.metadata().is_ok_and(|at| at.is_dir() && at.uid() == own);
        if asker.is_some_and(is_gone) && is_ours {
            _ = remove::clear(&entry.path());
            _ = fs::remove_dir(entry.path());
        }
    }
}
