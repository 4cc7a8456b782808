//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};
use umbra_text::Show;

/// A failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.shown())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// No program was named.
    #[error("no program to record: name one with --program")]
    NoPrograms,
    /// No command was given.
    #[error("no command to run: give one after --")]
    NoCommand,
    /// What should be a program is none.
    #[error("{} is not an executable file", path.shown())]
    NotAProgram {
        /// Where it is.
        path: PathBuf,
    },
    /// A program that cannot have a shim.
    #[error("cannot record {}: it is a script or not an x86-64 program; name the executable that it runs", path.shown())]
    Unfit {
        /// Where it is.
        path: PathBuf,
    },
    /// The path of the store is too long for the shim.
    #[error("the path {} is too long: choose a store with a shorter one", path.shown())]
    TooLong {
        /// The folder of the recording.
        path: PathBuf,
    },
    /// Another recording of the program is going on.
    #[error("{} is being recorded by another run: wait for it to end", path.shown())]
    Busy {
        /// The program.
        path: PathBuf,
    },
    /// A shim of an earlier run whose real program is gone.
    #[error("{} is left over from a recording whose folder was removed: build it again", path.shown())]
    Orphaned {
        /// Where it is.
        path: PathBuf,
    },
    /// A file that this crate has written is damaged.
    #[error("{} is damaged", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The store refused a case.
    #[error(transparent)]
    Case(#[from] umbra_case::Error),
}

impl Error {
    /// For `map_err`: what was being done, and to which path.
    pub(crate) fn io<E: Into<io::Error>>(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source: source.into() }
    }
}
