//! What earlier versions wrote (`tests/kept`) can still be read, means the same, and is still
//! written in the same way.

use std::fs;
use std::path::{Path, PathBuf};

use umbra_case::{Call, CallArgument, Case, CaseId, Store};
use umbra_words::End;

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kept").join(name)
}

/// The identity and the predicted end of a case.
fn read(path: &str) -> (String, Option<End>) {
    let case = Case::read(&kept(path)).unwrap();
    (case.id().short(), case.expected.end)
}

#[test]
fn recordings_are_read_under_their_names() {
    let store = Store::open(kept("recordings")).unwrap();
    let ids = store.ids().unwrap();
    let mut ends = Vec::new();
    for id in &ids {
        let case = store.get(*id).unwrap();
        assert_eq!(case.id(), *id);
        ends.push((case.arguments.len(), case.expected.end.unwrap()));
    }
    let names: Vec<String> = ids.iter().map(CaseId::short).collect();
    let expected = ["0d9ac74061ca", "1ffefc584fdf", "9ff3100c95f2", "9ff9b9adbae9", "a14c2d995db4"];
    assert_eq!(names, expected);
    ends.sort();
    let exited = |count, status| (count, End::Exited(status));
    let expected = [exited(0, 0), (0, End::Killed(6)), exited(1, 0), exited(1, 0), exited(1, 7)];
    assert_eq!(ends, expected);
}

#[test]
fn cases_of_every_kind_mean_what_they_meant() {
    let exited = |status| Some(End::Exited(status));
    assert_eq!(read("run/cases/000001"), ("19e87c72bdd1".to_owned(), exited(0)));
    assert_eq!(read("run/cases/000002"), ("654538400eda".to_owned(), exited(2)));
    let reason = "limit".to_owned();
    let cut = Some(End::Cut { reason });
    assert_eq!(read("run/cases/000003"), ("e6b17ea23fa5".to_owned(), cut));
    for (path, id, kind, file, line) in [
        ("run/cases/000005", "bad83d78d7fd", "out-of-bounds-read", "pick.c", 10),
        ("everything", "2b6daeed03e4", "out-of-bounds-write", "src/it.c", 12),
    ] {
        let (found, end) = read(path);
        let Some(End::Error(fault)) = end else { panic!("{path}: {end:?}") };
        let place = (fault.place.file.as_str(), fault.place.line);
        assert_eq!((found.as_str(), fault.kind.as_str(), place), (id, kind, (file, line)));
    }
}

/// Readers of that time read what is written now.
#[test]
fn they_are_written_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    for (number, name) in ["run/cases/000001", "run/cases/000003", "run/cases/000005", "everything"]
        .iter()
        .enumerate()
    {
        let path = folder.path().join(number.to_string());
        Case::read(&kept(name)).unwrap().write(&path).unwrap();
        let [now, then] =
            [&path, &kept(name)].map(|path| fs::read_to_string(path.join("case.json")).unwrap());
        assert_eq!(now.trim_end(), then.trim_end(), "{name}");
    }
}

/// What those readers do not know has another schema.
#[test]
fn what_is_new_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let mut case = Case::read(&kept("run/cases/000001")).unwrap();
    for (number, end) in
        [End::Hung, End::OverLimit(umbra_words::LimitKind::Memory)].into_iter().enumerate()
    {
        case.expected.end = Some(end);
        let path = folder.path().join(number.to_string());
        case.write(&path).unwrap();
        let text = fs::read_to_string(path.join("case.json")).unwrap();
        assert!(text.contains(r#""schema": "umbra/case/2""#), "{text}");
        assert_eq!(Case::read(&path).unwrap(), case);
    }
    let call = Call {
        function: "parse".to_owned(),
        number: 2,
        arguments: vec![CallArgument::Bytes, CallArgument::Number(-3), CallArgument::Null],
    };
    let plain = case.id();
    case.call = Some(call);
    assert_ne!(case.id(), plain);
    let path = folder.path().join("call");
    case.write(&path).unwrap();
    let text = fs::read_to_string(path.join("case.json")).unwrap();
    assert!(text.contains(r#""schema": "umbra/case/3""#), "{text}");
    assert_eq!(Case::read(&path).unwrap(), case);
    let script = fs::read_to_string(path.join("run.sh")).unwrap();
    assert!(script.contains("UMBRA_CALL=parse:2"), "{script}");
}
