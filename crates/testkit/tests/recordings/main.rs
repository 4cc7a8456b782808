//! The whole way from a project and its test suite to cases, and from cases to differences between
//! two revisions; and the engine on every recording.
//!
//! By default on the small project in `tests/projects/fields`. `UMBRA_SUITE=full` takes upstream
//! releases of diffutils, findutils and coreutils: a package's name as argument picks it, `--reuse`
//! takes what the run before has recorded and replayed, `--all` runs the engine on all recordings and not on
//! a sample. `UMBRA` is the command to test, by default the release build beside this one.

mod package;
mod real;
mod small;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use testkit::filetest::umbra_command;
use testkit::recordings::{Checked, Share, Suite};

use crate::package::PACKAGES;
use crate::real::How;

/// Invocations that may go unchecked, in percent, over all packages.
const MOST_UNCHECKED: f64 = 10.0;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recordings: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let umbra = umbra_command()?;
    if std::env::var("UMBRA_SUITE").is_ok_and(|value| value == "full") {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let has = |flag: &str| words.iter().any(|word| word == flag);
        let how = How { reuse: has("--reuse"), all: has("--all") };
        let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        all_real(&umbra, &wanted, how)
    } else {
        small::small(&umbra)
    }
}

/// Every package that is wanted: a failure of one does not keep the others from being looked at.
fn all_real(umbra: &Path, wanted: &[&String], how: How) -> Result<()> {
    let mut unchecked = Share::default();
    let mut failures = Vec::new();
    for package in PACKAGES {
        if wanted.is_empty() || wanted.iter().any(|word| *word == package.name) {
            let result = real::real(umbra, package, how, &mut unchecked);
            failures.extend(result.with_context(|| package.name.to_owned()).err());
        }
    }
    println!(
        "all: {:.0} of {:.0} invocations are not checked: {:.1} %",
        unchecked.part,
        unchecked.whole,
        unchecked.percent()
    );
    for failure in &failures {
        println!("{failure:#}");
    }
    ensure!(failures.is_empty(), "see above");
    ensure!(unchecked.percent() <= MOST_UNCHECKED, "too many invocations are not checked");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Prints what came out; returns the share of invocations that was not checked.
fn show(name: &str, checked: &Checked, suite: &Suite) -> Share {
    let unchecked = checked.unchecked(suite);
    println!(
        "{name}: the engine on {} cases: {} agree, {} disagree; {:.1} % of all invocations \
         are not checked",
        checked.cases(),
        checked.agreed.cases,
        checked.disagreed.cases,
        unchecked.percent(),
    );
    println!(
        "  {} of these cases (about {} invocations) but for what differs from one native run to the next",
        checked.by_chance.cases, checked.by_chance.invocations
    );
    for (reason, count) in &suite.lost {
        println!("  {count:>6} invocations are no cases: {reason}");
    }
    for (reason, count) in &checked.excluded {
        let (cases, invocations) = (count.cases, count.invocations);
        println!("  {invocations:>6} invocations ({cases} cases) left out: {reason}");
    }
    for problem in checked.problems.iter().take(40).chain(checked.unlike_recording.iter().take(40))
    {
        println!("  {problem}");
    }
    unchecked
}
