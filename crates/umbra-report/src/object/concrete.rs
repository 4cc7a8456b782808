//! `umbra run --json` of a program that runs once.

use serde::Serialize;
use umbra_words::Place;

use super::line;
use crate::json::{UndefinedObject, undefined_objects};
use crate::{LineCounts, Undefined};

/// What one run of a program came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConcreteSummary {
    /// The exit code.
    pub exit: u8,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Seconds of execution.
    pub execute_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// The largest resident size.
    pub peak_mib: f64,
    /// Instructions.
    pub instructions: u64,
    /// How its one path ended.
    pub path: ConcretePath,
    /// Lines of the program, and those that ran.
    pub lines: LineCounts,
    /// What is not modelled and was asked for.
    pub unsupported: Vec<String>,
    /// Lines whose result C leaves undefined.
    pub undefined: Vec<Undefined>,
}

/// How a path ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ConcretePath {
    /// It is not counted: its input was not to be run.
    #[default]
    Uncounted,
    /// The program ended.
    Completed,
    /// The program did something wrong of this kind, there if that is known.
    Error(String, Option<Place>),
    /// It was cut, at a limit of this name if it was one.
    Cut(Option<String>),
}

#[derive(Serialize)]
struct RunObject<'a> {
    wall_s: f64,
    execute_s: f64,
    cpu_s: f64,
    instructions: u64,
    peak_mib: f64,
    paths: PathsObject,
    queries: u64,
    solver_s: f64,
    coverage: CoverageObject,
    errors: Vec<ErrorObject<'a>>,
    unsupported: &'a [String],
    undefined: Vec<UndefinedObject<'a>>,
    limits_hit: Vec<&'a str>,
}

#[derive(Default, Serialize)]
struct PathsObject {
    completed: u64,
    error: u64,
    cut: u64,
}

#[derive(Serialize)]
struct CoverageObject {
    lines: u64,
    covered: u64,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    kind: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    case: Option<&'a str>,
}

impl ConcreteSummary {
    /// The summary as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let (mut paths, mut errors, mut limits_hit) = (PathsObject::default(), vec![], vec![]);
        match &self.path {
            ConcretePath::Uncounted => {}
            ConcretePath::Completed => paths.completed = 1,
            ConcretePath::Error(kind, place) => {
                paths.error = 1;
                let (file, line) =
                    (place.as_ref().map(|at| &*at.file), place.as_ref().map(|at| at.line));
                errors.push(ErrorObject { kind, file, line, case: None });
            }
            ConcretePath::Cut(limit) => {
                paths.cut = 1;
                limits_hit.extend(limit.as_deref());
            }
        }
        let LineCounts { lines, covered } = self.lines;
        let object = RunObject {
            wall_s: self.wall_s,
            execute_s: self.execute_s,
            cpu_s: self.cpu_s,
            instructions: self.instructions,
            peak_mib: self.peak_mib,
            paths,
            queries: 0,
            solver_s: 0.0,
            coverage: CoverageObject { lines, covered },
            errors,
            unsupported: &self.unsupported,
            undefined: undefined_objects(&self.undefined),
            limits_hit,
        };
        line("run", self.exit, &object)
    }
}
