//! Bytes that are only moved.

use super::world::{DATA, SymbolicMemory, World};
use std::sync::Arc;
use umbra_engine::{Answer, Byte, Environment};
use umbra_expr::Importer;
use umbra_os::{
    Config, Descriptor, OutputAction, StreamKind, SymbolicFile, SymbolicInput, SymbolicMetadata,
};

const IN: u64 = DATA;
const OUT: u64 = DATA + 0x1000;
const CREATE: i32 = libc::O_CREAT | libc::O_RDWR;

/// Standard input of up to two bytes, and a file whose existence and owner are open.
fn config(memory: &mut SymbolicMemory) -> Config {
    let bytes = vec![Byte::Symbolic(memory.byte(2)), Byte::Concrete(b'!')];
    let input = SymbolicInput { bytes, length: Some(memory.number(3, 1, 64)) };
    let metadata = SymbolicMetadata { uid: Some(memory.number(2, 1, 32)), ..Default::default() };
    let mut config = Config::default();
    config.descriptors[0] = Descriptor::input(StreamKind::Pipe, Arc::new(input));
    config.symbolic_files.push(SymbolicFile {
        path: "/tmp/open".into(),
        exists: Some(memory.bit(3)),
        metadata: Some(metadata),
        ..SymbolicFile::default()
    });
    config
}

/// A file with "abXYcd", of which X and Y are expressions, open as descriptor 3.
fn file() -> World {
    let mut world = World::new(b"XYZ\x01", config);
    assert_eq!(world.open("/tmp/f", CREATE), 3);
    world.put(IN, b"ab--cd");
    world.put_input(IN + 2, 0, 2);
    assert_eq!(world.call(libc::SYS_write, &[3, IN, 6]), 6);
    world
}

/// What the file is now: values, with an upper-case letter where it was an expression.
fn contents(world: &mut World, fd: u64) -> (Vec<u8>, Vec<bool>) {
    let n = world.call(libc::SYS_pread64, &[fd, OUT, 64, 0]) as usize;
    assert_eq!(world.decisions(), 0);
    (world.values(OUT, n), world.symbolic(OUT, n))
}

fn places(text: &str) -> (Vec<u8>, Vec<bool>) {
    (text.into(), text.bytes().map(|byte| byte.is_ascii_uppercase()).collect())
}

#[test]
fn a_file_keeps_expressions() {
    let mut world = file();
    assert_eq!(contents(&mut world, 3), places("abXYcd"));
    assert_eq!(world.tree("/tmp/f")[0].3, b"abXYcd");
}

#[test]
fn vectors_are_gathered_and_scattered() {
    let mut world = file();
    let vector = |parts: &[(u64, u64)]| -> Vec<u8> {
        parts.iter().flat_map(|(at, n)| [at.to_le_bytes(), n.to_le_bytes()].concat()).collect()
    };
    world.put_input(IN + 0x100, 2, 1);
    world.put(IN + 0x200, &vector(&[(IN + 1, 2), (IN + 0x100, 1), (IN, 1)]));
    assert_eq!(world.call(libc::SYS_pwritev, &[3, IN + 0x200, 3, 6]), 4);
    assert_eq!(contents(&mut world, 3), places("abXYcdbXZa"));
    world.put(IN + 0x200, &vector(&[(OUT, 3), (OUT + 0x10, 5)]));
    assert_eq!(world.call(libc::SYS_preadv, &[3, IN + 0x200, 2, 1]), 8);
    assert_eq!(world.values(OUT, 3), b"bXY");
    assert_eq!(world.values(OUT + 0x10, 5), b"cdbXZ");
    assert_eq!(world.symbolic(OUT + 0x10, 5), [false, false, false, true, true]);
}

#[test]
fn plain_bytes_take_the_place_of_expressions() {
    let mut world = file();
    assert_eq!(world.call(libc::SYS_pwrite64, &[3, IN, 2, 3]), 2);
    assert_eq!(contents(&mut world, 3), places("abXabd"));
}

#[test]
fn truncation_and_holes_take_expressions_away() {
    let mut world = file();
    assert_eq!(world.call(libc::SYS_ftruncate, &[3, 3]), 0);
    assert_eq!(world.call(libc::SYS_ftruncate, &[3, 5]), 0);
    assert_eq!(contents(&mut world, 3), places("abX\0\0"));
    let punch = (libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE) as u64;
    assert_eq!(world.call(libc::SYS_fallocate, &[3, punch, 1, 2]), 0);
    assert_eq!(contents(&mut world, 3), places("a\0\0\0\0"));
    assert_eq!(world.call(libc::SYS_pwrite64, &[3, IN + 2, 1, 10_000]), 1);
    assert_eq!(world.call(libc::SYS_pread64, &[3, OUT, 4, 9_999]), 2);
    assert_eq!(world.values(OUT, 2), b"\0X");
    assert_eq!(world.call(libc::SYS_lseek, &[3, 4096, libc::SEEK_DATA as u64]), 8192);
}

