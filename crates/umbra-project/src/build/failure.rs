//! A build that failed, and the part of its output that says why.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::process::ExitStatus;
use umbra_text::Show;

use super::{Flavour, Step};
use crate::manifest::missing;

/// A command of the project failed.
#[derive(Debug)]
pub struct BuildFailure {
    /// Which one.
    pub step: Step,
    /// As it was run.
    pub command: String,
    /// For which kind of build.
    pub flavour: Flavour,
    /// How it ended.
    pub status: ExitStatus,
    /// The interesting part of its output.
    pub excerpt: String,
    /// All of its output.
    pub log: PathBuf,
}

impl std::error::Error for BuildFailure {}

impl fmt::Display for BuildFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BuildFailure { step, command, flavour, status, excerpt, log } = self;
        let command = command.shown();
        writeln!(formatter, "`{command}` failed ({status}) in the {} build", flavour.name())?;
        for line in excerpt.lines() {
            writeln!(formatter, "    {line}")?;
        }
        for missing in missing(excerpt) {
            writeln!(formatter, "missing: {missing}")?;
        }
        if excerpt.contains("No space left on device") {
            writeln!(formatter, "the disk is full: `umbra gc` frees space in the cache")?;
        }
        if *step == Step::Rebuild {
            let more =
                "this was built on top of another revision; the next attempt starts from scratch";
            writeln!(formatter, "{more}")?;
        }
        write!(formatter, "all output is in {}", log.shown())
    }
}

/// Lines around the first error, and how many at the end.
const BEFORE: usize = 2;
const AFTER: usize = 7;
const LAST: usize = 8;

/// The part of a log that says why: the first error with its neighbours, and the end.
pub fn excerpt(log: &std::path::Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| is_error(line));
    let tail = lines.len().saturating_sub(LAST);
    let (from, to) = first
        .map_or((tail, tail), |at| (at.saturating_sub(BEFORE), (at + AFTER + 1).min(lines.len())));
    let mut shown: Vec<&str> = lines[from..to].to_vec();
    if to < tail {
        shown.push("...");
    }
    shown.extend(&lines[to.max(tail)..]);
    shown.join("\n")
}

fn is_error(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    // Configure talks about errors without having any.
    !lower.starts_with("checking ")
        && !lower.starts_with("-- ")
        && ["error:", "fatal:", "undefined symbol", "not found", "no space left on device"]
            .iter()
            .any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_and_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let mut lines: Vec<String> = (0..100).map(|n| format!("line {n}")).collect();
        lines[40] = "a.c:3:4: error: expected ';'".into();
        lines[60] = "b.c: error: second".into();
        fs::write(&log, lines.join("\n")).unwrap();
        let shown = excerpt(&log);
        let shown: Vec<&str> = shown.lines().collect();
        assert_eq!(shown.len(), BEFORE + 1 + AFTER + 1 + LAST);
        assert_eq!((shown[0], shown[2]), ("line 38", "a.c:3:4: error: expected ';'"));
        assert_eq!((shown[10], shown[18]), ("...", "line 99"));

        fs::write(&log, "checking error: no\nx\ny: Error: z\n").unwrap();
        assert_eq!(excerpt(&log), "checking error: no\nx\ny: Error: z");
        fs::write(&log, "only\n").unwrap();
        assert_eq!(excerpt(&log), "only");
    }
}
