//! What came of amplifying tests: the object of `umbra amplify --json`, and text for people.

mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::object::line;

/// What amplifying tests came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AmplifyReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Whether all tests were followed to their end, every check was answered, and no limit was reached.
    pub complete: bool,
    /// What was found, those first that native runs show, then those nearest to a test.
    pub findings: Vec<AmplifyFinding>,
    /// The tests.
    pub tests: AmplifyTests,
    /// What a part of the tests is worth, if only one was amplified.
    pub sample: Option<SampleLine>,
    /// What was checked on the paths of the tests.
    pub checks: CheckCounts,
    /// How far it was explored.
    pub distances: Vec<DistanceLine>,
    /// Programs with their own numbers, in the order of their names.
    pub programs: Vec<AmplifiedProgram>,
    /// Programs of the project that no test runs.
    pub untested: Vec<String>,
    /// Limits that were reached, and other reasons why something was left out.
    pub left_out: BTreeMap<String, u64>,
    /// Seconds that the tests' own paths took with symbolic bytes, without the solver.
    pub follow_s: f64,
    /// Seconds that they take in the engine with all bytes given. Zero if that was not measured.
    pub concrete_s: f64,
    /// How many times as long the path of the middle test takes, of one program.
    pub median_overhead: Option<f64>,
    /// Instructions on all paths.
    pub instructions: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Seconds in the solver.
    pub solver_s: f64,
    /// Seconds of native runs.
    pub replay_s: f64,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// The largest resident size.
    pub peak_mib: f64,
}

/// The tests of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmplifyTests {
    /// How many there were.
    pub given: u64,
    /// Those that were for other programs.
    pub other_programs: u64,
    /// Those that a random part of the suite has, if only that was wanted.
    pub sampled: u64,
    /// Those that were followed to their end.
    pub followed: u64,
    /// Tests that were made of them by giving them another shape, and followed.
    pub shapes: u64,
    /// Those that no time was left for, or that were cut.
    pub cut: u64,
    /// Those that go wrong as they are.
    pub failing: u64,
}

/// What a random part of the tests is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleLine {
    /// How many tests there were.
    pub given: u64,
    /// How many were drawn.
    pub drawn: u64,
    /// How likely the part finds what so many of all tests find.
    pub chances: Vec<Chance>,
}

/// How likely it is to find something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// How many of all tests find it.
    pub found_by: u64,
    /// The probability that one of them is among those that were drawn.
    pub chance: f64,
}

impl SampleLine {
    /// The numbers of tests that find something, for which it is said.
    const FOUND_BY: [u64; 5] = [1, 2, 5, 10, 20];

    /// That of so many tests drawn from so many, each as likely as another.
    pub fn of(given: u64, drawn: u64) -> Self {
        let found_by = Self::FOUND_BY.into_iter().filter(|found_by| *found_by <= given);
        let chances = found_by.map(|found_by| {
            // None of them is drawn: each further one has one place less to be in.
            let missed = (0..found_by).map(|before| {
                (given - drawn).saturating_sub(before) as f64 / (given - before) as f64
            });
            Chance { found_by, chance: 1.0 - missed.product::<f64>() }
        });
        Self { given, drawn, chances: chances.collect() }
    }
}

/// What was checked on the paths of the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckCounts {
    /// Questions at sensitive operations.
    pub made: u64,
    /// Different lines that they were about.
    pub lines: u64,
    /// Operations that cannot go wrong on any input of their path.
    pub safe: u64,
    /// Operations that can.
    pub failing: u64,
    /// Questions that were left open.
    pub unknown: u64,
    /// Questions that were asked for another test already.
    pub repeated: u64,
    /// Questions that were left out because they took too much.
    pub thinned: u64,
}

/// What came of one distance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistanceLine {
    /// How many divergence points lie between the one that was explored from and the sensitive operation.
    pub distance: u32,
    /// How many branches deep.
    pub bound: u32,
    /// Tests for which it was done.
    pub tests: u64,
    /// Points from which was explored.
    pub points: u64,
    /// Findings for which this is the least distance.
    pub findings: u64,
}

/// The numbers of one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AmplifiedProgram {
    /// Its path in the built tree.
    pub program: String,
    /// Tests.
    pub tests: u64,
    /// Findings.
    pub findings: u64,
    /// Questions at sensitive operations.
    pub checks: u64,
    /// How many times as long the path of its middle test takes.
    pub median_overhead: Option<f64>,
    /// Seconds.
    pub wall_s: f64,
    /// Why nothing was done, if it was not.
    pub left_out: Option<String>,
}

