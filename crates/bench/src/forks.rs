//! What a fork and a waiting state cost.
//!
//! The measurement itself is an example of `umbra-strategy`, which sees the engine from inside. Here
//! it gets its programs: one that mostly reads its input, and one that writes what depends on it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{compile, output};

/// Programs that branch on a symbolic byte; the executable's bitcode is what is run.
const PROGRAMS: [&str; 2] = ["numlist", "hashtab32"];

/// Measures a hundred thousand states of each program.
pub fn run(forks: &Path, umbra: &Path, sources: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    println!("\nforking, at 100,000 states that wait");
    for name in PROGRAMS {
        let executable = compile(umbra, sources, scratch.path(), name, &["-O1", "-g"])?;
        let output = output(Command::new(forks).arg(executable.with_extension("bc")))?;
        ensure!(output.status.success(), "forks {name}: {}", output.status);
        print!("{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
    Ok(())
}
