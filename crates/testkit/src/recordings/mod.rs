//! Recorded test suites: the engine runs every recording, and must do what the native program does.
//!
//! It is compared with a native run in the sandbox, since both start from the same case: output,
//! status, the tree left behind and the lines of the program's own code that ran. The native run is
//! compared with what was recorded: status and output. A case that replays otherwise than it was
//! recorded counts as left out.

mod checked;
mod engine;
mod project;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use umbra_case::{Case, Store};
use umbra_replay::{
    Aspect, Channel, Ended, Launcher, Limits, Outcome, Pool, Program, Run, compare,
};

pub use checked::{Checked, Count, Share, Suite};
pub use engine::{Engine, NotRun};
pub use project::{Project, commit};

/// Notes of a recording that excuse a difference: the engine has no such thing, or the case is not
/// all. A recording that has one and makes no difference (a program that looks at /proc and does
/// nothing with it) counts as checked.
const EXCUSES: &[&str] = &[
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
        by_program.entry(name(&case)).or_default().push(case);
    }
    for (name, cases) in by_program {
        let Some(executable) = programs.get(&name) else {
            cases.iter().for_each(|case| checked.exclude(case, "another-name", &[]));
            continue;
        };
        let engine = Engine::load(umbra, executable)
            .with_context(|| format!("loading {}", executable.display()))?;
        let program = Program::open(executable)?;
        let runs: Vec<Run<'_>> = cases.iter().map(|case| Run { case, program: &program }).collect();
        let natives = pool.run(&runs, &Limits::default(), &AtomicBool::new(false));
        for (run, native) in runs.iter().zip(natives) {
            let again = || pool.run(&[*run], &Limits::default(), &AtomicBool::new(false)).pop();
            judge((run.case, &engine), &native?, again, &mut checked)?;
        }
    }
    Ok(checked)
}

fn judge(
    (case, engine): (&Case, &Engine),
    native: &Outcome,
    again: impl FnOnce() -> Option<Result<Outcome, umbra_replay::Error>>,
    checked: &mut Checked,
) -> anyhow::Result<()> {
    if let Some(why) = endless(case, native) {
        checked.exclude(case, why, &[]);
        return Ok(());
    }
    let run = match engine.run(case) {
        Ok(run) => run,
        Err(NotRun::Excluded(why)) => {
            checked.exclude(case, &why, &[]);
            return Ok(());
        }
        Err(NotRun::Wrong(why)) => {
            checked.disagree_unless(excuse(case), case, &[why]);
            return Ok(());
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
    // What differs from run to run natively, as a program that prints the time, is nobody's fault.
    let unlike = unlike_recording(case, native);
    if problems.is_empty() && unlike.is_none() {
        checked.agreed.add(case);
        return Ok(());
    }
    let second = again().context("no second run")??;
    if !compare(native, &second).is_empty() {
        checked.exclude(case, "differs from run to run", &problems);
    } else if !problems.is_empty() {
        let excuse = excuse(case).or_else(|| of_the_file_system(case, native, &run));
        checked.disagree_unless(excuse, case, &problems);
    } else if let Some((channel, problem)) = unlike {
        // The case does not hold all that the recorded run depended on.
        checked.unlike_recording.push(format!("{}: {problem}", shown(case)));
        checked.exclude(case, &format!("unlike the recorded run: {channel}"), &[problem]);
    }
    Ok(())
}

/// Why there is no end to compare, if there is none.
fn endless(case: &Case, native: &Outcome) -> Option<&'static str> {
    if case.expected.end == Some(umbra_case::End::Killed(libc::SIGPIPE)) {
        // As `yes | head`: a case has readers that stay.
        return Some("its reader left");
    }
    // As `tail -f`: the test kills it.
    (native.end == Ended::Hung).then_some("does not end by itself")
}

/// What excuses a difference, if anything does.
fn excuse(case: &Case) -> Option<&str> {
    let notes = case.origin.get("notes")?;
    notes.split_whitespace().find(|note| EXCUSES.contains(note))
}

/// What excuses output that differs: numbers that are the file system's own choice.
fn of_the_file_system(case: &Case, native: &Outcome, run: &Outcome) -> Option<&'static str> {
    let only_output = compare(native, run).iter().all(|difference| {
        matches!(
            difference.channel,
            Channel::Stdout { .. } | Channel::Tree { what: Aspect::Content, .. }
        )
    });
    (only_output && shows_numbers(case)).then_some("inode numbers")
}

/// Whether a case asks for the numbers of inodes.
fn shows_numbers(case: &Case) -> bool {
    let any = |asks: fn(&[u8]) -> bool| case.arguments.iter().any(|word| asks(word));
    match &*name(case) {
        "find" => any(|word| {
            matches!(word, b"-ls" | b"-fls") || word.windows(2).any(|pair| pair == b"%i")
        }),
        "ls" | "dir" | "vdir" => any(|word| {
            let letters = word.strip_prefix(b"-").filter(|rest| !rest.starts_with(b"-"));
            word == b"--inode" || letters.is_some_and(|letters| letters.contains(&b'i'))
        }),
        "stat" => true,
        _ => false,
    }
}

/// What a native run does otherwise than the recorded one, by channel.
fn unlike_recording(case: &Case, native: &Outcome) -> Option<(&'static str, String)> {
    let expected = &case.expected;
    let end = match &expected.end {
        Some(umbra_case::End::Exited(status)) => Some(Ended::Exited(*status)),
        Some(umbra_case::End::Killed(signal)) => Some(Ended::Killed(*signal)),
        _ => None,
    };
    if let Some(end) = end.filter(|end| *end != native.end) {
        return Some(("end", format!("{end} was recorded, replayed: {}", native.end)));
    }
    let streams = [
        ("stdout", &expected.stdout, &native.stdout.bytes),
        ("stderr", &expected.stderr, &native.stderr.bytes),
    ];
    streams.into_iter().find_map(|(name, recorded, replayed)| {
        let recorded = recorded.as_ref().filter(|recorded| *recorded != replayed)?;
        let at = recorded.iter().zip(replayed).take_while(|(one, other)| one == other).count();
        let part = |bytes: &[u8]| {
            let from = &bytes[at.saturating_sub(20)..];
            from[..from.len().min(60)].escape_ascii().to_string()
        };
        let text = format!("{name}: \"{}\" was recorded, \"{}\"", part(recorded), part(replayed));
        Some((name, text))
    })
}

fn shown(case: &Case) -> String {
    format!("{} {}", name(case), case.id().short())
}

/// The program of a case: the last part of its name.
fn name(case: &Case) -> String {
    let last = case.program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(last).into_owned()
}
