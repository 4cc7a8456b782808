//! Recorded test suites: the engine runs every recording, and must do what the native program does.
//!
//! It is compared with a native run in the sandbox, since both start from the same case: output,
//! status, the tree left behind and the lines of the program's own code that ran. The native run is
//! compared with what was recorded: status and output. A case that replays otherwise than it was
//! recorded counts as left out.

mod checked;
mod engine;
mod executed;
mod project;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use umbra_case::{Case, CaseId, Store};
use umbra_compare::{Aspect, Channel, Difference, Note, Outcome, compare};
use umbra_replay::{Launcher, Limits, Pool, Program, Run};
use umbra_words::End;

use executed::StandIn;

pub use checked::{Checked, Count, Sample, Share, Suite};
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

/// Native runs more that are made to tell what differs from run to run.
const MOST_RUNS: u32 = 4;

/// Cases that are held in memory at once: a suite has tens of thousands.
const TOGETHER: usize = 256;

/// Runs a sample of the recordings of a store natively and in the engine. `programs` are the native
/// executables, with their bitcode beside them, by the names of programs.
///
/// `UMBRA_CASE` is the start of a case's name: only such are looked at.
pub fn check(
    umbra: &Path,
    store: &Path,
    programs: &BTreeMap<String, std::path::PathBuf>,
    sample: Sample,
) -> anyhow::Result<Checked> {
    let mut checked = Checked::of(sample);
    let wanted = std::env::var("UMBRA_CASE").unwrap_or_default();
    let store = Store::open(store)?;
    let launcher = Launcher {
        program: umbra.to_owned(),
        arguments: vec!["__sandbox".into()],
        scratch: std::env::temp_dir(),
        landlock_at_most: None,
        without_group: false,
    };
    let pool = Pool::start_best(&launcher, 2)?;
    let mut by_program: BTreeMap<String, Vec<CaseId>> = BTreeMap::new();
    for (place, id) in store.ids()?.into_iter().enumerate() {
        let case = store.get(id)?;
        let is_wanted = match &*wanted {
            "" => sample.has(place, &case),
            start => id.to_string().starts_with(start),
        };
        if is_wanted {
            by_program.entry(name(&case)).or_default().push(id);
        }
    }
    let stand_in = StandIn::make()?;
    for (name, ids) in by_program {
        let judge = match programs.get(&name) {
            Some(executable) => Some(Judge {
                engine: Engine::load(umbra, executable)
                    .with_context(|| format!("loading {}", executable.display()))?,
                program: Program::open(executable)?,
                pool: &pool,
                stand_in: &stand_in,
            }),
            None => None,
        };
        for ids in ids.chunks(TOGETHER) {
            let cases = ids.iter().map(|id| store.get(*id)).collect::<Result<Vec<_>, _>>()?;
            match &judge {
                Some(judge) => judge.judge_all(&cases, &mut checked)?,
                None => cases.iter().for_each(|case| checked.exclude(case, "another-name", &[])),
            }
        }
    }
    Ok(checked)
}

/// Compares the engine with native runs of one program.
struct Judge<'a> {
    engine: Engine,
    program: Program,
    pool: &'a Pool,
    stand_in: &'a StandIn,
}

