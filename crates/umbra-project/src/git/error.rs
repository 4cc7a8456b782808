//! What can go wrong with a repository.

use std::path::PathBuf;
use std::process::ExitStatus;
use umbra_text::Show;

/// A failure to read a repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// git itself could not be run.
    #[error("cannot run git: {0} (apt-get install git)")]
    Start(std::io::Error),
    /// The folder is in no repository.
    #[error("{} is not in a git repository (`git init` makes one)", folder.shown())]
    NotARepository {
        /// The folder.
        folder: PathBuf,
    },
    /// The repository has no checkout.
    #[error("{} is a bare git repository: use a checkout", folder.shown())]
    Bare {
        /// The folder.
        folder: PathBuf,
    },
    /// The revision does not exist.
    #[error("no revision `{name}` in {} (see `git log`)", repository.shown())]
    UnknownRevision {
        /// What was asked for.
        name: String,
        /// Where.
        repository: PathBuf,
    },
    /// The revision does not exist, perhaps because history was cut.
    #[error(
        "no revision `{name}` in {}, which is a shallow clone: `git fetch --unshallow` gets all \
         revisions",
        repository.shown()
    )]
    UnknownInShallow {
        /// What was asked for.
        name: String,
        /// Where.
        repository: PathBuf,
    },
    /// The commit is the first one, but the one before it was asked for.
    #[error("{name} has no commit before it to compare with: name two revisions (OLD..NEW)")]
    NoParent {
        /// The commit.
        name: String,
    },
    /// A call failed in a way that is not one of the above.
    #[error("`git {command}` failed ({status}): {output}")]
    Failed {
        /// Its arguments.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        output: String,
    },
}
