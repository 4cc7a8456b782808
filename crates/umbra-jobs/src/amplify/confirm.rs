//! What was found, against native runs: of the very module that was analysed, and of a build with sanitizers if there is one.

use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_compare::{Outcome, SanitizerReport};
use umbra_replay::{Error, Limits};
use umbra_words::{Finding, Position};

use super::{AmplifyJob, AmplifyProgram};
use crate::native::{Executables, Native, Sandboxes, native_limits};

/// How many times its CPU time a run may take by the wall: a busy machine makes no hang.
const BUSY: u32 = 4;

/// MiB of memory of one run, as for `umbra replay`. A sanitizer takes some for itself.
const MEMORY: u64 = 1024;

/// What a native run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The program ends as only a program in error does.
    Crash(String),
    /// Only a sanitizer sees it.
    Sanitizer(String),
    /// Nothing is to be seen.
    Silent(String),
    /// It was not run, or the run says nothing.
    NotRun(String),
}

impl Shown {
    /// The stable name, and more for people.
    pub fn parts(self) -> (&'static str, String) {
        match self {
            Self::Crash(text) => ("crash", text),
            Self::Sanitizer(text) => ("sanitizer", text),
            Self::Silent(text) => ("silent", text),
            Self::NotRun(text) => ("not-run", text),
        }
    }
}

/// Native runs of one program, until their time is used up.
pub struct Confirming<'a> {
    program: &'a AmplifyProgram,
    native: Result<Native, String>,
    start: Instant,
    most: Duration,
}

impl<'a> Confirming<'a> {
    /// Starts sandboxes. If that fails, nothing is run and each finding says why.
    pub fn start(job: &AmplifyJob, program: &'a AmplifyProgram, sandboxes: &Sandboxes) -> Self {
        let native = match job.native.wanted {
            false => Err("native runs are turned off".to_owned()),
            true => {
                let own = native_limits(job.native.one, MEMORY);
                let limits = Limits { wall: job.native.one * BUSY, ..own };
                let native = Native::start(limits, None, sandboxes);
                let native = native.and_then(|native| match &program.symbolizer {
                    Some(tool) => native.with_symbolizer(tool.clone()),
                    None => Ok(native),
                });
                native.map_err(|error| error.to_string())
            }
        };
        Self { program, native, start: Instant::now(), most: job.native.all }
    }

    /// Runs a case that shows an error.
    pub fn run(&self, case: &Case, finding: &Finding) -> Shown {
        let native = match &self.native {
            Ok(native) => native,
            Err(why) => return Shown::NotRun(why.clone()),
        };
        if self.start.elapsed() >= self.most {
            return Shown::NotRun("the time for native runs was used up".to_owned());
        }
        let Some(plain) = &self.program.plain else {
            return Shown::NotRun("the program has no executable beside its bitcode".to_owned());
        };
        let sanitized = self.program.sanitized.as_ref();
        let trees = self.program.trees.clone();
        match native.outcome(&Executables { plain, sanitized, trees }, case) {
            Ok(outcome) => shown(&outcome, finding, sanitized.is_some()),
            Err(Error::Cancelled) => Shown::NotRun("interrupted".to_owned()),
            Err(error) => Shown::NotRun(error.to_string()),
        }
    }

    /// Seconds that all runs took.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

fn shown(outcome: &Outcome, finding: &Finding, is_sanitized: bool) -> Shown {
    let place = |place: &Position| format!(" at {}:{}", place.file, place.line);
    let text = outcome.report.as_ref().map(|report| {
        format!("{}{}", report.kind, report.place.as_ref().map_or(String::new(), place))
    });
    let is_there = outcome.report.as_ref().is_some_and(|report| is_about(report, finding));
    match (outcome.end.is_error(), text) {
        (true, Some(report)) => Shown::Crash(format!("{}; with sanitizers: {report}", outcome.end)),
        (true, None) => Shown::Crash(outcome.end.to_string()),
        (false, Some(report)) if is_there => Shown::Sanitizer(report),
        (false, Some(report)) => Shown::Silent(format!(
            "{}; with sanitizers: {report}, which is another error",
            outcome.end
        )),
        (false, None) if is_sanitized => {
            Shown::Silent(format!("{}, and no sanitizer says anything", outcome.end))
        }
        (false, None) => Shown::Silent(format!("{}, without sanitizers", outcome.end)),
    }
}

/// Whether what a sanitizer says is about this error: one of its calls stands in one of the error's lines. Other builds
/// have other inlined calls, so not every line must be there.
fn is_about(report: &SanitizerReport, finding: &Finding) -> bool {
    let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
    let frames = report.stack.iter().filter_map(|frame| frame.place.as_ref());
    report.place.iter().chain(frames).any(|place| {
        let line = format!("{}:{}", name(&place.file), place.line);
        let is_line = |call: &String| {
            call.split(&line)
                .nth(1)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        finding.stack.iter().any(is_line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_about_an_error_in_the_same_line() {
        let finding = Finding {
            stack: vec!["f at src/a.c:12:3".to_owned(), "main at src/b.c:4:1".to_owned()],
            ..Finding::default()
        };
        for (file, line, is) in [("a.c", 12, true), ("/x/a.c", 1, false), ("b.c", 4, true)] {
            let place = Position { file: file.to_owned(), line, column: 0 };
            let report = SanitizerReport {
                kind: String::new(),
                place: Some(place),
                stack: Vec::new(),
                text: String::new(),
            };
            assert_eq!(is_about(&report, &finding), is, "{file}:{line}");
        }
    }
}
