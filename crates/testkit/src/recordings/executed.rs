//! Cases in which another program takes the place of the recorded one, as with `env` and `nice`.
//!
//! The engine cannot run the other one. So natively a stand-in takes its place, which writes the
//! arguments and the environment that it is given to a file, and ends. The engine's run gets the
//! file that the stand-in should write.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use umbra_case::{Case, Entry, EntryKind};
use umbra_compare::{Content, Outcome, TreeKind};
use umbra_os::Execution;

/// What the stand-in has in place of the path of its report.
const PLACE: &[u8] = b"the path of the report";

/// The name of the report in the tree.
const REPORT: &[u8] = b"umbra-executed";

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
        let report = [case.root(), b"/", REPORT].concat();
        let mut program = self.0.clone();
        let at = program.windows(PLACE.len()).position(|window| window == PLACE);
        let at = at.context("the stand-in has no place for the path of its report")?;
        program[at..=at + report.len()].copy_from_slice(&[&report[..], b"\0"].concat());
        let mut entries = case.tree.iter_mut();
        let entry = entries.find(|entry| entry.path == path).context("no such file in the case")?;
        entry.kind = EntryKind::File(program);
        case.tree.push(Entry { mode: 0o666, ..Entry::file(REPORT, "") });
        Ok(case)
    }
}

/// The engine's run with the report that the stand-in should write.
pub fn report(outcome: &mut Outcome, execution: &Execution) {
    let mut bytes = Vec::new();
    for words in [&execution.arguments, &execution.environment] {
        for word in words {
            bytes.extend_from_slice(word);
            bytes.push(0);
        }
        bytes.push(b'\n');
    }
    if let Some(entry) = outcome.tree.0.iter_mut().find(|entry| entry.path == REPORT) {
        entry.kind = TreeKind::File(Content::of(bytes));
        entry.modified = outcome.began;
    }
}
