//! Old and new.

use crate::word;

impl Version {
    /// Both, the old one first.
    pub const BOTH: [Self; 2] = [Self::Old, Self::New];
}

word! {
    /// One of the two versions of a program.
    Version {
        /// The one before the patch.
        Old = "old",
        /// The one after it.
        New = "new",
    }
}
