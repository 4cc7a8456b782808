//! Recorded test suites: the engine runs every recording, and must do what the native program does.
//!
//! The native run is made in the sandbox, so that both start from the same case. Output, status, the
//! tree left behind and the blocks that ran (of the program's own code) are compared.

mod engine;
mod project;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use umbra_case::{Case, Store};
use umbra_replay::{Ended, Launcher, Limits, Outcome, Pool, Program, Run, compare};

pub use engine::{Engine, NotRun};
pub use project::{Project, commit};

/// Notes of a recording that leave it out: the engine has no such thing, or the case is not all.
const EXCLUDED: &[&str] = &[
    "spawns",
    "executes",
    "threads",
    "terminal",
    "proc",
    "network",
    "socket",
    "concurrent-writer",
    "deleted-file",
    "chroot",
    "device",
    "descriptor",
];

/// What came out for the recordings of one store.
#[derive(Debug, Default)]
pub struct Checked {
    /// The engine did what the native program did.
    pub agreed: usize,
    /// Left out, by reason.
    pub excluded: BTreeMap<String, usize>,
    /// The engine did something else.
    pub disagreed: Vec<String>,
    /// Natively not as recorded: the status differs.
    pub unlike_recording: Vec<String>,
}

impl Checked {
    /// All recordings.
    pub fn total(&self) -> usize {
        self.agreed + self.disagreed.len() + self.excluded.values().sum::<usize>()
    }

    /// The share of those left out, in percent.
    pub fn excluded_percent(&self) -> f64 {
        let excluded: usize = self.excluded.values().sum();
        100.0 * excluded as f64 / self.total().max(1) as f64
    }
}

/// Runs every `step`th recording of a store natively and in the engine. `programs` are the native
/// executables, with their bitcode beside them, by the names of programs.
pub fn check(
    umbra: &Path,
    store: &Path,
    programs: &BTreeMap<String, std::path::PathBuf>,
    step: usize,
) -> anyhow::Result<Checked> {
    let mut checked = Checked::default();
    let store = Store::open(store)?;
    let launcher = Launcher {
        program: umbra.to_owned(),
        arguments: vec!["__sandbox".into()],
        scratch: std::env::temp_dir(),
        landlock_at_most: None,
    };
    let pool = Pool::start_best(&launcher, 2)?;
    let mut by_program: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for id in store.ids()?.into_iter().step_by(step) {
        let case = store.get(id)?;
        match excluded(&case) {
            Some(why) => *checked.excluded.entry(why.to_owned()).or_default() += 1,
            None => by_program.entry(name(&case)).or_default().push(case),
        }
    }
    for (name, cases) in by_program {
        let Some(executable) = programs.get(&name) else {
            *checked.excluded.entry("another-name".to_owned()).or_default() += cases.len();
            continue;
        };
        let engine = Engine::load(umbra, executable)
            .with_context(|| format!("loading {}", executable.display()))?;
        let program = Program::open(executable)?;
        let runs: Vec<Run<'_>> = cases.iter().map(|case| Run { case, program: &program }).collect();
        let natives = pool.run(&runs, &Limits::default(), &AtomicBool::new(false));
        for (case, native) in cases.iter().zip(natives) {
            judge(case, &native?, &engine, &mut checked);
        }
    }
    Ok(checked)
}

fn judge(case: &Case, native: &Outcome, engine: &Engine, checked: &mut Checked) {
    let shown = || format!("{} {}", name(case), case.id().short());
    if let Some(problem) = unlike_recording(case, native) {
        checked.unlike_recording.push(format!("{}: {problem}", shown()));
    }
    let run = match engine.run(case) {
        Ok(run) => run,
        Err(NotRun::Excluded(why)) => {
            *checked.excluded.entry(why).or_default() += 1;
            return;
        }
        Err(NotRun::Wrong(why)) => {
            checked.disagreed.push(format!("{}: {why}", shown()));
            return;
        }
    };
    let mut problems: Vec<String> = compare(native, &run)
        .iter()
        .map(|difference| {
            format!(
                "{}: native {:?}, engine {:?}",
                difference.channel, difference.old, difference.new
            )
        })
        .collect();
    problems.extend(engine.unlike_blocks(native, &run));
    match problems.is_empty() {
        true => checked.agreed += 1,
        false => checked.disagreed.push(format!("{}: {}", shown(), problems.join("; "))),
    }
}

/// Why a recording is left out, if it is.
fn excluded(case: &Case) -> Option<&str> {
    let notes = case.origin.get("notes")?;
    notes.split_whitespace().find(|note| EXCLUDED.contains(note))
}

fn unlike_recording(case: &Case, native: &Outcome) -> Option<String> {
    let recorded = match case.expected.end.as_ref()? {
        umbra_case::End::Exited(status) => Ended::Exited(*status),
        umbra_case::End::Killed(signal) => Ended::Killed(*signal),
        _ => return None,
    };
    (recorded != native.end).then(|| format!("{recorded} was recorded, replayed: {}", native.end))
}

/// The program of a case: the last part of its name.
fn name(case: &Case) -> String {
    let last = case.program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(last).into_owned()
}
