//! Questions of real runs to the solver, one folder of them for each program.
//!
//! The runs are deterministic, so that the questions are the same each time, and short: a few
//! hundred are enough to see which solver answers what.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::output;
use crate::symbolic::{INPUTS, executable};

/// Programs, and instructions after which each is stopped.
const PROGRAMS: [(&str, u64); 4] =
    [("numlist", 40_000), ("hashtab32", 8_000), ("cut", 1_500_000), ("tail", 1_500_000)];

/// Records into a folder for each program.
pub fn run(umbra: &Path, sources: &Path, coreutils: &Path, folder: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    for (name, instructions) in PROGRAMS {
        let executable = executable(umbra, sources, coreutils, scratch.path(), name)?;
        let mut command = Command::new(umbra);
        command.args(["run", "--quiet", "--deterministic", "--tests", "none", "--output"]);
        command.arg(scratch.path().join(format!("{name}-run")));
        command.arg("--log-queries").arg(folder.join(name));
        command.args(["--max-instructions", &instructions.to_string()]);
        command.arg(&executable);
        if executable.starts_with(coreutils) {
            command.args(INPUTS);
        }
        let output = output(&mut command)?;
        let ran = matches!(output.status.code(), Some(0 | 1));
        ensure!(ran, "umbra run {name}: {}", output.status);
    }
    Ok(())
}
