//! Writes the tree of a case.
//!
//! Contents first, then modes and times from the leaves up, since a folder without write permission
//! could not be filled and every entry made changes its folder's time.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Timespec, Timestamps, chmodat, mknodat, utimensat};

use super::failure::{Doing, Failure};
use crate::wire::{Node, NodeKind};

/// Writes `tree` below `root`, which is made if it is not there.
///
/// The paths were checked by `Case::check`: none leads out, none goes through a link.
pub fn write_tree(root: &Path, tree: &[Node]) -> Result<(), Failure> {
    make_folders(root).doing(format_args!("make the root of the tree, {}", root.display()))?;
    let mut order: Vec<&Node> = tree.iter().collect();
    order.sort_by(|a, b| a.path.cmp(&b.path));
    let folders: BTreeSet<&[u8]> = order
        .iter()
        .filter(|node| node.kind == NodeKind::Directory)
        .map(|node| &**node.path)
        .collect();
    for node in &order {
        write_node(root, node, &folders).doing(what("write", node))?;
    }
    for node in order.iter().rev() {
        finish(root, node).doing(what("set mode and time of", node))?;
    }
    Ok(())
}

fn what(verb: &str, node: &Node) -> String {
    format!("{verb} `{}` of the tree", String::from_utf8_lossy(&node.path))
}

fn place(root: &Path, node: &Node) -> PathBuf {
    root.join(OsStr::from_bytes(&node.path))
}

fn make_folders(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

fn write_node(root: &Path, node: &Node, folders: &BTreeSet<&[u8]>) -> io::Result<()> {
    let path = place(root, node);
    // A folder that is listed is made when its turn comes, before what is in it.
    let parent = node.path.iter().rposition(|byte| *byte == b'/').map(|at| &node.path[..at]);
    if let (Some(parent), Some(folder)) = (parent, path.parent())
        && !folders.contains(parent)
    {
        make_folders(folder)?;
    }
    match &node.kind {
        NodeKind::Directory => make_folders(&path),
        NodeKind::File(content) => {
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
            io::Write::write_all(&mut file, content)
        }
        NodeKind::Symlink(target) => symlink(OsStr::from_bytes(target), path),
        NodeKind::Fifo => Ok(mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?),
    }
}

fn finish(root: &Path, node: &Node) -> io::Result<()> {
    let path = place(root, node);
    if !matches!(node.kind, NodeKind::Symlink(_)) {
        chmodat(CWD, &path, Mode::from_raw_mode(node.mode), AtFlags::empty())?;
    }
    let time = Timespec { tv_sec: node.modified.0, tv_nsec: i64::from(node.modified.1) };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}
