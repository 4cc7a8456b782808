//! Copying a tree out of the model, into a directory of the host.
//!
//! This is the only module that writes to the host. It is called by the user of a finished kernel
//! with a directory that the user named, never on behalf of the program.

use crate::config::Error;
use crate::kernel::Kernel;
use crate::time::Timestamp;
use crate::tree::{TreeEntry, TreeId};
use rustix::fs::{self, AtFlags, CWD, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Bytes copied at a time.
const CHUNK: u64 = 1 << 20;

/// Copies what the program sees at `from` to the host directory `to`, which must not have entries
/// of the same names: contents with their holes, links hard and symbolic, modes, owners (as far as
/// the user may) and times.
pub fn export_tree(kernel: &mut Kernel, from: &Path, to: &Path) -> Result<(), Error> {
    let entries = kernel.walk_tree(from)?;
    let mut seen: HashMap<TreeId, PathBuf> = HashMap::new();
    for entry in &entries {
        let host =
            if entry.path.as_os_str().is_empty() { to.to_owned() } else { to.join(&entry.path) };
        let failed = |error: rustix::io::Errno| Error::Export(host.clone(), error.to_string());
        let kind = FileType::from_raw_mode(entry.stat.mode);
        if kind != FileType::Directory {
            if let Some(first) = seen.get(&entry.id) {
                fs::linkat(CWD, first, CWD, &host, AtFlags::empty()).map_err(failed)?;
                continue;
            }
            seen.insert(entry.id, host.clone());
        }
        make(kernel, entry, kind, &host)?;
    }
    // From the leaves up, so that making children neither needs nor changes what is set on their
    // parents.
    for entry in entries.iter().rev() {
        let host =
            if entry.path.as_os_str().is_empty() { to.to_owned() } else { to.join(&entry.path) };
        set_attributes(entry, &host)
            .map_err(|error| Error::Export(host.clone(), error.to_string()))?;
    }
    Ok(())
}

fn make(kernel: &Kernel, entry: &TreeEntry, kind: FileType, host: &Path) -> Result<(), Error> {
    let failed = |error: rustix::io::Errno| Error::Export(host.to_owned(), error.to_string());
    match kind {
        FileType::Directory => match fs::mkdirat(CWD, host, Mode::RWXU) {
            Err(rustix::io::Errno::EXIST) if entry.path.as_os_str().is_empty() => Ok(()),
            // The mask may have taken away what making the children needs.
            made => made
                .and_then(|()| fs::chmodat(CWD, host, Mode::RWXU, AtFlags::empty()))
                .map_err(failed),
        },
        FileType::RegularFile => copy_file(kernel, entry, host),
        FileType::Symlink => {
            let target = entry.target.as_deref().unwrap_or_default();
            fs::symlinkat(OsStr::from_bytes(target), CWD, host).map_err(failed)
        }
        kind => {
            fs::mknodat(CWD, host, kind, Mode::RUSR | Mode::WUSR, entry.stat.rdev).map_err(failed)
        }
    }
}

fn copy_file(kernel: &Kernel, entry: &TreeEntry, host: &Path) -> Result<(), Error> {
    let failed = |error: rustix::io::Errno| Error::Export(host.to_owned(), error.to_string());
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = fs::openat(CWD, host, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
    fs::ftruncate(&file, entry.stat.size).map_err(failed)?;
    let mut offset = 0;
    while let Some((data, hole)) = kernel.next_data(entry.id, offset) {
        offset = data;
        while offset < hole {
            let mut bytes = vec![0; (hole - offset).min(CHUNK) as usize];
            let n = kernel
                .read_file(entry.id, offset, &mut bytes)
                .map_err(|errno| Error::Tree(host.to_owned(), errno))?;
            if n == 0 {
                return Ok(());
            }
            let mut rest = &bytes[..n];
            while !rest.is_empty() {
                let written = rustix::io::pwrite(&file, rest, offset).map_err(failed)?;
                rest = &rest[written..];
                offset += written as u64;
            }
        }
    }
    Ok(())
}

fn set_attributes(entry: &TreeEntry, host: &Path) -> Result<(), rustix::io::Errno> {
    let stat = &entry.stat;
    let owner = fs::chownat(
        CWD,
        host,
        Some(Uid::from_raw(stat.uid)),
        Some(Gid::from_raw(stat.gid)),
        AtFlags::SYMLINK_NOFOLLOW,
    );
    // A normal user cannot give files away; everything else still is as it should be.
    match owner {
        Err(rustix::io::Errno::PERM) | Ok(()) => {}
        Err(error) => return Err(error),
    }
    if FileType::from_raw_mode(stat.mode) != FileType::Symlink {
        fs::chmodat(CWD, host, Mode::from_raw_mode(stat.mode & 0o7777), AtFlags::empty())?;
    }
    let time =
        |time: Timestamp| Timespec { tv_sec: time.seconds, tv_nsec: i64::from(time.nanoseconds) };
    let times = Timestamps { last_access: time(stat.atime), last_modification: time(stat.mtime) };
    fs::utimensat(CWD, host, &times, AtFlags::SYMLINK_NOFOLLOW)
}
