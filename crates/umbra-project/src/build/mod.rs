//! Builds of revisions.
//!
//! There is one private work tree for each project and flavour, at a path that never
//! changes: every revision is built there, so build paths in the programs are equal, and
//! the next revision can be built from what the one before left. What others need of a
//! build (the programs and their bitcode) is copied to `builds/<key>/` in the cache, where
//! the key is a hash of everything that went in.
//!
//! The work tree is under a lock that the build's processes inherit: nobody
//! else starts while any of them is alive, whatever became of us. A tree in which a build did not
//! come to its end has no `state` and is made anew.

mod builder;
mod export;
mod failure;
mod key;
mod run;
mod safety;
mod setting;
mod state;
mod steps;
mod work;

use std::path::PathBuf;
use std::sync::Arc;

pub use builder::{Builder, WorkTree};
pub use export::Interest;
pub use failure::BuildFailure;
pub(crate) use failure::excerpt;
pub(crate) use setting::CHECKING;
pub(crate) use setting::Setting;
pub(crate) use work::lock_path;

use serde::{Deserialize, Serialize};

use crate::lock::Lock;

/// What a build is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// The engine: static programs with the bitcode libc, and their bitcode.
    Analysis,
    /// Evidence: plain clang and the system's libc, with AddressSanitizer and
    /// UndefinedBehaviorSanitizer.
    Checking,
}

impl Flavour {
    /// Its name in paths and messages.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Analysis => "analysis",
            Flavour::Checking => "checking",
        }
    }
}

/// A finished build in the cache. While the value lives, the cache keeps it.
#[derive(Clone, Debug)]
pub struct Build {
    /// The hash of all that went into it.
    pub key: String,
    /// Its folder in the cache.
    pub folder: PathBuf,
    /// The programs of interest, sorted by path.
    pub programs: Vec<BuiltProgram>,
    /// What the build's commands printed.
    pub log: PathBuf,
    /// The work tree that it was built in. It may be at another revision by now:
    /// [`Builder::work_tree`] brings it back.
    pub tree: PathBuf,
    /// Keeps [`crate::collect`] away.
    pub(crate) _lock: Arc<Lock>,
}

/// A program of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltProgram {
    /// The last part of its path.
    pub name: String,
    /// Where the build puts it, relative to the project's folder in the work tree.
    pub path_in_tree: PathBuf,
    /// The executable in the cache.
    pub executable: PathBuf,
    /// The bitcode of the whole program in the cache ([`Flavour::Analysis`] only).
    pub bitcode: Option<PathBuf>,
}

/// How far a build is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Another process works in the tree; this is its lock.
    Waiting(PathBuf),
    /// The tree is brought to the revision.
    CheckingOut,
    /// Part of the source is missing: a submodule that the user's checkout does not have.
    MissingSubmodule(PathBuf),
    /// What is in the tree cannot be built upon, because of this file.
    FromScratch(PathBuf),
    /// A command runs.
    Step(Step),
    /// A line that the command printed.
    Output(String),
    /// A program of the manifest that this revision does not have.
    MissingProgram(PathBuf),
    /// The programs are copied to the cache.
    Exporting,
}

/// The commands of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// See [`crate::Steps::prepare`].
    Prepare,
    /// See [`crate::Steps::configure`].
    Configure,
    /// See [`crate::Steps::build`], from scratch.
    Build,
    /// The same, on top of another revision.
    Rebuild,
}

impl Step {
    /// Its name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Step::Prepare => "prepare",
            Step::Configure => "configure",
            Step::Build => "build",
            Step::Rebuild => "rebuild",
        }
    }
}
