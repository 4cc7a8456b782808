//! What can go wrong while building programs.

use std::path::PathBuf;
use std::process::ExitStatus;
use umbra_text::Show;

use crate::{BuildFailure, GitError, ManifestError};

/// A failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}{}", path.shown(), way_out(source))]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {}: {source} (`umbra doctor` shows how to get it)", program.shown())]
    Start {
        /// The program.
        program: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A program ran and failed.
    #[error("{} failed ({status}){}", program.shown(), details(output))]
    Failed {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it said, if that was captured.
        output: String,
    },
    /// The calls of a function cannot be inputs.
    #[error("{0}")]
    Hook(String),
    /// A program ran for longer than it may.
    #[error("{} took longer than {seconds} s", program.shown())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// The limit.
        seconds: u64,
    },
    /// The bitcode libc has not been built yet.
    #[error("the bitcode libc is not in {} (run `make setup`, or `umbra libc build`)", cache.shown())]
    NoLibc {
        /// The cache folder that was searched.
        cache: PathBuf,
    },
    /// The folder given as musl's source is not one.
    #[error("{} is not musl's source (it has no {missing})", path.shown())]
    NotMusl {
        /// The folder.
        path: PathBuf,
        /// The file that should be there.
        missing: &'static str,
    },
    /// A program in C++ was to be analysed.
    #[error("programs in C++ are not supported: {0}")]
    Cxx(String),
    /// No file was given to compile.
    #[error("no C file to compile")]
    NothingToCompile,
    /// A link succeeded, but left no bitcode.
    #[error("linking {} produced no bitcode", exe.shown())]
    NoBitcode {
        /// The executable linked.
        exe: PathBuf,
    },
    /// There is no manifest.
    #[error("no umbra.toml in {} (`umbra init` writes one)", folder.shown())]
    NoManifest {
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// The manifest is wrong.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The repository cannot be read as asked.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The project's own commands failed.
    #[error(transparent)]
    Build(#[from] Box<BuildFailure>),
    /// The build made none of the programs that it should.
    #[error(
        "the build produced no program in {}{}",
        tree.shown(),
        if wanted.is_empty() { "" } else { " that `programs` in umbra.toml names" }
    )]
    NoPrograms {
        /// The built tree.
        tree: PathBuf,
        /// The programs that were expected.
        wanted: Vec<PathBuf>,
    },
    /// There is no library of this name, or no way to build it.
    #[error("cannot build a library {name}: it has no build system that is known")]
    NoLibrary {
        /// The name.
        name: String,
    },
    /// A source package could not be had.
    #[error("cannot fetch the source package {package}: {said}")]
    NoSource {
        /// The package.
        package: String,
        /// What the script said last.
        said: String,
    },
    /// A library did not build.
    #[error("the library {name} does not build:\n{excerpt}\nall output is in {}", log.shown())]
    LibraryFailed {
        /// The library.
        name: String,
        /// The part of the output that says why.
        excerpt: String,
        /// All of it.
        log: PathBuf,
    },
    /// A build vanished from the cache while it was made.
    #[error("another process has just removed {}: try again", folder.shown())]
    NoBuild {
        /// Where it was.
        folder: PathBuf,
    },
    /// The command that is the compiler for analysis is not known.
    #[error("the `umbra` command does not know its own path, so builds cannot call `umbra cc`")]
    NoWrapper,
    /// A file of our own in the cache cannot be understood.
    #[error("{} is damaged: {problem}; `umbra gc --all` removes it", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no way to link a program with counters.
    #[error("cannot tell the kinds of the inputs from their names")]
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

/// What helps when the disk is full.
fn way_out(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            " (`umbra gc` frees space in the cache)"
        }
        _ => "",
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_has_a_way_out() {
        let full = std::io::Error::from_raw_os_error(rustix::io::Errno::NOSPC.raw_os_error());
        let message = Error::io("write", "/cache/builds/1/log")(full).to_string();
        assert!(
            message.starts_with("cannot write /cache/builds/1/log: No space left"),
            "{message}"
        );
        assert!(message.ends_with("(`umbra gc` frees space in the cache)"), "{message}");
    }
}
