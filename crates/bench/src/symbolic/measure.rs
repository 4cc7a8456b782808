//! One run of a program, and what it came to.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::programs::{INPUTS, Origin, Program};
use crate::process::{object, output};

/// Memory for all states of a run, in MiB.
const MEMORY: u64 = 2048;

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub workers: u64,
    /// Seconds in which the program was explored, and CPU seconds of the whole process.
    pub wall_s: f64,
    pub cpu_s: f64,
    pub peak_mib: f64,
    /// Paths that ended, but for those that only the end of the run ended.
    pub paths: f64,
    pub queries: f64,
    pub solver_s: f64,
    pub instructions: f64,
    pub complete: bool,
    /// Limits that were hit.
    pub limits: Vec<String>,
    /// Lines covered in percent: of the module, and of the source file that has the program's name.
    pub module: f64,
    pub own: f64,
}

impl Measured {
    fn read(summary: &Value, tracefile: &str, name: &str) -> anyhow::Result<Self> {
        let number = |keys: &[&str]| {
            let value = keys.iter().fold(summary, |value, key| &value[key]);
            value.as_f64().with_context(|| format!("no `{}` in the summary", keys.join(".")))
        };
        let limits = summary["limits_hit"].as_array().into_iter().flatten();
        Ok(Self {
            workers: number(&["workers"])? as u64,
            wall_s: number(&["execute_s"])?,
            cpu_s: number(&["cpu_s"])?,
            peak_mib: number(&["peak_mib"])?,
            paths: number(&["paths", "completed"])?
                + number(&["paths", "error"])?
                + number(&["paths", "cut"])?,
            queries: number(&["queries"])?,
            solver_s: number(&["solver_s"])?,
            instructions: number(&["instructions"])?,
            complete: summary["complete"] == true,
            limits: limits.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            module: 100.0 * number(&["coverage", "covered"])? / number(&["coverage", "lines"])?,
            own: own_lines(tracefile, name).context("the program's file has no lines")?,
        })
    }
}

/// The lines covered of the source file `NAME.c`, in percent.
fn own_lines(tracefile: &str, name: &str) -> Option<f64> {
    let file = format!("{name}.c");
    let (mut inside, mut lines, mut covered) = (false, 0u32, 0u32);
    for line in tracefile.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let path = Path::new(path);
            inside = path.ends_with(&file) && !path.starts_with("musl");
        }
        if let Some((_, count)) = line.strip_prefix("DA:").and_then(|rest| rest.split_once(','))
            && inside
        {
            lines += 1;
            covered += u32::from(count != "0");
        }
    }
    (lines > 0).then(|| 100.0 * f64::from(covered) / f64::from(lines))
}

/// Explores a program until it is done or its budget is used up; without a number, with as many
/// workers as there are processors.
pub fn explore(
    umbra: &Path,
    executable: &Path,
    program: &Program,
    workers: Option<u32>,
) -> anyhow::Result<Measured> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let tracefile = scratch.path().join("lines");
    let mut command = Command::new(umbra);
    // Tests as a user wants them who has a program with many paths. Those for paths that are open at
    // the end would take from the time that is compared.
    command.args(["run", "--json", "--quiet", "--tests", "new", "--no-open-tests", "--output"]);
    command.arg(scratch.path().join("run")).arg("--coverage").arg(&tracefile);
    command.args(["--max-memory", &MEMORY.to_string()]);
    command.args(["--max-time", &program.budget.as_secs().to_string()]);
    if let Some(workers) = workers {
        command.args(["--workers", &workers.to_string()]);
    }
    command.arg(executable);
    if program.origin == Origin::Coreutils {
        command.args(INPUTS);
    }
    let output = output(&mut command)?;
    // 1 says that errors were found in the program.
    let ran = matches!(output.status.code(), Some(0 | 1));
    ensure!(ran, "umbra run {}: {}", program.name, output.status);
    let (_, summary) = object(&output.stdout)?;
    let tracefile = std::fs::read_to_string(&tracefile).context("reading the tracefile")?;
    Measured::read(&summary, &tracefile, program.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_s_own_lines_are_counted() {
        let trace = "SF:/x/src/cut.c\nDA:1,3\nDA:2,0\nDA:5,1\nDA:9,1\nend_of_record\n\
                     SF:/x/lib/shortcut.c\nDA:1,1\nend_of_record\n\
                     SF:musl/src/cut.c\nDA:1,0\nend_of_record\n";
        assert_eq!(own_lines(trace, "cut"), Some(75.0));
        assert_eq!(own_lines(trace, "tail"), None);
    }
}
