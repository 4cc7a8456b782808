//! Reading the folder of a case, which a stranger may have made.
//!
//! Files are opened component by component without following links, and only regular files are
//! read: no path in a case leads out of its folder, and no pipe keeps us waiting.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use crate::json::{CaseFile, SchemaFile, is_known};
use crate::{Case, Error, InvalidCase};

impl Case {
    /// Reads the case in a folder.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("case.json");
        let text = content(folder, b"case.json")?;
        let json = |source| Error::Json { path: path.clone(), source };
        let SchemaFile { schema } = serde_json::from_slice(&text).map_err(json)?;
        if !is_known(&schema) {
            return Err(Error::Schema { path, found: schema });
        }
        let file: CaseFile = serde_json::from_slice(&text).map_err(json)?;
        let case = file.into_case(|path| content(folder, path))?;
        case.check().map_err(|source| Error::Invalid { path: folder.to_owned(), source })?;
        Ok(case)
    }
}

/// What a regular file below the folder holds.
fn content(folder: &Path, path: &[u8]) -> Result<Vec<u8>, Error> {
    let shown: PathBuf = folder.join(OsStr::from_bytes(path));
    let file = open(folder, path, &shown)?;
    let metadata = file.metadata().map_err(Error::io("read", &shown))?;
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: shown });
    }
    let mut bytes = Vec::new();
    (&file).read_to_end(&mut bytes).map_err(Error::io("read", &shown))?;
    Ok(bytes)
}

fn open(folder: &Path, path: &[u8], shown: &Path) -> Result<File, Error> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let directory = OFlags::DIRECTORY | flags;
    let mut at: OwnedFd = rustix::fs::openat(CWD, folder, directory, Mode::empty())
        .map_err(Error::io("open", folder))?;
    let mut components = path.split(|byte| *byte == b'/').peekable();
    while let Some(component) = components.next() {
        if matches!(component, b"" | b"." | b"..") {
            let path = String::from_utf8_lossy(path).into_owned();
            let source = InvalidCase::Path { path };
            return Err(Error::Invalid { path: folder.to_owned(), source });
        }
        let flags = if components.peek().is_some() { directory } else { flags };
        at = match rustix::fs::openat(&at, component, flags | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(opened) => opened,
            // The answer for a symbolic link.
            Err(rustix::io::Errno::LOOP) => {
                return Err(Error::NotAFile { path: shown.to_owned() });
            }
            Err(error) => return Err(Error::io("read", shown)(error)),
        };
    }
    Ok(at.into())
}
