//! Two builds of Umbra on the same work, in instructions.
//!
//! Seconds vary with whatever else a machine does; the instructions of a process hardly do. Programs are
//! compiled once, by the build from before, and both builds run the very same bitcode: so what differs is
//! the engine, and not the libc or the compiler's flags. Valgrind counts what the command itself does; the
//! child that reads bitcode is left out.
//!
//! Left out is what is stopped by a budget: there a better order of the search looks like more work.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::concrete::KERNELS;
use crate::process::compile;
use crate::symbolic::INPUTS;

/// A row that is this much above the build from before is too slow.
const MOST: f64 = 1.03;

/// Programs that are explored to their end: our own ones, and those of coreutils.
const EXPLORED: [&str; 2] = ["hashtab", "hashtab32"];
const OF_COREUTILS: [&str; 2] = ["echo", "basename"];

/// Programs with two versions, all paths.
const TWO_VERSIONS: [&str; 2] = ["brake", "lift"];

/// One thing that both builds do.
struct Row {
    name: String,
    program: PathBuf,
    /// The words before the program, and those behind it.
    command: Vec<&'static str>,
    words: Vec<&'static str>,
}

/// The folders with programs.
pub struct Sources<'a> {
    pub kernels: &'a Path,
    pub symbolic: &'a Path,
    pub shadow: &'a Path,
    /// A built tree.
    pub coreutils: &'a Path,
}

/// Measures all rows and prints the table; says whether none is too slow.
pub fn run(before: &Path, after: &Path, sources: &Sources) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let rows = rows(before, sources, scratch.path())?;
    println!("{:<24} {:>12} {:>12} {:>8}", "millions of instructions", "before", "after", "times");
    let mut good = true;
    for row in &rows {
        let (was, is) = (instructions(before, row)?, instructions(after, row)?);
        let times = is / was;
        good &= times <= MOST;
        println!(
            "{:<24} {:>12.1} {:>12.1} {times:>8.3}{}",
            row.name,
            was / 1e6,
            is / 1e6,
            if times > MOST { "  SLOWER" } else { "" }
        );
    }
    Ok(good)
}

fn rows(umbra: &Path, sources: &Sources, scratch: &Path) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, size) in KERNELS {
        let program = compile(umbra, sources.kernels, scratch, name, &["-O1", size])?;
        let name = format!("{name}, one input");
        rows.push(Row { name, program, command: vec!["run"], words: Vec::new() });
    }
    let explore = vec!["run", "--workers", "1", "--tests", "new"];
    for name in EXPLORED {
        let program = compile(umbra, sources.symbolic, scratch, name, &["-O1", "-g"])?;
        let name = format!("{name}, all paths");
        rows.push(Row { name, program, command: explore.clone(), words: Vec::new() });
    }
    for name in OF_COREUTILS {
        let program = sources.coreutils.join("src").join(name);
        let name = format!("{name}, all paths");
        // The files of `INPUTS` are of no use here.
        let words = INPUTS[..4].to_vec();
        rows.push(Row { name, program, command: explore.clone(), words });
    }
    for name in TWO_VERSIONS {
        let program = compile(umbra, sources.shadow, scratch, name, &["-O1", "-g", "-DPLAIN"])?;
        let name = format!("{name}, two versions");
        let command = vec!["diff", "--complete", "--no-replay", "--workers", "1"];
        rows.push(Row { name, program, command, words: Vec::new() });
    }
    Ok(rows)
}

/// How many instructions a build takes.
fn instructions(umbra: &Path, row: &Row) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir().context("making a temporary folder")?;
    let (counts, summary) = (folder.path().join("counts"), folder.path().join("summary"));
    let umbra = umbra.canonicalize().context("finding the build")?;
    let mut log = OsString::from("--log-file=");
    log.push(&counts);
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(log).arg(umbra).args(&row.command).args(["--quiet", "--json"]);
    let explores = row.command.len() > 1;
    if explores {
        command.arg("--output").arg(folder.path().join("run"));
    }
    command.arg(&row.program).args(&row.words);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let stdout = std::fs::File::create(&summary).context("making a file")?;
    let status = command
        .stdout(stdout)
        .status()
        .context("starting valgrind, which counts instructions (the package valgrind)")?;
    // A comparison has findings.
    ensure!(matches!(status.code(), Some(0 | 1)), "{command:?}: {status}");
    if explores {
        let text = std::fs::read(&summary).context("reading the summary")?;
        let (_, object) = crate::process::object(&text)?;
        ensure!(object["complete"] == true, "{} did not come to its end", row.name);
    }
    counted(&std::fs::read_to_string(&counts).context("reading what valgrind counted")?)
}

/// The number in what cachegrind writes.
fn counted(text: &str) -> anyhow::Result<f64> {
    let line = text.lines().find_map(|line| line.split_once("refs:"));
    let (_, number) = line.context("valgrind counted nothing")?;
    number.trim().replace(',', "").parse().context("reading what valgrind counted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_valgrind_counted_is_read() {
        let text = "==7== Cachegrind, a cache profiler\n==7== \n==7== I   refs:      1,234,567\n";
        assert_eq!(counted(text).expect("there is a number"), 1_234_567.0);
        assert!(counted("==7== Command: true\n").is_err());
    }
}
