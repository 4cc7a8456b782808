//! Two versions of a program, compared: near tests ([`near`]), or anywhere ([`complete`]); then what was
//! found runs natively ([`confirm`]).

mod collect;
mod complete;
mod confirm;
mod cover;
mod near;
mod pairs;
mod path;
mod seeds;
mod setup;
mod summary;
mod words;

use anyhow::Context;
use umbra_ir::Program;
use umbra_project::Toolchain;
use umbra_report::{DiffSummary, RunFolder};
use umbra_strategy::FollowLimits;

use crate::native::Sandboxes;
use crate::program::{self, Bitcode};
use crate::{DiffJob, Start, Subject, Watched};
use confirm::{Versions, confirm};

/// A program with two versions, read.
pub struct Pair {
    bitcode: Bitcode,
    program: Program,
}

impl Pair {
    /// Finds or makes the bitcode of a program, and reads it.
    pub fn load(
        subject: &Subject,
        toolchain: &dyn Fn() -> anyhow::Result<Toolchain>,
    ) -> anyhow::Result<Self> {
        let function = subject.function.as_deref();
        let bitcode = program::find_bitcode(&subject.program, function, toolchain)?;
        let mut program = program::load(&bitcode)?;
        if let Some(function) = function {
            umbra_strategy::compare_function(&mut program, function)
                .with_context(|| format!("--function {function}"))?;
        }
        Ok(Self { bitcode, program })
    }
}

/// Does a job: explores, writes a test case or more for each place where the versions part, runs them
/// natively, and says what came of it, what matters most first. Times of the whole and the exit code
/// are left to the caller.
pub fn compare(
    job: &DiffJob,
    pair: Pair,
    folder: RunFolder,
    watched: &Watched<'_>,
    sandboxes: &Sandboxes,
) -> anyhow::Result<DiffSummary> {
    let Pair { bitcode, program } = pair;
    let results = folder.path().to_owned();
    let versions = Versions::start(job, bitcode.executable(), sandboxes);
    let compared = match &job.start {
        Start::Complete { inputs, prune } => {
            let world = inputs.world()?;
            complete::explore(job, program, (&world, *prune), watched, folder)?
        }
        Start::Near(near) => near::explore(job, near, program, &versions, watched, folder)?,
    };
    watched.guard.over();
    Ok(confirm(job, &versions, &results, compared))
}

/// How many sides of branches, and inputs beside a test, are followed if nothing else is said.
pub fn default_follow_limits() -> (usize, usize) {
    let FollowLimits { sides, inputs } = FollowLimits::default();
    (sides, inputs)
}
