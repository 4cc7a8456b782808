//! Why a file was not loaded.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Why a bitcode file was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadError {
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file is something else.
    NotBitcode {
        /// The file.
        path: PathBuf,
    },
    /// LLVM refuses the file: it is damaged, or written by a newer LLVM.
    Damaged {
        /// The file.
        path: PathBuf,
        /// LLVM's reason.
        reason: String,
    },
    /// The module is for another machine than x86-64 Linux.
    WrongTarget {
        /// The file.
        path: PathBuf,
        /// Its target, or what is wrong with it.
        target: String,
    },
    /// The module as a whole cannot be expressed.
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What cannot.
        reason: String,
    },
    /// The module breaks rules that LLVM does not check when it reads.
    Malformed {
        /// The file.
        path: PathBuf,
        /// The first broken rule.
        reason: String,
    },
    /// The result cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The process that loads died, as LLVM does on some damaged files.
    Crashed {
        /// The file.
        path: PathBuf,
        /// How it died and what it said last.
        reason: String,
    },
    /// Loading took more time or memory than allowed.
    LimitExceeded {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: String,
    },
    /// The process that loads could not be started or understood.
    Child {
        /// The file.
        path: PathBuf,
        /// What failed.
        reason: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, reason } => {
                write!(f, "cannot read {}: {reason}", path.display())
            }
            Self::Write { path, reason } => {
                write!(f, "cannot write {}: {reason}", path.display())
            }
            Self::NotBitcode { path } => write!(f, "{} is not LLVM bitcode", path.display()),
            Self::Damaged { path, reason } => {
                write!(f, "{} is damaged or of another LLVM version: {reason}", path.display())
            }
            Self::WrongTarget { path, target } => {
                write!(f, "{} is not for x86-64: its target is `{target}`", path.display())
            }
            Self::Unsupported { path, reason } => {
                write!(f, "{} has {reason}, which is not supported", path.display())
            }
            Self::Malformed { path, reason } => {
                write!(f, "{} is malformed: {reason}", path.display())
            }
            Self::Crashed { path, reason } => {
                write!(f, "{} crashes LLVM's reader: {reason}", path.display())
            }
            Self::LimitExceeded { path, limit } => {
                write!(f, "loading {} exceeded its limit of {limit}", path.display())
            }
            Self::Child { path, reason } => {
                write!(f, "cannot load {}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Why the calls of a function cannot be hooked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookError {
    /// The module cannot be read or written.
    Module(LoadError),
    /// The program does not define the function.
    Unknown {
        /// Its name.
        function: String,
    },
    /// Nothing is known of its parameters, or some are passed in several parts.
    NoTypes {
        /// Its name.
        function: String,
    },
    /// None of its parameters leads to bytes.
    NoBytes {
        /// Its name.
        function: String,
    },
}

impl From<LoadError> for HookError {
    fn from(error: LoadError) -> Self {
        Self::Module(error)
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(error) => error.fmt(f),
            Self::Unknown { function } => write!(f, "the program does not define `{function}`"),
            Self::NoTypes { function } => write!(
                f,
                "what the parameters of `{function}` are is not known: it has no debug information, or takes structs by value"
            ),
            Self::NoBytes { function } => write!(
                f,
                "no argument of `{function}` leads to bytes: it takes no text, and no pointer with a length behind it; name a function that does, such as one that calls it"
            ),
        }
    }
}

impl std::error::Error for HookError {}
