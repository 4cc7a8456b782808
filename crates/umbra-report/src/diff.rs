//! The result of comparing two versions: the object of `umbra diff --json`, and a screen of text.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::Place;

/// What the comparison of two versions came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffSummary {
    /// The exit code.
    pub exit: u8,
    /// All paths were to be followed, not only those near a test.
    pub all_paths: bool,
    /// Paths on which the versions did the same.
    pub same: u64,
    /// Paths on which they parted, or left different things behind.
    pub diff: u64,
    /// Paths that were not followed to their end.
    pub cut: u64,
    /// Places from which the versions can only do the same, and which were not followed further.
    pub pruned: u64,
    /// Limits that were reached, and other reasons why something was left out.
    pub left_out: BTreeMap<String, u64>,
    /// What the answer holds for: the inputs that were symbolic, the function, the depth.
    pub bounds: Vec<String>,
    /// Where the versions part, each place once.
    pub divergences: Vec<DivergenceLine>,
    /// The changes of the program, and what became of them.
    pub changes: Vec<ChangeLine>,
    /// Instructions on all paths.
    pub instructions: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Seconds in the solver.
    pub solver_s: f64,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Seconds of exploration.
    pub execute_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// The largest resident size.
    pub peak_mib: f64,
}

/// A place where the versions part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DivergenceLine {
    /// `control` or `data`.
    pub kind: String,
    /// The branch; for data the change that the difference comes from, as far as it is known.
    pub place: Place,
    /// `regression`, `fix` or `to-judge`.
    pub class: String,
    /// Why they part, or what differs.
    pub detail: String,
    /// In which phase it was found.
    pub phase: String,
    /// The changes that flow into it.
    pub changes: Vec<Place>,
    /// The call stack at the place, the innermost call first.
    pub stack: Vec<String>,
    /// How many paths show it.
    pub count: u64,
    /// A test case that does, relative to the folder of the run.
    pub case: Option<String>,
}

/// What became of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeLine {
    /// Where it is.
    pub place: Place,
    /// It ran.
    pub reached: bool,
    /// The tests that reach it, by what they are called.
    pub tests: Vec<String>,
    /// It flows into a divergence.
    pub diverged: bool,
}

#[derive(Serialize)]
struct DiffObject<'a> {
    schema: &'static str,
    command: &'static str,
    exit: u8,
    complete: bool,
    equivalent: bool,
    paths: PathsObject,
    pruned: u64,
    divergences: Vec<DivergenceObject<'a>>,
    changes: Vec<ChangeObject<'a>>,
    left_out: &'a BTreeMap<String, u64>,
    bounds: &'a [String],
    instructions: u64,
    queries: u64,
    solver_s: f64,
    wall_s: f64,
    execute_s: f64,
    cpu_s: f64,
    peak_mib: f64,
}

#[derive(Serialize)]
struct PathsObject {
    same: u64,
    diff: u64,
    cut: u64,
}

#[derive(Serialize)]
struct DivergenceObject<'a> {
    kind: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    class: &'a str,
    cluster: usize,
    detail: &'a str,
    phase: &'a str,
    changes: Vec<String>,
    stack: &'a [String],
    count: u64,
    case: Option<&'a str>,
}

#[derive(Serialize)]
struct ChangeObject<'a> {
    file: &'a str,
    line: u32,
    reached: bool,
    tests: &'a [String],
    diverged: bool,
}

fn place_text(place: &Place) -> String {
    match (place.file.as_str(), place.line) {
        ("", _) => "an unknown place".to_owned(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

impl DiffSummary {
    /// Whether nothing was cut or left out.
    pub fn is_complete(&self) -> bool {
        self.all_paths && self.cut == 0 && self.left_out.is_empty()
    }

    /// Whether the versions do the same on all inputs within the bounds.
    pub fn is_equivalent(&self) -> bool {
        self.is_complete() && self.divergences.is_empty()
    }

    /// The summary as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let divergences = self.divergences.iter().enumerate().map(|(index, line)| {
            let place = &line.place;
            DivergenceObject {
                kind: &line.kind,
                file: (!place.file.is_empty()).then_some(&place.file),
                line: (place.line != 0).then_some(place.line),
                class: &line.class,
                cluster: index + 1,
                detail: &line.detail,
                phase: &line.phase,
                changes: line.changes.iter().map(place_text).collect(),
                stack: &line.stack,
                count: line.count,
                case: line.case.as_deref(),
            }
        });
        let changes = self.changes.iter().map(|change| ChangeObject {
            file: &change.place.file,
            line: change.place.line,
            reached: change.reached,
            tests: &change.tests,
            diverged: change.diverged,
        });
        let object = DiffObject {
            schema: "umbra/1",
            command: "diff",
            exit: self.exit,
            complete: self.is_complete(),
            equivalent: self.is_equivalent(),
            paths: PathsObject { same: self.same, diff: self.diff, cut: self.cut },
            pruned: self.pruned,
            divergences: divergences.collect(),
            changes: changes.collect(),
            left_out: &self.left_out,
            bounds: &self.bounds,
            instructions: self.instructions,
            queries: self.queries,
            solver_s: self.solver_s,
            wall_s: self.wall_s,
            execute_s: self.execute_s,
            cpu_s: self.cpu_s,
            peak_mib: self.peak_mib,
        };
        // Plain numbers, strings and lists: this cannot fail.
        serde_json::to_string(&object).expect("plain data is JSON")
    }

    /// The summary for people.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        for (index, line) in self.divergences.iter().enumerate() {
            line.write(index + 1, out)?;
        }
        let (same, diff, cut) = (self.same, self.diff, self.cut);
        writeln!(out, "paths: {same} same, {diff} diff, {cut} cut")?;
        if self.pruned > 0 {
            let pruned = self.pruned;
            writeln!(
                out,
                "pruned: {pruned} (nothing differs there, and no change can be reached)"
            )?;
        }
        for (what, count) in &self.left_out {
            writeln!(out, "left out: {what} ({count})")?;
        }
        for change in &self.changes {
            let state = match (change.reached, change.diverged) {
                (false, _) => "not reached",
                (true, false) => "reached, no divergence",
                (true, true) => "reached, diverges",
            };
            writeln!(out, "change at {}: {state}", place_text(&change.place))?;
        }
        if self.is_equivalent() {
            writeln!(out, "equivalent on all inputs within these bounds:")?;
            for bound in &self.bounds {
                writeln!(out, "  {bound}")?;
            }
        }
        Ok(())
    }
}

impl DivergenceLine {
    fn write(&self, number: usize, out: &mut String) -> std::fmt::Result {
        let (kind, class) = (&self.kind, &self.class);
        writeln!(out, "divergence {number}: {kind} ({class}) at {}", place_text(&self.place))?;
        writeln!(out, "  {}", self.detail)?;
        for change in &self.changes {
            writeln!(out, "  from the change at {}", place_text(change))?;
        }
        for (depth, place) in self.stack.iter().enumerate() {
            writeln!(out, "    #{depth} {place}")?;
        }
        let paths = if self.count == 1 { "path" } else { "paths" };
        write!(out, "  {}, on {} {paths}", self.phase, self.count)?;
        match &self.case {
            Some(case) => writeln!(out, ", as {case}"),
            None => writeln!(out),
        }
    }
}
