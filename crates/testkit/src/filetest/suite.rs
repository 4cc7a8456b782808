//! All file tests of a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::check::{Toolbox, check};
use super::directives::{Directives, Finding};
use super::process::two_at_a_time;

/// Runs the tests below `folder` whose path contains `filter`, two at a time; returns how many.
pub fn run(toolbox: &Toolbox, folder: &Path, filter: &str) -> anyhow::Result<usize> {
    let mut sources = Vec::new();
    find(folder, &mut sources)?;
    sources.retain(|source| source.to_string_lossy().contains(filter));
    sources.sort();
    ensure!(!sources.is_empty(), "no file test is called `{filter}`");
    let verdicts = two_at_a_time(sources.len(), |index| check(toolbox, &sources[index]));
    let mut failed = Vec::new();
    for (source, verdict) in sources.iter().zip(verdicts) {
        let wrong = verdict.unwrap_or_else(|error| vec![format!("{error:#}")]);
        if !wrong.is_empty() {
            let name = source.strip_prefix(folder).unwrap_or(source);
            failed.push(format!("{}:\n  {}", name.display(), wrong.join("\n  ")));
        }
    }
    ensure!(
        failed.is_empty(),
        "{} of {} file tests failed\n\n{}\n",
        failed.len(),
        sources.len(),
        failed.join("\n\n")
    );
    Ok(sources.len())
}

/// All marks of the tests below `folder`.
pub fn marks(folder: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut sources = Vec::new();
    find(folder, &mut sources)?;
    let mut marks = Vec::new();
    for source in sources {
        marks.extend(Directives::parse(&std::fs::read_to_string(&source)?)?.marks);
    }
    Ok(marks)
}

fn find(folder: &Path, sources: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "c") {
            sources.push(path);
        } else if path.extension().is_some_and(|extension| extension == "expected") {
            let source = path.with_extension("c");
            ensure!(source.exists(), "{} has no test", path.display());
        }
    }
    Ok(())
}
