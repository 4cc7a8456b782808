//! Writes the tree of a case.
//!
//! Contents first, then modes and times from the leaves up, since a folder without write permission
//! could not be filled and every entry made changes its folder's time.
//!
//! Folders are to list their entries in the order of the tree. File systems in memory list the newest
//! first, or last in some versions of Linux (6.6 to 6.13): the entries are made accordingly. On a disk
//! the order cannot be chosen.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Timespec, Timestamps, chmodat, mknodat, utimensat};

use umbra_case::listing_order;

use super::failure::{Doing, Failure};
use crate::job::NO_TIME;
use crate::wire::{Node, NodeKind};

/// Writes `tree` below `root`; makes it and the working directory, if they are not there.
///
/// The paths were checked by `Case::check`: none leads out, none goes through a link.
///
/// Folders that are not listed get the time that entries have which carry none.
pub fn write_tree(root: &Path, directory: &Path, tree: &[Node]) -> Result<(), Failure> {
    make_folders(root).doing(format_args!("make the root of the tree, {}", root.display()))?;
    let order = listing_order(tree.iter().map(|node| &**node.path));
    let order: Vec<&Node> = order.into_iter().map(|index| &tree[index]).collect();
    let newest_first =
        order.len() > 1 && lists_newest_first(root).doing("see how folders are listed")?;
    let mut made = BTreeSet::new();
    for index in 0..order.len() {
        let node = order[if newest_first { order.len() - 1 - index } else { index }];
        write_node(root, node, &mut made).doing(what("write", node))?;
    }
    make_folders(directory)
        .doing(format_args!("make the working directory {}", directory.display()))?;
    for folder in unlisted(root, directory, &order) {
        set_time(&root.join(folder), NO_TIME).doing("set the time of a folder")?;
    }
    for node in order.iter().rev() {
        finish(root, node).doing(what("set mode and time of", node))?;
    }
    Ok(())
}

/// The folders that had to be made on the way, from the leaves up.
fn unlisted(root: &Path, directory: &Path, listed: &[&Node]) -> Vec<PathBuf> {
    let working = directory.strip_prefix(root).unwrap_or(Path::new("")).ancestors();
    let parents = listed.iter().flat_map(|node| {
        Path::new(OsStr::from_bytes(&node.path)).ancestors().skip(1).map(Path::to_owned)
    });
    let mut folders: BTreeSet<PathBuf> = working.map(Path::to_owned).chain(parents).collect();
    for node in listed {
        folders.remove(Path::new(OsStr::from_bytes(&node.path)));
    }
    folders.into_iter().rev().collect()
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

/// Whether a folder, in which nothing is yet, lists its newest entry first.
fn lists_newest_first(folder: &Path) -> io::Result<bool> {
    let names = ["umbra-1", "umbra-2"].map(|name| folder.join(name));
    for name in &names {
        fs::create_dir(name)?;
    }
    let first = fs::read_dir(folder)?.next().transpose()?;
    let newest_first = first.is_some_and(|entry| entry.path() == names[1]);
    for name in &names {
        fs::remove_dir(name)?;
    }
    Ok(newest_first)
}

/// Writes a node, and before it the folders on the way that are not there: the entries of a folder
/// stand together, so it gets its place among its siblings by the first of them.
fn write_node<'a>(root: &Path, node: &'a Node, made: &mut BTreeSet<&'a [u8]>) -> io::Result<()> {
    let path = place(root, node);
    let parent = node.path.iter().rposition(|byte| *byte == b'/').map(|at| &node.path[..at]);
    if let (Some(parent), Some(folder)) = (parent, path.parent())
        && made.insert(parent)
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
    set_time(&path, node.modified)
}

/// Sets both times of a path itself, not of what a link leads to.
pub fn set_time(path: &Path, (seconds, nanoseconds): (i64, u32)) -> io::Result<()> {
    let time = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}
