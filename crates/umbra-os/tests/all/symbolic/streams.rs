//! Inherited descriptors with symbolic bytes and a symbolic end.

use super::world::{DATA, World};
use std::sync::Arc;
use umbra_engine::Byte;
use umbra_os::{Config, Descriptor, LowerStat, StreamKind, SymbolicInput};

const MAX: usize = 4;

/// Standard input of up to four bytes; input byte 0 is its length.
fn world(kind: StreamKind, length: u8) -> World {
    World::new(&[length, b'A', b'B', b'C', b'D'], |memory| {
        let bytes = (1..=MAX).map(|n| Byte::Symbolic(memory.byte(n))).collect();
        let length = Some(memory.number(0, 1, 64));
        let input = Arc::new(SymbolicInput { bytes, length });
        Config { descriptors: vec![Descriptor::input(kind, input)], ..Config::default() }
    })
}

fn file() -> StreamKind {
    StreamKind::File(LowerStat { mode: libc::S_IFREG | 0o644, size: 99, ..LowerStat::default() })
}

#[test]
fn a_large_read_decides_the_length() {
    for kind in [StreamKind::Pipe, file()] {
        for length in 0..=MAX {
            let mut world = world(kind, length as u8);
            assert_eq!(world.call(libc::SYS_read, &[0, DATA, 100]), length as i64);
            assert_eq!(world.decisions(), 1);
            assert_eq!(world.values(DATA, length), b"ABCD"[..length]);
            assert_eq!(world.symbolic(DATA, length), vec![true; length]);
            assert_eq!(world.call(libc::SYS_read, &[0, DATA, 100]), 0);
            assert_eq!(world.decisions(), 0);
        }
    }
}

#[test]
fn small_reads_ask_only_whether_there_is_so_much() {
    // Number of decisions of each read of one byte: the condition, and the length where it fails or
    // where nothing more can come.
    for (length, expected) in
        [(0, vec![2]), (1, vec![1, 2]), (3, vec![1, 1, 1, 1]), (4, vec![1; 4])]
    {
        let mut world = world(StreamKind::Pipe, length);
        for (n, decisions) in expected.into_iter().enumerate() {
            let got = world.call(libc::SYS_read, &[0, DATA, 1]);
            assert_eq!((got, world.decisions()), (i64::from(n < length.into()), decisions));
        }
        assert_eq!(world.call(libc::SYS_read, &[0, DATA, 1]), 0);
        assert_eq!(world.decisions(), 0);
    }
}

#[test]
fn seeking_and_stat_of_a_file_decide() {
    for length in [0, 3] {
        let mut one = world(file(), length);
        assert_eq!(one.call(libc::SYS_lseek, &[0, 2, libc::SEEK_SET as u64]), 2);
        assert_eq!(one.decisions(), 0);
        assert_eq!(one.call(libc::SYS_lseek, &[0, 0, libc::SEEK_END as u64]), i64::from(length));
        assert_eq!(one.decisions(), 1);
        let mut two = world(file(), length);
        assert_eq!(two.call(libc::SYS_fstat, &[0, DATA]), 0);
        assert_eq!((two.word(DATA + 48), two.decisions()), (length.into(), 1));
        assert_eq!(two.call(libc::SYS_pread64, &[0, DATA, 9, 1]), i64::from(length).max(1) - 1);
        assert_eq!(two.decisions(), 0);
    }
}

#[test]
fn what_is_waiting_depends_on_the_length() {
    let mut world = world(StreamKind::Pipe, 3);
    assert_eq!(world.call(libc::SYS_read, &[0, DATA, 1]), 1);
    assert_eq!(world.call(libc::SYS_ioctl, &[0, libc::FIONREAD, DATA]), 0);
    assert_eq!((world.values(DATA, 4), world.decisions()), (vec![2, 0, 0, 0], 1));
}

#[test]
fn what_waits_of_known_bytes_is_known_as_far_as_a_pipe_holds_it() {
    let mut world = World::new(&[], |_| {
        let input = Arc::new(vec![7; 66_000]);
        let descriptors = vec![Descriptor::input(StreamKind::Pipe, input)];
        Config { descriptors, ..Config::default() }
    });
    for (read, waiting) in [(0, 65_536), (1_000, 65_000)] {
        assert_eq!(world.call(libc::SYS_read, &[0, DATA, read]), read as i64);
        assert_eq!(world.call(libc::SYS_ioctl, &[0, libc::FIONREAD, DATA]), 0);
        assert_eq!(world.word(DATA) as u32, waiting);
    }
}

#[test]
fn a_pipe_tells_nothing_of_its_length() {
    let mut world = world(StreamKind::Pipe, 2);
    assert_eq!(world.call(libc::SYS_fstat, &[0, DATA]), 0);
    world.put(DATA, &[0, 0, 0, 0, libc::POLLIN as u8, 0, 0, 0]);
    assert_eq!(world.call(libc::SYS_poll, &[DATA, 1, 0]), 1);
    assert_eq!(world.decisions(), 0);
}

#[test]
fn a_repeated_poll_does_not_wait_twice() {
    // Two pipes, the second one's number an expression: nothing is ready, so time passes.
    let mut world = World::new(&[3], |_| Config::default());
    assert_eq!(world.call(libc::SYS_pipe, &[DATA]), 0);
    for at in [DATA, DATA + 8] {
        world.put(at, &[3, 0, 0, 0, libc::POLLIN as u8, 0, 0, 0]);
    }
    world.put_input(DATA + 8, 0, 1);
    assert_eq!(world.call(libc::SYS_poll, &[DATA, 2, 1000]), 0);
    assert_eq!(world.decisions(), 1);
    assert_eq!(world.call(libc::SYS_clock_gettime, &[libc::CLOCK_MONOTONIC as u64, DATA]), 0);
    assert_eq!(world.word(DATA), 1001);
}
