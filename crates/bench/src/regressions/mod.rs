//! How many of the real regressions of tests/regressions `umbra diff` or `umbra check` finds from their seeds.
//!
//! `run` tries one entry after the other and writes a result for each; what has a result is not tried again. `table`
//! prints them. A search is tuned on one half of the entries: of the other half the table shows sums only, unless it
//! is asked for all.

mod arguments;
mod attempt;
mod checked;
mod corpus;
mod input;
mod judge;
mod outcome;
mod recipe;
mod table;
mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process;
use arguments::{Arguments, RunArguments};
use attempt::Attempt;
use outcome::{Half, Outcome};

/// `bench regressions ...`.
pub fn run(words: &[OsString]) -> anyhow::Result<()> {
    match Arguments::parse(words)? {
        Arguments::Run(arguments) => try_entries(&arguments),
        Arguments::Table { results, all } => table::print(&Outcome::read_all(&results)?, all),
    }
}

/// Where the entries are.
fn corpus_folder() -> PathBuf {
    repository_folder().join("tests/regressions")
}

fn repository_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn try_entries(arguments: &RunArguments) -> anyhow::Result<()> {
    let packages = corpus::read(&corpus_folder())?;
    let halves = halves()?;
    let known: BTreeSet<&str> = halves.keys().map(String::as_str).collect();
    for name in &arguments.names {
        ensure!(known.contains(&**name), "tests/regressions has no entry {name}");
    }
    fs::create_dir_all(&arguments.results)?;
    let results = arguments.results.canonicalize()?;
    let umbra = arguments.umbra.canonicalize().context("looking for umbra")?;
    let revision = revision(&umbra)?;
    for package in packages.values() {
        for entry in &package.entries {
            let half = halves[&entry.name];
            let is_wanted = arguments.half.is_none_or(|wanted| wanted == half)
                && (arguments.names.is_empty() || arguments.names.contains(&entry.name));
            if !is_wanted || Outcome::path(&results, &entry.name).exists() {
                continue;
            }
            let attempt = Attempt {
                package,
                entry,
                umbra: &umbra,
                results: &results,
                seconds: arguments.seconds,
                check: arguments.check,
            };
            let outcome = attempt.make(half, &revision)?;
            outcome.write(&results)?;
            let verdict = match half {
                Half::Tuning => outcome.verdict(),
                Half::HeldOut => "done".to_owned(),
            };
            eprintln!("{}: {verdict}", entry.name);
        }
    }
    Ok(())
}

/// The half of each entry, as the script that makes the versions says.
fn halves() -> anyhow::Result<BTreeMap<String, Half>> {
    let script = repository_folder().join("scripts/regression-sources");
    let output = process::output(Command::new(script).arg("--list"))?;
    ensure!(output.status.success(), "scripts/regression-sources --list failed");
    let lines = String::from_utf8(output.stdout)?;
    let half = |line: &str| {
        let (name, half) = line.split_once(' ').context("a name and a half")?;
        Ok((name.to_owned(), half.parse()?))
    };
    lines.lines().map(half).collect()
}

/// The revision that stands where the executable was built; without git, what it says itself.
fn revision(umbra: &Path) -> anyhow::Result<String> {
    let folder = umbra.parent().context("umbra is in a folder")?;
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["describe", "--always", "--dirty", "--abbrev=12"]);
    let mut output = git.output().context("starting git")?;
    if !output.status.success() {
        output = process::output(Command::new(umbra).arg("--version"))?;
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
