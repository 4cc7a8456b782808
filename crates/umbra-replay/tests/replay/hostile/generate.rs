//! Cases that are made, not named: links, descriptors, folders, limits, names and times in all
//! combinations. What is tried is the part of the sandbox that lays a case out and reads it back,
//! which nothing confines.
//!
//! All combinations are numbered, and a run takes as many of them as it is told to, in an order that
//! visits each number once and begins all over the place; so a share is the same in every run, and
//! more of it contains less of it. `UMBRA_CASES` says how many.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use umbra_case::{Access, Case, Descriptor, Entry, Resource, Settings, Stdin, Timestamp};
use umbra_compare::{Content, Outcome, TreeKind};
use umbra_replay::{Confinement, Error, Launcher, Limits, Pool, Program, Run};

use super::sentinel::Sentinel;
use super::{attack, limits};

/// Cases that are tried where nobody says how many.
const SHARE: usize = 150;

/// What only a file of the host has in it.
const PRECIOUS: &[u8] = b"precious";

/// Where links lead; `@` is the sentinel.
const TARGETS: [&str; 14] = [
    "@",
    "@/f",
    "@/d",
    "@/new",
    "..",
    "/",
    "/proc/self/fd/2",
    "/proc/self/fd",
    "/proc/self/cwd",
    "/proc/1/root@",
    "/dev/stderr",
    "link",
    "file",
    "/proc/self/fd/20",
];

/// Where the tree stands.
const ROOTS: [&str; 14] = [
    "",
    "/tmp",
    "/tmp/a/b",
    "/dev",
    "/dev/fd/20/x",
    "/dev/fd/2",
    "/proc/self/fd/20/x",
    "/proc/self/cwd/x",
    "/proc/1/root@/x",
    "/bin",
    "/umbra-reports",
    "/umbra-objects.ktest",
    "@",
    "LONG",
];

/// The working directory.
const FOLDERS: [&str; 10] =
    ["", "/", "folder", "link", "link/new", "link/d/new", "file", "new/deep/er", "LONG", "input/x"];

/// Descriptors that lead to something of the tree.
const PATHS: [&str; 5] = ["file", "link", "folder", "fifo", "input"];
const NUMBERS: [u32; 8] = [0, 2, 3, 9, 254, 1023, 65_536, u32::MAX];
const OFFSETS: [u64; 3] = [0, 5, u64::MAX];

/// Names of the program, and of entries of the tree.
const PROGRAMS: [&str; 5] = ["touch", "..", "/bin/sh/", "a\n\u{1b}[2Jb", "LONG"];
const NAMES: [&str; 9] =
    ["plain", "input", "umbra-1", "umbra-moved-1", "fd/20/x", "stdin", "new\nline", "LONG", "null"];

const SECONDS: [i64; 5] = [0, -1, i64::MIN, i64::MAX, 1 << 32];
const MODES: [u32; 4] = [0o644, 0, 0o7777, 0o300];

/// Limits that a case sets.
const LIMITS: [Option<(Resource, u64)>; 9] = [
    None,
    Some((Resource::OpenFiles, 0)),
    Some((Resource::OpenFiles, 4)),
    Some((Resource::AddressSpace, 1)),
    Some((Resource::AddressSpace, 1 << 20)),
    Some((Resource::Stack, 0)),
    Some((Resource::FileSize, 0)),
    Some((Resource::Cpu, 0)),
    Some((Resource::OpenFiles, u64::MAX)),
];

/// How many times as often the first of some values is taken as all others together, about: a case in
/// which everything is odd at once is refused for the first of it.
const PLAIN: usize = 4;

/// The digits of a number, in a base for each.
struct Choices(u64);

impl Choices {
    fn next<T: Copy>(&mut self, values: &[T]) -> T {
        let base = (PLAIN * values.len()) as u64;
        let digit = (self.0 % base) as usize;
        self.0 /= base;
        *values.get(digit).unwrap_or(&values[0])
    }
}

/// The number of combinations.
fn combinations() -> u64 {
    let bases = [
        TARGETS.len(),
        ROOTS.len(),
        FOLDERS.len(),
        PATHS.len(),
        NUMBERS.len(),
        OFFSETS.len(),
        3,
        2,
        PROGRAMS.len(),
        NAMES.len(),
        SECONDS.len(),
        MODES.len(),
        LIMITS.len(),
        4,
    ];
    bases.iter().map(|base| (PLAIN * base) as u64).product()
}

/// The numbers of the first `count` combinations. The step has no divisor in common with the number
/// of all: it is prime and larger than any base.
fn numbers(count: usize) -> impl Iterator<Item = u64> {
    const STEP: u64 = 1_000_000_007;
    let all = u128::from(combinations());
    let number = move |index: u128| (index * u128::from(STEP) * 7_919 % all) as u64;
    (0..count as u128).map(number)
}

