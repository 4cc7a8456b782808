//! Random programs, in the engine and natively.
//!
//! Csmith's programs are free of undefined behaviour and print a checksum of all their globals, so
//! whatever the engine computes wrongly shows.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::ensure;

use crate::filetest::process::{Outcome, run, two_at_a_time};

/// Programs that take longer natively are left out: some loop for years.
const NATIVE_LIMIT: Duration = Duration::from_secs(5);

/// The engine may take this long for what a processor does in the time above.
const ENGINE_LIMIT: Duration = Duration::from_secs(600);

const TOOL_LIMIT: Duration = Duration::from_secs(120);

/// What became of one seed.
enum Trial {
    Same,
    /// Too slow natively.
    Skipped,
    /// What is wrong.
    Different(String),
}

/// Runs programs of the seeds from 1 on until `count` have run; returns the last seed.
pub fn check(umbra: &Path, count: usize) -> anyhow::Result<usize> {
    let (mut ran, mut seed) = (0, 0);
    let mut failed = Vec::new();
    while ran < count {
        let missing = count - ran;
        let trials = two_at_a_time(missing, |index| try_seed(umbra, seed + index + 1));
        seed += missing;
        for trial in trials {
            match trial? {
                Trial::Same => ran += 1,
                Trial::Skipped => {}
                Trial::Different(what) => {
                    ran += 1;
                    failed.push(what);
                }
            }
        }
    }
    ensure!(
        failed.is_empty(),
        "{} of {ran} programs differ\n\n{}",
        failed.len(),
        failed.join("\n")
    );
    Ok(seed)
}

fn try_seed(umbra: &Path, seed: usize) -> anyhow::Result<Trial> {
    let folder = tempfile::Builder::new().prefix(&format!("umbra-csmith-{seed}-")).tempdir()?;
    let start = |program: &OsStr, args: &[&str], limit| -> anyhow::Result<Outcome> {
        let mut command = Command::new(program);
        run(command.args(args).current_dir(folder.path()), limit)
    };
    let number = seed.to_string();
    let generated = start("csmith".as_ref(), &["--seed", &number, "-o", "p.c"], TOOL_LIMIT)?;
    ensure!(generated.code() == 0, "csmith failed for seed {seed}");
    let build = ["cc", "-O1", "-w", "-I/usr/include/csmith", "p.c", "-o", "p"];
    let built = start(umbra.as_ref(), &build, TOOL_LIMIT)?;
    let mut wrong = None;
    if built.code() == 0 {
        let native = start("./p".as_ref(), &[], NATIVE_LIMIT)?;
        if native.status.is_none() {
            return Ok(Trial::Skipped);
        }
        let engine = start(umbra.as_ref(), &["run", "./p"], ENGINE_LIMIT)?;
        if (engine.code(), &engine.stdout) != (native.code(), &native.stdout) {
            wrong = Some(engine);
        }
    } else {
        wrong = Some(built);
    }
    let Some(outcome) = wrong else {
        return Ok(Trial::Same);
    };
    let folder = folder.keep();
    Ok(Trial::Different(format!(
        "seed {seed}: exit status {}\n{}  again: cd {}; {umbra} {}; ./p; {umbra} run ./p\n",
        outcome.code(),
        String::from_utf8_lossy(&outcome.stderr),
        folder.display(),
        build.join(" "),
        umbra = umbra.display(),
    )))
}
