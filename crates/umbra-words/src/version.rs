//! Old and new.

use crate::word;

word! {
    /// One of the two versions of a program.
    Version {
        /// The one before the patch.
        Old = "old",
        /// The one after it.
        New = "new",
    }
}
