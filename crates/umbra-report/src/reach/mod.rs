//! What came of a search for targets: `umbra reach`.

mod text;

use serde::{Deserialize, Serialize};
use umbra_words::{Finding, Mechanism, ReachReason, Sought, TargetBlock};

use crate::object;

/// Targets of one program or of several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReachReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// CPU seconds of the process.
    pub cpu_s: f64,
    /// The largest resident size, in MiB.
    pub peak_mib: f64,
    /// LLVM instructions executed by the engine.
    pub instructions: u64,
    /// The folder of the run.
    pub folder: String,
    /// The programs, in the order of their paths.
    pub programs: Vec<ReachProgram>,
    /// What could not be done, and why.
    pub notes: Vec<String>,
}

/// The targets of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReachProgram {
    /// Its path, as the user calls it or in the built tree.
    pub path: String,
    /// Tests that the search could start from.
    pub tests: u64,
    /// Runs of tests of other shapes.
    pub shapes: u64,
    /// Its targets, as they are in the program.
    pub targets: Vec<TargetLine>,
    /// Errors that were met.
    pub errors: Vec<MetError>,
    /// What the program asked for that is not modelled.
    pub unmodelled: Vec<String>,
    /// LLVM instructions executed by the engine.
    pub instructions: u64,
    /// Why nothing was confirmed natively, if nothing could be.
    pub not_replayed: Option<String>,
}

/// What came of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetLine {
    /// The target.
    #[serde(flatten)]
    pub target: TargetBlock,
    /// What came of it.
    pub outcome: Sought,
    /// Why, where it is neither tested nor reached.
    pub reason: Option<ReachReason>,
    /// More about the reason.
    pub detail: String,
    /// The inputs that run it, the first one first.
    pub inputs: Vec<ReachInput>,
    /// How far the nearest test stays away.
    pub distance: Option<u32>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// An input that runs a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReachInput {
    /// The folder of the test case, relative to the run's; what the user calls it for a test.
    pub case: String,
    /// The test that it was made from.
    pub seed: String,
    /// What has led to it.
    pub mechanisms: Vec<Mechanism>,
    /// Whether it ran the block natively; `None` if it did not run natively.
    pub confirmed: Option<bool>,
}

/// An error that was met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetError {
    /// What is wrong, and where.
    #[serde(flatten)]
    pub finding: Finding,
    /// Where it is, seen from the targets: `target`, `near` or `elsewhere`.
    pub nearness: String,
    /// How the input ended natively; `None` if it did not run.
    pub native: Option<String>,
}

/// Counts of targets, by blocks or by lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetCounts {
    /// All.
    pub all: u64,
    /// Those that a test runs.
    pub tested: u64,
    /// Those that a test or a generated input runs.
    pub reached: u64,
}

impl ReachReport {
    /// The object of `--json`.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Body<'a> {
            #[serde(flatten)]
            report: &'a ReachReport,
            blocks: TargetCounts,
            lines: TargetCounts,
        }
        let body = Body { report: self, blocks: self.blocks(), lines: self.lines() };
        object::line("reach", self.exit, &body)
    }

    /// All targets.
    pub fn targets(&self) -> impl Iterator<Item = &TargetLine> {
        self.programs.iter().flat_map(|program| &program.targets)
    }

    /// Blocks, by what runs them.
    pub fn blocks(&self) -> TargetCounts {
        let mut counts = TargetCounts::default();
        for target in self.targets() {
            counts.all += 1;
            counts.tested += u64::from(target.outcome == Sought::Tested);
            counts.reached += u64::from(target.is_run());
        }
        counts
    }

    /// Lines, by what runs any of their blocks.
    pub fn lines(&self) -> TargetCounts {
        let mut lines = std::collections::BTreeMap::new();
        for target in self.targets() {
            for place in &target.target.lines {
                let known = lines.entry(place).or_insert((false, false));
                known.0 |= target.outcome == Sought::Tested;
                known.1 |= target.is_run();
            }
        }
        let count =
            |is: fn(&(bool, bool)) -> bool| lines.values().filter(|it| is(it)).count() as u64;
        TargetCounts {
            all: lines.len() as u64,
            tested: count(|line| line.0),
            reached: count(|line| line.1),
        }
    }

    /// Whether every target is run, or cannot be.
    pub fn is_complete(&self) -> bool {
        self.targets().all(|target| target.outcome != Sought::Missed)
    }
}

impl TargetLine {
    /// Of which nothing is known.
    pub fn new(target: TargetBlock) -> Self {
        Self {
            target,
            outcome: Sought::Missed,
            reason: None,
            detail: String::new(),
            inputs: Vec::new(),
            distance: None,
            seconds: 0.0,
        }
    }

    /// Whether a test or a generated input runs it.
    pub fn is_run(&self) -> bool {
        matches!(self.outcome, Sought::Tested | Sought::Reached)
    }
}

#[cfg(test)]
mod tests {
    use umbra_words::{Place, Version};

    use super::*;

    pub(super) fn target(block: u32, line: u32, outcome: Sought) -> TargetLine {
        let place = Place { file: "a.c".to_owned(), line };
        let target = TargetBlock {
            block,
            version: Version::New,
            function: "f".to_owned(),
            lines: vec![place],
        };
        TargetLine { outcome, ..TargetLine::new(target) }
    }

    #[test]
    fn coverage_is_counted_by_block_and_by_line() {
        let targets = vec![
            target(1, 5, Sought::Tested),
            target(2, 5, Sought::Missed),
            target(3, 6, Sought::Reached),
            target(4, 7, Sought::Unreachable),
        ];
        let program = ReachProgram { targets, ..ReachProgram::default() };
        let report = ReachReport { programs: vec![program], ..ReachReport::default() };
        assert_eq!(report.blocks(), TargetCounts { all: 4, tested: 1, reached: 2 });
        assert_eq!(report.lines(), TargetCounts { all: 3, tested: 1, reached: 2 });
        assert!(!report.is_complete());
    }
}
