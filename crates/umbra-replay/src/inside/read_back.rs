//! Reads the tree that a program left, without trusting it.
//!
//! No link is followed. Entries, depth and bytes are bounded; what a bound cut is told. The processes
//! of the run are gone when this starts, so nothing changes meanwhile.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, readlinkat, statat};
use sha2::{Digest, Sha256};
use umbra_case::Timestamp;

use super::beneath::Beneath;
use crate::Limits;
use umbra_compare::{Content, Note, Tree, TreeCut, TreeEntry, TreeKind};

/// Folders within folders that are read. Each level holds a descriptor.
const DEPTH: usize = 200;

/// The tree at `root` below `base`, and notes on what was cut.
pub fn read_back(base: &Beneath, root: &[u8], limits: &Limits) -> io::Result<(Tree, Vec<Note>)> {
    let mut reader = Reader {
        entries: Vec::new(),
        cuts: BTreeSet::new(),
        most: usize::try_from(limits.tree_entries).unwrap_or(usize::MAX),
        bytes_left: limits.tree_bytes,
    };
    let found = base.parent(root).and_then(|(parent, name)| {
        let status = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((parent, name, status))
    });
    let (parent, name, status) = match found {
        Ok(found) => found,
        // The program may have removed or replaced its own root, or a folder above it.
        Err(error) if is_gone(&error) => return Ok((Tree::default(), Vec::new())),
        Err(error) => return Err(error),
    };
    if FileType::from_raw_mode(status.st_mode) == FileType::Directory {
        reader.add(b".".to_vec(), TreeKind::Directory, &status);
        reader.folder(open_folder(&parent, name)?, b"", DEPTH)?;
    }
    reader.entries.sort_by(|a, b| a.path.cmp(&b.path));
    let notes = reader.cuts.into_iter().map(Note::TreeCut).collect();
    Ok((Tree(reader.entries), notes))
}

/// Whether an error says that there is no such folder any more. A link there is as good as nothing.
fn is_gone(error: &io::Error) -> bool {
    let gone = [libc::ENOENT, libc::ENOTDIR, libc::ELOOP, libc::EXDEV];
    error.raw_os_error().is_some_and(|number| gone.contains(&number))
}

struct Reader {
    entries: Vec<TreeEntry>,
    cuts: BTreeSet<TreeCut>,
    most: usize,
    bytes_left: u64,
}

impl Reader {
    fn folder(&mut self, folder: OwnedFd, prefix: &[u8], depth: usize) -> io::Result<()> {
        // In two passes, so that only one stream of names is open at any depth.
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name().to_owned());
            }
            if self.entries.len() + names.len() >= self.most {
                self.cuts.insert(TreeCut::Entries);
                break;
            }
        }
        for name in names {
            if self.entries.len() >= self.most {
                self.cuts.insert(TreeCut::Entries);
                return Ok(());
            }
            self.entry(&folder, &name, prefix, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &OwnedFd,
        name: &CStr,
        prefix: &[u8],
        depth: usize,
    ) -> io::Result<()> {
        let status = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let mut path = prefix.to_vec();
        path.extend_from_slice(name.to_bytes());
        let kind = match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory => TreeKind::Directory,
            FileType::Symlink => {
                TreeKind::Symlink(readlinkat(folder, name, Vec::new())?.into_bytes())
            }
            FileType::Fifo => TreeKind::Fifo,
            FileType::Socket => TreeKind::Socket,
            // Devices cannot be made in the sandbox; a regular file is all that is left.
            _ => TreeKind::File(self.content(folder, name, status.st_size as u64)?),
        };
        let is_folder = kind == TreeKind::Directory;
        self.add(path.clone(), kind, &status);
        if !is_folder {
            return Ok(());
        }
        if depth == 0 {
            self.cuts.insert(TreeCut::Depth);
            return Ok(());
        }
        path.push(b'/');
        self.folder(open_folder(folder, name)?, &path, depth - 1)
    }

    fn add(&mut self, path: Vec<u8>, kind: TreeKind, status: &Stat) {
        let links = if kind == TreeKind::Directory { 1 } else { status.st_nlink };
        let modified = Timestamp {
            seconds: status.st_mtime,
            nanoseconds: u32::try_from(status.st_mtime_nsec).unwrap_or(0),
        };
        self.entries.push(TreeEntry { path, kind, mode: status.st_mode & 0o7777, modified, links });
    }

    fn content(&mut self, folder: &OwnedFd, name: &CStr, length: u64) -> io::Result<Content> {
        let Some(left) = self.bytes_left.checked_sub(length) else {
            self.cuts.insert(TreeCut::Bytes);
            return Ok(Content::Unread { length });
        };
        self.bytes_left = left;
        let mut file = File::from(open_for_reading(folder, name, OFlags::NOFOLLOW)?).take(length);
        if length <= Content::INLINE {
            let mut bytes = Vec::with_capacity(length as usize);
            file.read_to_end(&mut bytes)?;
            return Ok(Content::Bytes(bytes));
        }
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                count => hash.update(&buffer[..count]),
            }
        }
        Ok(Content::Hash { length, hash: hash.finalize().into() })
    }
}

fn open_folder(at: impl AsFd, name: impl rustix::path::Arg + Copy) -> io::Result<OwnedFd> {
    let folder = open_for_reading(&at, name, OFlags::DIRECTORY | OFlags::NOFOLLOW)?;
    // Its names can be listed, but that is all.
    if statat(&folder, ".", AtFlags::empty()).err() == Some(rustix::io::Errno::ACCESS) {
        rustix::fs::chmodat(&at, name, Mode::RWXU, AtFlags::empty())?;
    }
    Ok(folder)
}

/// Opens what the program may have made unreadable for its owner, which we are.
fn open_for_reading(
    at: impl AsFd,
    name: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match openat(&at, name, flags, Mode::empty()) {
        Err(rustix::io::Errno::ACCESS) => {
            // Only without namespaces: process 1 of a pid namespace is above permissions.
            rustix::fs::chmodat(&at, name, Mode::RWXU, AtFlags::empty())?;
            Ok(openat(&at, name, flags, Mode::empty())?)
        }
        other => Ok(other?),
    }
}
