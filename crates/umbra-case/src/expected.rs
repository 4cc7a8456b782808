//! How a run is predicted to go.

use umbra_words::End;

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
