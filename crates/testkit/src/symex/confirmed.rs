//! Programs with two versions (`tests/shadow/native`): what `umbra diff` finds from each test that the
//! file names is confirmed by native runs of both versions, with the class that is marked.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::diff::{Diffed, Subject, follow};

/// Checks one program; returns how many test cases ran natively.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<u64> {
    let Subject { directives, marks, exe, folder } = Subject::open(umbra, source)?;
    let mut replayed = 0;
    for (number, seed) in directives.seeds.iter().enumerate() {
        let output = folder.path().join(format!("out{number}"));
        let Diffed { object, divergences } = follow(umbra, &directives.flags, &exe, seed, &output)
            .with_context(|| format!("from {seed:?}"))?;
        let found: BTreeSet<(u64, String)> = divergences.iter().map(found).collect();
        ensure!(found == marks, "from {seed:?}: {found:?} is found, {marks:?} is marked: {object}");
        ensure!(object["replay"]["not_replayed"] == 0, "from {seed:?}: not all ran: {object}");
        if let Some(expected) = &directives.apart {
            let lines = object["lockstep"]["tests"]["apart"].as_array().context("no `apart`")?;
            let lines: Vec<u64> = lines.iter().filter_map(|line| line["line"].as_u64()).collect();
            ensure!(lines == *expected, "from {seed:?}: they ran alone in {lines:?}: {object}");
        }
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
