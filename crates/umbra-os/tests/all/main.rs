//! The kernel in the model against the kernel of the host.
//!
//! A script is a list of operations, one a line (see `script.rs`). It runs natively in one
//! directory and in the model over another one of the same contents; every result and the trees
//! left behind must be equal, and the directory under the model must be untouched.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod behaviour;
mod compare;
mod coverage;
mod generate;
mod headers;
mod memory;
mod model;
mod native;
mod script;
mod sides;
mod symbolic;

use compare::{Outcome, check, run_both, shrink};

/// The host's kernel, for one test at a time: a child process has copies of all descriptors that
/// others have open, and who waits for the end of a pipe would wait for the child.
pub(crate) fn host_alone() -> std::sync::MutexGuard<'static, ()> {
    static HOST: std::sync::Mutex<()> = std::sync::Mutex::new(());
    HOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Every file of `cases/` is a script.
#[test]
fn case_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/cases");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(report) = check(&text) {
            failures.push(format!("{}\n{report}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Random scripts; `UMBRA_SEEDS=from..to` runs others than the usual ones.
#[test]
fn random_scripts() {
    let range = std::env::var("UMBRA_SEEDS").unwrap_or_else(|_| "0..60".into());
    let (from, to) = range.split_once("..").unwrap();
    let (mut failures, mut whole, mut cut) = (Vec::new(), 0, 0);
    for seed in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let lines = generate::script(seed);
        match run_both(&lines) {
            Outcome::Agrees => whole += 1,
            Outcome::Cut => cut += 1,
            Outcome::Differs(report) => {
                let small = shrink(lines);
                let report = match run_both(&small) {
                    Outcome::Differs(report) => report,
                    _ => report,
                };
                failures.push(format!("seed {seed}:\n{}\n{report}", small.join("\n")));
            }
        }
        if failures.len() == 10 {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Half of the scripts are of names and files only, and never cut.
    assert!(whole > cut * 2, "{cut} scripts were cut, {whole} were not");
}
