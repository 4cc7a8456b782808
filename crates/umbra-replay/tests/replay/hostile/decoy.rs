//! Attacks without a sandbox, each on a sentinel of its own.

use std::path::Path;
use std::process::{Command, Stdio};

use super::row::Row;
use super::sentinel::Sentinel;

/// Runs an attack on a decoy; the error says that it did not succeed.
pub fn try_on_decoy(row: &Row, attack: &Path) -> Result<(), String> {
    let decoy = Sentinel::new();
    let own = tempfile::tempdir_in("/tmp").map_err(|error| error.to_string())?;
    let output = Command::new(attack)
        .args(row.arguments.iter().map(|argument| decoy.fill_in(argument)))
        .current_dir(own.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let status = output.status.code();
    // What it did is gone with the decoy.
    decoy.changes();
    match status {
        Some(1) => Ok(()),
        _ => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Err(format!("{}: {:?} {}", row.name, output.status, text.trim()))
        }
    }
}
