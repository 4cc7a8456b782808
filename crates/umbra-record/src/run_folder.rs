//! The folder of one run, below the store: settings, real programs, what the tracers write.
//!
//! Its lock is held while the run lives. One without a holder was left by a run that was killed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::FlockOperation;
use umbra_tracer::settings::names;

use crate::Error;

/// The folder of all runs in a store.
const FOLDER: &str = "recording";
const LOCK: &str = "lock";

/// The folder of a run that this process owns.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Makes the folder of a new run.
    pub fn make(store: &Path) -> Result<Self, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{now}-{}", std::process::id());
        fs::create_dir_all(store).map_err(Error::io("make", store))?;
        // The shim is called from anywhere and compares with what the kernel says.
        let store = fs::canonicalize(store).map_err(Error::io("resolve", store))?;
        let path = store.join(FOLDER).join(name);
        let mode = if rustix::process::geteuid().is_root() { 0o1777 } else { 0o755 };
        for name in [names::RAW, names::OBJECTS, names::REAL] {
            let folder = path.join(name);
            fs::create_dir_all(&folder).map_err(Error::io("make", &folder))?;
            // Suites that run as root run some programs as other users.
            let mode = if name == names::REAL { 0o755 } else { mode };
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode))
                .map_err(Error::io("change the mode of", &folder))?;
        }
        let lock = lock(&path)?.ok_or_else(|| Error::Busy { path: path.clone() })?;
        Ok(Self { path, _lock: lock })
    }

    /// Takes over the folder of a run that was killed; `None` if it lives, or there is no folder.
    pub fn adopt(path: &Path) -> Result<Option<Self>, Error> {
        if !path.is_dir() {
            return Ok(None);
        }
        Ok(lock(path)?.map(|lock| Self { path: path.to_owned(), _lock: lock }))
    }

    /// The folders of all runs in a store that were killed.
    pub fn left_over(store: &Path) -> Result<Vec<Self>, Error> {
        let folder = store.join(FOLDER);
        let mut runs = Vec::new();
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.map_err(Error::io("read", &folder))?.path();
            runs.extend(Self::adopt(&path)?);
        }
        Ok(runs)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Files of a folder in it whose names end so, in order.
    pub fn files(&self, folder: &str, suffix: &str) -> Result<Vec<PathBuf>, Error> {
        let folder = self.path.join(folder);
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
            let path = entry.map_err(Error::io("read", &folder))?.path();
            if path.as_os_str().as_encoded_bytes().ends_with(suffix.as_bytes()) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Removes it with all that is in it.
    pub fn remove(self) -> Result<(), Error> {
        // Tracers of a killed run may still write; under another name they do not find it.
        let mut name = OsString::from(".removed-");
        name.push(self.path.file_name().unwrap_or_default());
        let hidden = self.path.with_file_name(name);
        fs::rename(&self.path, &hidden).map_err(Error::io("rename", &self.path))?;
        fs::remove_dir_all(&hidden).map_err(Error::io("remove", &hidden))
    }
}

fn lock(folder: &Path) -> Result<Option<File>, Error> {
    let path = folder.join(LOCK);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(Error::io("open", &path))?;
    let is_free = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
    Ok(is_free.then_some(file))
}
