//! How a run is predicted to go.

/// The prediction; what is `None` is not predicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// How the program ends.
    pub end: Option<End>,
    /// What it writes to standard output.
    pub stdout: Option<Vec<u8>>,
    /// What it writes to standard error.
    pub stderr: Option<Vec<u8>>,
    /// The tree that it leaves behind, as the text of a [`Listing`](crate::Listing).
    pub tree: Option<Vec<u8>>,
}

/// How a program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It exits with this status.
    Exited(i32),
    /// A signal kills it.
    Killed(i32),
    /// It does something wrong, which natively may or may not show.
    Error(PredictedError),
    /// Execution stopped before the end was reached, so the end is not known.
    Cut {
        /// Why.
        reason: String,
    },
}

/// What the program does wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PredictedError {
    /// The stable name of the kind, as "out-of-bounds-write".
    pub kind: String,
    /// The source file; empty if it is not known.
    pub file: String,
    /// The line in it; 0 if it is not known.
    pub line: u32,
    /// More, for people.
    pub message: String,
    /// The call stack, the innermost call first, one line each.
    pub stack: Vec<String>,
}
