//! Programs that a test suite links while it is recorded.
//!
//! The compiler of a work tree is `umbra cc`, in a process that knows nothing of the recording but a
//! file in the work folder. While that is there, what is linked gets its shim at once.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use umbra_project::Interest;
use umbra_text::Show;

use crate::environment;

/// The content of the file.
#[derive(Serialize, Deserialize)]
pub struct Recording {
    /// The folder of the recording.
    pub run: PathBuf,
    /// The project's folder in the work tree.
    pub tree: PathBuf,
    /// Which programs are recorded.
    pub interest: Interest,
}

impl Recording {
    /// Writes the file.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_vec(self)?;
        fs::write(file, text).with_context(|| format!("cannot write {}", file.shown()))
    }
}

/// Gives a program its shim if it was linked for a suite that is being recorded.
pub fn linked(program: &Path) -> anyhow::Result<()> {
    let text = environment::recording().and_then(|file| fs::read(file).ok());
    // No file: nothing is recorded. One of a recording that was killed names a folder without owner.
    let Some(recording) = text.and_then(|text| serde_json::from_slice::<Recording>(&text).ok())
    else {
        return Ok(());
    };
    let path = fs::canonicalize(program)?;
    let tree = fs::canonicalize(&recording.tree)?;
    if path.strip_prefix(&tree).is_ok_and(|relative| recording.interest.has(relative)) {
        umbra_record::add_program(&recording.run, &path)?;
    }
    Ok(())
}
