//! What is at a path at this moment: kind, attributes, content.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::raw::{Attributes, Node};

/// What a component is, as far as walking on is concerned.
pub enum Visited {
    /// A folder.
    Directory,
    /// A link with its target.
    Symlink(Vec<u8>),
    /// A folder or file of the system.
    System,
    /// Nothing, or what nothing can be below.
    Leaf,
}

impl Visited {
    pub fn of(node: &Node) -> Self {
        match node {
            Node::Directory { .. } => Self::Directory,
            Node::Symlink(target) => Self::Symlink(target.clone()),
            _ => Self::Leaf,
        }
    }
}

pub fn now_at(path: &[u8]) -> Visited {
    let path = Path::new(OsStr::from_bytes(path));
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Visited::Directory,
        Ok(metadata) if metadata.is_symlink() => fs::read_link(path)
            .map_or(Visited::Leaf, |target| Visited::Symlink(target.into_os_string().into_vec())),
        _ => Visited::Leaf,
    }
}

/// Reads a file that may grow meanwhile, or not be what it was.
pub fn read(file: &Path, length: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(length as usize + 1)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
    // The time of the last access stays where that is allowed, which is for the owner.
    let open = |flags| File::options().read(true).custom_flags(flags).open(file);
    let opened = open(flags | libc::O_NOATIME).or_else(|_| open(flags))?;
    opened.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub fn attributes(metadata: &Metadata) -> Attributes {
    Attributes {
        mode: metadata.mode() & 0o7777,
        user: metadata.uid(),
        group: metadata.gid(),
        modified: (metadata.mtime(), metadata.mtime_nsec() as u32),
        changed: (metadata.ctime(), metadata.ctime_nsec() as u32),
    }
}

/// The components of a path, the last first.
pub fn components(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|byte| *byte == b'/').rev().filter(|c| !c.is_empty()).map(<[u8]>::to_vec).collect()
}

/// A folder's path to which `/name` can be appended: empty for the root.
pub fn trimmed(path: &[u8]) -> Vec<u8> {
    path.strip_suffix(b"/").unwrap_or(path).to_vec()
}

pub fn shown(path: &[u8]) -> Vec<u8> {
    if path.is_empty() { b"/".to_vec() } else { path.to_vec() }
}