impl Judge<'_> {
    fn judge_all(&self, cases: &[Case], checked: &mut Checked) -> anyhow::Result<()> {
        for (case, native) in cases.iter().zip(self.run_natively(cases)) {
            self.judge(case, native?, checked)?;
        }
        Ok(())
    }

    fn run_natively(&self, cases: &[Case]) -> Vec<Result<Outcome, umbra_replay::Error>> {
        let runs: Vec<Run<'_>> =
            cases.iter().map(|case| Run { case, program: &self.program }).collect();
        self.pool.run(&runs, &Limits::default(), &AtomicBool::new(false))
    }

    fn run_once_natively(&self, case: &Case) -> anyhow::Result<Outcome> {
        let mut outcomes = self.run_natively(std::slice::from_ref(case));
        Ok(outcomes.pop().context("no run")??)
    }

    fn judge(&self, case: &Case, native: Outcome, checked: &mut Checked) -> anyhow::Result<()> {
        if let Some(why) = endless(case, &native) {
            checked.exclude(case, why, &[]);
            return Ok(());
        }
        let unlike = unlike_recording(case, &native);
        match self.compare(case, native) {
            Ok(compared) if compared.problems.is_empty() && unlike.is_empty() => {
                checked.agree(case);
            }
            Ok(compared) => {
                // What differs from run to run natively, as the time, is nobody's fault: the rest is
                // compared.
                let chance = self.chance(&compared, &unlike)?;
                let problems = texts(&compared.problems, &chance);
                let excuse =
                    excuse(case).or_else(|| compared.excuse(case, !unlike.is_empty(), &chance));
                let unlike: Vec<&(Kind, String)> =
                    unlike.iter().filter(|(kind, _)| !chance.contains(kind)).collect();
                if !problems.is_empty() {
                    checked.disagree_unless(excuse, case, &problems);
                } else if let Some((kind, problem)) = unlike.first() {
                    // The case does not hold all that the recorded run depended on.
                    checked.unlike_recording.push(format!("{}: {problem}", shown(case)));
                    let why = match runs_others(case) {
                        true => {
                            "runs programs of the system, which a case does not have".to_owned()
                        }
                        false => format!("unlike the recorded run: {}", kind.name()),
                    };
                    checked.exclude(case, &why, std::slice::from_ref(problem));
                } else {
                    checked.agree_but_for_chance(case);
                }
            }
            Err(NotRun::Excluded(why)) => checked.exclude(case, &why, &[]),
            Err(NotRun::Wrong(why)) => checked.disagree_unless(excuse(case), case, &[why]),
        }
        Ok(())
    }

    /// What differs from one native run to the next: as many are made as it takes to see that of all
    /// that differs, up to a few.
    fn chance(
        &self,
        compared: &Compared<'_>,
        unlike: &[(Kind, String)],
    ) -> anyhow::Result<BTreeSet<Kind>> {
        let mut chance = BTreeSet::new();
        let wanted = compared.problems.iter().chain(unlike).map(|(kind, _)| *kind);
        let wanted: BTreeSet<Kind> = wanted.collect();
        for _ in 0..MOST_RUNS {
            if wanted.is_subset(&chance) {
                break;
            }
            let other = self.run_once_natively(&compared.case)?;
            let differences = compare(&compared.native, &other);
            chance.extend(differences.iter().map(|difference| Kind::of(&difference.channel)));
            let lines = self.engine.unlike_blocks(&compared.native, &other);
            chance.extend(lines.map(|_| Kind::Lines));
        }
        Ok(chance)
    }

    /// Runs a case in the engine and compares that with a native run. If another program takes
    /// over in it, both are run again with a stand-in for that.
    fn compare<'c>(&self, case: &'c Case, native: Outcome) -> Result<Compared<'c>, NotRun> {
        let ran = self.engine.run(case, native.began)?;
        let (case, native, ran) = match &ran.executes {
            None => (Cow::Borrowed(case), native, ran),
            Some(path) => {
                let case = self.stand_in.put(case, path).map_err(NotRun::wrong)?;
                let native = self.run_once_natively(&case).map_err(NotRun::wrong)?;
                let ran = self.engine.run(&case, native.began)?;
                (Cow::Owned(case), native, ran)
            }
        };
        let differences = compare(&native, &ran.outcome);
        let mut problems: Vec<(Kind, String)> = differences
            .iter()
            .map(|Difference { channel, old, new }| {
                (Kind::of(channel), format!("{channel}: native {old:?}, engine {new:?}"))
            })
            .collect();
        let lines = self.engine.unlike_blocks(&native, &ran.outcome);
        problems.extend(lines.map(|lines| (Kind::Lines, lines)));
        Ok(Compared { case, native, run: ran.outcome, differences, problems })
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    End,
    Stdout,
    Stderr,
    Tree,
    Lines,
}

impl Kind {
    fn of(channel: &Channel) -> Self {
        match channel {
            Channel::End | Channel::Report => Self::End,
            Channel::Stdout { .. } => Self::Stdout,
            Channel::Stderr { .. } => Self::Stderr,
            Channel::Tree { .. } => Self::Tree,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Tree => "tree",
            Self::Lines => "lines",
        }
    }
}

/// Problems that are not of these kinds.
fn texts(problems: &[(Kind, String)], without: &BTreeSet<Kind>) -> Vec<String> {
    let left = problems.iter().filter(|(kind, _)| !without.contains(kind));
    left.map(|(_, text)| text.clone()).collect()
}

/// A case that was run both ways.
struct Compared<'c> {
    case: Cow<'c, Case>,
    native: Outcome,
    run: Outcome,
    differences: Vec<Difference>,
    /// The differences, and lines that ran in one only.
    problems: Vec<(Kind, String)>,
}

