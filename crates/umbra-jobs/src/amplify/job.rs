//! What is to be amplified, as a value.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_engine::ErrorKind;

use crate::{NativeLimits, SearchLimits, Strategy, Subject, Tests};

/// What tests only visit is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmplifyJob {
    /// The program.
    pub subject: Subject,
    /// What a shell calls it, if there is an executable.
    pub called: Option<String>,
    /// Its tests.
    pub tests: Tests,
    /// How the search goes.
    pub strategy: Strategy,
    /// What it may take.
    pub limits: SearchLimits,
    /// The greatest distance; as far as the time allows, if nothing is said.
    pub distance: Option<u32>,
    /// How many branches deep it is explored for each step of distance.
    pub depth: u32,
    /// Time for one test at one distance.
    pub test_time: Option<Duration>,
    /// Time for one divergence point at one distance.
    pub point_time: Duration,
    /// Which checks are left out.
    pub unchecked: BTreeSet<CheckName>,
    /// Tests in other shapes that are followed beside these, at most.
    pub moves: usize,
    /// How many tests are drawn from the suite, if not all are wanted.
    pub sample: Option<usize>,
    /// What is run natively.
    pub native: NativeLimits,
}

/// A kind of check, as flags name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckName {
    /// Accesses through symbolic addresses.
    Memory,
    /// Divisors that may be zero, quotients that do not fit.
    Division,
    /// Branches to code that can only end the program: failed assertions, `abort`.
    Assertion,
}

impl CheckName {
    /// Every check.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Division, Self::Assertion];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Division => "division",
            Self::Assertion => "assertion",
        }
    }
}

/// There is no check of this name.
#[derive(Debug, thiserror::Error)]
#[error("there is no check of this name; there are {}", CheckName::ALL.map(CheckName::name).join(", "))]
pub struct UnknownCheck;

impl std::str::FromStr for CheckName {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        Self::ALL.into_iter().find(|check| check.name() == text).ok_or(UnknownCheck)
    }
}

impl AmplifyJob {
    /// The checks that are made.
    pub(super) fn checks(&self) -> umbra_strategy::Checks {
        let is_made = |check| !self.unchecked.contains(&check);
        umbra_strategy::Checks {
            memory: is_made(CheckName::Memory),
            division: is_made(CheckName::Division),
            assertion: is_made(CheckName::Assertion),
        }
    }

    /// Whether an error is of a kind that is looked for.
    pub(super) fn wants(&self, kind: ErrorKind) -> bool {
        let check = match kind {
            ErrorKind::DivisionByZero | ErrorKind::DivisionOverflow => CheckName::Division,
            ErrorKind::AssertionFailure
            | ErrorKind::Abort
            | ErrorKind::Unreachable
            | ErrorKind::Trap
            | ErrorKind::Reported => CheckName::Assertion,
            _ => CheckName::Memory,
        };
        !self.unchecked.contains(&check)
    }

    /// How deep it is explored at a distance.
    pub(super) fn bound(&self, distance: u32) -> u32 {
        self.depth.saturating_mul(distance)
    }
}
