//! Removes a tree that a hostile program left on the host's disk (Landlock only).
//!
//! Folders may be unreadable, deeper than descriptors or paths reach, and full of links. Nothing is
//! followed, and nothing is deep: folders found within a folder are first moved up to the top.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

/// Removes everything in `folder`, which stays.
///
/// Relies on no other process writing there.
pub fn clear(folder: &Path) -> io::Result<()> {
    let top = open(CWD, folder)?;
    let mut moved = 0_u64;
    loop {
        let names = names(&top)?;
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            let status = statat(&top, &*name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(status.st_mode) != FileType::Directory {
                unlinkat(&top, &*name, AtFlags::empty())?;
                continue;
            }
            chmodat(&top, &*name, Mode::RWXU, AtFlags::empty())?;
            empty(&top, &open(&top, &*name)?, &mut moved)?;
            unlinkat(&top, &*name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Removes the files of a folder and moves its folders to the top.
fn empty(top: &OwnedFd, folder: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    for name in names(folder)? {
        match unlinkat(folder, &*name, AtFlags::empty()) {
            Ok(()) => continue,
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        // To move a folder changes its `..`, for which it must be writable.
        chmodat(folder, &*name, Mode::RWXU, AtFlags::empty())?;
        loop {
            *moved += 1;
            match renameat(folder, &*name, top, format!("umbra-moved-{moved}")) {
                Ok(()) => break,
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

fn open(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(at, name, flags, Mode::empty())?)
}

fn names(folder: &OwnedFd) -> io::Result<Vec<std::ffi::CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}
