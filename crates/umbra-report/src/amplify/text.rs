//! The report for people.

use std::fmt::{Result, Write};

use umbra_text::Show;
use umbra_words::Place;

use super::{AmplifyFinding, AmplifyReport};
use crate::numbers::counted;

/// Calls of a stack that are shown.
const STACK: usize = 6;

/// Tests that are named for each finding.
const TESTS: usize = 3;

impl AmplifyReport {
    /// The report for people.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> Result {
        for (index, finding) in self.findings.iter().enumerate() {
            finding.write(index + 1, out)?;
        }
        self.write_tests(out)?;
        self.write_checks(out)?;
        for line in &self.distances {
            writeln!(
                out,
                "distance {}: {}, {}, {}",
                line.distance,
                counted(line.tests, "test"),
                match line.distance {
                    0 => "their own paths".to_owned(),
                    _ => format!(
                        "{} up to {} deep",
                        counted(line.points, "point"),
                        branches(line.bound)
                    ),
                },
                counted(line.findings, "finding")
            )?;
        }
        for program in &self.programs {
            let name = program.program.shown();
            match &program.left_out {
                Some(reason) => writeln!(out, "{name}: not amplified: {}", reason.shown())?,
                None => {
                    let overhead = program.median_overhead.map_or(String::new(), |overhead| {
                        format!(", overhead {overhead:.2} in the median")
                    });
                    writeln!(
                        out,
                        "{name}: {}, {}, {} in {:.1} s{overhead}",
                        counted(program.tests, "test"),
                        counted(program.checks, "check"),
                        counted(program.findings, "finding"),
                        program.wall_s
                    )?;
                }
            }
        }
        if !self.untested.is_empty() {
            let names: Vec<String> =
                self.untested.iter().map(|name| name.shown().to_string()).collect();
            writeln!(out, "no test runs: {}", names.join(", "))?;
        }
        for (what, count) in &self.left_out {
            writeln!(out, "left out: {} ({count})", what.shown())?;
        }
        if let Some(overhead) = self.overhead() {
            writeln!(
                out,
                "overhead: the tests' paths take {overhead:.2} times as long as with all bytes given (without the solver)"
            )?;
        }
        writeln!(
            out,
            "{} instructions, {} queries, {:.1} s in the solver, {:.1} s in all",
            self.instructions, self.queries, self.solver_s, self.wall_s
        )
    }

    fn write_tests(&self, out: &mut String) -> Result {
        let tests = &self.tests;
        write!(out, "tests: {} given", tests.given)?;
        let others = [
            (tests.other_programs, "for other programs"),
            (tests.sampled, "drawn"),
            (tests.followed, "followed"),
            (tests.shapes, "in other shapes"),
            (tests.cut, "cut or out of time"),
            (tests.failing, "go wrong as they are"),
        ];
        for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
            write!(out, ", {count} {what}")?;
        }
        writeln!(out)?;
        let Some(sample) = &self.sample else { return Ok(()) };
        let chances = sample.chances.iter().map(|chance| {
            let percent = 100.0 * chance.chance;
            format!("{percent:.0} % if {} of all find it", counted(chance.found_by, "test"))
        });
        let chances: Vec<String> = chances.collect();
        writeln!(
            out,
            "sample: {} of {}; a bug is found with {}",
            sample.drawn,
            counted(sample.given, "test"),
            chances.join(", ")
        )
    }

    fn write_checks(&self, out: &mut String) -> Result {
        let checks = &self.checks;
        write!(out, "checks: {} at {}", checks.made, counted(checks.lines, "line"))?;
        if checks.made > 0 {
            let share = 100.0 * checks.safe as f64 / checks.made as f64;
            write!(out, "; {share:.0} % proved safe on their paths")?;
        }
        let others = [
            (checks.unknown, "without an answer"),
            (checks.repeated, "known from other tests"),
            (checks.thinned, "thinned out"),
        ];
        for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
            write!(out, ", {count} {what}")?;
        }
        writeln!(out)
    }
}

impl AmplifyFinding {
    fn write(&self, number: usize, out: &mut String) -> Result {
        let place = Place { file: self.file.clone(), line: self.line };
        let program =
            self.program.as_ref().map_or(String::new(), |name| format!(" ({})", name.shown()));
        let native = match self.native.as_str() {
            "crash" | "sanitizer" => "confirmed natively",
            "silent" => "silent natively",
            _ => "not run natively",
        };
        writeln!(out, "{number}. {} at {place}{program}, {native}", self.kind.shown())?;
        for (depth, line) in self.stack.iter().take(STACK).enumerate() {
            writeln!(out, "     #{depth} {}", line.shown())?;
        }
        for line in self.detail.lines() {
            writeln!(out, "   {}", line.shown())?;
        }
        if !self.native_detail.is_empty() {
            writeln!(out, "   natively: {}", self.native_detail.shown())?;
        }
        let test = self.test.shown();
        let least = if self.least { "" } else { " at most" };
        match self.changed_bytes {
            0 if self.change.is_empty() => writeln!(out, "   the test {test} does it as it is")?,
            count => writeln!(out, "   {}{least} away from {test}:", counted(count, "byte"))?,
        }
        for line in self.change.lines() {
            writeln!(out, "     {line}")?;
        }
        let depth = match (self.distance, self.depth) {
            (0, _) => String::new(),
            (_, depth) => format!(", {} behind the point", branches(depth)),
        };
        writeln!(out, "   distance {}{depth}", self.distance)?;
        if self.tests.len() > 1 {
            let named: Vec<String> = self
                .tests
                .iter()
                .take(TESTS)
                .map(|test| format!("{} at {}", test.test.shown(), test.distance))
                .collect();
            let rest = self.tests.len() - named.len();
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            writeln!(out, "   found from {} tests: {}{more}", self.tests.len(), named.join(", "))?;
        }
        if let Some(case) = &self.case {
            writeln!(out, "   case: {}", case.shown())?;
        }
        if let Some(command) = &self.command {
            writeln!(out, "   $ {command}")?;
        }
        writeln!(out)
    }
}

fn branches(count: u32) -> String {
    match count {
        1 => "1 branch".to_owned(),
        count => format!("{count} branches"),
    }
}
