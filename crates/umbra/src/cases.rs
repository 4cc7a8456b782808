//! Finding test cases that users name; without any name, what was recorded in this project.

use std::path::{Path, PathBuf};

use anyhow::bail;
use umbra_jobs::{Found, find_cases, recordings};
use umbra_text::Show;

use crate::project;

/// All cases that the paths lead to; without any path, what was recorded in this project.
pub fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<Found>> {
    Ok(find_cases(&self::paths(paths)?)?)
}

/// These paths; without any, where this project keeps what it recorded.
pub fn paths(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    let store = from_here(recordings(&project::folder()?)?)?;
    if !store.is_dir() {
        bail!("{} has no recordings: name cases, or run `umbra record` first", store.shown());
    }
    Ok(vec![store])
}

/// A path as short as it can be shown: from the current folder, if it is below.
pub fn from_here(path: PathBuf) -> std::io::Result<PathBuf> {
    let current = std::env::current_dir()?;
    Ok(path.strip_prefix(&current).map(Path::to_owned).unwrap_or(path))
}
