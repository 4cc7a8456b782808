//! Calls of the `git` program.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::GitError;

/// Variables by which a caller (a hook, say) would lead git elsewhere.
const FOREIGN: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_QUARANTINE_PATH",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TRACE",
];

/// Settings under which git would write beside what it is asked to.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.hooksPath=/dev/null",
    "core.safecrlf=false",
    "advice.addEmbeddedRepo=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// A call that is being put together.
pub struct Git {
    command: Command,
    input: Vec<u8>,
}

/// What a successful call printed.
pub struct Printed(Vec<u8>);

impl Git {
    /// A call in a folder.
    pub fn at(folder: &Path) -> Git {
        let mut command = Command::new("git");
        command.current_dir(folder);
        for name in FOREIGN {
            command.env_remove(name);
        }
        // A missing object is an error: fetching it would change the repository.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0");
        command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        Git { command, input: Vec::new() }
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Git {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Git {
        self.command.env(name, value);
        self
    }

    /// Reads objects of another folder too.
    pub fn alternates(self, objects: &Path) -> Git {
        let value = quoted(objects);
        self.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", value)
    }

    pub fn input(mut self, bytes: Vec<u8>) -> Git {
        self.input = bytes;
        self
    }

    pub fn run(mut self) -> Result<Printed, GitError> {
        let spawned = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(GitError::Start)?;
        let pipe = child.stdin.take();
        let input = std::mem::take(&mut self.input);
        // From a thread: git may answer before it has read everything.
        let writer = std::thread::spawn(move || {
            // A git that does not read to the end says why by its status.
            pipe.map(|mut pipe| pipe.write_all(&input))
        });
        let output = child.wait_with_output().map_err(GitError::Start)?;
        let _ = writer.join();
        if output.status.success() {
            return Ok(Printed(output.stdout));
        }
        let command = self.command.get_args().skip(2 * SETTINGS.len());
        let command: Vec<_> = command.map(|arg| arg.to_string_lossy().into_owned()).collect();
        Err(GitError::Failed {
            command: command.join(" "),
            status: output.status,
            output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }
}

impl Printed {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim().to_owned()
    }

    pub fn lines(&self) -> Vec<PathBuf> {
        let lines = self.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(path).collect()
    }

    /// What was printed with `-z`.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == 0).filter(|record| !record.is_empty())
    }
}

pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// A folder as the list of alternates wants it: a colon separates, unless it is quoted.
fn quoted(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    if !bytes.contains(&b':') && !bytes.starts_with(b"\"") {
        return path.into();
    }
    let mut quoted = vec![b'"'];
    for &byte in bytes {
        if byte == b'"' || byte == b'\\' {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}
