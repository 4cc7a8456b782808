//! What can go wrong while results are written.

use std::path::{Path, PathBuf};
use umbra_text::Show;

/// A failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder of a run could not be made or looked into.
    #[error("cannot {action} {}: {source}", path.shown())]
    Folder {
        /// What was being done, as a verb.
        action: &'static str,
        /// The folder.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The folder given for the results holds something already.
    #[error("{} is not empty: results go to a new or an empty folder", path.shown())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A result could not be written. What there was of it before is unchanged.
    #[error("cannot write {}: {source} (lost: {lost})", path.shown())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What is now missing from the results.
        lost: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The project's folder for results is not to be used.
    #[error(transparent)]
    Own {
        /// Why.
        source: umbra_case::Error,
    },
    /// A test case of a run that is to go on cannot be read.
    #[error("{source} (the run cannot go on without its test cases)")]
    KeptCase {
        /// What went wrong, with the path.
        source: umbra_case::Error,
    },
    /// A test case could not be written.
    #[error("{source} (lost: a test case)")]
    Case {
        /// What went wrong, with the path.
        source: umbra_case::Error,
    },
    /// A kept report is not one, or only a part of one.
    #[error("the report cannot be read: {source}")]
    NotAReport {
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A kept report is of a version of the model that is not known here.
    #[error(
        "the report was kept by another version of Umbra (format {found}, this one reads {known}); check again"
    )]
    ReportVersion {
        /// The version of the file.
        found: u64,
        /// The one that is read.
        known: u64,
    },
}

impl Error {
    /// For `map_err`: what was being done to which folder.
    pub(crate) fn folder(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Folder { action, path: path.to_owned(), source }
    }

    /// For `map_err`: which file could not be written, and what it would have held.
    pub(crate) fn lost(path: &Path, lost: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Lost { path: path.to_owned(), lost, source }
    }
}
