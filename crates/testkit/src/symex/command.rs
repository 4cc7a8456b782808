//! The real command line: `umbra cc`, `umbra run`, and the folder that it leaves.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_case::Case;
use umbra_words::End;

use super::directives::{Directives, Symbolic};
use crate::filetest::process::run_within;

/// Resident memory of the command, in KiB: a run that needs more is a mistake of ours, and must not
/// bring the machine down. (Its address space is larger: states reserve what they do not use.)
const MEMORY: u64 = 5_000_000;

/// What all its states may hold, in MiB.
const STATES: &str = "2000";

/// What a run may take beyond its own limit: to load, to write, on a busy machine.
const SLACK: Duration = Duration::from_secs(120);

/// A test case that was written.
pub struct Written {
    /// Its folder.
    pub folder: PathBuf,
    /// What it holds.
    pub case: Case,
}

/// What a run of the command left.
pub struct Explored {
    /// The test cases, in the order in which they were written.
    pub cases: Vec<Written>,
    /// `summary.json`.
    pub summary: serde_json::Value,
    /// The exit code.
    pub exit: i32,
    /// The folder of the run, removed with this value.
    pub folder: tempfile::TempDir,
}

impl Explored {
    /// A number of the summary; the words are the keys on the way to it.
    pub fn number(&self, keys: &[&str]) -> u64 {
        let value = keys.iter().fold(&self.summary, |value, key| &value[*key]);
        value.as_u64().unwrap_or(0)
    }

    /// The cases that end in an error.
    pub fn errors(&self) -> impl Iterator<Item = &Written> {
        self.cases.iter().filter(|written| matches!(written.case.expected.end, Some(End::Error(_))))
    }

    /// Paths that ended because the machine failed.
    pub fn engine_bugs(&self) -> u64 {
        self.number(&["terminations", "engine-bug"])
    }
}

/// What the symbolic inputs of a program of the corpus are called on the command line.
pub fn symbolic_flags(directives: &Directives) -> Vec<String> {
    let mut flags = Vec::new();
    for symbolic in &directives.symbolic {
        flags.push("--sym".to_owned());
        flags.push(match symbolic {
            Symbolic::Stdin(size) => format!("stdin={size}"),
            Symbolic::Args { count, length } => format!("args=0..{count}x{length}"),
            Symbolic::File { name, size } => format!("file:{name}={size}"),
        });
    }
    // A given variable is one of the values that a symbolic one of its length has.
    for (name, value) in &directives.env {
        flags.extend(["--sym".to_owned(), format!("env:{name}={}", value.len())]);
    }
    flags
}

/// Compiles a program; returns the native executable, which has its bitcode beside it.
pub fn compile(umbra: &Path, source: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    compile_with(umbra, source, folder, &[])
}

/// The same, with more flags for the compiler.
pub fn compile_with(
    umbra: &Path,
    source: &Path,
    folder: &Path,
    flags: &[&str],
) -> anyhow::Result<PathBuf> {
    let exe = folder.join(source.file_stem().context("a source has a name")?);
    let mut command = Command::new(umbra);
    command.args(["cc", "-g", "-w"]).args(flags).arg(source).arg("-lm").arg("-o").arg(&exe);
    let output = command.output().context("starting umbra cc")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(exe)
}

/// Runs `umbra run` with these flags on a program and its arguments; `time` is the limit that the
/// flags set.
pub fn explore<S: AsRef<OsStr>>(
    umbra: &Path,
    flags: &[S],
    program: &Path,
    args: &[S],
    time: Duration,
) -> anyhow::Result<Explored> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("run");
    let mut command = Command::new(umbra);
    command.args(["run", "--quiet", "--max-memory", STATES, "--output"]).arg(&output);
    command.args(flags).arg(program).args(args).stdin(Stdio::null());
    let outcome = run_within(&mut command, time + SLACK, MEMORY)?;
    let report = String::from_utf8_lossy(&outcome.stderr);
    let exit = match outcome.status.map(|status| status.code()) {
        None => bail!("umbra run did not end in time: {report}"),
        Some(Some(code @ (0 | 1 | 3))) => code,
        Some(other) => bail!("umbra run ended with {other:?}: {report}"),
    };
    let text = fs::read_to_string(output.join("summary.json")).context("reading summary.json")?;
    let summary = serde_json::from_str(&text).context("reading summary.json")?;
    Ok(Explored { cases: read_cases(&output.join("cases"))?, summary, exit, folder })
}

fn read_cases(folder: &Path) -> anyhow::Result<Vec<Written>> {
    // A run without test cases has no folder for them.
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut folders = entries.collect::<anyhow::Result<Vec<_>>>()?;
    folders.sort();
    let read = |folder: PathBuf| {
        let case = Case::read(&folder).with_context(|| format!("reading {}", folder.display()))?;
        Ok(Written { folder, case })
    };
    folders.into_iter().map(read).collect()
}
