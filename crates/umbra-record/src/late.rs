//! Programs that are linked while the suite runs.
//!
//! The compiler calls [`add`] for what it has linked: the program gets its shim before anybody can run
//! it, a number behind those of all others, and a line in the journal, so that it is put back with them.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::FlockOperation;
use umbra_tracer::settings::{Program, Settings, names};

use crate::Error;
use crate::installation;
use crate::run_folder::RunFolder;

/// Held by who adds a program.
const LOCK: &str = "late";

/// Puts a shim into a program for the recording in the folder `run`. Returns whether there is such a
/// recording, and the program can have a shim.
pub fn add(run: &Path, program: &Path) -> Result<bool, Error> {
    // A recording that was killed is over; the next one puts its programs back.
    if !run.is_dir() || RunFolder::adopt(run)?.is_some() {
        return Ok(false);
    }
    let path = run.join(LOCK);
    let lock = File::options().create(true).append(true).open(&path);
    let lock = lock.map_err(Error::io("open", &path))?;
    rustix::fs::flock(&lock, FlockOperation::LockExclusive).map_err(Error::io("lock", &path))?;
    let mut settings = settings(run)?;
    let number = u32::try_from(settings.programs.len()).unwrap_or(u32::MAX);
    let added = installation::add_one(run, number, program, |described| {
        settings.programs.push(described);
        let (path, new) = (run.join(names::SETTINGS), run.join(".settings"));
        fs::write(&new, settings.encode()).map_err(Error::io("write", &new))?;
        fs::rename(&new, &path).map_err(Error::io("write", &path))
    })?;
    Ok(added)
}

/// All programs of a recording, by number.
pub fn programs(run: &Path) -> Result<Vec<Program>, Error> {
    Ok(settings(run)?.programs)
}

fn settings(run: &Path) -> Result<Settings, Error> {
    let path = run.join(names::SETTINGS);
    let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
    Settings::decode(&bytes).ok_or(Error::Damaged { path })
}
