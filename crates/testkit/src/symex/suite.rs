//! Checks of whole folders of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::directives::Directives;
use super::domain::ensure_small;
use super::native::{Sanitizer, check_clean, check_error, is_left_out, run_on};
use crate::filetest::process::two_at_a_time;

/// How many inputs of a domain are run.
const SAMPLES: u64 = 24;

/// The programs in a folder, by name.
pub fn programs(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}

/// A check of one program: what is wrong with it.
type Check = fn(&Sanitizer, &Path) -> anyhow::Result<Result<(), String>>;

/// Checks all programs of a folder whose name contains `filter`; returns how many.
pub fn check_all(folder: &Path, filter: &str, check: Check) -> anyhow::Result<usize> {
    let sanitizer = Sanitizer::new()?;
    let mut sources = programs(folder)?;
    sources.retain(|source| source.to_string_lossy().contains(filter));
    let verdicts = two_at_a_time(sources.len(), |index| check(&sanitizer, &sources[index]));
    let mut failed = Vec::new();
    for (source, verdict) in sources.iter().zip(verdicts) {
        let verdict = verdict.unwrap_or_else(|error| Err(format!("{error:#}")));
        if let Err(wrong) = verdict {
            failed.push(format!("{}: {wrong}", source.display()));
        }
    }
    let count = failed.len();
    ensure!(failed.is_empty(), "{count} programs are wrong\n\n{}", failed.join("\n\n"));
    Ok(sources.len())
}

fn open(source: &Path) -> anyhow::Result<(Directives, String)> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let name = source.file_name().context("a source has a name")?;
    Ok((directives, name.to_string_lossy().into_owned()))
}

/// A program with one planted bug: the trigger must lead to it and the benign input must not.
pub fn check_bug(sanitizer: &Sanitizer, source: &Path) -> anyhow::Result<Result<(), String>> {
    let (directives, name) = open(source)?;
    let [mark] = directives.marks.as_slice() else {
        return Ok(Err(format!("{} marks instead of one", directives.marks.len())));
    };
    let trigger = directives.trigger.as_ref().context("there is no trigger")?;
    let benign = directives.benign.as_ref().context("there is no benign input")?;
    let exe = sanitizer.compile(source, &name.replace(".c", ""))?;
    let run = |input| run_on(&exe, &directives.args, &directives.env, input);
    let verdict = check_error(&run(trigger)?, &name, mark);
    let clean = check_clean(&run(benign)?).map_err(|wrong| format!("the benign input: {wrong}"));
    Ok(verdict.and(clean))
}

/// A program whose inputs can be enumerated: samples of them run clean, or to a marked error, or are
/// left out by an assumption.
pub fn check_domain(sanitizer: &Sanitizer, source: &Path) -> anyhow::Result<Result<(), String>> {
    let (directives, name) = open(source)?;
    let domain = directives.domain.as_ref().context("there is no domain")?;
    ensure_small(domain)?;
    let exe = sanitizer.compile(source, &name.replace(".c", ""))?;
    for sample in 0..domain.len().min(SAMPLES) {
        // Both ends, and numbers between them that share no factor with powers of two.
        let index = match sample {
            0 => 0,
            1 => domain.len() - 1,
            other => other * 2_654_435_761 % domain.len(),
        };
        let input = domain.get(index);
        let outcome = run_on(&exe, &directives.args, &directives.env, &input)?;
        if is_left_out(&outcome) {
            continue;
        }
        let is_marked =
            directives.marks.iter().any(|mark| check_error(&outcome, &name, mark).is_ok());
        if let Err(wrong) = check_clean(&outcome)
            && !is_marked
        {
            return Ok(Err(format!("{input:?}: {wrong}")));
        }
    }
    Ok(Ok(()))
}

/// A program that shows a feature: what it says of its inputs, if it says something, is true.
pub fn check_feature(sanitizer: &Sanitizer, source: &Path) -> anyhow::Result<Result<(), String>> {
    let (directives, name) = open(source)?;
    let exe = sanitizer.compile(source, &name.replace(".c", ""))?;
    let run = |input| run_on(&exe, &directives.args, &directives.env, input);
    let benign = directives.benign.as_ref().context("there is no benign input")?;
    let clean = check_clean(&run(benign)?).map_err(|wrong| format!("the benign input: {wrong}"));
    let verdict = match (directives.marks.as_slice(), &directives.trigger) {
        ([], None) => Ok(()),
        ([mark], Some(trigger)) => check_error(&run(trigger)?, &name, mark),
        _ => Err("a mark needs a trigger and a trigger a mark".to_owned()),
    };
    Ok(clean.and(verdict))
}
