//! Cases in which another program takes the place of the recorded one, as with `env` and `nice`.
//!
//! The engine cannot run the other one. So natively a stand-in takes its place, which shows the
//! arguments and the environment that it is given, and ends: what the engine says that they are.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use umbra_case::{Case, EntryKind};
use umbra_os::Execution;

/// The stand-in.
pub struct StandIn(Vec<u8>);

impl StandIn {
    /// Compiles it.
    pub fn make() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("native/executed.c");
        let program = folder.path().join("executed");
        let mut clang = Command::new("clang-19");
        clang.args(["-O1", "-static"]).arg(source).arg("-o").arg(&program);
        let output = clang.output().context("running clang-19")?;
        let message = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "clang-19 failed: {message}");
        Ok(Self(std::fs::read(program)?))
    }

    /// The case with the stand-in at a path of its tree.
    pub fn put(&self, case: &Case, path: &[u8]) -> anyhow::Result<Case> {
        let mut case = case.clone();
        let mut entries = case.tree.iter_mut();
        let entry = entries.find(|entry| entry.path == path).context("no such file in the case")?;
        entry.kind = EntryKind::File(self.0.clone());
        Ok(case)
    }
}

/// What the stand-in prints.
pub fn shown(execution: &Execution) -> Vec<u8> {
    let mut bytes = Vec::new();
    for words in [&execution.arguments, &execution.environment] {
        for word in words {
            bytes.extend_from_slice(word);
            bytes.push(0);
        }
        bytes.push(b'\n');
    }
    bytes
}
