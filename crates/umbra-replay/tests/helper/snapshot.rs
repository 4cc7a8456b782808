//! Everything below a folder as values that can be compared.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What is known of one path: kind, mode, owner, links, size, device, time, and a checksum of its
/// content.
///
/// Not the time of the last access: to look is no change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// What it is and whose.
    pub attributes: String,
    /// When it was changed, in seconds and nanoseconds; nothing where that does not count.
    pub modified: Option<(i64, i64)>,
    /// The checksum of a file, the target of a link.
    pub content: String,
}

/// All paths below a folder, itself included.
pub type Snapshot = BTreeMap<PathBuf, Entry>;

/// Looks at a folder. Other file systems that are mounted below it are left out.
pub fn snapshot(folder: &Path) -> io::Result<Snapshot> {
    let device = fs::symlink_metadata(folder)?.dev();
    let mut found = Snapshot::new();
    let mut next = vec![folder.to_owned()];
    while let Some(path) = next.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            if metadata.dev() != device {
                continue;
            }
            // One that was closed is so by its mode, which is compared.
            for entry in fs::read_dir(&path).into_iter().flatten() {
                next.push(entry?.path());
            }
        }
        found.insert(path.clone(), entry(&path, &metadata));
    }
    Ok(found)
}

/// What differs, a line for each path.
pub fn changes(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let added = after.keys().filter(|path| !before.contains_key(*path));
    let mut lines = Vec::new();
    for path in before.keys().chain(added) {
        let name = path.display();
        match (before.get(path), after.get(path)) {
            (Some(before), Some(after)) if before != after => {
                lines.push(format!("{name} was {before:?}, is {after:?}"));
            }
            (Some(_), None) => lines.push(format!("{name} is gone")),
            (None, Some(entry)) => lines.push(format!("{name} is new: {entry:?}")),
            _ => {}
        }
    }
    lines
}

fn entry(path: &Path, metadata: &Metadata) -> Entry {
    let content = if metadata.is_file() {
        fs::read(path).map(|bytes| checksum(&bytes))
    } else if metadata.is_symlink() {
        fs::read_link(path).map(|target| target.display().to_string())
    } else {
        Ok(String::new())
    };
    let attributes = format!(
        "{:o} {}:{} links {} size {} device {}",
        metadata.mode(),
        metadata.uid(),
        metadata.gid(),
        metadata.nlink(),
        metadata.size(),
        metadata.rdev(),
    );
    let modified = Some((metadata.mtime(), metadata.mtime_nsec()));
    Entry { attributes, modified, content: content.unwrap_or_else(|error| error.to_string()) }
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
