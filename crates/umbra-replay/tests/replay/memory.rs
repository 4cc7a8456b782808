//! What the limit on memory covers, and what is left of the group that counts it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_compare::{MemoryCount, Note};
use umbra_replay::{Confinement, Launcher, Limits, Presence, Program, Sandbox, facts};
use umbra_words::{End, LimitKind};

use crate::support::{compile, confinements, launcher, probe};

const MIB: u64 = 1 << 20;

fn attack(arguments: &[&str]) -> Case {
    Case {
        program: b"resources".to_vec(),
        arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
        ..Case::default()
    }
}

fn resources() -> Program {
    let flags = ["-static", "-Wno-infinite-recursion"];
    Program::open(compile("hostile/resources.c", &flags)).expect("resources.c")
}

/// Kinds of sandbox, with a control group if there may be one and without.
fn sandboxes() -> impl Iterator<Item = Sandbox> {
    confinements().flat_map(|kind| {
        [false, true].map(|without_group| {
            let launcher = Launcher { without_group, ..launcher() };
            Sandbox::start(&launcher, kind).expect("a sandbox")
        })
    })
}

#[test]
fn memory_that_no_process_has_is_counted() {
    let program = resources();
    let limits = Limits { memory: 128 * MIB, address_space: 1024 * MIB, ..Limits::default() };
    for mut sandbox in sandboxes() {
        let (kind, count) = (sandbox.confinement(), sandbox.memory_count());
        for how in ["share-forget", "share-unmap", "share-children", "share-device"] {
            let outcome = sandbox.run(&attack(&[how, "130"]), &program, &limits).expect("a run");
            assert_eq!(outcome.memory_count, count);
            let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
            let is_stopped = match count {
                MemoryCount::Group { .. } => outcome.end == End::OverLimit(LimitKind::Memory),
                // It is refused more, or stopped with what else it has.
                MemoryCount::Seen => {
                    outcome.notes.contains(&Note::SharedMemory)
                        || outcome.end == End::OverLimit(LimitKind::Memory)
                }
            };
            assert!(
                is_stopped,
                "{kind:?} {count:?} {how}: {} {text} {:?}",
                outcome.end, outcome.notes
            );
        }
        for how in ["sockets", "sockets-closed", "sockets-packets"] {
            let outcome = sandbox.run(&attack(&[how, "130"]), &program, &limits).expect("a run");
            let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
            let is_refused = kind == Confinement::Landlock && count == MemoryCount::Seen;
            let end = match is_refused {
                true => End::Exited(0),
                false => End::OverLimit(LimitKind::Memory),
            };
            assert_eq!(outcome.end, end, "{kind:?} {count:?} {how}: {text}");
        }
        // What is within the limit goes as ever, also after what was not.
        let outcome = sandbox.run(&attack(&["bomb"]), &program, &limits).expect("a run");
        assert_ne!(outcome.end, End::OverLimit(LimitKind::Memory), "{kind:?} {count:?}");
        let outcome = sandbox.run(&attack(&["share-forget", "9999"]), &program, &Limits::default());
        let outcome = outcome.expect("a run");
        assert_eq!(outcome.end, End::Exited(0), "{kind:?} {count:?}");
        assert_eq!(outcome.stdout.bytes, b"512 MiB\n");
    }
}

/// Folders of control groups that were made by the process with this number.
fn groups(asker: u32) -> Vec<PathBuf> {
    let prefix = format!("umbra-replay-{asker}-");
    let mut found = Vec::new();
    let mut next = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(&prefix) {
                    found.push(entry.path());
                }
                next.push(entry.path());
            }
        }
    }
    found
}

fn until(mut look: impl FnMut() -> bool) {
    let start = Instant::now();
    while !look() {
        assert!(start.elapsed() < Duration::from_secs(30), "it did not happen");
        std::thread::yield_now();
    }
}

/// The part of the next test that is killed.
#[test]
fn helper_with_a_group() {
    let Ok(kind) = std::env::var("UMBRA_REPLAY_GROUP") else {
        assert!(std::env::var_os("UMBRA_REPLAY_GROUP").is_none());
        return;
    };
    let kind = match kind.as_str() {
        "landlock" => Confinement::Landlock,
        _ => Confinement::Namespaces,
    };
    let mut sandbox = Sandbox::start(&launcher(), kind).expect("a sandbox");
    let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
    let case = Case {
        program: b"probe".to_vec(),
        arguments: vec![b"sleep=60000".to_vec()],
        ..Case::default()
    };
    _ = sandbox.run(&case, &probe(), &limits);
}

#[test]
fn no_control_group_is_left_by_anybody() {
    let sandbox = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    let MemoryCount::Group { version } = sandbox.memory_count() else {
        let reason = sandbox.without_group().expect("a reason");
        assert!(!reason.is_empty());
        return;
    };
    assert!(matches!(version, 1 | 2));
    drop(sandbox);
    probe();
    for kind in confinements() {
        let mut asker = Command::new(std::env::current_exe().expect("the test's path"))
            .args(["--exact", "memory::helper_with_a_group"])
            .env("UMBRA_REPLAY_GROUP", kind.name())
            .stdout(Stdio::null())
            .spawn()
            .expect("the test can be started again");
        let number = asker.id();
        until(|| !groups(number).is_empty());
        asker.kill().expect("it can be killed");
        asker.wait().expect("it ends");
        until(|| groups(number).is_empty());
    }
    // What nobody could remove, the next keeper does. No process has this number.
    let own = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    let beside =
        groups(std::process::id()).first().and_then(|group| Some(group.parent()?.to_owned()));
    let stale = beside.expect("a group").join("umbra-replay-4194305-0");
    fs::create_dir(&stale).expect("a group");
    let next = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    assert!(!Path::new(&stale).exists());
    drop((own, next));
}

/// What `umbra doctor` says.
#[test]
fn what_the_limit_covers_is_said() {
    for without_group in [false, true] {
        let facts = facts(&Launcher { without_group, ..launcher() });
        let fact = facts.iter().find(|fact| fact.name == "cgroup").expect("a fact");
        assert!(fact.optional);
        let text = match &fact.finding {
            Presence::Present(text) => text,
            Presence::Absent { reason, .. } => reason,
        };
        let is_whole = matches!(fact.finding, Presence::Present(_));
        assert!(!(without_group && is_whole));
        assert!(text.contains(if is_whole { "all memory" } else { "shared mappings" }), "{text}");
    }
}
