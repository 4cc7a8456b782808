//! Inputs that run some code of a program: `umbra reach`.
//!
//! [`Module`] knows the blocks of a program by the numbers of their native counters, so targets, tests and native runs speak of the same
//! ones. All tests run natively first: a block that one of them runs is no target, and the others are ranked by how
//! near they come. Tests in other shapes run natively too ([`words`], [`tried`]); what is left is for the
//! engine, which follows the nearest tests ([`umbra_strategy::Hunt`]). Every input that is found runs natively before it counts.

mod job;
mod module;
mod project;
mod search;
mod tried;
mod words;

use std::path::Path;
use std::sync::Arc;

use umbra_replay::{Limits, Program};
use umbra_report::{ReachProgram, RunFolder, TargetLine};
use umbra_strategy::{Grounds, Ways};
use umbra_words::{ReachReason, Sought, TargetBlock};

use crate::diff::seeds::{self, NamedSeed};
use crate::native::{Native, Sandboxes, native_limits};
use crate::program::{self, Bitcode, Tools};
use crate::{Error, Watched};
pub use job::{ReachJob, Wanted};
use module::Module;
pub use project::{ReachIn, ReachPart, by_program, reach_in_project, reach_parts, targets};
use search::{Reaching, Told};
use tried::Runner;

/// How many times its CPU time a run may take by the wall: a busy machine makes no hang.
const BUSY: u32 = 4;

/// MiB of memory of one native run.
const MEMORY: u64 = 1024;

/// Who wants to know how a search goes.
pub struct ReachWatch<'a> {
    /// What keeps it within its limits.
    pub watched: Watched<'a>,
    /// Where inputs run natively.
    pub sandboxes: &'a Sandboxes,
    /// Who knows the tools.
    pub tools: Tools<'a>,
    /// Is told what is done for which target, and how many there are.
    pub doing: &'a dyn Fn(&str),
    /// Is told what came of a target.
    pub ended: &'a dyn Fn(&TargetLine),
}

/// A program, read.
pub(super) struct Subject {
    bitcode: Bitcode,
    module: Module,
}

impl Subject {
    fn read(path: &Path, tools: Tools<'_>) -> Result<Self, Error> {
        let bitcode = program::find_bitcode(path, None, tools)?;
        let module = Module::new(Arc::new(program::load(&bitcode)?));
        Ok(Self { bitcode, module })
    }
}

/// Looks for inputs that run the targets of a program; writes them to the folder.
pub fn reach(
    job: &ReachJob,
    folder: &mut RunFolder,
    watch: &ReachWatch<'_>,
) -> Result<ReachProgram, Error> {
    let path = &job.subject.program;
    let subject = Subject::read(path, watch.tools)?;
    let targets = subject.module.targets(&job.wanted, path)?;
    let tests = match seeds::find(path, &job.tests) {
        Ok(found) => found.all,
        Err(Error::OtherPrograms { .. } | Error::NoTest) => Vec::new(),
        Err(error) => return Err(error),
    };
    let work = Work { job, folder, watch, others: 0 };
    work.reach(&subject, targets, tests, None)
}

/// The work on one program.
pub(super) struct Work<'a> {
    pub job: &'a ReachJob,
    pub folder: &'a mut RunFolder,
    pub watch: &'a ReachWatch<'a>,
    /// Targets of other programs that share the budget.
    pub others: usize,
}

impl Work<'_> {
    /// Looks for inputs that run these targets. `executable` is that of the very module, if it is not the one beside the bitcode.
    pub fn reach(
        self,
        subject: &Subject,
        targets: Vec<TargetBlock>,
        tests: Vec<NamedSeed>,
        executable: Option<Program>,
    ) -> Result<ReachProgram, Error> {
        let Self { job, folder, watch, others } = self;
        let (path, module) = (&job.subject.program, &subject.module);
        let mut report = ReachProgram {
            path: path.to_string_lossy().into_owned(),
            targets: targets.into_iter().map(TargetLine::new).collect(),
            ..ReachProgram::default()
        };
        let grounds = Grounds::new(&module.program);
        let ways = Ways::new(&grounds);
        prove_unreachable(module, &ways, &mut report);
        if tests.is_empty() {
            for target in report.targets.iter_mut().filter(|target| target.reason.is_none()) {
                target.reason = Some(ReachReason::NotRecorded);
            }
            return Ok(report);
        }
        let executable = match executable {
            Some(executable) => Ok(executable),
            None => open(subject.bitcode.executable(), path),
        };
        let native = executable.and_then(|program| Ok((start(job, watch.sandboxes)?, program)));
        let native = native.and_then(|(native, program)| match program.blocks() {
            Some(blocks) if blocks == module.len() as u64 => Ok((native, program)),
            _ => Err(Error::NoCounters(path.clone())),
        });
        let runner = match &native {
            Ok((native, program)) => Some(Runner { native, program }),
            Err(error) => {
                report.not_replayed = Some(error.to_string());
                None
            }
        };
        let mut reaching = Reaching::new(job, module, runner, folder, watch, others);
        reaching.add_tests(tests);
        let Told { shapes, instructions, errors, unmodelled } =
            reaching.reach_all(&ways, &mut report)?;
        (report.shapes, report.instructions) = (shapes, instructions);
        report.errors = errors;
        report.unmodelled = unmodelled.into_iter().collect();
        Ok(report)
    }
}

fn prove_unreachable(module: &Module, ways: &Ways<'_>, report: &mut ReachProgram) {
    for target in &mut report.targets {
        let Some(goal) = module.goal(target.target.block) else { continue };
        if let Some(reason) = ways.unreachable(goal, &ways.to(goal)) {
            (target.outcome, target.reason) = (Sought::Unreachable, Some(reason));
        }
    }
}

fn open(executable: Option<&Path>, path: &Path) -> Result<Program, Error> {
    let executable = executable.ok_or_else(|| Error::NoCounters(path.to_owned()))?;
    Ok(Program::open(executable)?)
}

fn start(job: &ReachJob, sandboxes: &Sandboxes) -> Result<Native, Error> {
    let limits = Limits { wall: job.native.one * BUSY, ..native_limits(job.native.one, MEMORY) };
    Ok(Native::start(limits, None, sandboxes)?)
}
