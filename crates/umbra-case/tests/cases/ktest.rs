//! KLEE's test cases: the format, damage to it, and the model of POSIX.

use umbra_case::{Case, Entry, EntryKind, KTest, KTestError, Object, Stdin, Timestamp};

use crate::generator;

fn object(name: &str, bytes: impl Into<Vec<u8>>) -> Object {
    Object { name: name.into(), bytes: bytes.into() }
}

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split(' ').map(Into::into).collect()
}

/// A file as KLEE writes it, spelled out.
const FILE: &[u8] = b"KTEST\0\0\0\x03\
    \0\0\0\x02\0\0\0\x04p.bc\0\0\0\x01x\
    \0\0\0\x00\0\0\0\x00\
    \0\0\0\x02\0\0\0\x01a\0\0\0\x04\x01\x02\x03\x04\0\0\0\x02bc\0\0\0\x01\xff";

fn decoded() -> KTest {
    KTest {
        arguments: words("p.bc x"),
        objects: vec![object("a", [1, 2, 3, 4]), object("bc", [255])],
        ..KTest::default()
    }
}

#[test]
fn files_are_read_and_written_as_klee_does() {
    assert_eq!(KTest::decode(FILE), Ok(decoded()));
    assert_eq!(decoded().encode(), Ok(FILE.to_vec()));
    let old = b"BOUT\n\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01a\0\0\0\0";
    let expected = KTest { objects: vec![object("a", [])], ..KTest::default() };
    assert_eq!(KTest::decode(old), Ok(expected));
}

#[test]
fn random_files_are_read_as_they_were_written() {
    for seed in 0..300 {
        let case = generator::case(seed);
        let rng = &mut fastrand::Rng::with_seed(seed);
        let ktest = KTest {
            arguments: case.arguments,
            symbolic_arguments: rng.u32(..),
            symbolic_argument_length: rng.u32(..),
            objects: case.objects,
        };
        assert_eq!(KTest::decode(&ktest.encode().unwrap()), Ok(ktest), "seed {seed}");
    }
}

#[test]
fn a_file_that_ends_early_is_refused() {
    for length in 0..FILE.len() {
        let error = KTest::decode(&FILE[..length]).unwrap_err();
        assert!(
            matches!(error, KTestError::Truncated { offset, .. } if offset == length),
            "{length} bytes: {error}"
        );
    }
    let longer = [FILE, b"x"].concat();
    assert_eq!(KTest::decode(&longer), Err(KTestError::Trailing { offset: FILE.len() }));
}

#[test]
fn flipped_bits_give_an_error_or_another_test() {
    for index in 0..FILE.len() {
        for bit in 0..8 {
            let mut damaged = FILE.to_vec();
            damaged[index] ^= 1 << bit;
            match KTest::decode(&damaged) {
                Err(KTestError::Magic) => assert!(index < 5),
                Err(KTestError::Version { .. }) => assert!((5..9).contains(&index)),
                Err(KTestError::Truncated { .. } | KTestError::Trailing { .. }) => {}
                Err(error) => panic!("{error}"),
                // Version 2, which is the same but for the number.
                Ok(ktest) if (index, bit) == (8, 0) => assert_eq!(ktest, decoded()),
                Ok(ktest) => {
                    assert_ne!(ktest, decoded(), "byte {index}, bit {bit}");
                    // Whatever it says, it is some case.
                    let _ = ktest.to_case().id();
                }
            }
        }
    }
}

#[test]
fn a_huge_count_does_not_allocate() {
    let huge = b"KTEST\0\0\0\x03\xff\xff\xff\xff\xff\xff\xff\xff";
    assert!(matches!(KTest::decode(huge), Err(KTestError::Truncated { .. })));
}

#[test]
fn errors_are_worded_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.ktest");
    std::fs::write(&path, &FILE[..20]).unwrap();
    let error = KTest::read(&path).unwrap_err().to_string();
    let reason = "cannot be written as a .ktest file: it ends at byte 20, inside an argument";
    assert_eq!(error, format!("{} {reason}", path.display()));
}

/// The `struct stat` of a file with this mode and time.
fn stat(mode: u32, seconds: i64) -> Vec<u8> {
    let mut bytes = vec![0; 144];
    bytes[24..28].copy_from_slice(&mode.to_le_bytes());
    bytes[88..96].copy_from_slice(&seconds.to_le_bytes());
    bytes
}

