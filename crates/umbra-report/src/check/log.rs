//! What the checks of many commits came to, as a table.

use serde::Serialize;
use umbra_text::Show;
use umbra_words::Class;

use super::text::paint::{Paint, class_code, fitted, width};
use crate::numbers::{count, counted, duration};
use crate::object::line;
use crate::{CheckReport, Colour, RevisionLine};

/// Columns of what is no terminal.
const USUAL: usize = 100;

/// Columns of a commit, of the lines that ran, and of the time.
const COMMIT: usize = 12;
const LINES: usize = 9;

/// The checks of the commits of a range, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogReport {
    /// The exit code.
    pub exit: u8,
    /// A line for each commit.
    pub commits: Vec<LogLine>,
    /// Commits that were not looked at any more.
    pub left: u64,
    /// Seconds from start to end.
    pub wall_s: f64,
}

/// What the check of a commit came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogLine {
    /// The commit.
    pub commit: RevisionLine,
    /// Its check, or why there is none.
    pub check: Checked,
}

/// A check that was made, or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// What it came to.
    Done(Box<CheckReport>),
    /// Why it was not made.
    Failed(String),
}

impl Default for Checked {
    fn default() -> Self {
        Self::Failed(String::new())
    }
}

#[derive(Serialize)]
struct LogObject<'a> {
    commits: Vec<CommitObject<'a>>,
    left: u64,
    wall_s: f64,
}

#[derive(Serialize)]
struct CommitObject<'a> {
    commit: Option<&'a str>,
    subject: Option<&'a str>,
    folder: Option<&'a str>,
    exit: Option<u8>,
    complete: bool,
    findings: Vec<FindingObject<'a>>,
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct FindingObject<'a> {
    id: &'a str,
    class: &'static str,
    verdict: &'a str,
    accepted: bool,
}

impl LogLine {
    /// The row of the table.
    pub fn row(&self, colour: Colour, columns: Option<usize>) -> String {
        let paint = Paint { colour };
        let columns = columns.unwrap_or(USUAL);
        let commit = self.commit.short_commit().unwrap_or_else(|| self.commit.title());
        let (lines, result, code) = match &self.check {
            Checked::Failed(why) => ("-".to_owned(), format!("not checked: {}", why.shown()), "33"),
            Checked::Done(report) => {
                let changed = report.changed_lines();
                let lines = match changed.lines {
                    0 => "-".to_owned(),
                    all => format!("{}/{}", changed.by_tests + changed.reached, all),
                };
                (lines, report.headline(), code(report))
            }
        };
        let subject = self.commit.subject.as_deref().unwrap_or_default().shown().to_string();
        let room = columns.saturating_sub(COMMIT + LINES + 6) / 2;
        let subject = fitted(&subject, room, paint.dots());
        let space = " ".repeat(room.saturating_sub(width(&subject)));
        let result = paint.in_code(code, &fitted(&result, room, paint.dots()));
        format!("{commit:COMMIT$}  {subject}{space}  {lines:>LINES$}  {result}")
    }
}

/// The colour of a result.
fn code(report: &CheckReport) -> &'static str {
    match report.open().next() {
        Some(finding) => class_code(finding.class),
        None if report.is_complete() => "32",
        None => "33",
    }
}

impl LogReport {
    /// The head of the table.
    pub fn head(colour: Colour, columns: Option<usize>) -> String {
        let room = columns.unwrap_or(USUAL).saturating_sub(COMMIT + LINES + 6) / 2;
        let text = format!(
            "{:COMMIT$}  {:room$}  {:>LINES$}  {}",
            "commit", "subject", "lines run", "result"
        );
        Paint { colour }.bold("", &text)
    }

    /// The sum of it, in one line.
    pub fn sum(&self) -> String {
        let reports = || self.reports();
        let with = reports().filter(|report| report.open().next().is_some()).count();
        let failed = self.commits.len() - reports().count();
        let mut text = counted(self.commits.len() as u64, "commit");
        for class in Class::ALL.iter().filter(|class| class.is_finding()) {
            let found: usize = reports().map(|report| report.count(*class)).sum();
            if found > 0 {
                text += &format!(", {}", super::wording::class_counted(*class, found as u64));
            }
        }
        text += &match with {
            0 => ", nothing was found".to_owned(),
            with => format!(", in {}", counted(with as u64, "commit")),
        };
        for (number, what) in [(failed as u64, "not checked"), (self.left, "left")] {
            if number > 0 {
                text += &format!("; {} {what}", count(number));
            }
        }
        format!("{text} ({})", duration(self.wall_s))
    }

    fn reports(&self) -> impl Iterator<Item = &CheckReport> {
        self.commits.iter().filter_map(|line| match &line.check {
            Checked::Done(report) => Some(&**report),
            Checked::Failed(_) => None,
        })
    }

    /// The table as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let commits = self.commits.iter().map(commit).collect();
        let object = LogObject { commits, left: self.left, wall_s: self.wall_s };
        umbra_text::json(&line("log", self.exit, &object))
    }
}

fn commit(line: &LogLine) -> CommitObject<'_> {
    let (report, error) = match &line.check {
        Checked::Done(report) => (Some(report), None),
        Checked::Failed(why) => (None, Some(&**why)),
    };
    let findings = report.into_iter().flat_map(|report| &report.findings);
    CommitObject {
        commit: line.commit.commit.as_deref(),
        subject: line.commit.subject.as_deref(),
        folder: report.map(|report| &*report.folder),
        exit: report.map(|report| report.exit),
        complete: report.is_some_and(|report| report.is_complete()),
        findings: findings
            .map(|finding| FindingObject {
                id: &finding.id,
                class: finding.class.name(),
                verdict: &finding.verdict,
                accepted: finding.accepted,
            })
            .collect(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_check;

    fn log() -> LogReport {
        let commit = |hash: &str| RevisionLine {
            name: hash.to_owned(),
            commit: Some(hash.repeat(40)),
            subject: Some(
                "a subject that is far too long for the room that it has in the table".to_owned(),
            ),
        };
        LogReport {
            exit: 1,
            commits: vec![
                LogLine { commit: commit("a"), check: Checked::Done(Box::new(sample_check())) },
                LogLine {
                    commit: commit("b"),
                    check: Checked::Failed("no \x1b[31m way".to_owned()),
                },
            ],
            left: 3,
            wall_s: 4.0,
        }
    }

    #[test]
    fn a_table_has_a_row_for_each_commit() {
        let log = log();
        let rows: Vec<String> =
            log.commits.iter().map(|line| line.row(Colour::Plain, None)).collect();
        assert!(rows[0].starts_with("aaaaaaaaaaaa  a subject"), "{}", rows[0]);
        assert!(rows[0].contains("9/13  2 regressions"), "{}", rows[0]);
        assert!(rows[1].contains("not checked: no \\x1b[31m way"), "{}", rows[1]);
        assert!(rows.iter().all(|row| width(row) <= USUAL), "{rows:?}");
        assert_eq!(
            log.sum(),
            "2 commits, 2 regressions, 2 output differences, in 1 commit; 1 not checked; 3 left (4.0 s)"
        );
    }

    #[test]
    fn the_object_has_all_commits() {
        let object: serde_json::Value = serde_json::from_str(&log().to_json()).unwrap();
        assert_eq!(object["command"], "log");
        assert_eq!(
            object["commits"][0]["findings"].as_array().unwrap().len(),
            sample_check().findings.len()
        );
        assert_eq!(object["commits"][1]["error"], "no \x1b[31m way");
    }
}
