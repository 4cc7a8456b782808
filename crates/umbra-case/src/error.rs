//! What can go wrong with the folder of a case.

use std::path::{Path, PathBuf};
use umbra_text::Show;

/// A failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A symbolic link in Umbra's own folder of a project.
    #[error("{} is a symbolic link, so files would be written elsewhere: remove it, or choose another place with --output", path.shown())]
    Linked {
        /// The link.
        path: PathBuf,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.shown())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The folder to be written is there already and not empty.
    #[error("{} already exists", path.shown())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The case's JSON is damaged, or a value in it is not of the right kind.
    #[error("{} is not a test case: {source}", path.shown())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// The case is of a kind that this version does not know.
    #[error("{} has the schema `{found}`, not `{}`", path.shown(), crate::json::SCHEMA)]
    Schema {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
    },
    /// What should be a regular file is something else.
    #[error("{} is not a regular file", path.shown())]
    NotAFile {
        /// Where it is.
        path: PathBuf,
    },
    /// A `.ktest` file is damaged, or cannot hold what it should.
    #[error("{} cannot be written as a .ktest file: {source}", path.shown())]
    KTest {
        /// The file.
        path: PathBuf,
        /// Why.
        source: crate::KTestError,
    },
    /// A file of a store is not what it was when it was written.
    #[error("{} is damaged: remove it and record again", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// No process can be started from the case.
    #[error("the case {} is impossible: {source}", path.shown())]
    Invalid {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: InvalidCase,
    },
}

impl Error {
    /// For `map_err`: what was being done, and to which path.
    pub(crate) fn io<E: Into<std::io::Error>>(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source: source.into() }
    }
}

/// Why no process can be started from a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCase {
    /// A string that the program is to get has a NUL inside, where C strings end.
    #[error("{what} contains a NUL byte")]
    Nul {
        /// Which string, as "argument 3".
        what: String,
    },
    /// An entry of the environment is not `NAME=VALUE` with a name.
    #[error("variable {index} is not NAME=VALUE")]
    Variable {
        /// Its position, from 0.
        index: usize,
    },
    /// The path of an entry is absolute, empty, or has an empty, `.` or `..` component.
    #[error("`{path}` is not a path below the root of the tree")]
    Path {
        /// The path, with bytes that are not text replaced.
        path: String,
    },
    /// The place of the tree is not a plain absolute path.
    #[error("`{path}` is not an absolute path without `.`, `..` and empty components")]
    Root {
        /// The path, with bytes that are not text replaced.
        path: String,
    },
    /// The working directory, or a folder above it, is a link or another thing that is no folder.
    #[error("the working directory `{path}` is not a folder of the tree, or is behind a link")]
    Directory {
        /// The path, with bytes that are not text replaced.
        path: String,
    },
    /// A descriptor leads to a file that is not in the tree, to a link, or to itself or a higher one.
    #[error("descriptor {number} leads to nothing")]
    Descriptor {
        /// Its number.
        number: u32,
    },
    /// Two entries have one path.
    #[error("`{path}` is listed twice")]
    Twice {
        /// The path.
        path: String,
    },
    /// An entry lies below something that is not a folder.
    #[error("`{path}` is below something that is not a folder")]
    Below {
        /// The path.
        path: String,
    },
    /// A symbolic link has no target.
    #[error("the link `{path}` has no target")]
    Target {
        /// The path.
        path: String,
    },
    /// A mode or mask has bits that no mode has.
    #[error("{mode:o} is not a mode")]
    Mode {
        /// The mode.
        mode: u32,
    },
    /// The nanoseconds of a time are a second or more.
    #[error("`{path}` has a time of {nanoseconds} nanoseconds")]
    Time {
        /// The entry.
        path: String,
        /// Its nanoseconds.
        nanoseconds: u32,
    },
    /// A signal that does not exist or cannot be ignored.
    #[error("signal {signal} cannot be ignored")]
    Signal {
        /// Its number.
        signal: i32,
    },
}
