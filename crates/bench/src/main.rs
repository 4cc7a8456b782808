//! `make bench`: what the engine does in a second.
//!
//! - `bench concrete UMBRA KERNELS [COREUTILS]`: programs without symbolic data, against native
//! - `bench symbolic UMBRA PROGRAMS COREUTILS`: exploration, with KLEE's figures
//! - `bench forks FORKS UMBRA PROGRAMS`: what a state costs (FORKS is that example's program)
//! - `bench record UMBRA PROGRAMS COREUTILS FOLDER`: questions to the solver, for the comparison of
//!   the solver's backends
//! - `bench shadow SHADOW UMBRA PROGRAMS PATCH`: two versions in one execution (SHADOW is that
//!   example's program, PATCH annotates a program of coreutils)
//! - `bench against BEFORE AFTER KERNELS PROGRAMS SHADOW COREUTILS`: two builds of `umbra` on the same
//!   work, in instructions; the exit code is 1 if a row is more than 3 % above the build from before
//! - `bench patches RESULTS`: the table of docs/unify-patches.md, from what `scripts/try-patches` has
//!   written to the folder RESULTS; it fails if something that is required does not hold
//! - `bench regressions run UMBRA RESULTS [--half tuning|held-out] [--time SECONDS] [NAME...]`: what `umbra diff`
//!   finds of the entries of tests/regressions; `bench regressions table RESULTS [--all]` prints it
//!
//! UMBRA is the program; KERNELS and PROGRAMS are folders of C files; COREUTILS is the tree built by
//! `scripts/build-package`. Times are no tests: only what cannot be run makes the exit code 2, or a requirement on patches.

mod against;
mod concrete;
mod forks;
mod patches;
mod process;
mod record;
mod regressions;
mod shadow;
mod symbolic;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Says whether what is compared is as good as it was.
fn run() -> anyhow::Result<bool> {
    let mut arguments = std::env::args_os().skip(1);
    let table = arguments.next().unwrap_or_default();
    let words: Vec<OsString> = arguments.collect();
    if table == "regressions" {
        return regressions::run(&words).map(|()| true);
    }
    let paths: Vec<PathBuf> = words.into_iter().map(PathBuf::from).collect();
    if let ("against", [before, after, kernels, symbolic, shadow, coreutils]) =
        (&*table.to_string_lossy(), paths.as_slice())
    {
        let sources = against::Sources { kernels, symbolic, shadow, coreutils };
        return against::run(before, after, &sources);
    }
    match (table.to_str(), paths.as_slice()) {
        (Some("concrete"), [umbra, kernels]) => concrete::run(umbra, kernels, None),
        (Some("concrete"), [umbra, kernels, coreutils]) => {
            concrete::run(umbra, kernels, Some(coreutils))
        }
        (Some("symbolic"), [umbra, programs, coreutils]) => {
            symbolic::run(umbra, programs, coreutils)
        }
        (Some("forks"), [forks, umbra, programs]) => forks::run(forks, umbra, programs),
        (Some("record"), [umbra, programs, coreutils, folder]) => {
            record::run(umbra, programs, coreutils, folder)
        }
        (Some("shadow"), [tool, umbra, programs, patch]) => {
            shadow::run(tool, umbra, programs, patch)
        }
        (Some("patches"), [results]) => patches::run(results),
        _ => bail!(
            "usage: bench concrete UMBRA KERNELS [COREUTILS]
       bench symbolic UMBRA PROGRAMS COREUTILS
       bench forks FORKS UMBRA PROGRAMS
       bench record UMBRA PROGRAMS COREUTILS FOLDER
       bench shadow SHADOW UMBRA PROGRAMS PATCH
       bench against BEFORE AFTER KERNELS PROGRAMS SHADOW COREUTILS
       bench patches RESULTS
       bench regressions run UMBRA RESULTS [--half tuning|held-out] [--time SECONDS] [NAME...]
       bench regressions table RESULTS [--all]"
        ),
    }?;
    Ok(true)
}