impl Compared<'_> {
    /// What excuses that the engine does something else than the sandbox. `unlike`: the latter does
    /// something else than was recorded. `chance`: that differs from run to run.
    fn excuse(&self, case: &Case, unlike: bool, chance: &BTreeSet<Kind>) -> Option<&'static str> {
        // A single user is mapped into the sandbox; the engine knows them all.
        let owners = self.native.notes.iter().any(|note| matches!(note, Note::Owner { .. }));
        if owners {
            return Some("files of several owners");
        }
        if self.native.notes.iter().any(|note| matches!(note, Note::TreeCut(_))) {
            return Some("a tree that is not read back whole");
        }
        // As making a device, which only root outside of a sandbox may do.
        if unlike && unlike_recording(case, &self.run).is_empty() {
            return Some("the sandbox does not do what was recorded, the engine does");
        }
        // The rate that `dd` shows, or would, has as many digits as time lets it.
        let mut left = self.problems.iter().filter(|(kind, _)| !chance.contains(kind));
        if left.all(|(kind, _)| *kind == Kind::Lines) && name(case) == "dd" {
            return Some("how long it takes");
        }
        of_the_file_system(self)
    }
}

/// Why there is no end to compare, if there is none.
fn endless(case: &Case, native: &Outcome) -> Option<&'static str> {
    if case.expected.end == Some(End::Killed(libc::SIGPIPE)) {
        // As `yes | head`: a case has readers that stay.
        return Some("its reader left");
    }
    // As `tail -f`: the test kills it.
    (native.end == End::Hung).then_some("does not end by itself")
}

/// Whether a recorded run has started or become other programs.
fn runs_others(case: &Case) -> bool {
    let notes = case.origin.get("notes").map_or("", String::as_str);
    notes.split_whitespace().any(|note| matches!(note, "spawns" | "executes"))
}

/// What excuses a difference, if anything does.
fn excuse(case: &Case) -> Option<&str> {
    let notes = case.origin.get("notes")?;
    notes.split_whitespace().find(|note| EXCUSES.contains(note))
}

/// What excuses output that differs: numbers that are the file system's own choice.
fn of_the_file_system(compared: &Compared) -> Option<&'static str> {
    let only_output = compared.differences.iter().all(|difference| {
        matches!(
            difference.channel,
            Channel::Stdout { .. } | Channel::Tree { what: Aspect::Content, .. }
        )
    });
    (only_output && shows_numbers(&compared.case)).then_some("inode numbers")
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
        "stat" => {
            let has = |word: &[u8], part: &[u8]| word.windows(part.len()).any(|at| at == part);
            // Without a format it shows everything; a file system has its own numbers.
            let given = case.arguments.iter().any(|word| word.contains(&b'%'));
            let numbers: [&[u8]; 5] = [b"%i", b"%d", b"%D", b"%Hd", b"%Ld"];
            let shown = |word: &Vec<u8>| numbers.iter().any(|part| has(word, part));
            !given || case.arguments.iter().any(shown) || any(|word| word.starts_with(b"-f"))
        }
        _ => false,
    }
}

/// What a native run does otherwise than the recorded one.
fn unlike_recording(case: &Case, native: &Outcome) -> Vec<(Kind, String)> {
    let expected = &case.expected;
    let end = expected.end.as_ref().filter(|end| matches!(end, End::Exited(_) | End::Killed(_)));
    let end = end.filter(|end| **end != native.end);
    let end = end.map(|end| (Kind::End, format!("{end} was recorded, replayed: {}", native.end)));
    // Where another recorded program takes over, what is recorded of the first one ends.
    let whole = expected.end.is_some();
    let streams = [
        (Kind::Stdout, &expected.stdout, &native.stdout.bytes),
        (Kind::Stderr, &expected.stderr, &native.stderr.bytes),
    ];
    let streams = streams.into_iter().filter_map(|(kind, recorded, replayed)| {
        let alike = |recorded: &Vec<u8>| match whole {
            true => recorded == replayed,
            false => replayed.starts_with(recorded),
        };
        let recorded = recorded.as_ref().filter(|recorded| !alike(recorded))?;
        let at = recorded.iter().zip(replayed).take_while(|(one, other)| one == other).count();
        let part = |bytes: &[u8]| {
            let from = &bytes[at.saturating_sub(20)..];
            from[..from.len().min(60)].escape_ascii().to_string()
        };
        let (name, recorded, replayed) = (kind.name(), part(recorded), part(replayed));
        Some((kind, format!("{name}: \"{recorded}\" was recorded, \"{replayed}\"")))
    });
    end.into_iter().chain(streams).collect()
}

fn shown(case: &Case) -> String {
    format!("{} {}", name(case), case.id().short())
}

/// The program of a case: the last part of its name.
fn name(case: &Case) -> String {
    let last = case.program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(last).into_owned()
}
