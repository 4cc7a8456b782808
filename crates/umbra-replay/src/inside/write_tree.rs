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
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Timespec, Timestamps, chmodat, mkdirat, mknodat,
    openat, symlinkat, unlinkat, utimensat,
};

use umbra_case::listing_order;

use super::beneath::{Beneath, join, split};
use super::failure::{Doing, Failure};
use crate::job::NO_TIME;
use crate::wire::{Node, NodeKind};

/// Where a tree is written: a path below a folder.
pub struct Place<'a> {
    pub base: &'a Beneath,
    /// The root of the tree.
    pub root: &'a [u8],
    /// The working directory, relative to it.
    pub directory: &'a [u8],
}

/// Writes `tree`; makes its root and the working directory, if they are not there.
///
/// No link is followed, whatever the paths are: the links of the tree itself, and those that stand in
/// the root that a program sees.
///
/// Folders that are not listed get the time that entries have which carry none.
pub fn write_tree(place: &Place, tree: &[Node]) -> Result<(), Failure> {
    let root = place.base.make_folders(place.root);
    let root = root.doing(format_args!("make the root of the tree, {}", shown(place.root)))?;
    let order = listing_order(tree.iter().map(|node| &**node.path));
    let order: Vec<&Node> = order.into_iter().map(|index| &tree[index]).collect();
    let newest_first =
        order.len() > 1 && lists_newest_first(&root).doing("see how folders are listed")?;
    let mut folder = Folder { place, open: None };
    for index in 0..order.len() {
        let node = order[if newest_first { order.len() - 1 - index } else { index }];
        write_node(&mut folder, node).doing(what("write", node))?;
    }
    place
        .base
        .make_folders(&join(place.root, place.directory))
        .doing(format_args!("make the working directory {}", shown(place.directory)))?;
    for path in unlisted(place.directory, &order) {
        let parent = folder.of(path.as_os_str().as_bytes());
        parent
            .and_then(|(parent, name)| set_time_at(parent, name, NO_TIME))
            .doing("set the time of a folder")?;
    }
    for node in order.iter().rev() {
        finish(&mut folder, node).doing(what("set mode and time of", node))?;
    }
    Ok(())
}

/// The folder that was used last: entries of one stand together.
struct Folder<'a> {
    place: &'a Place<'a>,
    open: Option<(Vec<u8>, OwnedFd)>,
}

impl Folder<'_> {
    /// The folder of a path of the tree, and its last name. Folders on the way that are not there are
    /// made: the entries of a folder stand together, so it gets its place among its siblings by the
    /// first of them.
    fn of<'a>(&mut self, path: &'a [u8]) -> io::Result<(&OwnedFd, &'a [u8])> {
        let (folder, name) = match path {
            b"." | b"" => (&b""[..], &b"."[..]),
            path => split(path),
        };
        let open = match self.open.take() {
            Some((path, open)) if path == folder => open,
            _ => self.place.base.make_folders(&join(self.place.root, folder))?,
        };
        Ok((&self.open.insert((folder.to_vec(), open)).1, name))
    }
}

/// The folders that had to be made on the way, from the leaves up.
fn unlisted(directory: &[u8], listed: &[&Node]) -> Vec<PathBuf> {
    let working = Path::new(OsStr::from_bytes(directory)).ancestors();
    let parents = listed.iter().flat_map(|node| {
        Path::new(OsStr::from_bytes(&node.path)).ancestors().skip(1).map(Path::to_owned)
    });
    let mut folders: BTreeSet<PathBuf> = working.map(Path::to_owned).chain(parents).collect();
    for node in listed {
        folders.remove(Path::new(OsStr::from_bytes(&node.path)));
        // The root has two names.
        if **node.path == *b"." {
            folders.remove(Path::new(""));
        }
    }
    folders.into_iter().rev().collect()
}

fn what(verb: &str, node: &Node) -> String {
    format!("{verb} `{}` of the tree", shown(&node.path))
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Whether a folder, in which nothing is yet, lists its newest entry first.
fn lists_newest_first(folder: &OwnedFd) -> io::Result<bool> {
    let names = ["umbra-1", "umbra-2"];
    for name in names {
        mkdirat(folder, name, Mode::RWXU)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut entries = Dir::new(openat(folder, ".", flags, Mode::empty())?)?;
    let first = entries.find(|entry| {
        entry.as_ref().is_ok_and(|entry| !entry.file_name().to_bytes().starts_with(b"."))
    });
    let newest_first =
        first.transpose()?.is_some_and(|entry| entry.file_name().to_bytes() == names[1].as_bytes());
    for name in names {
        unlinkat(folder, name, AtFlags::REMOVEDIR)?;
    }
    Ok(newest_first)
}

fn write_node(folder: &mut Folder, node: &Node) -> io::Result<()> {
    if let NodeKind::Directory = node.kind {
        let place = folder.place;
        return place.base.make_folders(&join(place.root, &node.path)).map(drop);
    }
    let (parent, name) = folder.of(&node.path)?;
    match &node.kind {
        NodeKind::Directory => Ok(()),
        NodeKind::File(content) => {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let file = openat(parent, name, flags, Mode::from_raw_mode(0o600))?;
            std::fs::File::from(file).write_all(content)
        }
        NodeKind::Symlink(target) => Ok(symlinkat(&***target, parent, name)?),
        NodeKind::Fifo => Ok(mknodat(parent, name, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?),
    }
}

fn finish(folder: &mut Folder, node: &Node) -> io::Result<()> {
    let (parent, name) = folder.of(&node.path)?;
    // What has this name was made by us: no link, unless the tree says so.
    if !matches!(node.kind, NodeKind::Symlink(_)) {
        chmodat(parent, name, Mode::from_raw_mode(node.mode), AtFlags::empty())?;
    }
    set_time_at(parent, name, node.modified)
}

/// Sets both times of a path itself, not of what a link leads to.
pub fn set_time(path: &Path, time: (i64, u32)) -> io::Result<()> {
    set_time_at(CWD, path.as_os_str().as_bytes(), time)
}

fn set_time_at(at: impl AsFd, name: &[u8], (seconds, nanoseconds): (i64, u32)) -> io::Result<()> {
    let time = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(at, name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}
