//! Programs with two versions (`tests/shadow/native`): what `umbra diff` finds from each test that the
//! file names is confirmed by native runs of both versions, with the class that is marked.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::command::compile;
use super::directives::Directives;
use crate::filetest::process::run;

const LIMIT: Duration = Duration::from_secs(300);

/// Checks one program; returns how many test cases ran natively.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<u64> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let marks: BTreeSet<(u64, String)> =
        directives.marks.iter().map(|mark| (mark.line.into(), mark.kind.clone())).collect();
    ensure!(!directives.seeds.is_empty(), "there is no seed");
    let folder = tempfile::tempdir()?;
    let exe = compile(umbra, source, folder.path())?;
    let mut replayed = 0;
    for (number, seed) in directives.seeds.iter().enumerate() {
        let output = folder.path().join(format!("out{number}"));
        let mut command = Command::new(umbra);
        command.args(["diff", "--json", "--quiet", "--output"]).arg(&output);
        command.args(&directives.flags).arg(&exe).args(seed);
        let outcome = run(&mut command, LIMIT)?;
        let report = String::from_utf8_lossy(&outcome.stderr);
        let text = String::from_utf8_lossy(&outcome.stdout);
        let object: Value = serde_json::from_str(text.trim())
            .with_context(|| format!("the output from {seed:?}: {text}{report}"))?;
        let divergences = object["divergences"].as_array().context("a list of divergences")?;
        let found: BTreeSet<(u64, String)> = divergences.iter().map(found).collect();
        ensure!(found == marks, "from {seed:?}: {found:?} is found, {marks:?} is marked: {text}");
        ensure!(object["replay"]["not_replayed"] == 0, "from {seed:?}: not all ran: {text}");
        replayed += object["replay"]["replayed"].as_u64().unwrap_or(0);
    }
    ensure!(replayed > 0, "nothing ran natively");
    Ok(replayed)
}

/// The line of a divergence, and its native class.
fn found(divergence: &Value) -> (u64, String) {
    let class = divergence["native"].as_str().unwrap_or("not run");
    (divergence["line"].as_u64().unwrap_or(0), class.to_owned())
}
