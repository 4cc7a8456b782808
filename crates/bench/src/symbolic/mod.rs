//! How fast programs are explored, and how that compares with KLEE.
//!
//! Each program runs once with one worker and once with one for each processor. Rates are per CPU
//! second: a machine that does other things too gives a run less to work with, but does not make the
//! engine slower. Budgets are in seconds of the clock, so coverage on such a machine is that of less
//! work.

mod aims;
mod measure;
mod programs;

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::process::compile;
use aims::judge;
use measure::{Measured, explore};
pub use programs::INPUTS;
use programs::{Origin, PROGRAMS};

/// The executable of a program: that of coreutils, or compiled here as KLEE's was.
pub fn executable(
    umbra: &Path,
    sources: &Path,
    coreutils: &Path,
    scratch: &Path,
    name: &str,
) -> anyhow::Result<PathBuf> {
    let of_coreutils =
        PROGRAMS.iter().any(|program| program.name == name && program.origin == Origin::Coreutils);
    if of_coreutils {
        return Ok(coreutils.join("src").join(name));
    }
    compile(umbra, sources, scratch, name, &["-O1", "-g"])
}

/// Measures all programs and prints the tables.
pub fn run(umbra: &Path, sources: &Path, coreutils: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    println!("\nexploring (rates are per CPU second; own: the source file of the program's name)");
    println!(
        "{:<10} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9} {:>8} {:>9} {:>8} {:>7}  stopped by",
        "program",
        "workers",
        "wall s",
        "CPU s",
        "paths",
        "paths/s",
        "asked/s",
        "solver %",
        "Minstr/s",
        "peak MiB",
        "lines %",
        "own %",
    );
    let mut judgements = Vec::new();
    for program in &PROGRAMS {
        let executable = executable(umbra, sources, coreutils, scratch.path(), program.name)?;
        let alone = explore(umbra, &executable, program, Some(1))?;
        row(program.name, &alone);
        row("", &explore(umbra, &executable, program, None)?);
        if let (Some(aim), Some(klee)) = (program.aim, &program.klee) {
            judgements.push((program.name, judge(aim, klee, &alone)));
        }
    }
    println!(
        "\nagainst KLEE, with one worker (its coverage: instructions after 60 s; ours: lines)"
    );
    println!(
        "{:<10} {:<16} {:>9} {:>9} {:>7}  {:<12} {:<7}",
        "program", "measure", "KLEE", "umbra", "ratio", "aim", ""
    );
    for (name, judgement) in &judgements {
        println!(
            "{:<10} {:<16} {:>9.1} {:>9.1} {:>7.1}  {:<12} {}",
            name,
            judgement.measure,
            judgement.klee,
            judgement.umbra,
            judgement.ratio,
            judgement.aim,
            if judgement.met { "met" } else { "MISSED" },
        );
    }
    let missed = judgements.iter().filter(|(_, judgement)| !judgement.met).count();
    println!("{} of {} aims met", judgements.len() - missed, judgements.len());
    Ok(())
}

fn row(name: &str, measured: &Measured) {
    let stopped = match (measured.complete, measured.limits.is_empty()) {
        (true, _) => "end".to_owned(),
        (false, false) => measured.limits.join(", "),
        (false, true) => "unknown answers".to_owned(),
    };
    println!(
        "{:<10} {:>7} {:>7.2} {:>7.2} {:>8.0} {:>8.0} {:>8.0} {:>9.1} {:>8.2} {:>9.1} {:>8.1} {:>7.1}  {stopped}",
        name,
        measured.workers,
        measured.wall_s,
        measured.cpu_s,
        measured.paths,
        measured.paths / measured.cpu_s,
        measured.queries / measured.cpu_s,
        100.0 * measured.solver_s / measured.wall_s / measured.workers as f64,
        measured.instructions / measured.cpu_s / 1e6,
        measured.peak_mib,
        measured.module,
        measured.own,
    );
}
