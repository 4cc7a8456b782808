//! Harnesses as they are written for KLEE (`tests/klee`): how many paths they have, and which errors.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::bugs::{ensure_sound, findings};
use super::command::{compile_with, explore};
use super::directives::Directives;

/// How long a harness is explored. Each ends by itself, at once.
const TIME: Duration = Duration::from_secs(60);

/// Explores a harness and compares what is found with what it says; the number of paths.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<u64> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let name = source.file_name().context("a source has a name")?.to_string_lossy();
    let expected = directives.paths.context("a harness says how many `paths` it has")?;
    let folder = tempfile::tempdir()?;
    let cc: Vec<&str> = directives.cc.iter().map(String::as_str).collect();
    let exe = compile_with(umbra, source, folder.path(), &cc)?;
    let mut flags = vec!["--max-time".to_owned(), format!("{}s", TIME.as_secs())];
    flags.extend(directives.flags.clone());
    let explored = explore(umbra, &flags, &exe, &directives.args, TIME)?;
    ensure_sound(&explored)?;

    let mut marks = directives.marks.clone();
    marks.sort();
    let found: Vec<_> = findings(&explored, &name).into_keys().collect();
    if found != marks {
        bail!("marked {marks:?}, found {found:?}");
    }
    let paths = ["completed", "error", "cut"].map(|key| explored.number(&["paths", key]));
    let count: u64 = paths.iter().sum();
    ensure!(count == expected, "{paths:?} paths instead of {expected}");
    let complete = explored.summary["complete"] == true;
    ensure!(complete != directives.incomplete, "`complete` is {complete}");
    Ok(count)
}
