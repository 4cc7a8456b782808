//! `umbra build --json`.

use serde::Serialize;

use super::line;

/// What was built.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BuildReport {
    /// Seconds from start to end.
    pub wall_s: f64,
    /// Each revision.
    pub builds: Vec<BuildLine>,
}

/// One build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BuildLine {
    /// The revision as the user named it; `.` is the working tree.
    pub revision: String,
    /// What it was built for.
    pub flavour: String,
    /// Its key in the cache.
    pub key: String,
    /// Its folder there.
    pub folder: String,
    /// What the commands printed.
    pub log: String,
    /// The programs.
    pub programs: Vec<ProgramLine>,
}

/// A program of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProgramLine {
    /// Its name.
    pub name: String,
    /// Where it is in the tree of the project.
    pub path: String,
    /// The executable.
    pub executable: String,
    /// The bitcode, where there is any.
    pub bitcode: Option<String>,
}

impl BuildReport {
    /// The report as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        line("build", 0, self)
    }
}
