//! The object of a command that has failed.

use serde::Serialize;

use super::line;

/// Why a command has failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FailureReport {
    /// The command.
    #[serde(skip)]
    pub command: String,
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// What went wrong.
    pub error: String,
}

impl FailureReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line(&self.command, self.exit, self)
    }
}
