//! Files of which it is open whether they exist, what they are and how long they are.

use super::world::{DATA, SymbolicMemory, World};
use std::path::Path;
use umbra_engine::{Answer, Byte};
use umbra_os::{Config, Kernel, MemoryLower, SymbolicFile, SymbolicKind};

const NOENT: i64 = -(libc::ENOENT as i64);
const EXIST: i64 = -(libc::EEXIST as i64);
const DIRECTORY: usize = SymbolicKind::Directory as usize;

/// `/tmp/s`: byte 0 of the input says whether it exists, byte 1 what it is, byte 2 how long it is,
/// and three more what is in it.
fn file(memory: &mut SymbolicMemory) -> SymbolicFile {
    SymbolicFile {
        path: "/tmp/s".into(),
        bytes: (3..6).map(|n| Byte::Symbolic(memory.byte(n))).collect(),
        length: Some(memory.number(2, 1, 64)),
        exists: Some(memory.bit(0)),
        kind: Some(memory.number(1, 1, 64)),
        metadata: None,
    }
}

fn world(exists: bool, kind: usize, length: u8) -> World {
    let values = [u8::from(exists), kind as u8, length, b'X', b'Y', b'Z'];
    World::new(&values, |memory| Config {
        symbolic_files: vec![file(memory)],
        cwd: "/tmp".into(),
        ..Config::default()
    })
}

fn stat(world: &mut World, path: &str) -> (i64, u32) {
    let path = world.text(path);
    let result = world.call(libc::SYS_lstat, &[path, DATA]);
    let mode = world.values(DATA + 24, 4);
    (result, u32::from_le_bytes(mode.try_into().unwrap()))
}

#[test]
fn it_can_be_missing() {
    let mut world = world(false, 0, 3);
    assert_eq!(stat(&mut world, "/tmp/other").0, NOENT);
    assert_eq!(world.decisions(), 0);
    assert_eq!(stat(&mut world, "/tmp/s").0, NOENT);
    assert_eq!(world.decisions(), 1);
    assert_eq!(world.open("s", libc::O_CREAT | libc::O_EXCL | libc::O_RDWR), 3);
    assert_eq!(world.decisions(), 0);
    assert_eq!(world.call(libc::SYS_write, &[3, DATA, 5]), 5);
    assert_eq!(world.tree("/tmp/s")[0].3.len(), 5);
}

#[test]
fn it_can_be_there() {
    let mut world = world(true, 0, 2);
    assert_eq!(world.open("s", libc::O_CREAT | libc::O_EXCL | libc::O_RDWR), EXIST);
    assert_eq!(world.decisions(), 2);
    assert_eq!(world.open("s", libc::O_RDWR), 3);
    assert_eq!(world.call(libc::SYS_read, &[3, DATA, 10]), 2);
    assert_eq!((world.values(DATA, 2), world.decisions()), (b"XY".to_vec(), 1));
    assert_eq!(world.tree("/tmp/s")[0].3, b"XY");
}

#[test]
fn it_is_what_its_kind_says() {
    for (kind, mode) in [
        (0, libc::S_IFREG | 0o644),
        (1, libc::S_IFDIR | 0o755),
        (2, libc::S_IFLNK | 0o777),
        (3, libc::S_IFIFO | 0o644),
        (4, libc::S_IFCHR | 0o644),
        (77, libc::S_IFREG | 0o644),
    ] {
        let mut world = world(true, kind, 2);
        assert_eq!(stat(&mut world, "/tmp/s"), (0, mode), "kind {kind}");
        let regular = mode & libc::S_IFMT == libc::S_IFREG;
        assert_eq!(world.decisions(), if regular { 3 } else { 2 });
        let expected = match kind {
            1 => -i64::from(libc::EISDIR),
            2 => NOENT,
            _ => 3,
        };
        assert_eq!(world.open("s", libc::O_RDWR), expected, "kind {kind}");
        assert_eq!(world.tree("/tmp")[1].1, mode);
    }
}

#[test]
fn its_directory_shows_it_or_not() {
    for exists in [false, true] {
        let mut world = world(exists, DIRECTORY, 0);
        assert_eq!(world.open("/tmp", libc::O_RDONLY | libc::O_DIRECTORY), 3);
        assert_eq!(world.decisions(), 0);
        let listed = world.call(libc::SYS_getdents64, &[3, DATA, 1024]);
        assert_eq!(listed, 48 + if exists { 24 } else { 0 });
        assert_eq!(world.decisions(), 1 + usize::from(exists));
        let kinds = exists.then(|| world.values(DATA + 48 + 18, 2));
        assert_eq!(kinds, exists.then(|| vec![libc::DT_DIR, b's']));
    }
}

#[test]
fn the_links_of_its_directory_depend_on_it() {
    for (exists, kind, links) in [(true, 1, 3), (true, 0, 2), (false, 1, 2)] {
        let mut world = world(exists, kind, 0);
        let path = world.text("/tmp");
        assert_eq!(world.call(libc::SYS_stat, &[path, DATA]), 0);
        assert_eq!(world.word(DATA + 16), links);
        assert_eq!(world.tree("/tmp")[0].2, links);
    }
}

