//! What a watcher writes: contents, recordings, and a mark that it is there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use libc::pid_t;

use super::files::Files;
use crate::raw::Recording;
use crate::settings::names;
use crate::system;

/// A locked file that says that a watcher runs: left behind without its lock, it was killed.
pub struct Mark(Option<(PathBuf, File)>);

impl Mark {
    /// Makes the mark of a process's watcher.
    pub fn new(run: &Path, process: pid_t) -> Self {
        let path = run.join(names::RAW).join(format!("{process}-{}.part", std::process::id()));
        Self(File::create_new(&path).ok().and_then(|file| {
            system::lock(&file).ok()?;
            Some((path, file))
        }))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some((path, _file)) = &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes the contents of files.
pub fn write_objects(run: &Path, files: &Files) -> io::Result<()> {
    let folder = run.join(names::OBJECTS);
    for (hash, bytes) in &files.contents {
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(&name);
        if fs::symlink_metadata(&path).is_err() {
            write_atomically(&path, &format!(".{name}-{}", std::process::id()), bytes)?;
        }
    }
    Ok(())
}

/// Writes the recording of a process; `serial` tells those of one watcher apart.
pub fn write_recording(run: &Path, recording: &Recording, serial: u32) -> io::Result<()> {
    // Numbers of processes come round again in a long suite.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = format!("{now}-{}-{serial}", recording.process);
    let path = run.join(names::RAW).join(format!("{name}.rec"));
    write_atomically(&path, &format!(".{name}"), &recording.encode())
}

/// A file under its final name is whole.
fn write_atomically(path: &Path, temporary: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_file_name(temporary);
    File::create(&temporary)?.write_all(bytes)?;
    fs::rename(&temporary, path)
}
