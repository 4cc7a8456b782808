//! What a tracer writes: contents, recordings, and that it is there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::files::Files;
use crate::journal;
use crate::presence::Presence;
use crate::raw::Recording;
use crate::settings::names;

/// What one tracer writes below the folder of a recording.
pub struct Output<'a> {
    run: &'a Path,
    /// `None` if not all could be written: there is nobody else to tell.
    presence: Option<Presence>,
}

impl<'a> Output<'a> {
    /// A tracer begins.
    pub fn new(run: &'a Path) -> Self {
        Self { run, presence: Presence::begin(&run.join(names::RAW)).ok() }
    }

    /// Writes a recording and the contents that belong to it.
    pub fn write(&mut self, recording: &Recording, files: &Files) {
        let written = self.write_objects(files).and_then(|()| self.write_recording(recording));
        if written.is_err() {
            self.presence = None;
        }
    }

    /// The tracer ends.
    pub fn end(self) {
        if let Some(presence) = self.presence {
            presence.end();
        }
    }

    fn write_objects(&self, files: &Files) -> io::Result<()> {
        let folder = self.run.join(names::OBJECTS);
        for (hash, bytes) in &files.contents {
            let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            let path = folder.join(&name);
            if fs::symlink_metadata(&path).is_err() {
                write_atomically(&path, &format!(".{name}-{}", std::process::id()), bytes)?;
            }
        }
        Ok(())
    }

    fn write_recording(&self, recording: &Recording) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        journal::add(&self.run.join(names::RAW), now as u64, &recording.encode())
    }
}

/// A file under its final name is whole.
fn write_atomically(path: &Path, temporary: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_file_name(temporary);
    File::create(&temporary)?.write_all(bytes)?;
    fs::rename(&temporary, path)
}
