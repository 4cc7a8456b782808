//! What sort of divergence it is, and how it was found.

use crate::word;

word! {
    /// What differs where two versions diverge.
    #[derive(Default)]
    Kind {
        /// They take different ways.
        #[default]
        Control = "control",
        /// They take the same way and leave different things behind.
        Data = "data",
    }
}

word! {
    /// The parts of a search, in the order in which they follow each other. By default the last one:
    /// whatever else finds something found it earlier.
    #[derive(Default)]
    Phase {
        /// A test in another shape, which both versions ran natively.
        Shape = "shape",
        /// The test itself.
        Seed = "seed",
        /// Inputs that the solver finds beside the path of a test.
        Concolic = "concolic",
        /// What the new version does from where the versions parted.
        Bounded = "bounded",
        /// Paths around that of a test: both versions on other sides of branches that they take together.
        Around = "around",
        /// All paths of both versions.
        #[default]
        Complete = "complete",
    }
}
