//! Why a journal cannot be written, or a run not be resumed.

use std::io;
use std::path::PathBuf;

use umbra_strategy::NotRemade;
use umbra_text::Show;

/// A failure to keep a journal, or to go on from one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The folder of a run cannot be opened or locked.
    #[error("opening the folder {} of a run", folder.shown())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// Somebody else has it.
    #[error("another process is working on {}", .0.shown())]
    Locked(PathBuf),
    /// There is no journal.
    #[error("{} has no journal, so it cannot be resumed", .0.shown())]
    None(PathBuf),
    /// It cannot be read.
    #[error("reading {}", path.shown())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The file is something else, or was changed.
    #[error("the run cannot be resumed: {} {how}", path.shown())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        how: Damage,
    },
    /// It says what this version does not write.
    #[error("the run cannot be resumed: its journal says what no umbra of this version writes")]
    Contents(#[source] serde_json::Error),
    /// It counts paths under a line that it does not have.
    #[error(
        "the run cannot be resumed: its journal counts paths under a line that it does not have"
    )]
    NoLine,
    /// Another version of Umbra wrote it.
    #[error("{} is a run of umbra {run}, and this is umbra {this}: resume it with that version", folder.shown())]
    Version {
        /// The run.
        folder: PathBuf,
        /// Its version.
        run: String,
        /// This version.
        this: &'static str,
    },
    /// The program was changed.
    #[error("the program is another one than in {}: restore it, or start a new run", .0.shown())]
    Program(PathBuf),
    /// Other tests are there to start from.
    #[error(
        "the tests are others than those that the run was started with: restore them, or start a new run"
    )]
    Tests,
    /// States could not be made again.
    #[error("the run cannot go on where it was")]
    NotRemade(#[from] NotRemade),
    /// What is to be written is no JSON.
    #[error("writing down where the run stands")]
    Encode(#[source] serde_json::Error),
    /// Something in the folder of the run.
    #[error(transparent)]
    Report(#[from] umbra_report::Error),
}

/// What is wrong with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It is no journal.
    #[error("is not a journal")]
    Other,
    /// It has another form.
    #[error("has the form {0}, which another version of umbra wrote")]
    Schema(u32),
    /// Something of it is missing.
    #[error("is not whole")]
    Cut,
    /// Its checksum is another one.
    #[error("is damaged: its checksum is wrong")]
    Sum,
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn no_error_says_what_its_cause_says() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let no_json = || serde_json::from_str::<u8>("x").unwrap_err();
        let path = || PathBuf::from("run");
        let errors = [
            JournalError::Folder { folder: path(), source: denied() },
            JournalError::Read { path: path(), source: denied() },
            JournalError::Contents(no_json()),
            JournalError::NotRemade(NotRemade::Elsewhere),
            JournalError::Encode(no_json()),
        ];
        for error in errors {
            let (said, cause) = (error.to_string(), error.source().unwrap().to_string());
            assert!(!said.contains(&cause), "{said}: {cause}");
        }
    }
}
