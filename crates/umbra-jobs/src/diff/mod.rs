//! Two versions of a program, compared: near tests ([`near`]), or anywhere ([`complete`]); then what was
//! found runs natively ([`confirm`]).

mod collect;
mod complete;
mod confirm;
mod cover;
mod explain;
mod ledger;
mod near;
mod pairs;
mod path;
mod seeds;
mod setup;
mod summary;
mod words;

use std::path::Path;
use std::sync::Arc;

use umbra_ir::{Program, SourceFile};
use umbra_strategy::FollowLimits;
use umbra_unify::Unified;

use crate::native::Sandboxes;
use crate::program::{self, Bitcode, Tools};
use crate::{DiffJob, Error, Journal, Logbook, Start, Subject, Watched};
use confirm::{Versions, confirm};
pub use explain::{add_run, explain};

pub use confirm::{Differences, NotReplayed};

/// A program with two versions, read.
pub struct Pair {
    /// The new version, or both.
    bitcode: Bitcode,
    /// The old version, where there are two programs.
    old: Option<Bitcode>,
    program: Program,
    is_same: bool,
}

impl Pair {
    /// Finds or makes the bitcode of a program, and reads it.
    pub fn load(subject: &Subject, toolchain: Tools<'_>) -> Result<Self, Error> {
        let function = subject.function.as_deref();
        let bitcode = program::find_bitcode(&subject.program, function, toolchain)?;
        let mut program = program::load(&bitcode)?;
        let (mut old, mut is_same) = (None, false);
        if let Some(path) = &subject.old {
            let (found, unified, _) = unify(path, subject, program, toolchain)?;
            (old, is_same) = (Some(found), unified.is_same_program());
            program = unified.program;
        }
        if let Some(function) = function {
            umbra_strategy::compare_function(&mut program, function)
                .map_err(|source| Error::Function { name: function.to_owned(), source })?;
        }
        Ok(Self { bitcode, old, program, is_same })
    }

    /// What it is known by, to whoever goes on with it later.
    pub fn fingerprint(&self) -> String {
        program::fingerprint(&self.program)
    }

    /// Whether there are two programs, which are the same.
    pub fn is_same_program(&self) -> bool {
        self.is_same
    }
}

/// Makes one program of the old version at `path` and the new one, which was read.
fn unify(
    path: &Path,
    subject: &Subject,
    new: Program,
    toolchain: Tools<'_>,
) -> Result<(Bitcode, Unified, [Program; 2]), Error> {
    let bitcode = program::find_bitcode(path, subject.function.as_deref(), toolchain)?;
    let old = program::load(&bitcode)?;
    let unified = match subject.function {
        Some(_) => umbra_unify::unify_any(&old, &new, &source_text),
        None => umbra_unify::unify(&old, &new, &source_text),
    };
    let unified = unified.map_err(|source| Error::Unify {
        old: path.to_owned(),
        new: subject.program.clone(),
        source: Box::new(source),
    })?;
    Ok((bitcode, unified, [old, new]))
}

/// The text of a source file, where it is still there.
fn source_text(file: &SourceFile) -> Option<String> {
    let bytes = std::fs::read(file.path()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Does a job: explores, writes a test case or more for each place where the versions part, runs them
/// natively, and says what came of it, what matters most first. Times of the whole and the exit code
/// are left to the caller, and to say so in the journal.
pub fn compare(
    job: &DiffJob,
    pair: Pair,
    logbook: Logbook,
    watched: &Watched<'_>,
    sandboxes: &Sandboxes,
) -> Result<(Differences, Arc<Journal>), Error> {
    let Pair { bitcode, old, program, .. } = pair;
    let (results, journal) = (logbook.path().to_owned(), logbook.journal());
    let versions = Versions::start(
        job,
        (old.as_ref().map(Bitcode::executable), bitcode.executable()),
        sandboxes,
    );
    let compared = match &job.start {
        Start::Complete { inputs, prune } => {
            let world = inputs.world()?;
            complete::explore(job, program, (&world, *prune), watched, logbook)?
        }
        Start::Near(near) => near::explore(job, near, program, &versions, watched, logbook)?,
    };
    watched.guard.over();
    Ok((confirm(job, versions, &results, compared), journal))
}

/// How many sides of branches, and inputs beside a test, are followed if nothing else is said.
pub fn default_follow_limits() -> (usize, usize) {
    let FollowLimits { sides, inputs } = FollowLimits::default();
    (sides, inputs)
}
