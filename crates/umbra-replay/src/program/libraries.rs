//! The shared libraries of an executable, as its own loader finds them.
//!
//! The loader is asked to list them, which maps the files and runs none of their code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Loaders that are started. Another name in a file could be anything.
const LOADERS: &[&str] = &["/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"];

/// The loader and all libraries of the executable, by absolute path.
pub fn find(executable: &Path, loader: &str) -> Result<Vec<PathBuf>, String> {
    if !LOADERS.contains(&loader) {
        return Err(format!("its loader {loader} is unknown; link it statically"));
    }
    let executable = std::path::absolute(executable).map_err(|error| error.to_string())?;
    let mut command = Command::new(loader);
    command.arg("--list").arg(executable).stdin(Stdio::null()).env_clear();
    let listed = command.output().map_err(|error| format!("its loader {loader}: {error}"))?;
    if !listed.status.success() {
        let message = String::from_utf8_lossy(&listed.stderr);
        return Err(format!("its libraries cannot be found: {}", message.trim()));
    }
    let mut paths = BTreeSet::from([PathBuf::from(loader)]);
    for line in String::from_utf8_lossy(&listed.stdout).lines() {
        // `name => /path (address)`, or `/path (address)` for the loader.
        let path = line.split("=>").last().unwrap_or(line).trim();
        let path = path.split(" (").next().unwrap_or(path);
        if path.starts_with('/') {
            paths.insert(PathBuf::from(path));
        }
    }
    Ok(paths.into_iter().collect())
}
