//! What a difference means.

use crate::word;

word! {
    /// What the two versions come to on one input, those that matter most first. All but
    /// [`Class::ToJudge`] are what native runs say; all but the two of chance can be predicted. By default nothing is known.
    #[derive(Default)]
    Class {
        /// Only the new version does something wrong.
        Regression = "regression",
        /// The new version behaves differently from run to run, the old one does not.
        NondeterminismIntroduced = "nondeterminism-introduced",
        /// They behave differently, and people must say which is right.
        OutputDifference = "output-difference",
        /// The versions part, and not all is known of what follows.
        #[default]
        ToJudge = "to-judge",
        /// Only the old version does something wrong.
        Fix = "fix",
        /// The old version behaves differently from run to run, so nothing can be said.
        Flaky = "flaky",
        /// No difference.
        Same = "same",
    }
}

impl Class {
    /// What it is if the versions behave differently and these of them do something wrong.
    pub const fn of_errors(old: bool, new: bool) -> Self {
        match (old, new) {
            (false, true) => Self::Regression,
            (true, false) => Self::Fix,
            _ => Self::OutputDifference,
        }
    }

    /// Whether somebody should look at it.
    pub const fn is_finding(self) -> bool {
        matches!(self, Self::Regression | Self::NondeterminismIntroduced | Self::OutputDifference)
    }

    /// Whether there is nothing to see.
    pub const fn is_silent(self) -> bool {
        matches!(self, Self::Flaky | Self::Same)
    }
}
