//! Small patches as real ones are (`tests/unify/patches`): how much of their tests both versions do at once.
//!
//! `//@ lockstep: 98` is the percentage that each `//@ test: ARGS` must reach if the native builds do the same on it. A test on whose own
//! path the versions part must show itself natively.

use std::path::Path;
use std::process::{Command, Output};

use anyhow::Context;

use super::rewritten::TwoPrograms;

/// What stands before the percentage.
const LOCKSTEP: &str = "//@ lockstep:";

/// Follows all tests of a program. Returns the least percentage.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<(f64, Vec<String>)> {
    let subject = TwoPrograms::open(umbra, source)?;
    let required = subject.text.lines().find_map(|line| line.strip_prefix(LOCKSTEP));
    let required: f64 = required.context("it asks for no lockstep")?.trim().parse()?;
    let (mut least, mut wrong) = (100.0f64, Vec::new());
    for test in &subject.tests {
        let object = subject.follow(umbra, test)?.object;
        let run = |program: &Path| -> anyhow::Result<Output> {
            Command::new(program).args(test).output().context("running it natively")
        };
        let [old, new] = &subject.programs;
        let differs = run(old)? != run(new)?;
        let shown = test.join(" ");
        if object["seeds"]["followed"] != 1 {
            wrong.push(format!("`{shown}` was not followed"));
        }
        let parted = object["seeds"]["parted"].as_array().is_some_and(|tests| !tests.is_empty());
        if parted && !differs {
            wrong.push(format!("the versions part on `{shown}`, and do the same natively"));
        }
        let share = object["lockstep"]["tests"]["share"].as_f64().context("it has no share")?;
        if !differs {
            least = least.min(100.0 * share);
        }
    }
    if least < required {
        wrong.push(format!("only {least:.2} % of the instructions in lockstep"));
    }
    Ok((least, wrong))
}
