//! Errors of the program under test.

use serde::{Deserialize, Serialize};

use crate::Place;

/// An error of the program under test, seen on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The stable name of the kind, as "out-of-bounds-write".
    pub kind: String,
    /// Where it happened.
    pub place: Place,
    /// The call stack, the innermost call first, one line each.
    pub stack: Vec<String>,
    /// More, for people: the access, the object, where that came from.
    pub detail: String,
    /// The folder of the test case that shows it, relative to the run's; `None` if there is none.
    pub case: Option<String>,
    /// How large the input is that shows it, in bytes.
    pub input_bytes: u64,
}
