//! What `umbra diff` prints (`tests/shadow/reports`): each program names command lines, and the text
//! of their reports is in a file beside it.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};

use super::directives::Directives;
use crate::filetest::check::{compare_expected, compile};
use crate::filetest::{Toolbox, process::run};

const LIMIT: Duration = Duration::from_secs(120);

/// Stands for the program in a command line.
const PROGRAM: &str = "PROGRAM";

/// Checks the reports of one program; returns how many there are.
pub fn check(toolbox: &Toolbox, source: &Path) -> anyhow::Result<usize> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    ensure!(!directives.diff.is_empty(), "there is no command line");
    let folder = tempfile::tempdir()?;
    let name = source.file_stem().context("a source has a name")?;
    compile(toolbox, &[], source, &folder.path().join(name))?;
    let mut transcript = String::new();
    for (number, words) in directives.diff.iter().enumerate() {
        let mut command = Command::new(&toolbox.umbra);
        command.args(["diff", "--output", &format!("out{number}")]);
        // Several workers find the same in another order.
        if !words.iter().any(|word| word == "--deterministic") {
            command.args(["--workers", "1"]);
        }
        for word in words {
            if word == PROGRAM {
                command.arg(name)
            } else {
                command.arg(word)
            };
        }
        let outcome = run(command.current_dir(folder.path()), LIMIT)?;
        let text = String::from_utf8_lossy(&outcome.stdout);
        let report = String::from_utf8_lossy(&outcome.stderr);
        writeln!(transcript, "$ umbra diff {}\n{text}{report}", words.join(" "))?;
        writeln!(transcript, "exit status {}\n", outcome.code())?;
    }
    let expected = source.with_extension("expected");
    let stem = name.to_string_lossy();
    let accept = format!("BLESS=1 UMBRA_SYMEX={stem} cargo test -p testkit --test suites reports");
    let wrong = compare_expected(toolbox, &expected, &transcript, &accept)?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(directives.diff.len())
}
