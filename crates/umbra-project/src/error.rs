//! What can go wrong while building programs.

use std::path::PathBuf;
use std::process::ExitStatus;

/// A failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {}: {source} (`umbra doctor` tells how to get it)", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A program ran and failed.
    #[error("{} failed ({status}){}", program.display(), details(output))]
    Failed {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it said, if that was captured.
        output: String,
    },
    /// A program ran for longer than it may.
    #[error("{} took longer than {seconds} s", program.display())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// The limit.
        seconds: u64,
    },
    /// The bitcode libc has not been built yet.
    #[error("the bitcode libc is not in {} (run `make setup`, or `umbra libc build`)", cache.display())]
    NoLibc {
        /// The cache folder that was searched.
        cache: PathBuf,
    },
    /// The folder given as musl's source is not one.
    #[error("{} does not hold the source of musl (no {missing})", path.display())]
    NotMusl {
        /// The folder.
        path: PathBuf,
        /// The file that should be there.
        missing: &'static str,
    },
    /// C++ was given to the compiler wrapper.
    #[error("C++ is not supported yet: {0}")]
    Cxx(String),
    /// No file was given to compile.
    #[error("no C file to compile")]
    NothingToCompile,
    /// A link succeeded, but left no bitcode.
    #[error("the link of {} left no bitcode", exe.display())]
    NoBitcode {
        /// The executable linked.
        exe: PathBuf,
    },
    /// There is no way to link a program with counters.
    #[error("the kinds of the inputs are not told by their names")]
    Uncounted,
    /// A resource limit could not be set.
    #[error("cannot limit {resource}: {source}")]
    Limit {
        /// Which resource.
        resource: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
}

fn details(output: &str) -> String {
    let text = output.trim();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

impl Error {
    /// For `map_err` on file system calls.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }

    /// For `map_err` on the start of a program.
    pub(crate) fn start(program: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let program = program.into();
        move |source| Error::Start { program, source }
    }
}
