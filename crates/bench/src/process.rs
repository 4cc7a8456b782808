//! Programs that are run: the compiler, the engine, the programs themselves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

/// Compiles `NAME.c` of a folder with `umbra cc` and returns the executable.
pub fn compile(
    umbra: &Path,
    sources: &Path,
    scratch: &Path,
    name: &str,
    options: &[&str],
) -> anyhow::Result<PathBuf> {
    let executable = scratch.join(name);
    let status = Command::new(umbra)
        .arg("cc")
        .args(options)
        .arg("-o")
        .arg(&executable)
        .arg(sources.join(name).with_extension("c"))
        .arg("-lm")
        .status()
        .with_context(|| format!("starting {}", umbra.display()))?;
    ensure!(status.success(), "compiling {name} failed");
    Ok(executable)
}

/// Runs a command to its end; what it says on standard error is shown.
pub fn output(command: &mut Command) -> anyhow::Result<Output> {
    command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("starting {}", command.get_program().display()))
}

/// What `umbra run --json` printed: the program's own output, and the object behind it.
pub fn object(stdout: &[u8]) -> anyhow::Result<(&[u8], Value)> {
    let end = stdout.trim_ascii_end().len();
    let split = stdout[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let (printed, summary) = stdout.split_at(split);
    let summary = serde_json::from_slice(summary).context("reading the summary of umbra run")?;
    Ok((printed, summary))
}