#[test]
fn copies_carry_expressions() {
    let mut world = file();
    assert_eq!(world.open("/tmp/g", CREATE), 4);
    world.put(IN + 0x100, &1u64.to_le_bytes());
    assert_eq!(world.call(libc::SYS_copy_file_range, &[3, IN + 0x100, 4, 0, 10, 0]), 5);
    assert_eq!(contents(&mut world, 4), places("bXYcd"));
    assert_eq!(world.call(libc::SYS_pipe, &[IN + 0x200]), 0);
    world.put(IN + 0x100, &2u64.to_le_bytes());
    assert_eq!(world.call(libc::SYS_sendfile, &[6, 3, IN + 0x100, 10]), 4);
    assert_eq!(world.call(libc::SYS_write, &[6, IN + 1, 2]), 2);
    assert_eq!(world.call(libc::SYS_read, &[5, OUT, 1]), 1);
    assert_eq!(world.call(libc::SYS_read, &[5, OUT + 1, 3]), 3);
    assert_eq!(world.call(libc::SYS_read, &[5, OUT + 4, 64]), 2);
    assert_eq!((world.values(OUT, 6), world.symbolic(OUT, 6)), places("XYcdbX"));
    assert_eq!(world.decisions(), 0);
}

#[test]
fn a_mapping_shows_expressions() {
    let mut world = file();
    let private = libc::MAP_PRIVATE as u64;
    let at = world.call(libc::SYS_mmap, &[0, 4096, libc::PROT_READ as u64, private, 3, 0]) as u64;
    assert_eq!((world.values(at, 6), world.symbolic(at, 6)), places("abXYcd"));
    let moved = world.call(libc::SYS_mremap, &[at, 4096, 8192, libc::MREMAP_MAYMOVE as u64]) as u64;
    assert_ne!(moved, at);
    assert_eq!((world.values(moved, 6), world.symbolic(moved, 6)), places("abXYcd"));
}

#[test]
fn output_is_reported_with_expressions() {
    let mut world = file();
    assert_eq!(world.call(libc::SYS_write, &[1, IN, 6]), 6);
    assert_eq!(world.call(libc::SYS_write, &[2, IN, 2]), 2);
    let expected = [(1, None, b"abXYcd".to_vec()), (2, None, b"ab".to_vec())];
    assert_eq!(world.output(), expected);
    let plain = world.eager.kernel.output().into_iter().map(|event| match event.action {
        OutputAction::Write { bytes, .. } => (bytes.len(), bytes.plain().is_some()),
        OutputAction::Truncate(_) => (0, false),
    });
    assert_eq!(plain.collect::<Vec<_>>(), [(6, false), (2, true)]);
}

#[test]
fn clones_do_not_share_later_expressions() {
    let mut world = file();
    let before = world.eager.kernel.clone();
    assert_eq!(world.call(libc::SYS_pwrite64, &[3, IN, 6, 3]), 6);
    assert_eq!(world.tree("/tmp/f")[0].3, b"abXabXYcd");
    world.eager.kernel = before;
    assert_eq!(world.eager.kernel.walk_tree("/tmp/f".as_ref()).unwrap()[0].stat.size, 6);
}

/// Moves a kernel with expressions everywhere to another table and looks at all of them there.
#[test]
fn every_expression_is_translated() {
    let mut world = file();
    assert_eq!(world.call(libc::SYS_pipe, &[IN + 0x200]), 0);
    assert_eq!(world.call(libc::SYS_write, &[5, IN, 6]), 6);
    assert_eq!(world.call(libc::SYS_write, &[1, IN, 6]), 6);
    let run = &mut world.eager;
    let source = std::mem::take(&mut run.memory.exprs);
    let mut target = umbra_expr::Expressions::new();
    // Other expressions first, so that no number stays the same by chance.
    target.input("other", 1);
    let input = target.input("in", 256);
    for n in 100..200 {
        target.byte(input, n);
    }
    let mut importer = Importer::new(&source);
    run.kernel.translate(&mut |expression| importer.import(&mut target, expression));
    let mut assignment = umbra_expr::Assignment::new();
    assignment.set_bytes(input, b"XYZ\x01");
    let mut evaluator = umbra_expr::Evaluator::new();
    let mut kernel = run
        .kernel
        .concrete(|expression| evaluator.run(&target, &assignment).value_u64(expression))
        .unwrap();
    let entry = kernel.walk_tree("/tmp/f".as_ref()).unwrap().remove(0);
    let mut bytes = [0; 6];
    kernel.read_file(entry.id, 0, &mut bytes).unwrap();
    assert_eq!(&bytes, b"abXYcd");
    let OutputAction::Write { bytes, .. } = kernel.drain_output().remove(0).action else {
        panic!("a write");
    };
    assert_eq!(bytes.plain(), Some(b"abXYcd".as_slice()));
    let mut memory = crate::memory::FlatMemory::new();
    let at = crate::memory::BASE;
    for (fd, expected) in [(4, b"abXYcd".as_slice()), (0, b"Z")] {
        let arguments = [fd, at, 64, 0, 0, 0];
        let answer = kernel.system_call(&mut memory, libc::SYS_read as u64, arguments);
        assert_eq!(answer, Answer::Return(expected.len() as i64));
        assert_eq!(memory.bytes(at, expected.len()), expected);
    }
    let entry = kernel.walk_tree("/tmp/open".as_ref()).unwrap().remove(0);
    assert_eq!(entry.stat.uid, u32::from(b'Z'));
}
