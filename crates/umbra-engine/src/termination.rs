//! How a path of the program under test can end.

use std::fmt;

use crate::code::Place;
use crate::memory::{Access, AccessKind, FaultKind};

macro_rules! define_errors {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        /// What the program did wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind {
            $($(#[$doc])* $name,)*
        }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable name that command line, reports and tests share.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

define_errors! {
    /// A read outside an object.
    OutOfBoundsRead "out-of-bounds-read";
    /// A write outside an object.
    OutOfBoundsWrite "out-of-bounds-write";
    /// A use of a heap object after it was freed.
    UseAfterFree "use-after-free";
    /// A use of a local variable after its function returned.
    UseAfterReturn "use-after-return";
    /// A use of a local variable after its scope ended.
    UseAfterScope "use-after-scope";
    /// A second free of one object.
    DoubleFree "double-free";
    /// A free of something that is not the start of a heap object.
    InvalidFree "invalid-free";
    /// A use of a null pointer, or one near it.
    NullDereference "null-dereference";
    /// A use of an address at which nothing ever was.
    WildPointer "wild-pointer";
    /// An access that the protection of its page forbids.
    ProtectedMemory "protected-memory";
    /// An access to a page of a mapping beyond the end of the mapped file.
    BeyondMappedFile "beyond-mapped-file";
    /// A write to a constant.
    WriteToConstant "write-to-constant";
    /// A call of something that is not a function, or a use of a function as data.
    BadFunctionPointer "bad-function-pointer";
    /// A read of memory that was never written.
    UninitialisedRead "uninitialised-read";
    /// A division or remainder by zero.
    DivisionByZero "division-by-zero";
    /// The most negative number divided by minus one.
    DivisionOverflow "division-overflow";
    /// Calls nested too deeply, or local variables too large.
    StackOverflow "stack-overflow";
    /// A call of abort.
    Abort "abort";
    /// A failed assertion.
    AssertionFailure "assertion-failure";
    /// A signed result that does not fit.
    IntegerOverflow "integer-overflow";
    /// A shift by as many bits as the number has, or more.
    ShiftTooFar "shift-too-far";
    /// Something else that C leaves undefined, found by a check that the compiler has put into the program.
    UndefinedBehaviour "undefined-behaviour";
    /// An assumption that no input of the path meets.
    InvalidAssumption "invalid-assumption";
    /// Every thread waits for another one.
    Deadlock "deadlock";
    /// Code that the compiler was promised never runs.
    Unreachable "unreachable";
    /// A trap instruction.
    Trap "trap";
    /// A longjmp to a function that has returned.
    BadLongJump "bad-longjmp";
    /// An error that the program reported itself.
    Reported "reported-error";
}

impl ErrorKind {
    /// The kind of error that a bad access is; `None` if the access is no error of the program.
    pub fn of_access(kind: FaultKind, access: AccessKind) -> Option<Self> {
        Some(match kind {
            FaultKind::Null => Self::NullDereference,
            FaultKind::Wild => Self::WildPointer,
            FaultKind::OutOfBounds if access == AccessKind::Write => Self::OutOfBoundsWrite,
            FaultKind::OutOfBounds => Self::OutOfBoundsRead,
            FaultKind::UseAfterFree => Self::UseAfterFree,
            FaultKind::UseAfterReturn => Self::UseAfterReturn,
            FaultKind::UseAfterScope => Self::UseAfterScope,
            FaultKind::Constant => Self::WriteToConstant,
            FaultKind::Protected => Self::ProtectedMemory,
            FaultKind::BeyondFile => Self::BeyondMappedFile,
            FaultKind::Function => Self::BadFunctionPointer,
            FaultKind::Uninitialised => Self::UninitialisedRead,
            FaultKind::DoubleFree => Self::DoubleFree,
            FaultKind::InvalidFree => Self::InvalidFree,
            FaultKind::Symbolic | FaultKind::Apart | FaultKind::Race | FaultKind::Unwatched => {
                return None;
            }
        })
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of the object that an access concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectReport {
    /// What it is, in words: "local variable `buf` of 10 bytes in main".
    pub description: String,
    /// Where the access is relative to it: "0 bytes after the end".
    pub relation: String,
    /// Where it was made, the innermost call first.
    pub made: Vec<Place>,
    /// Where it was freed.
    pub freed: Vec<Place>,
}

/// An error of the program, as a person wants to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The access, if it was one.
    pub access: Option<Access>,
    /// More, where the kind does not say it all.
    pub detail: String,
    /// The call stack, the innermost call first.
    pub stack: Vec<Place>,
    /// The object concerned.
    pub object: Option<ObjectReport>,
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.kind)?;
        if let Some(Access { kind, size, address }) = self.access {
            match kind {
                AccessKind::Read => write!(f, ": read of {} at {address:#x}", bytes(size))?,
                AccessKind::Write => write!(f, ": write of {} at {address:#x}", bytes(size))?,
                AccessKind::Free => write!(f, ": free of {address:#x}")?,
            }
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        writeln!(f)?;
        write_stack(f, &self.stack)?;
        if let Some(object) = &self.object {
            writeln!(f, "  {} {}", object.relation, object.description)?;
            if !object.made.is_empty() {
                writeln!(f, "  allocated here:")?;
                write_stack(f, &object.made)?;
            }
            if !object.freed.is_empty() {
                writeln!(f, "  freed here:")?;
                write_stack(f, &object.freed)?;
            }
        }
        Ok(())
    }
}

fn write_stack(f: &mut fmt::Formatter<'_>, stack: &[Place]) -> fmt::Result {
    for (depth, place) in stack.iter().enumerate() {
        writeln!(f, "    #{depth} {place}")?;
    }
    Ok(())
}

/// "1 byte", "2 bytes".
pub(crate) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The program exited with this status.
    Exited(i32),
    /// The default action of this signal killed the program.
    Killed(i32),
    /// The program did something wrong.
    Error(Box<ErrorReport>),
    /// The path reached something that Umbra does not model.
    Unsupported {
        /// What it is.
        what: String,
        /// Where, the innermost call first.
        stack: Vec<Place>,
    },
    /// The path reached a limit that was set for it.
    Limit(&'static str),
    /// The input is not one that the program was to be run with: an assumption does not hold.
    Excluded,
    /// The program asked for the path to be forgotten.
    Silent,
    /// The machine itself failed an assertion; the message says which.
    EngineBug(String),
}

impl Termination {
    /// The stable name for statistics and tests.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Exited(_) => "exited",
            Self::Killed(_) => "killed",
            Self::Error(_) => "error",
            Self::Unsupported { .. } => "unsupported",
            Self::Limit(_) => "limit",
            Self::Excluded => "excluded",
            Self::Silent => "silent",
            Self::EngineBug(_) => "engine-bug",
        }
    }
}
