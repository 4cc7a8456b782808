//! `umbra diff` on a program with two versions, and what it says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::command::compile;
use super::directives::Directives;
use crate::filetest::process::run;

/// How long the command is waited for.
const LIMIT: Duration = Duration::from_secs(300);

/// A program that names tests to start from, compiled.
pub struct Subject {
    pub directives: Directives,
    /// Lines and what is marked there.
    pub marks: BTreeSet<(u64, String)>,
    pub exe: PathBuf,
    /// Where it is; removed with this value.
    pub folder: tempfile::TempDir,
}

impl Subject {
    /// Reads and compiles a program.
    pub fn open(umbra: &Path, source: &Path) -> anyhow::Result<Self> {
        let directives = Directives::parse(&fs::read_to_string(source)?)?;
        let marks = directives.marks.iter().map(|mark| (mark.line.into(), mark.kind.clone()));
        let marks = marks.collect();
        ensure!(!directives.seeds.is_empty(), "there is no seed");
        let folder = tempfile::tempdir()?;
        let exe = compile(umbra, source, folder.path())?;
        Ok(Self { directives, marks, exe, folder })
    }
}

/// What the command said.
pub struct Diffed {
    /// The object of `--json`.
    pub object: Value,
    /// Its divergences.
    pub divergences: Vec<Value>,
}

/// Follows a test with these flags; results go to `output`.
pub fn follow(
    umbra: &Path,
    flags: &[String],
    program: &Path,
    arguments: &[String],
    output: &Path,
) -> anyhow::Result<Diffed> {
    let program = program.to_string_lossy().into_owned();
    follow_words(umbra, &[flags, &[program], arguments].concat(), output)
}

/// Runs the command with these words behind its name; results go to `output`.
pub fn follow_words(umbra: &Path, words: &[String], output: &Path) -> anyhow::Result<Diffed> {
    let mut command = Command::new(umbra);
    command.args(["diff", "--json", "--quiet", "--output"]).arg(output).args(words);
    let outcome = run(&mut command, LIMIT)?;
    let (text, report) =
        (String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    let object: Value =
        serde_json::from_str(text.trim()).with_context(|| format!("the output: {text}{report}"))?;
    let divergences = object["divergences"].as_array().context("a list of divergences")?.clone();
    Ok(Diffed { object, divergences })
}
