//! Runs the differential suite: see `testkit::differential`.
//!
//! By default the small choice; `UMBRA_SUITE=full` runs all and asserts how much there must be;
//! `UMBRA_CASE` names a package, program or case. `UMBRA_SELFCHECK=1` compares native with native.
//! `UMBRA_MISSED=FILE` writes the own lines that were not run. `UMBRA` is the command to test, by
//! default the release build beside this one.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use testkit::differential::run::{Against, Settings};
use testkit::differential::suite::{self, Choice};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential suite: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool> {
    heed_signals()?;
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let choice = match (variable("UMBRA_CASE"), variable("UMBRA_SUITE")) {
        (Some(name), _) => Choice::Named(name),
        (None, Some(suite)) => {
            ensure!(suite == "full", "UMBRA_SUITE is `{suite}`, not `full`");
            Choice::Full
        }
        (None, None) => Choice::Small,
    };
    // A test name given to cargo belongs to some other test binary.
    if choice == Choice::Small && std::env::args().skip(1).any(|arg| !arg.starts_with('-')) {
        return Ok(true);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let settings = Settings {
        umbra: umbra(variable("UMBRA"))?,
        cache: cache(variable("UMBRA_CACHE"), variable("XDG_CACHE_HOME"))?,
        against: if variable("UMBRA_SELFCHECK").is_some() {
            Against::Native
        } else {
            Against::Engine
        },
    };
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));

    let start = Instant::now();
    let mut programs = suite::load(&root.join("tests/differential"))?;
    suite::choose(&mut programs, &choice);
    ensure!(!programs.is_empty(), "no such case");
    let built = suite::build(&root, &settings, &programs)?;
    let table = suite::run(&settings, &programs, &built, 2)?;
    println!("{table}, {:.0} s", start.elapsed().as_secs_f64());
    if let Some(file) = variable("UMBRA_MISSED") {
        std::fs::write(file, table.missed().join("\n"))?;
    }
    let failed: Vec<_> = table.failed().collect();
    let mut good = failed.is_empty();
    for label in failed {
        println!("failed: {label}");
    }
    if choice == Choice::Full && settings.against == Against::Engine {
        for line in table.shortcomings() {
            good = false;
            println!("{line}");
        }
    }
    Ok(good)
}

/// Shells start background jobs with interrupts ignored, which programs inherit and some show:
/// starts this program again without.
fn heed_signals() -> Result<()> {
    const INTERRUPT_AND_QUIT: u64 = 1 << 1 | 1 << 2;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.context("no SigIgn")?.trim(), 16)?;
    if ignored & INTERRUPT_AND_QUIT == 0 {
        return Ok(());
    }
    let mut again = Command::new("env");
    again
        .arg("--default-signal=INT,QUIT")
        .arg(std::env::current_exe()?)
        .args(std::env::args_os().skip(1));
    Err(again.exec()).context("cannot run env")
}

/// The command to test: debug builds of it are too slow.
fn umbra(given: Option<String>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => PathBuf::from(path),
        None => {
            let this = std::env::current_exe()?;
            // target/<profile>/deps/<this>
            let target = this.ancestors().nth(3).context("not in a target folder")?;
            target.join("release/umbra")
        }
    };
    path.canonicalize().with_context(|| format!("no {}: run `make build`", path.display()))
}

fn cache(umbra: Option<String>, xdg: Option<String>) -> Result<PathBuf> {
    if let Some(path) = umbra {
        return Ok(path.into());
    }
    let base = match xdg {
        Some(path) => PathBuf::from(path),
        None => std::env::home_dir().context("no home folder")?.join(".cache"),
    };
    Ok(base.join("umbra"))
}
