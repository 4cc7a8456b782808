//! Paths with bytes that are expressions.

use super::world::{DATA, World};
use umbra_os::{Config, MemoryLower, SymbolicFile};

/// An address without memory.
const NOWHERE: u64 = 8;

/// In `/work`: a file `ab`, a directory `cd`, and a symbolic file `s`.
fn world(input: &str) -> World {
    World::new(input.as_bytes(), |_| {
        let mut lower = MemoryLower::minimal();
        lower.directory("/work", 0o755);
        lower.file("/work/ab", 0o644, "lower");
        lower.directory("/work/cd", 0o755);
        lower.file("/work/cd/e", 0o644, "");
        lower.file("/zz", 0o644, "");
        Config {
            lower: std::sync::Arc::new(lower),
            cwd: "/work".into(),
            symbolic_files: vec![SymbolicFile { path: "s".into(), ..SymbolicFile::default() }],
            ..Config::default()
        }
    })
}

/// Opens the path that the input is; all bytes are expressions and a NUL follows.
fn open(input: &str, flags: i32) -> (i64, usize) {
    let mut world = world(input);
    world.put_input(DATA, 0, input.len());
    let opened = world.call(libc::SYS_open, &[DATA, flags as u64, 0o644]);
    (opened, world.decisions())
}

#[test]
fn a_path_is_compared_before_it_is_decided() {
    let missing = -i64::from(libc::ENOENT);
    // One question for the end of each byte, one for each candidate of the same length (of one
    // byte: s, dot and slash; of two: dots, ab, cd). If it is none, one whether there is a slash in
    // it (of one byte: asked already), and then the bytes in eights. A name that no file has is not
    // decided.
    for (input, result, decisions) in [
        ("s", 3, 1 + 1),
        (".", 3, 1 + 2),
        ("/", 3, 1 + 3),
        ("x", missing, 1 + 3),
        ("ab", 3, 2 + 2),
        ("cd", 3, 2 + 3),
        ("xy", missing, 2 + 3 + 1),
        ("/work/s", 3, 7 + 1),
        ("/zz", 3, 3 + 1 + 1),
        ("cd/e", 3, 4 + 1 + 1),
        ("a-name-of-20-letters", missing, 20 + 1),
    ] {
        assert_eq!(open(input, libc::O_RDONLY), (result, decisions), "{input}");
    }
}

#[test]
fn a_path_ends_at_the_first_nul() {
    assert_eq!(open("s\0b", libc::O_RDONLY).0, 3);
    assert_eq!(open("\0ab", libc::O_RDONLY), (-i64::from(libc::ENOENT), 1));
}

#[test]
fn what_follows_the_nul_is_not_read() {
    // The NUL is the last byte of memory.
    let mut world = world("s\0");
    let end = DATA + 0x4000;
    world.put_input(end - 2, 0, 2);
    assert_eq!(world.call(libc::SYS_open, &[end - 2, libc::O_RDONLY as u64]), 3);
    world.put_input(end - 1, 0, 1);
    let fault = -i64::from(libc::EFAULT);
    assert_eq!(world.call(libc::SYS_open, &[end - 1, libc::O_RDONLY as u64]), fault);
}

#[test]
fn known_bytes_are_not_asked_for() {
    for (path, from, result) in [("?b", 0, 3), ("c?", 1, 3)] {
        let mut world = world("ad");
        world.put(DATA, path.as_bytes());
        world.put_input(DATA + from, from as usize, 1);
        assert_eq!(world.call(libc::SYS_open, &[DATA, libc::O_RDONLY as u64]), result);
        // Whether it is the end, and whether it is the one candidate that fits.
        assert_eq!(world.decisions(), 2, "{path}");
    }
}

#[test]
fn a_new_file_has_the_decided_name() {
    let mut world = world("new");
    world.put_input(DATA, 0, 3);
    let flags = libc::O_CREAT | libc::O_RDWR;
    assert_eq!(world.call(libc::SYS_open, &[DATA, flags as u64, 0o600]), 3);
    let names: Vec<String> = world.tree("/work").into_iter().map(|entry| entry.0).collect();
    assert_eq!(names, ["", "ab", "cd", "cd/e", "new", "s"]);
}

#[test]
fn calls_with_two_paths_decide_both_first() {
    let mut world = world("abnew");
    world.put_input(DATA, 0, 2);
    world.put_input(DATA + 16, 2, 3);
    assert_eq!(world.call(libc::SYS_rename, &[DATA, DATA + 16]), 0);
    assert_eq!(world.call(libc::SYS_link, &[DATA + 16, DATA]), 0);
    assert_eq!(world.call(libc::SYS_symlink, &[DATA, NOWHERE]), -i64::from(libc::EFAULT));
    let names: Vec<String> = world.tree("/work").into_iter().map(|entry| entry.0).collect();
    assert_eq!(names, ["", "ab", "cd", "cd/e", "new", "s"]);
}

#[test]
fn other_strings_are_decided() {
    let mut world = world("user.n");
    world.put_input(DATA, 0, 6);
    let path = world.text("ab");
    assert_eq!(world.call(libc::SYS_setxattr, &[path, DATA, DATA, 3, 0]), 0);
    assert_eq!(world.decisions(), 6);
    let name = world.text("user.n");
    assert_eq!(world.call(libc::SYS_getxattr, &[path, name, DATA + 64, 9]), 3);
    assert_eq!(world.values(DATA + 64, 3), b"use");
    assert_eq!(world.call(libc::SYS_prctl, &[libc::PR_SET_NAME as u64, DATA]), 0);
    assert_eq!(world.call(libc::SYS_prctl, &[libc::PR_GET_NAME as u64, DATA + 64]), 0);
    assert_eq!(world.values(DATA + 64, 7), b"user.n\0");
}
