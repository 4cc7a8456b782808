//! One run of the measuring program, and what it says.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::output;

/// The measuring program, and the command that loads bitcode for it.
#[derive(Clone, Copy)]
pub struct Tool<'a> {
    pub tool: &'a Path,
    pub umbra: &'a Path,
}

/// What a run took.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub cpu_s: f64,
    /// Seconds of the clock, as those of the solver are.
    pub wall_s: f64,
    pub solver_s: f64,
    pub minstr: f64,
    pub peak_mib: f64,
    /// Paths on which the versions do the same, and on which they do not.
    pub same: f64,
    pub diff: f64,
    pub queries: f64,
    /// Expressions in a question.
    pub size_max: f64,
    pub size_mean: f64,
    pub size_median: f64,
    pub stopped: String,
}

impl Tool<'_> {
    /// Runs it on a program.
    pub fn run(
        &self,
        bitcode: &Path,
        versions: &str,
        options: &[String],
        words: &[&str],
    ) -> anyhow::Result<Measured> {
        let mut command = Command::new(self.tool);
        command.arg(self.umbra).arg(bitcode).arg(versions).args(options).args(words);
        let output = output(&mut command)?;
        ensure!(output.status.success(), "{command:?}: {}", output.status);
        Measured::read(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("the output of {command:?}"))
    }
}

impl Tool<'_> {
    /// Explores all paths of both versions with so many workers: seconds of the clock, and diff paths.
    pub fn run_together(&self, bitcode: &Path, workers: usize) -> anyhow::Result<(f64, f64)> {
        let mut command = Command::new(self.tool);
        command.arg(self.umbra).arg(bitcode).args(["both", "--workers"]).arg(workers.to_string());
        let output = output(&mut command)?;
        ensure!(output.status.success(), "{command:?}: {}", output.status);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let number = |name: &str| -> anyhow::Result<f64> {
            let word = text.split_whitespace().find_map(|word| word.strip_prefix(name));
            Ok(word.with_context(|| format!("no `{name}` in `{text}`"))?.parse()?)
        };
        Ok((number("wall_s=")?, number("diff=")?))
    }
}

impl Measured {
    fn read(line: &str) -> anyhow::Result<Self> {
        let words: HashMap<&str, &str> =
            line.split_whitespace().filter_map(|word| word.split_once('=')).collect();
        let number = |name: &str| -> anyhow::Result<f64> {
            let value = words.get(name).with_context(|| format!("no `{name}`"))?;
            value.parse().with_context(|| format!("`{name}` is `{value}`"))
        };
        ensure!(number("failures")? == 0.0, "the solver failed");
        Ok(Self {
            cpu_s: number("cpu_s")?,
            wall_s: number("wall_s")?,
            solver_s: number("solver_s")?,
            minstr: number("instructions")? / 1e6,
            peak_mib: number("peak_kib")? / 1024.0,
            same: number("same")?,
            diff: number("diff")?,
            queries: number("queries")?,
            size_max: number("size_max")?,
            size_mean: number("size_mean")?,
            size_median: number("size_median")?,
            stopped: (*words.get("stopped").context("no `stopped`")?).to_owned(),
        })
    }

    /// The faster of two runs.
    pub fn faster(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.cpu_s < self.cpu_s => other,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "cpu_s=0.5 wall_s=1 solver_s=0.1 instructions=2000000 peak_kib=2048 same=3 diff=4 \
                        queries=5 size_max=9 size_mean=4.5 size_median=4 stopped=end failures=";

    #[test]
    fn a_line_is_read() {
        let read = Measured::read(&format!("{LINE}0")).unwrap();
        assert_eq!((read.minstr, read.peak_mib, read.diff), (2.0, 2.0, 4.0));
        assert_eq!((read.size_mean, read.stopped.as_str()), (4.5, "end"));
        assert!(Measured::read(&format!("{LINE}1")).is_err());
        assert!(Measured::read("cpu_s=1").is_err());
        let slower = Measured { cpu_s: 0.6, ..read.clone() };
        assert_eq!(slower.clone().faster(Some(read.clone())), read);
        assert_eq!(read.clone().faster(Some(slower)), read);
    }
}
