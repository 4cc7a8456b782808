//! What is written is read back, whatever it is.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use umbra_case::{Case, Entry, Error, Timestamp};

use crate::generator;

#[test]
fn random_cases_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..300 {
        let case = generator::case(seed);
        let path = folder.path().join(seed.to_string());
        case.write(&path).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let read = Case::read(&path).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(read, case, "seed {seed}");
        assert_eq!(read.id(), case.id(), "seed {seed}");
    }
    // Nothing temporary is left behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 300);
}

#[test]
fn cases_come_back_from_a_store_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let store = umbra_case::Store::open(folder.path()).unwrap();
    for seed in 0..100 {
        let case = generator::case(seed);
        let id = store.put(&case).unwrap();
        assert_eq!(store.get(id).unwrap(), case, "seed {seed}");
    }
}

#[test]
fn keys_that_are_not_known_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{
        "schema": "umbra/case/1", "later": [1], "program": {"hex": "63", "note": "c"},
        "tree": [{"path": "d", "kind": "directory", "label": "x"}],
        "expected": {"end": {"exited": 3}, "seconds": 2.5}
    }"#;
    fs::write(folder.path().join("case.json"), text).unwrap();
    let case = Case::read(folder.path()).unwrap();
    assert_eq!((&*case.program, &*case.tree), (&b"c"[..], &[Entry::directory("d")][..]));
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let case = generator::case(1);
    let (empty, taken, file) =
        (folder.path().join("empty"), folder.path().join("taken"), folder.path().join("file"));
    fs::create_dir(&empty).unwrap();
    case.write(&empty).unwrap();
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("x"), "mine").unwrap();
    fs::write(&file, "mine").unwrap();
    for path in [&taken, &file] {
        assert!(matches!(case.write(path), Err(Error::Exists { .. })), "{path:?}");
    }
    assert_eq!(fs::read(taken.join("x")).unwrap(), b"mine");
    assert_eq!(fs::read(file).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn the_written_tree_has_modes_and_times_but_stays_usable() {
    let time = Timestamp { seconds: 1_000_000_000, nanoseconds: 5 };
    let closed = |entry: Entry| Entry { mode: 0o4000, modified: Some(time), ..entry };
    let case = Case {
        tree: vec![
            closed(Entry::directory("d")),
            closed(Entry::file("d/x", "x")),
            closed(Entry::fifo("d/f")),
            Entry { modified: Some(time), ..Entry::symlink("d/l", "nowhere") },
            Entry { mode: 0o751, ..Entry::file("program", "") },
        ],
        ..Case::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case");
    case.write(&path).unwrap();
    for (name, mode) in [("d", 0o700), ("d/x", 0o600), ("d/f", 0o600), ("d/l", 0o777)] {
        let metadata = fs::symlink_metadata(path.join("files").join(name)).unwrap();
        assert_eq!(metadata.mode() & 0o7777, mode, "{name}");
        assert_eq!((metadata.mtime(), metadata.mtime_nsec()), (1_000_000_000, 5), "{name}");
    }
    let program = fs::metadata(path.join("files/program")).unwrap();
    assert_eq!(program.permissions().mode() & 0o7777, 0o751);
    assert_eq!(Case::read(&path).unwrap(), case);
}
