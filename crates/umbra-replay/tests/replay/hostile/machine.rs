//! Commands on a machine of their own (`tests/helper/machine`), and what they changed there.

use std::path::Path;
use std::process::Command;

use crate::support::locations;

/// The user that stands for an ordinary one.
pub const ORDINARY: &str = "65534";
/// To stay who one is.
pub const SAME: &str = "-";

/// The status that says that there is no machine available.
const UNAVAILABLE: i32 = 64;

/// What became of a command.
pub struct Report {
    pub status: Option<i32>,
    /// What the command printed.
    pub output: String,
    /// What was changed or left.
    pub changes: Vec<String>,
}

impl Report {
    /// Fails unless the command succeeded and changed nothing.
    pub fn assert_clean(&self) {
        let changes = self.changes.join("\n");
        assert!(self.status == Some(0) && changes.is_empty(), "{}\n{changes}", self.output);
    }
}

/// Runs a command as a user; the error says why there is no machine.
pub fn run(user: &str, command: &[&str]) -> Result<Report, String> {
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_umbra-machine"))
        .arg(folder.path())
        .arg(user)
        .args(command)
        .current_dir("/")
        .output()
        .expect("the machine's program can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(UNAVAILABLE) {
        return Err(errors.trim().to_owned());
    }
    let mut changes: Vec<String> = Vec::new();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in errors.lines() {
        match line.strip_prefix("machine: ") {
            Some(change) => changes.push(change.to_owned()),
            None => text = text + line + "\n",
        }
    }
    Ok(Report { status: output.status.code(), output: text, changes })
}

/// Runs one test of this binary, from a folder with copies of all that it needs.
pub fn run_test(user: &str, test: &str, copies: &Path) -> Result<Report, String> {
    let variable = format!("{}={}", locations::COPIES, copies.display());
    let binary = copies.join("test");
    run(user, &["env", &variable, &binary.to_string_lossy(), "--exact", test, "--nocapture"])
}

/// Whether there must be a machine: on the machines that check every change.
pub fn is_required() -> bool {
    std::env::var_os("UMBRA_REQUIRE_MACHINE").is_some()
}
