//! The results, summed up for each program.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::case::{Case, Expect, Program};
use super::coverage::Coverage;
use super::run::Compared;

/// What the full suite must have at least.
const PROGRAMS: usize = 60;
const CASES: usize = 600;
const CASES_EACH: usize = 5;
/// Part of a program's own source lines that must be run, in percent.
const LINES_PERCENT: usize = 50;

/// A row for each program.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    sources: Vec<PathBuf>,
    /// Why the program does not count for the totals.
    partial: Option<String>,
    cases: usize,
    /// Cases that are no comparisons.
    findings: usize,
    failed: Vec<String>,
    coverage: Coverage,
    native: Duration,
    other: Duration,
}

impl Table {
    /// An empty one for these programs.
    pub fn new(programs: &[Program], built: &BTreeMap<String, PathBuf>) -> Table {
        let row = |program: &Program| {
            let folder = built.get(&program.package).cloned().unwrap_or_default();
            Row {
                name: program.name.clone(),
                sources: program.sources.iter().map(|source| folder.join(source)).collect(),
                partial: program.partial.clone(),
                cases: 0,
                findings: 0,
                failed: Vec::new(),
                coverage: Coverage::default(),
                native: Duration::ZERO,
                other: Duration::ZERO,
            }
        };
        Table { rows: programs.iter().map(row).collect() }
    }

    /// Adds a case to the program with this index; nothing compared is a failure too.
    pub fn add(&mut self, program: usize, case: &Case, compared: Option<Compared>) -> Result<()> {
        let row = &mut self.rows[program];
        row.cases += 1;
        row.findings += usize::from(case.expect != Expect::Equal);
        if compared.as_ref().is_none_or(|compared| !compared.differences.is_empty()) {
            row.failed.push(format!("{}/{}", row.name, case.title));
        }
        if let Some(compared) = compared {
            row.native += compared.native;
            row.other += compared.other;
            if let Some(tracefile) = compared.tracefile {
                row.coverage.add(&tracefile, &row.sources)?;
            }
        }
        Ok(())
    }

    /// The cases that failed.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().flat_map(|row| &row.failed).map(String::as_str)
    }

    /// The own lines that no case ran, for all programs.
    pub fn missed(&self) -> Vec<String> {
        self.rows.iter().flat_map(|row| row.coverage.missed()).collect()
    }

    /// What is not as the full suite must be.
    pub fn shortcomings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut at_least = |what: String, found: usize, wanted: usize| {
            if found < wanted {
                lines.push(format!("{what}: {found}, at least {wanted} are wanted"));
            }
        };
        let whole = || self.rows.iter().filter(|row| row.partial.is_none());
        at_least("programs".into(), whole().count(), PROGRAMS);
        at_least("cases".into(), whole().map(Row::comparisons).sum(), CASES);
        for row in whole() {
            at_least(format!("cases of {}", row.name), row.comparisons(), CASES_EACH);
            at_least(format!("percent of the lines of {}", row.name), row.percent(), LINES_PERCENT);
        }
        lines
    }
}

impl Row {
    /// The cases in which both runs are compared.
    fn comparisons(&self) -> usize {
        self.cases - self.findings
    }

    fn percent(&self) -> usize {
        (self.coverage.covered() * 100).checked_div(self.coverage.total()).unwrap_or(0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>5} {:>6} {:>13} {:>4} {:>9} {:>9}",
            "program", "cases", "passed", "own lines", "%", "engine s", "native s"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<12} {:>5} {:>6} {:>6}/{:<6} {:>4} {:>9.2} {:>9.2}{}",
                row.name,
                row.cases,
                row.cases - row.failed.len(),
                row.coverage.covered(),
                row.coverage.total(),
                row.percent(),
                row.other.as_secs_f64(),
                row.native.as_secs_f64(),
                row.partial.as_ref().map(|why| format!("  (partial: {why})")).unwrap_or_default()
            )?;
        }
        let sum = |count: fn(&Row) -> usize| -> usize { self.rows.iter().map(count).sum() };
        let (cases, findings) = (sum(|row| row.cases), sum(|row| row.findings));
        let passed = cases - sum(|row| row.failed.len());
        write!(
            f,
            "{} programs, {cases} cases ({findings} of them findings), {passed} passed",
            self.rows.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let program =
            super::super::case::parse("coreutils", "cut", "== a\nrun: cut\n== b\nrun: cut\n")
                .unwrap();
        let built = BTreeMap::from([("coreutils".into(), PathBuf::from("/p"))]);
        let mut table = Table::new(std::slice::from_ref(&program), &built);
        let compared = Compared {
            differences: Vec::new(),
            native: Duration::from_millis(10),
            other: Duration::from_millis(250),
            tracefile: Some("SF:/p/src/cut.c\nDA:1,1\nDA:2,0\nend_of_record\n".into()),
        };
        table.add(0, &program.cases[0], Some(compared)).unwrap();
        table.add(0, &program.cases[1], None).unwrap();
        let text = table.to_string();
        assert!(
            text.contains("cut              2      1      1/2        50      0.25      0.01\n"),
            "{text}"
        );
        assert!(text.ends_with("1 programs, 2 cases (0 of them findings), 1 passed"), "{text}");
        assert_eq!(table.failed().collect::<Vec<_>>(), ["cut/b"]);
        assert_eq!(table.shortcomings().len(), 3);
    }
}
