//! The file tests below `tests/filetests`, and tests of their runner.
//!
//! `UMBRA_FILETEST` names a test (a part of its path), `BLESS=1` rewrites expected reports,
//! `UMBRA` is the command to test, by default the release build. They need the set-up.

use std::path::{Path, PathBuf};

use testkit::filetest::{Toolbox, check, suite, umbra_command};

fn toolbox() -> Toolbox {
    Toolbox {
        umbra: umbra_command().unwrap(),
        bless: std::env::var_os("BLESS").is_some_and(|value| value == "1"),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests")
}

#[test]
fn file_tests() {
    let filter = std::env::var("UMBRA_FILETEST").unwrap_or_default();
    match suite::run(&toolbox(), &folder(), &filter) {
        Ok(count) => println!("{count} file tests passed"),
        Err(error) => panic!("{error:#}"),
    }
}

/// A kind of error without tests is one that nobody knows to work.
#[test]
fn every_kind_of_error_is_tested() {
    // What a program reports by a function of the analysis shows only when it is explored:
    // tests/symex has that.
    let explored = [umbra_engine::ErrorKind::Reported, umbra_engine::ErrorKind::InvalidAssumption];
    let kinds = umbra_engine::ErrorKind::ALL.iter().filter(|kind| !explored.contains(kind));
    let kinds = kinds.map(|kind| kind.name());
    let marks = suite::marks(&folder()).unwrap();
    for kind in kinds {
        let count = marks.iter().filter(|mark| mark.kind == kind).count();
        assert!(count >= 2, "{kind} is marked in {count} file tests");
    }
    let known = |kind: &str| umbra_engine::ErrorKind::ALL.iter().any(|known| known.name() == kind);
    for mark in &marks {
        assert!(
            mark.kind == "unsupported" || known(&mark.kind),
            "no error is called {}",
            mark.kind
        );
    }
}

/// What the runner says of a test with this text, expecting no report.
fn verdict(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("t.c");
    std::fs::write(&source, text).unwrap();
    let toolbox = Toolbox { bless: false, ..toolbox() };
    check(&toolbox, &source).unwrap().join("\n")
}

#[test]
fn a_finding_needs_its_mark_and_a_mark_its_finding() {
    let missing = verdict("int main(void) {\n  __builtin_trap();\n}\n");
    assert!(missing.contains("line 2: trap was found but is not marked"));
    assert!(missing.contains("native exit status"));

    let place = verdict("int main(void) { //~ trap\n  __builtin_trap();\n}\n");
    assert!(place.contains("line 2: trap was found but is not marked"));
    assert!(place.contains("line 1: trap is marked but was not found"));

    let kind = verdict("int main(void) {\n  __builtin_trap(); //~ abort\n}\n");
    assert!(kind.contains("line 2: trap was found but is not marked"));
    assert!(kind.contains("line 2: abort is marked but was not found"));

    let clean = verdict("int main(void) {\n  return 0; //~ trap\n}\n");
    assert!(clean.contains("line 2: trap is marked but was not found"));

    let right = verdict("int main(void) {\n  __builtin_trap(); //~ trap\n}\n");
    assert!(right.starts_with("the report differs"), "{right}");
    assert!(right.contains("BLESS=1 UMBRA_FILETEST=t cargo test"));
}

#[test]
fn a_clean_test_is_compared_with_its_native_program() {
    assert_eq!(verdict("int main(void) { return 0; }\n"), "");
    assert_eq!(verdict("//@ exit: 3\nint main(void) { return 3; }\n"), "");
    let exit = verdict("int main(void) { return 3; }\n");
    assert_eq!(exit, "exit status 3, expected 0");
    // The engine's process has a number of its own.
    let differs = verdict(
        "#include <stdio.h>\n#include <unistd.h>\n\
         int main(void) { printf(\"%d\\n\", (int)getpid()); }\n",
    );
    assert!(differs.contains("standard output differs"), "{differs}");
}
