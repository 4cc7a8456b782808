//! Failures of our own. How a program under test ended is an [`Outcome`](crate::Outcome), never an
//! error.

use std::io;
use std::path::PathBuf;

use umbra_case::{InvalidCase, KTestError};
use umbra_text::Show;

use crate::Confinement;

/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No process can start from the case.
    #[error("the case cannot be run: {0}")]
    Case(#[from] InvalidCase),
    /// What the program makes symbolic itself does not fit into a file for it.
    #[error("the objects of the case cannot be written: {0}")]
    Objects(#[source] KTestError),
    /// The executable cannot be read or is not one.
    #[error("cannot use the executable {}: {reason}", path.shown())]
    Program {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The sandbox cannot be set up.
    #[error("no {} sandbox: cannot {what}: {error} (see `umbra doctor`)", confinement.name())]
    Unavailable {
        /// The kind of sandbox.
        confinement: Confinement,
        /// What was tried.
        what: String,
        /// What the system said.
        error: String,
    },
    /// Neither kind of sandbox is available.
    #[error("native runs need a sandbox, and this machine has none: {namespaces}; {landlock}")]
    NoSandbox {
        /// Why not namespaces.
        namespaces: Box<Error>,
        /// Why not Landlock.
        landlock: Box<Error>,
    },
    /// The program could not be started in the sandbox.
    #[error("cannot run the case: cannot {what}: {error}")]
    Start {
        /// What was tried.
        what: String,
        /// What the system said.
        error: String,
    },
    /// The process that holds the sandbox is gone or does not answer.
    #[error("the sandbox's process was lost while it was asked to {what}: {error}")]
    Lost {
        /// What it was to do.
        what: &'static str,
        /// What went wrong.
        error: io::Error,
    },
    /// The program that finds places for addresses does not work.
    #[error("cannot symbolize with {}: {error}", tool.shown())]
    Symbolizer {
        /// Its path.
        tool: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// The caller cancelled the run.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Whether it is this case that no run can be made of; others may well run.
    ///
    /// A sandbox that was lost counts as such: the next run starts another, and if that cannot be had,
    /// its own error is not of this kind.
    pub fn is_of_the_case(&self) -> bool {
        matches!(self, Self::Case(_) | Self::Objects(_) | Self::Start { .. } | Self::Lost { .. })
    }
}
