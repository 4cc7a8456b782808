//! Near tests: many tests of a program, followed by one worker and by two, through the command itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::process::{object, output};

/// Tests that are followed.
const TESTS: u8 = 8;

/// Writes tests for a program that makes one object symbolic itself.
pub fn write_tests(folder: &Path, (object, size): (&str, usize)) -> anyhow::Result<PathBuf> {
    let tests = folder.join(format!("tests of {object}"));
    for number in 0..TESTS {
        let hex = format!("{:02x}", number * 2 + 1).repeat(size);
        let case = json!({
            "schema": "umbra/case/1",
            "program": object,
            "objects": [{"name": object, "bytes": {"hex": hex}}],
        });
        let test = tests.join(number.to_string());
        std::fs::create_dir_all(&test)?;
        std::fs::write(test.join("case.json"), case.to_string())?;
    }
    Ok(tests)
}

/// Follows tests with so many workers: seconds of the clock, and the divergences.
pub fn follow(
    umbra: &Path,
    executable: &Path,
    tests: &Path,
    workers: usize,
) -> anyhow::Result<(f64, Value)> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let mut command = Command::new(umbra);
    command.args(["diff", "--json", "--quiet", "--no-replay", "--seeds", "all", "--workers"]);
    command.arg(workers.to_string()).arg("--output").arg(scratch.path().join("run"));
    for number in 0..TESTS {
        // Each is named itself, so what its program is called does not matter.
        command.arg("--case").arg(tests.join(number.to_string()));
    }
    let output = output(command.arg(executable))?;
    ensure!(output.status.code() == Some(1), "{command:?}: {}", output.status);
    let (_, mut object) = object(&output.stdout)?;
    ensure!(object["seeds"]["followed"] == TESTS, "not all tests were followed: {object}");
    ensure!(object["left_out"] == json!({}), "something was left out: {object}");
    let seconds = object["execute_s"].as_f64().context("the time")?;
    Ok((seconds, object["divergences"].take()))
}
