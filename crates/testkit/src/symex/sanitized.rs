//! What sanitizers say of many inputs of a program: of each, whether it runs clean, or the report with
//! the places in the source.
//!
//! A sanitizer that looks up places itself starts a process for each error. Here the reports have
//! addresses only, and each address is looked up once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use super::enumerate::Enumerator;
use super::input::Input;
use crate::filetest::process::Outcome;

const SYMBOLIZER: &str = "/usr/bin/llvm-symbolizer-19";

/// Runs the program on each input; the standard error of an outcome is then a report with places.
pub fn run(
    enumerator: &Enumerator,
    name: &str,
    args: &[String],
    inputs: &[Input],
) -> anyhow::Result<Vec<Outcome>> {
    let mut outcomes = enumerator.run_as(name, args, inputs)?;
    let mut frames = BTreeSet::new();
    for outcome in &outcomes {
        let report = String::from_utf8_lossy(&outcome.stderr);
        frames.extend(report.lines().filter_map(address).map(str::to_owned));
    }
    let places = places(enumerator.exe(), &frames)?;
    for outcome in &mut outcomes {
        if is_error(outcome) {
            let report = String::from_utf8_lossy(&outcome.stderr);
            let lines = report.lines().map(|line| with_place(line, &places));
            outcome.stderr = lines.collect::<Vec<_>>().join("\n").into_bytes();
        }
    }
    Ok(outcomes)
}

/// Whether a sanitizer has something to say.
pub fn is_error(outcome: &Outcome) -> bool {
    let report = String::from_utf8_lossy(&outcome.stderr);
    report.contains("Sanitizer: ") || report.contains("runtime error: ")
}

/// The address of a line `    #0 0x55de62f4e0b1  (/tmp/enumerate+0x10d0b1)`, if it is in the program.
fn address(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (_, rest) = line.strip_prefix('#')?.split_once("/enumerate+")?;
    rest.split(')').next()
}

fn with_place(line: &str, places: &BTreeMap<String, String>) -> String {
    match address(line).and_then(|address| places.get(address)) {
        Some(place) => {
            let number = line.split_once(" 0x").map_or(line, |(number, _)| number);
            format!("{number} 0x0 in {place}")
        }
        None => line.to_owned(),
    }
}

/// `FUNCTION FILE:LINE:COLUMN` of each address.
fn places(exe: &Path, frames: &BTreeSet<String>) -> anyhow::Result<BTreeMap<String, String>> {
    if frames.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut command = Command::new(SYMBOLIZER);
    command.arg("--obj").arg(exe).args(["--output-style=GNU", "--no-inlines", "--pretty-print"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("starting {SYMBOLIZER}"))?;
    let mut questions = child.stdin.take().context("the symbolizer has no input")?;
    let text: String = frames.iter().map(|frame| format!("{frame}\n")).collect();
    // Its answers fit into a pipe: there are a few dozen places in a program.
    questions.write_all(text.as_bytes())?;
    drop(questions);
    let output = child.wait_with_output()?;
    let answers = String::from_utf8_lossy(&output.stdout);
    // `main at /tmp/program.c:9:3`
    let answers: Vec<String> = answers.lines().map(|line| line.replacen(" at ", " ", 1)).collect();
    ensure!(answers.len() == frames.len(), "{} places of {}", answers.len(), frames.len());
    Ok(frames.iter().cloned().zip(answers).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_addresses_of_the_program() {
        let line = "    #0 0x55de62f4e0b1  (/tmp/x/enumerate+0x10d0b1) (BuildId: 2cb8)";
        assert_eq!(address(line), Some("0x10d0b1"));
        assert_eq!(address("    #3 0x7f81cab02249  (/lib/libc.so.6+0x27249)"), None);
        let places = BTreeMap::from([("0x10d0b1".to_owned(), "main /t/p.c:9:3".to_owned())]);
        assert_eq!(with_place(line, &places), "    #0 0x0 in main /t/p.c:9:3");
    }
}
