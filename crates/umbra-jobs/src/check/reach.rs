//! The search for inputs that run changed lines, by a process of its own: see [`order`](super::order) for why.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use umbra_replay::{Program, Siblings};
use umbra_report::{ReachProgram, ReachReport, RunFolder};

use super::child;
use super::keep::{digest, write_json};
use crate::native::Sandboxes;
use crate::program::Tools;
use crate::reach::{ReachPart, by_program, reach_parts};
use crate::revision::{Programs, introduce};
use crate::{Boxed, Error, ReachJob, ReachWatch, Tests, Watched};

/// The argument with which the command that uses this crate is started again, to reach changed lines.
pub const REACH: &str = "__reach";

/// The files of the order and of the answer, beside the folder.
const ORDER: &str = "reach-order.json";
const ANSWER: &str = "reach-answer.json";

/// What is to be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachOrder {
    /// The targets, program by program.
    pub parts: Vec<ReachPart>,
    /// The executables of the new version by name: a program may run others.
    pub programs: BTreeMap<String, PathBuf>,
    /// The work; its program is filled in.
    pub job: ReachJob,
    /// The folder for the inputs.
    pub folder: PathBuf,
}

impl ReachOrder {
    /// Reads the order in a file.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let bytes = fs::read(file).map_err(Error::file("reading", file))?;
        serde_json::from_slice(&bytes).map_err(|error| Error::file("reading", file)(error.into()))
    }

    /// The key of the order: equal ones have equal ones, whatever time they are given.
    fn key(&self) -> String {
        let mut job = self.job.clone();
        job.limits.time = None;
        digest(&(&self.parts, job))
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.parent().unwrap_or(&self.folder).join(name)
    }

    fn answer(&self) -> Option<Vec<ReachProgram>> {
        let bytes = fs::read(self.beside(ANSWER)).ok()?;
        let (key, answer): (String, Vec<ReachProgram>) = serde_json::from_slice(&bytes).ok()?;
        (key == self.key()).then_some(answer)
    }
}

/// Has another process do what the order says, unless that was done before: what came of it, or what the process said last.
/// Also says whether it was done before.
pub fn reach(
    order: &ReachOrder,
    stop: &AtomicBool,
    seen: &mut dyn FnMut(Duration),
) -> Result<(Result<Vec<ReachProgram>, String>, bool), Error> {
    if let Some(answer) = order.answer() {
        return Ok((Ok(answer), true));
    }
    let file = order.beside(ORDER);
    write_json(&file, order)?;
    let most = order.job.limits.time.unwrap_or(Duration::MAX / 4) + order.job.native.all;
    let said = child::wait((REACH, &file), most, stop, seen)?;
    Ok((order.answer().ok_or(said), false))
}

/// Starts to watch a job that began then.
type Watch<'a, W> = &'a dyn Fn(&ReachJob, Instant) -> Result<W, Boxed>;

/// Does what an order says, and leaves the answer.
pub fn carry_out_reach<W>(
    order: &ReachOrder,
    tools: Tools<'_>,
    sandboxes: &Sandboxes,
    watch: Watch<'_, W>,
    with: impl Fn(&W) -> Watched<'_>,
) -> Result<(), Error> {
    match fs::remove_dir_all(&order.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file("removing", &order.folder)(error));
        }
        _ => {}
    }
    let mut folder = RunFolder::create_at(&order.folder)?;
    let mut natives = Programs::new();
    for (name, path) in &order.programs {
        natives.insert(name.clone(), Program::open(path)?);
    }
    let siblings = Siblings::from(natives.clone());
    introduce(&mut natives, &siblings);
    let Tests::Cases(paths) = &order.job.tests else { return Err(Error::NoTest) };
    let tests = by_program(paths)?;
    let watching = watch(&order.job, Instant::now()).map_err(Error::Given)?;
    let watch =
        ReachWatch { watched: with(&watching), sandboxes, tools, doing: &|_| {}, ended: &|_| {} };
    let mut report = ReachReport::default();
    let parts = (order.parts.clone(), false);
    let native = |part: &ReachPart| natives.get(&part.name).cloned();
    reach_parts(&order.job, parts, &native, &tests, (&mut folder, &watch), &mut report)?;
    write_json(&order.beside(ANSWER), &(order.key(), &report.programs))
}
