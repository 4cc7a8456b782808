//! What a difference between two versions is, as far as it can be predicted.

use umbra_engine::Termination;

/// What a difference is: which of the versions does something wrong. The names are those of native runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only the new version does something wrong.
    Regression,
    /// They behave differently, and people must say which is right.
    OutputDifference,
    /// Only the old version does something wrong.
    Fix,
}

/// The signals that are a program's own fault, by their numbers in Linux: ill, trap, abort, bus, arithmetic,
/// memory, processor time, file size, system call.
const FAULTS: [i32; 9] = [4, 5, 6, 7, 8, 11, 24, 25, 31];

impl Class {
    /// The stable name for reports and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::OutputDifference => "output-difference",
            Self::Fix => "fix",
        }
    }

    /// What it is if the versions end like this and leave different things behind.
    pub fn of(old: &Termination, new: &Termination) -> Self {
        match (is_wrong(old), is_wrong(new)) {
            (false, true) => Self::Regression,
            (true, false) => Self::Fix,
            _ => Self::OutputDifference,
        }
    }
}

fn is_wrong(termination: &Termination) -> bool {
    match termination {
        Termination::Error(_) => true,
        Termination::Killed(signal) => FAULTS.contains(signal),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_decides() {
        let (fine, crash, end) =
            (Termination::Exited(1), Termination::Killed(11), Termination::Killed(15));
        let classes = [(&fine, &crash), (&crash, &fine), (&crash, &crash), (&fine, &end)]
            .map(|(old, new)| Class::of(old, new).name());
        assert_eq!(classes, ["regression", "fix", "output-difference", "output-difference"]);
    }
}
