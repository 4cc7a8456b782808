//! `umbra __search ORDER`: the search in one program, for a check that waits for it. Not for users.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use umbra_jobs::{
    Boxed, Budget, Control, DiffJob, ReachJob, ReachOrder, Sandboxes, SearchLimits, SearchOrder,
    Stopped, Strategy, carry_out, carry_out_reach,
};

use crate::guard::Guard;
use crate::out::{self, tell};
use crate::{environment, interrupt};

/// What keeps the search within its limits.
struct Watching {
    guard: Guard,
    control: Control,
    budget: Budget,
}

/// Does what the order says.
pub fn main(words: &[OsString]) -> ExitCode {
    let [order] = words else {
        tell!("usage: umbra __search ORDER");
        return ExitCode::from(2);
    };
    match search(Path::new(order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failed("umbra", &error, 2),
    }
}

/// The same for `umbra __reach ORDER`.
pub fn reach_main(words: &[OsString]) -> ExitCode {
    let [order] = words else {
        tell!("usage: umbra __reach ORDER");
        return ExitCode::from(2);
    };
    match reach(Path::new(order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failed("umbra", &error, 2),
    }
}

/// What stops a search from outside.
fn stopping() -> anyhow::Result<(Control, Arc<AtomicBool>)> {
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let control = Control::default();
    interrupt::also(control.flag())?;
    end_with_parent()?;
    Ok((control, stop))
}

/// Begins to watch a search that began then.
fn watching(
    control: &Control,
    (limits, strategy): (&SearchLimits, &Strategy),
    start: Instant,
) -> Result<Watching, Boxed> {
    let budget = Budget::of(limits, strategy, None, start);
    let words = Box::new(|why: Stopped| {
        tell!("stopped at the limit on {} in the middle of one step", why.name());
        3
    });
    let guard = Guard::start(budget, control, words)?;
    Ok(Watching { guard, control: control.clone(), budget })
}

impl Watching {
    fn watched(&self) -> umbra_jobs::Watched<'_> {
        umbra_jobs::Watched { control: &self.control, budget: self.budget, guard: &self.guard }
    }
}

fn search(file: &Path) -> anyhow::Result<()> {
    let order = SearchOrder::read(file)?;
    let (control, stop) = stopping()?;
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop };
    let watch =
        |job: &DiffJob, start: Instant| watching(&control, (&job.limits, &job.strategy), start);
    carry_out(&order, &environment::tools, &sandboxes, &watch, Watching::watched)?;
    Ok(())
}

fn reach(file: &Path) -> anyhow::Result<()> {
    let order = ReachOrder::read(file)?;
    let (control, stop) = stopping()?;
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop };
    let watch =
        |job: &ReachJob, start: Instant| watching(&control, (&job.limits, &job.strategy), start);
    carry_out_reach(&order, &environment::tools, &sandboxes, &watch, Watching::watched)?;
    Ok(())
}

/// The check holds the other end of our standard input: when that ends, nobody waits for an answer. What is in the journal
/// is there for the next process.
fn end_with_parent() -> anyhow::Result<()> {
    let wait = || {
        // However reading ends, it has ended.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(2);
    };
    std::thread::Builder::new().name("parent".to_owned()).spawn(wait)?;
    Ok(())
}