fn case(number: u64, sentinel: &Sentinel) -> Case {
    let mut choices = Choices(number);
    let fill = |text: &str| -> Vec<u8> {
        let long = "n".repeat(300);
        text.replace('@', &sentinel.folder().to_string_lossy()).replace("LONG", &long).into_bytes()
    };
    let target = fill(choices.next(&TARGETS));
    let root = fill(choices.next(&ROOTS));
    let directory = fill(choices.next(&FOLDERS));
    let path = choices.next(&PATHS).as_bytes().to_vec();
    let descriptor = choices.next(&NUMBERS);
    let offset = choices.next(&OFFSETS);
    let access = choices.next(&[Access::Read, Access::Write, Access::Both]);
    let append = choices.next(&[false, true]);
    let program = fill(choices.next(&PROGRAMS));
    let name = fill(choices.next(&NAMES));
    let seconds = choices.next(&SECONDS);
    let mode = choices.next(&MODES);
    let limit = choices.next(&LIMITS);
    let stdin = choices.next(&[0, 1, 2, 3]);
    let modified = Some(Timestamp { seconds, nanoseconds: 999_999_999 });
    let file = |path: &[u8]| Entry { mode, modified, ..Entry::file(path.to_vec(), "content\n") };
    let mut tree = vec![
        Entry::symlink("link", target),
        file(b"file"),
        Entry { mode, modified, ..Entry::directory("folder") },
        Entry { modified, ..Entry::symlink("folder/link", "../link/f") },
        Entry::fifo("fifo"),
        file(&name),
    ];
    if name != b"input" {
        tree.push(Entry { modified, ..Entry::symlink("input", "link") });
    }
    let shared = (descriptor.saturating_add(1), Descriptor::Same(descriptor));
    let given = (descriptor, Descriptor::File { path, offset, access, append });
    Case {
        program,
        environment: vec![sentinel.mark().into_bytes()],
        stdin: match stdin {
            0 => Stdin::Closed,
            1 => Stdin::Null,
            2 => Stdin::Pipe(b"input".to_vec()),
            _ => Stdin::File(b"input".to_vec()),
        },
        descriptors: BTreeMap::from([shared, given]),
        root: (!root.is_empty()).then_some(root),
        directory,
        tree,
        settings: Settings {
            limits: limit.map(|(resource, bound)| (resource, Some(bound))).into_iter().collect(),
            ignored_signals: BTreeSet::from([13]),
            ..Settings::default()
        },
        ..Case::default()
    }
}

/// All cases of the share, then the host.
pub fn check_all(confinement: Confinement, launcher: &Launcher) {
    let share = std::env::var("UMBRA_CASES").ok().and_then(|count| count.parse().ok());
    let pool = match Pool::start(launcher, confinement, 2) {
        Ok(pool) => pool,
        Err(Error::Unavailable { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let sentinel = Sentinel::new();
    let numbers: Vec<u64> = numbers(share.unwrap_or(SHARE)).collect();
    let cases: Vec<Case> = numbers.iter().map(|number| case(*number, &sentinel)).collect();
    let program = Program::open(attack("touch")).expect("touch.c");
    let runs: Vec<Run> = cases.iter().map(|case| Run { case, program: &program }).collect();
    let limits = Limits { wall: Duration::from_secs(2), ..limits() };
    let results = pool.run(&runs, &limits, &AtomicBool::new(false));
    let mut failures = Vec::new();
    let (mut ran, mut refused) = (0, BTreeMap::<String, usize>::new());
    for (number, result) in numbers.iter().zip(results) {
        match result {
            Ok(outcome) if has_precious(&outcome) => {
                failures.push(format!("case {number} read a file of the host"));
            }
            Ok(_) => ran += 1,
            // It cannot be laid out, and says why; the sandbox goes on.
            Err(error @ (Error::Case(_) | Error::Start { .. })) => {
                *refused.entry(error.to_string()).or_default() += 1;
            }
            Err(error) => failures.push(format!("case {number}: {error}")),
        }
    }
    drop(pool);
    failures.extend(sentinel.changes());
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        numbers.len(),
        failures.join("\n")
    );
    assert!(ran * 10 > numbers.len(), "only {ran} of {} cases ran: {refused:#?}", numbers.len());
}

/// Whether anything of the host's is in what came out of a run.
fn has_precious(outcome: &Outcome) -> bool {
    let has = |bytes: &[u8]| bytes.windows(PRECIOUS.len()).any(|part| part == PRECIOUS);
    let in_tree = outcome.tree.0.iter().any(|entry| match &entry.kind {
        TreeKind::File(Content::Bytes(bytes)) => has(bytes),
        _ => false,
    });
    in_tree || has(&outcome.stdout.bytes) || has(&outcome.stderr.bytes)
}

#[test]
fn every_combination_is_visited_once() {
    let count = 10_000;
    let different: BTreeSet<u64> = numbers(count).collect();
    assert_eq!(different.len(), count);
    assert!(combinations() > 1_000_000);
    assert!(different.iter().all(|number| *number < combinations()));
}