#[test]
fn tests_of_the_model_become_cases() {
    let ktest = KTest {
        arguments: words(
            "./cut.bc -b --sym-arg 2 --sym-args 0 2 3 --sym-files 2 4 -sym-stdin 3 --sym-stdout \
             --max-fail 1 last",
        ),
        objects: vec![
            object("arg00", *b"1\0\0"),
            object("n_args", 1_u32.to_le_bytes()),
            object("arg01", *b"-\xff:\0"),
            object("A-data", *b"a\0\n:"),
            object("A-data-stat", stat(0o100_640, 77)),
            object("B-data", *b"bbbb"),
            object("B-data-stat", stat(0o040_755, 0)),
            object("stdin", *b"in\n"),
            object("stdin-stat", stat(0o100_644, 0)),
            object("read_fail", 1_u32.to_le_bytes()),
            object("stdout", [0; 8]),
            object("stdout-stat", stat(0, 0)),
            object("model_version", 1_u32.to_le_bytes()),
            object("arg00", *b"own"),
        ],
        ..KTest::default()
    };
    let case = ktest.to_case();
    let time = |seconds| Some(Timestamp { seconds, nanoseconds: 0 });
    let expected = Case {
        program: b"./cut.bc".to_vec(),
        arguments: vec![b"-b".to_vec(), b"1".to_vec(), b"-\xff:".to_vec(), b"last".to_vec()],
        stdin: Stdin::File(b"in\n".to_vec()),
        tree: vec![
            Entry { mode: 0o640, modified: time(77), ..Entry::file("A", *b"a\0\n:") },
            Entry { modified: time(0), ..Entry::directory("B") },
        ],
        objects: vec![object("arg00", *b"own")],
        origin: [("from", "ktest"), ("ignored", "read_fail stdout stdout-stat")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..Case::default()
    };
    assert_eq!(case, expected);
}

#[test]
fn tests_of_plain_programs_become_cases() {
    let ktest = KTest {
        arguments: words("p.bc --sym-arg 3"),
        objects: vec![object("arg0", [1]), object("x", [2])],
        ..KTest::default()
    };
    let case = ktest.to_case();
    assert_eq!((case.program, case.arguments), (b"p.bc".to_vec(), words("--sym-arg 3")));
    assert_eq!(case.objects, ktest.objects);
}

#[test]
fn arguments_of_old_versions_and_without_flags_are_found() {
    let ktest = KTest {
        arguments: words("p -sym-arg 1"),
        objects: vec![
            object("arg0", *b"a\0"),
            object("arg1", *b"b\0"),
            object("model_version", [1, 0, 0, 0]),
        ],
        ..KTest::default()
    };
    assert_eq!(ktest.to_case().arguments, words("a b"));
}

#[test]
fn what_the_model_can_hold_survives_the_way_there_and_back() {
    for seed in 0..300 {
        let random = generator::case(seed);
        let rng = &mut fastrand::Rng::with_seed(seed);
        let length = rng.usize(1..9);
        let file = |rng: &mut fastrand::Rng, name| Entry {
            mode: rng.u32(..0o1000),
            modified: Some(Timestamp {
                seconds: rng.i64(..),
                nanoseconds: rng.u32(..1_000_000_000),
            }),
            ..Entry::file([name], vec![name; length])
        };
        let count = rng.u8(..4);
        let case = Case {
            program: b"p".to_vec(),
            arguments: random.arguments,
            stdin: match rng.bool() {
                true => Stdin::Pipe(vec![0; length]),
                false => Stdin::File(vec![0; length]),
            },
            tree: (0..count).map(|index| file(rng, b'A' + index)).collect(),
            objects: random.objects,
            origin: [("from".to_owned(), "ktest".to_owned())].into(),
            ..Case::default()
        };
        let ktest = KTest::of_posix(&case).unwrap();
        let decoded = KTest::decode(&ktest.encode().unwrap()).unwrap();
        assert_eq!(decoded.to_case(), case, "seed {seed}");
    }
}

#[test]
fn what_the_model_cannot_hold_is_refused() {
    for tree in [
        vec![Entry::file("B", "b")],
        vec![Entry::file("A", "")],
        vec![Entry::file("A", "a"), Entry::file("B", "bb")],
        vec![Entry::file("A", "a"), Entry::file("a", "a")],
        vec![Entry::fifo("A")],
        vec![Entry::new("A", EntryKind::Symlink(b"B".to_vec()))],
    ] {
        let case = Case { tree, ..Case::default() };
        assert_eq!(KTest::of_posix(&case), Err(KTestError::Tree), "{case:?}");
    }
}

#[test]
fn klee_can_read_what_lies_beside_a_case() {
    let objects = vec![object("x", [1])];
    let mut case =
        Case { program: b"p".to_vec(), arguments: words("a b"), objects, ..Case::default() };
    assert_eq!(KTest::of_objects(&case).arguments, words("p a b"));
    case.arguments.push(Vec::new());
    assert_eq!(KTest::of_objects(&case).arguments, words("p"));
}
