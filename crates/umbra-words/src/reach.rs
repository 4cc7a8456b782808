//! What a search for a target did, and what came of it.

use serde::{Deserialize, Serialize};

use crate::{Place, Version, word};

word! {
    /// What leads a search to a target. Each can be switched off.
    Mechanism {
        /// The side nearest to the target that an input takes is taken.
        Greedy = "greedy",
        /// Where the nearest side has no input, an earlier branch goes the other way: one that the contradiction is made of.
        Regeneration = "regeneration",
        /// Where no input decides, what the branch tests is given another value: code that stores one is run first.
        Switching = "switching",
        /// Tests of another shape: an option, an argument, a line, a word of the program more or less.
        Options = "options",
        /// Everything else that can be reached, the nearest first.
        Exploration = "exploration",
    }
}

word! {
    /// What came of a target.
    Sought {
        /// A test of the suite runs it.
        Tested = "tested",
        /// A generated input runs it.
        Reached = "reached",
        /// No input can run it.
        Unreachable = "unreachable",
        /// No input of the shapes that were explored to their ends runs it.
        Exhausted = "exhausted",
        /// It was not reached, and may be.
        Missed = "missed",
    }
}

word! {
    /// Why a target was not reached, or that it cannot be.
    ReachReason {
        /// No code calls its function.
        NoCaller = "no-caller",
        /// No way leads to it from the start of the program.
        NoWay = "no-way",
        /// A condition on every way to it is never true.
        ConstantCondition = "constant-condition",
        /// All paths of some shapes of inputs were followed.
        AllPaths = "all-paths",
        /// No recorded test comes near it.
        NoSeed = "no-seed",
        /// Its program was not recorded.
        NotRecorded = "not-recorded",
        /// Only indirect calls of a fitting type lead to it, and none was seen to.
        IndirectCall = "indirect-call",
        /// The solver left questions open.
        Solver = "solver",
        /// The program asked for something that the model of the system does not have.
        Environment = "environment",
        /// A generated input was to run it, and natively did not.
        NotConfirmed = "not-confirmed",
        /// The mechanisms that were switched on had nothing more to try.
        NothingLeft = "nothing-left",
        /// The budget was used up.
        Budget = "budget",
    }
}

/// A target: a block of an analysed module, with the lines that lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TargetBlock {
    /// The number of the block among all blocks of the module, which is that of its native counter.
    pub block: u32,
    /// The version whose module it is.
    pub version: Version,
    /// The function that it is in.
    pub function: String,
    /// The lines that made it a target, rising.
    pub lines: Vec<Place>,
}
