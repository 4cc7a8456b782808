//! `umbra doctor --json`.

use serde::Serialize;

use super::line;

/// What is needed on this machine, and whether it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    /// The exit code.
    #[serde(skip)]
    pub exit: u8,
    /// Each thing.
    pub checks: Vec<CheckLine>,
}

/// One thing that is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckLine {
    /// A short name.
    pub name: String,
    /// What it is used for.
    pub purpose: String,
    /// Whether Umbra works without it.
    pub optional: bool,
    /// Whether it is there.
    pub ok: bool,
    /// Where, if it is a file.
    pub path: Option<String>,
    /// What to do if it is missing.
    pub fix: Option<String>,
    /// What was found, or why it is missing, if it is no file.
    pub detail: Option<String>,
}

impl DoctorReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line("doctor", self.exit, self)
    }
}
