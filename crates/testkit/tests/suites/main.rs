//! The symbolic engine against the corpus in `tests/symex` and against real programs.
//!
//! By default the share that fits CI; `UMBRA_SUITE=full` runs all. A suite's name as argument picks
//! it, `UMBRA_SYMEX` names programs (a part of their path), `UMBRA_GENERATED` seeds (`SEED:COUNT`). `UMBRA` is the command to test, by
//! default the release build beside this one. They need the set-up.

mod again;
mod corpus;
mod packages;
mod settings;
mod two_versions;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use testkit::filetest::umbra_command;
use testkit::symex::{killed, states};

use again::{determinism_suite, killed_suite, states_suite};
use corpus::{
    amplify_suite, corpus, exhaustive_suite, generated_suite, klee_suite, limits_suite, reach_suite,
};
use packages::{amplify_planted_suite, planted_suite, real_suite};
use settings::Settings;
use two_versions::{
    classes_suite, injected_suite, mutants_suite, native_suite, near_suite, reports_suite,
    shadow_suite, unify_suite, upstream_suite,
};

/// Runs one suite: what is wrong.
type Suite = fn(&Settings) -> Result<Vec<String>>;

const SUITES: &[(&str, Suite)] = &[
    ("bugs", |settings| corpus(settings, "bugs")),
    ("features", |settings| corpus(settings, "features")),
    ("klee", klee_suite),
    ("functions", |settings| corpus(settings, "functions")),
    ("amplify", amplify_suite),
    ("exhaustive", exhaustive_suite),
    ("generated", generated_suite),
    ("shadow", shadow_suite),
    ("mutants", mutants_suite),
    ("near", near_suite),
    ("reach", reach_suite),
    ("upstream", upstream_suite),
    ("native", native_suite),
    ("reports", reports_suite),
    ("classes", classes_suite),
    ("injected", injected_suite),
    ("unify", unify_suite),
    ("determinism", determinism_suite),
    ("limits", limits_suite),
    ("states", states_suite),
    ("killed", killed_suite),
    ("real", real_suite),
    ("planted", planted_suite),
    ("amplify-planted", amplify_planted_suite),
];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("suites: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool> {
    // Other processes of the suites are this executable, too.
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [what, file] = words.as_slice() {
        let file = Path::new(file);
        match what.to_str() {
            Some(states::REMAKE) => return states::remake(file).map(|()| true),
            Some(killed::WORK) => return killed::work(file).map(|()| true),
            Some(umbra_jobs::LOAD) => {
                umbra_ir::load_child(file, &mut std::io::stdout().lock())?;
                return Ok(true);
            }
            _ => {}
        }
    }
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let full = match variable("UMBRA_SUITE") {
        None => false,
        Some(suite) => {
            ensure!(suite == "full", "UMBRA_SUITE is `{suite}`, not `full`");
            true
        }
    };
    let umbra = umbra_command()?.canonicalize().context("finding the command to test")?;
    let settings = Settings { umbra, full, filter: variable("UMBRA_SYMEX").unwrap_or_default() };
    // Flags are libtest's; a name of no suite belongs to some other test binary.
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut good = true;
    for (name, suite) in SUITES {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let start = Instant::now();
        let wrong = suite(&settings).with_context(|| format!("suite {name}"))?;
        for line in &wrong {
            println!("FAILED {name}: {line}\n");
        }
        good &= wrong.is_empty();
        println!("{name}: {} wrong, {:.0} s\n", wrong.len(), start.elapsed().as_secs_f64());
    }
    Ok(good)
}
