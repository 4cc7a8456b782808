//! Lines run, from lcov tracefiles.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// The lines of some source files, and whether they were run.
#[derive(Debug, Default)]
pub struct Coverage {
    lines: BTreeMap<(PathBuf, u32), bool>,
}

impl Coverage {
    /// Adds the records of these source files (absolute paths) in a tracefile.
    pub fn add(&mut self, tracefile: &str, sources: &[PathBuf]) -> Result<()> {
        let mut current = None;
        for line in tracefile.lines() {
            if let Some(path) = line.strip_prefix("SF:") {
                let path = normal(Path::new(path));
                current = sources.contains(&path).then_some(path);
            } else if let (Some(record), Some(path)) = (line.strip_prefix("DA:"), &current) {
                let (number, count) = record.split_once(',').context("DA without a count")?;
                let run = count.split(',').next() != Some("0");
                *self.lines.entry((path.clone(), number.parse()?)).or_default() |= run;
            }
        }
        Ok(())
    }

    /// How many lines there are.
    pub fn total(&self) -> usize {
        self.lines.len()
    }

    /// How many of them were run.
    pub fn covered(&self) -> usize {
        self.lines.values().filter(|run| **run).count()
    }

    /// The lines not run, as `file:line`.
    pub fn missed(&self) -> Vec<String> {
        let missed = self.lines.iter().filter(|(_, run)| !**run);
        missed.map(|((path, line), _)| format!("{}:{line}", path.display())).collect()
    }
}

/// A path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged() {
        let mut coverage = Coverage::default();
        let sources = [PathBuf::from("/p/src/cut.c")];
        coverage
            .add("SF:/p/src/../src/cut.c\nDA:1,2\nDA:2,0\nend_of_record\nSF:/x\nDA:1,1\n", &sources)
            .unwrap();
        coverage.add("SF:/p/src/cut.c\nDA:1,0\nDA:3,1\nend_of_record\n", &sources).unwrap();
        assert_eq!((coverage.total(), coverage.covered()), (3, 2));
        assert_eq!(coverage.missed(), ["/p/src/cut.c:2"]);
    }
}
