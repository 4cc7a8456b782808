//! What differs between two trees.

use std::path::PathBuf;

use super::{Repository, TreeId, command};
use crate::Error;

/// A file that differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedFile {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// How it differs.
    pub kind: FileChange,
}

/// How a file differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// It is only in the new tree.
    Added,
    /// It is in both, with other content or another mode.
    Modified,
    /// It is only in the old tree.
    Deleted,
    /// It became another kind of thing: a symbolic link, a submodule.
    Replaced,
}

impl Repository {
    /// The files that differ between two trees, by path. A renamed file is one deleted and
    /// one added.
    pub fn changed_files(&self, old: &TreeId, new: &TreeId) -> Result<Vec<ChangedFile>, Error> {
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", old.as_str(), new.as_str()];
        let output = self.git().args(args).run()?;
        let mut records = output.records();
        let mut changes = Vec::new();
        // Each change is two records: modes, hashes and a letter; then the path.
        while let (Some(header), Some(path)) = (records.next(), records.next()) {
            let kind = match header.last() {
                Some(b'A') => FileChange::Added,
                Some(b'M') => FileChange::Modified,
                Some(b'D') => FileChange::Deleted,
                _ => FileChange::Replaced,
            };
            changes.push(ChangedFile { path: command::path(path), kind });
        }
        Ok(changes)
    }
}
