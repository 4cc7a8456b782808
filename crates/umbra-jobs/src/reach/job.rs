//! What is to be reached, as a value.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_words::{Mechanism, TargetBlock};

use crate::{NativeLimits, SearchLimits, Strategy, Subject, Tests};

/// Inputs that run some code of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachJob {
    /// The program.
    pub subject: Subject,
    /// What is to be run.
    pub wanted: Wanted,
    /// What the search starts from.
    pub tests: Tests,
    /// What it may do.
    pub mechanisms: BTreeSet<Mechanism>,
    /// Different inputs for each target.
    pub inputs: usize,
    /// Time for one target; an equal share of all, if nothing is said.
    pub target_time: Option<Duration>,
    /// Instructions for one target; then time is no limit.
    pub target_instructions: Option<u64>,
    /// How the search goes.
    pub strategy: Strategy,
    /// What all of it may take.
    pub limits: SearchLimits,
    /// What runs natively.
    pub native: NativeLimits,
}

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// A line.
    Line {
        /// The file, or the end of its path.
        file: String,
        /// The line in it.
        line: u32,
    },
    /// A function.
    Function(String),
    /// These blocks.
    Blocks(Vec<TargetBlock>),
}

impl Wanted {
    /// `FILE:LINE`, or the name of a function.
    pub fn parse(text: &str) -> Self {
        let line = text.rsplit_once(':').and_then(|(file, line)| {
            let line = line.parse().ok()?;
            Some(Self::Line { file: file.to_owned(), line })
        });
        line.unwrap_or_else(|| Self::Function(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_and_a_function_are_told_apart() {
        let line = Wanted::Line { file: "src/a.c".to_owned(), line: 7 };
        assert_eq!(Wanted::parse("src/a.c:7"), line);
        assert_eq!(Wanted::parse("usage"), Wanted::Function("usage".to_owned()));
        assert_eq!(Wanted::parse("a.c:b"), Wanted::Function("a.c:b".to_owned()));
    }
}
