//! How much disk a run uses, where no file system of its own limits it (Landlock).
//!
//! Files without a name are not seen; for them there is the limit on one file's size and on open
//! descriptors.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Limits;

/// Size of the blocks that `st_blocks` counts.
const BLOCK: u64 = 512;

/// Whether what is below `folder` is more than the limits allow.
pub fn is_over(folder: &Path, limits: &Limits) -> bool {
    let (mut bytes, mut entries) = (0, 0);
    let mut next: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = next.pop() {
        // It may be gone, or unreadable: then it was counted when it was not.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += metadata.blocks() * BLOCK;
            entries += 1;
            if metadata.is_dir() {
                next.push(entry.path());
            }
            if bytes > limits.disk || entries > limits.inodes {
                return true;
            }
        }
    }
    false
}
