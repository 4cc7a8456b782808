//! Projects and their builds: `umbra.toml`, git revisions, builds of revisions, the
//! compiler wrapper, the bitcode libc and the tools all of them need.
//!
//! [`Manifest`] describes a project, [`Repository`] reads its revisions without touching
//! the user's checkout, [`Builder`] builds them into the cache, and [`collect`] keeps the
//! cache small.
//!
//! A program under analysis is linked, libc included, into one bitcode module.
//! [`Wrapper`] is the compiler that build systems are given: it turns an ordinary
//! compiler command line into a [`Plan`], and for every program linked there is
//! afterwards a native static executable and beside it, as `<exe>.bc`, the
//! prepared module. [`prepare`] does the same for a bitcode file that somebody
//! hands in, [`compile`] for a few C files.
//!
//! This crate reads no environment variables and prints nothing: what it needs to
//! know is in [`Toolchain`].

mod build;
mod cache;
mod check;
mod compile;
mod deps;
mod error;
mod files;
mod git;
mod hash;
mod hook;
mod libc;
mod limits;
mod lock;
mod manifest;
mod prepare;
mod tools;
mod wrapper;

pub use build::{
    Build, BuildFailure, Builder, BuiltProgram, Flavour, Interest, Progress, Step, WorkTree,
};
pub use cache::{Cache, Collected, Collection, DEFAULT_CACHE_LIMIT, Removed, collect};
pub use check::{Check, CheckState, check};
pub use compile::{Program, compile, compile_checking};
pub use deps::{
    DepsProgress, Installed, KNOWN, Library, add as add_library, fetch_source, find as find_library,
};
pub use error::Error;
pub use git::{
    ChangedFile, ChangedLines, FileChange, GitError, Hunk, Repository, Revision, RevisionRange,
    TreeId,
};
pub use hook::hook;
pub use libc::{Libc, LibcBuild, build_libc};
pub use limits::{Limits, exec_limited};
pub use manifest::{
    ACCEPTED, BuildSystem, Detected, FlavourSteps, MANIFEST_NAME, Manifest, ManifestError,
    ManifestProblem, Missing, Nearest, Repair, Steps, asked_for, build_tests, detect, detect_all,
    format_size, missing, other_target, parse_size, repair,
};
pub use prepare::prepare;
pub use tools::{Toolchain, Tools};
pub use wrapper::{
    CxxJob, Linked, Plan, ProgramLink, SharedLink, Tool, Wrapper, compile_cxx, leave_out,
    link_program, link_shared,
};
