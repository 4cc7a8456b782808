//! What went wrong inside, told in words since it has to cross to the asking process.

use std::{fmt, io};

/// A step that failed.
#[derive(Debug)]
pub struct Failure {
    /// What was being done: follows "cannot".
    pub what: String,
    /// What the system said.
    pub error: io::Error,
}

/// Says what was being done.
pub trait Doing<T> {
    /// `what` follows "cannot".
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure { what: what.to_string(), error: error.into() })
    }
}