/// An input near a test that goes wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AmplifyFinding {
    /// The program, where there are several.
    pub program: Option<String>,
    /// The stable name of the kind, as "out-of-bounds-write".
    pub kind: String,
    /// The file; empty if it is not known.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The call stack, the innermost call first, one line each.
    pub stack: Vec<String>,
    /// More, for people.
    pub detail: String,
    /// The least distance at which it was found; 0 is on the path of a test.
    pub distance: u32,
    /// Branches between the point that was explored from and the error, where it was found at that distance.
    pub depth: u32,
    /// The test that the input is nearest to.
    pub test: String,
    /// Bytes in which the input differs from it; 0 if the test itself goes wrong.
    pub changed_bytes: u64,
    /// Whether no input of the same path differs in fewer.
    pub least: bool,
    /// What was changed, for people.
    pub change: String,
    /// All tests that have it nearby, with the least distance from each.
    pub tests: Vec<FindingTest>,
    /// The folder of the test case, relative to the run's.
    pub case: Option<String>,
    /// A line to paste into a shell that shows it.
    pub command: Option<String>,
    /// What a native run shows: "crash", "sanitizer", "silent" or "not-run".
    pub native: String,
    /// What exactly, or why not.
    pub native_detail: String,
}

/// A test that has a finding nearby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingTest {
    /// Its name.
    pub test: String,
    /// The least distance.
    pub distance: u32,
}

impl AmplifyReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line("amplify", self.exit, self)
    }

    /// Adds the report of one program of several. An error that another program has at the same place is one finding.
    pub fn add(&mut self, other: Self, program: &str) {
        for mut finding in other.findings {
            let same = |known: &&mut AmplifyFinding| {
                (&known.kind, &known.file, known.line)
                    == (&finding.kind, &finding.file, finding.line)
            };
            match self.findings.iter_mut().find(same) {
                Some(known) => {
                    known.tests.append(&mut finding.tests);
                    known.tests.sort_by_key(|test| test.distance);
                }
                None => {
                    finding.program = Some(program.to_owned());
                    self.findings.push(finding);
                }
            }
        }
        self.complete &= other.complete;
        let (all, more) = (&mut self.tests, &other.tests);
        let (checks, made) = (&mut self.checks, &other.checks);
        for (sum, part) in [
            (&mut all.given, more.given),
            (&mut all.other_programs, more.other_programs),
            (&mut all.sampled, more.sampled),
            (&mut all.followed, more.followed),
            (&mut all.shapes, more.shapes),
            (&mut all.cut, more.cut),
            (&mut all.failing, more.failing),
            (&mut checks.made, made.made),
            (&mut checks.lines, made.lines),
            (&mut checks.safe, made.safe),
            (&mut checks.failing, made.failing),
            (&mut checks.unknown, made.unknown),
            (&mut checks.repeated, made.repeated),
            (&mut checks.thinned, made.thinned),
            (&mut self.instructions, other.instructions),
            (&mut self.queries, other.queries),
        ] {
            *sum += part;
        }
        for (sum, part) in [
            (&mut self.follow_s, other.follow_s),
            (&mut self.concrete_s, other.concrete_s),
            (&mut self.solver_s, other.solver_s),
            (&mut self.replay_s, other.replay_s),
        ] {
            *sum += part;
        }
        for line in other.distances {
            match self.distances.iter_mut().find(|known| known.distance == line.distance) {
                Some(known) => {
                    known.tests += line.tests;
                    known.points += line.points;
                    known.findings += line.findings;
                }
                None => self.distances.push(line),
            }
        }
        for (what, count) in other.left_out {
            *self.left_out.entry(what).or_default() += count;
        }
    }

    /// How much longer a test's path takes than with all bytes given, without the solver; `None` if that was not measured.
    pub fn overhead(&self) -> Option<f64> {
        (self.concrete_s > 0.0).then(|| self.follow_s / self.concrete_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chances_of_a_sample_are_those_of_lots() {
        // All ways to draw, counted: tests are bits, the first `found_by` of them find it.
        let counted = |given: u32, drawn: u32, found_by: u32| {
            let draws = (0u32..1 << given).filter(|draw| draw.count_ones() == drawn);
            let (hits, all) = draws.fold((0.0, 0.0), |(hits, all), draw| {
                (hits + f64::from(u8::from(draw & ((1 << found_by) - 1) != 0)), all + 1.0)
            });
            hits / all
        };
        for (given, drawn) in [(1, 1), (5, 2), (10, 3), (12, 12)] {
            let sample = SampleLine::of(given, drawn);
            for Chance { found_by, chance } in sample.chances {
                let expected = counted(given as u32, drawn as u32, found_by as u32);
                assert!((chance - expected).abs() < 1e-9, "{given} {drawn} {found_by}: {chance}");
            }
        }
    }
}
