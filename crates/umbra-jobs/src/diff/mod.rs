//! Two versions of a program, compared: near tests ([`near`]), or anywhere ([`complete`]); then what was
//! found runs natively ([`confirm`]).

mod collect;
mod complete;
mod confirm;
mod cover;
mod entries;
mod explain;
mod ledger;
mod near;
mod neighbours;
mod pairs;
mod path;
pub(crate) mod seeds;
mod setup;
pub(crate) mod shapes;
mod summary;
mod touched;
mod turns;
mod unified;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use umbra_ir::{Program, SourceFile};
use umbra_report::UnificationCounts;
use umbra_strategy::FollowLimits;

use crate::native::Sandboxes;
use crate::program::{self, Bitcode, Identity, Tools};
use crate::{DiffJob, Error, Journal, Logbook, Patch, Start, Subject, Watched};
use confirm::{Versions, confirm};
pub use entries::entries;
pub use explain::{add_run, explain};
use unified::{Both, Texts};

pub use confirm::{Differences, NotReplayed};
pub(crate) use seeds::{NamedSeed, Seeds, find as find_seeds};
pub(crate) use shapes::shapes;

/// A program with two versions, read.
pub struct Pair {
    /// The new version, or both.
    bitcode: Bitcode,
    /// The old version, where there are two programs.
    old: Option<Bitcode>,
    program: Arc<Program>,
    is_same: bool,
    /// What making one program of two came to.
    unification: Option<UnificationCounts>,
    /// The executables to run natively, where they are not those beside the bitcode.
    natives: Option<[umbra_replay::Program; 2]>,
    /// Calls inside the programs are the inputs.
    is_hooked: bool,
}

impl Pair {
    /// Finds or makes the bitcode of a program, and reads it. The text of two revisions is that of the
    /// patch between them, of other programs what is in the files that they were made of.
    pub fn load(
        subject: &Subject,
        patch: Option<&Patch>,
        toolchain: Tools<'_>,
    ) -> Result<Self, Error> {
        let function = subject.function.as_deref();
        let bitcode = program::find_bitcode(&subject.program, function, toolchain)?;
        let bitcode = program::hooked(bitcode, subject.from.as_ref(), toolchain)?;
        let mut program = program::load(&bitcode)?;
        let (mut old, mut is_same, mut unification) = (None, false, None);
        if let Some(path) = &subject.old {
            let (found, both) = unify(path, subject, program, patch, toolchain)?;
            (old, is_same) = (Some(found), both.unified.is_same_program());
            unification = Some(both.counts());
            program = both.unified.program;
        }
        if let Some(function) = function {
            umbra_strategy::compare_function(&mut program, function)
                .map_err(|source| Error::Function { name: function.to_owned(), source })?;
        }
        let program = Arc::new(program);
        let is_hooked = subject.from.is_some();
        Ok(Self { bitcode, old, program, is_same, unification, natives: None, is_hooked })
    }

    /// The same, with other executables to run natively: the old one, then the new one. Where calls are
    /// hooked, it keeps its own.
    pub fn with_natives(self, natives: [umbra_replay::Program; 2]) -> Self {
        let natives = (!self.is_hooked).then_some(natives);
        Self { natives, ..self }
    }

    /// What it is known by, to whoever goes on with it later.
    pub fn identity(&self) -> Identity {
        Identity::of(&self.program)
    }

    /// Whether there are two programs, which are the same.
    pub fn is_same_program(&self) -> bool {
        self.is_same
    }

    /// What differs between two programs and was taken to mean nothing, in words.
    pub fn ignored(&self) -> Option<String> {
        let ignored = self.unification.iter().flat_map(|counts| &counts.ignored);
        let words: Vec<String> = ignored.map(ToString::to_string).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// Makes one program of the old version at `path` and the new one, which was read.
fn unify<'a>(
    path: &Path,
    subject: &Subject,
    new: Program,
    patch: Option<&'a Patch>,
    toolchain: Tools<'_>,
) -> Result<(Bitcode, Both<'a>), Error> {
    let bitcode = program::find_bitcode(path, subject.function.as_deref(), toolchain)?;
    let bitcode = program::hooked(bitcode, subject.from.as_ref(), toolchain)?;
    let old = program::load(&bitcode)?;
    let texts = Texts::new(&old, &new, patch);
    let read = |version, file: &SourceFile| texts.read(version, file);
    let start = Instant::now();
    let unified = match subject.function {
        Some(_) => umbra_unify::unify_any(&old, &new, &read),
        None => umbra_unify::unify(&old, &new, &read),
    };
    let unified = unified.map_err(|source| Error::Unify {
        old: path.to_owned(),
        new: subject.program.clone(),
        source: Box::new(source),
    })?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((bitcode, Both { old, new, unified, texts, seconds }))
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
    let Pair { bitcode, old, program, unification, natives, .. } = pair;
    let (results, journal) = (logbook.path().to_owned(), logbook.journal());
    let beside = (old.as_ref().map(Bitcode::executable), bitcode.executable());
    let versions = Versions::start(job, natives, beside, sandboxes);
    let compared = match &job.start {
        Start::Complete { inputs, prune } => {
            let world = inputs.world()?;
            complete::explore(job, program, (&world, *prune), watched, logbook)?
        }
        Start::Near(near) => near::explore(job, near, program, &versions, watched, logbook)?,
    };
    watched.guard.over();
    let mut differences = confirm(job, versions, &results, compared);
    differences.summary.unification = unification;
    Ok((differences, journal))
}

/// How many sides of branches, and inputs beside a test, are followed if nothing else is said.
pub fn default_follow_limits() -> (usize, usize) {
    let FollowLimits { sides, inputs, .. } = FollowLimits::default();
    (sides, inputs)
}