#[test]
fn a_directory_is_empty_without_it() {
    for (exists, result) in [(false, 0), (true, -i64::from(libc::ENOTEMPTY))] {
        let mut world = World::new(&[u8::from(exists)], |memory| {
            let mut lower = MemoryLower::minimal();
            lower.directory("/tmp/d", 0o755);
            let file = SymbolicFile { path: "/tmp/d/s".into(), ..SymbolicFile::default() };
            let exists = Some(memory.bit(0));
            Config {
                lower: std::sync::Arc::new(lower),
                symbolic_files: vec![SymbolicFile { exists, ..file }],
                ..Config::default()
            }
        });
        let path = world.text("/tmp/d");
        assert_eq!(world.call(libc::SYS_rmdir, &[path]), result);
        assert_eq!(world.decisions(), 1);
    }
}

#[test]
fn it_can_be_renamed_linked_and_removed() {
    for exists in [false, true] {
        let result = if exists { 0 } else { NOENT };
        let mut world = world(exists, 0, 1);
        let (from, to, other) = (world.text("s"), world.text("t"), world.text("u"));
        assert_eq!(world.call(libc::SYS_rename, &[from, to]), result);
        assert_eq!(world.call(libc::SYS_link, &[to, other]), result);
        assert_eq!(world.call(libc::SYS_unlink, &[to]), result);
        let names: Vec<String> = world.tree("/tmp").into_iter().map(|entry| entry.0).collect();
        assert_eq!(names, if exists { vec!["", "u"] } else { vec![""] });
    }
}

#[test]
fn emptying_it_needs_no_length() {
    let mut world = world(true, 0, 2);
    assert_eq!(world.open("s", libc::O_RDWR | libc::O_TRUNC), 3);
    assert_eq!(world.decisions(), 2);
    assert_eq!(world.tree("/tmp/s")[0].3, b"");
}

#[test]
fn appending_needs_the_length() {
    let mut world = world(true, 0, 2);
    assert_eq!(world.open("s", libc::O_RDWR | libc::O_APPEND), 3);
    world.put(DATA, b"end");
    assert_eq!(world.call(libc::SYS_write, &[3, DATA, 3]), 3);
    assert_eq!(world.decisions(), 1);
    assert_eq!(world.tree("/tmp/s")[0].3, b"XYend");
}

#[test]
fn a_copy_of_it_has_its_length() {
    for length in 0..=3 {
        let mut world = world(true, 0, length);
        assert_eq!(world.open("s", libc::O_RDONLY), 3);
        assert_eq!(world.open("copy", libc::O_CREAT | libc::O_RDWR), 4);
        let all = world.call(libc::SYS_sendfile, &[4, 3, 0, 100]);
        assert_eq!(all, i64::from(length));
        assert_eq!(world.tree("/tmp/copy")[0].3, b"XYZ"[..length.into()]);
    }
}

#[test]
fn it_takes_over_from_a_lower_file() {
    for exists in [true, false] {
        let mut world = World::new(&[u8::from(exists), 0, 3, b'X', b'Y', b'Z'], |memory| {
            let mut lower = MemoryLower::minimal();
            lower.file("/tmp/s", 0o600, "lower contents");
            lower.owner("/tmp/s", 7, 8);
            Config {
                lower: std::sync::Arc::new(lower),
                symbolic_files: vec![file(memory)],
                ..Config::default()
            }
        });
        let mode = libc::S_IFREG | 0o600;
        assert_eq!(stat(&mut world, "/tmp/s").0, if exists { 0 } else { NOENT });
        let tree = world.tree("/tmp");
        let file = exists.then(|| ("s".to_owned(), mode, 1, b"XYZ".to_vec()));
        assert_eq!(tree.get(1), file.as_ref());
    }
}

#[test]
fn a_tree_with_open_questions_cannot_be_walked() {
    let mut world = world(true, 0, 3);
    let failed = world.eager.kernel.walk_tree(Path::new("/tmp")).unwrap_err();
    assert_eq!(failed, umbra_os::Error::Undecided("/tmp".into()));
}

#[test]
fn its_directory_must_exist() {
    let files = vec![SymbolicFile { path: "/none/s".into(), ..SymbolicFile::default() }];
    let made = Kernel::new(Config { symbolic_files: files, ..Config::default() });
    let expected = umbra_os::Error::SymbolicFile("/none/s".into(), umbra_os::Errno::ENOENT);
    assert_eq!(made.err(), Some(expected));
}

#[test]
fn a_pending_signal_waits_for_the_repetition() {
    // What a child's end has raised is delivered by the next call; a call that is refused a decision
    // is not that one.
    let mut world = world(true, 0, 1);
    let mut action = [0; 32];
    action[..8].copy_from_slice(&0x1234u64.to_le_bytes());
    world.put(DATA, &action);
    let signal = libc::SIGCHLD as u64;
    assert_eq!(world.call(libc::SYS_rt_sigaction, &[signal, DATA, 0, 8]), 0);
    assert!(matches!(world.answer(libc::SYS_fork, &[]), Answer::Forked(_)));
    assert_eq!(world.answer(libc::SYS_exit_group, &[0]), Answer::ChildEnded);
    let path = world.text("s");
    let answer = world.answer(libc::SYS_open, &[path, libc::O_RDONLY as u64]);
    let Answer::Interrupted { result, deliveries } = answer else {
        panic!("no signal with {answer:?}");
    };
    assert_eq!((result, deliveries.len()), (3, 1));
}
