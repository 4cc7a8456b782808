//! How a run ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Place, word};

/// How a run of a program ended: what a case predicts, what a native run shows.
///
/// Native runs know nothing of [`End::Error`] and [`End::Cut`]: what a program does wrong may or may
/// not show, and they are never cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// It exited with this status.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
    /// It was still running when its wall or CPU time was up.
    Hung,
    /// It was stopped at another limit.
    OverLimit(LimitKind),
    /// It does something wrong, which natively may or may not show.
    Error(Box<Fault>),
    /// Execution stopped before the end was reached, so the end is not known.
    Cut {
        /// Why.
        reason: String,
    },
}

/// What a program does wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fault {
    /// The stable name of the kind, as "out-of-bounds-write".
    pub kind: String,
    /// Where.
    pub place: Place,
    /// More, for people.
    pub message: String,
    /// The call stack, the innermost call first, one line each.
    pub stack: Vec<String>,
}

word! {
    /// A limit of native runs, beside time.
    LimitKind {
        /// Bytes written to one captured stream.
        Output = "output",
        /// Memory of all processes of the run together.
        Memory = "memory",
        /// Bytes in one file.
        FileSize = "file-size",
        /// Bytes or entries in all files of the run together.
        Disk = "disk",
    }
}

/// The signals that are a program's own fault, by their numbers in Linux: ill, trap, abort, bus, arithmetic,
/// memory, processor time, file size, system call. SIGTERM, SIGPIPE and their kind are part of how
/// programs work.
const FAULTS: [i32; 9] = [4, 5, 6, 7, 8, 11, 24, 25, 31];

impl End {
    /// Whether a program that is killed by this signal does something wrong.
    pub fn is_fault(signal: i32) -> bool {
        FAULTS.contains(&signal)
    }

    /// Whether a program that ends so does something wrong: a signal that is an error's, or no end.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Exited(_) | Self::Cut { .. } => false,
            Self::Killed(signal) => Self::is_fault(*signal),
            Self::Hung | Self::OverLimit(_) | Self::Error(_) => true,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exit status {status}"),
            Self::Killed(signal) => write!(f, "signal {signal}"),
            Self::Hung => f.write_str("hang"),
            Self::OverLimit(limit) => write!(f, "stopped at the {} limit", limit.name()),
            Self::Error(fault) => write!(f, "error: {}", fault.kind),
            Self::Cut { reason } => write!(f, "cut: {reason}"),
        }
    }
}
