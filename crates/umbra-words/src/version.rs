//! Old and new.

use crate::word;

impl Version {
    /// Both, the old one first.
    pub const BOTH: [Self; 2] = [Self::Old, Self::New];
}

word! {
    /// One of the two versions of a program.
    #[derive(Default)]
    Version {
        /// The one before the patch.
        #[default]
        Old = "old",
        /// The one after it.
        New = "new",
    }
}
