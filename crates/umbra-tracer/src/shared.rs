//! Files below the folder of a recording that many tracers write to.
//!
//! A file for each invocation would cost more than all else that a tracer does: a file system may have to
//! search for a place. A kind of file is numbered from 0. A tracer takes the first that it can write to:
//! others belong to other users, in a suite that runs some programs as others, are in use, or are too long
//! for a limit that a test has set and that the tracer may not lift.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Files of one kind.
const MOST: u32 = 4096;

/// Writes to the first file of a kind that can be written to.
pub fn write<T>(
    folder: &Path,
    kind: &str,
    mut write: impl FnMut(File) -> io::Result<T>,
) -> io::Result<T> {
    let passed = [ErrorKind::PermissionDenied, ErrorKind::WouldBlock, ErrorKind::FileTooLarge];
    for number in 0..MOST {
        match open(&folder.join(format!("{number}.{kind}"))).and_then(&mut write) {
            Err(error) if passed.contains(&error.kind()) => {}
            result => return result,
        }
    }
    Err(ErrorKind::ResourceBusy.into())
}

/// Opens a file that is there, or else makes it: what belongs to others in a folder for all may not be
/// opened as if it were to be made.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        result => return result,
    }
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => options.open(path),
        result => result,
    }
}

/// All files of a kind.
pub fn all(folder: &Path, kind: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|suffix| suffix == kind) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The number at an offset of a file.
pub fn number_at(file: &File, offset: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(u64::from_le_bytes(bytes))
}
