//! `umbra amplify`: the forms of the command, exit codes, what it says.

use serde_json::Value;
use umbra_case::Case;

use crate::support::{Dir, UMBRA};

/// A table that is read at an index from the input, and a division that the test does not come to.
const TABLE: &str = r#"
#include <stdio.h>
static const int days[4] = {31, 28, 31, 30};
int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  int month = argv[1][0] - '0';
  if (argv[1][1] == 'd')
    printf("%d\n", 100 / month);
  printf("%d\n", days[month]);
  return 0;
}
"#;

/// Runs the command on the table, with a fixed number of instructions; the object and the exit status.
fn amplify(dir: &Dir, words: &str) -> (Value, i32) {
    let line = format!("{UMBRA} amplify --quiet --json --max-instructions 1000000 {words}");
    let output = dir.shell(&line);
    let text = String::from_utf8(output.stdout).unwrap();
    let object = text
        .lines()
        .last()
        .unwrap_or_else(|| panic!("{line}: {}", String::from_utf8_lossy(&output.stderr)));
    (serde_json::from_str(object).unwrap(), output.status.code().unwrap())
}

/// Kind, line and distance of each finding.
fn findings(object: &Value) -> Vec<(String, u64, u64)> {
    let findings = object["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| {
            let number = |key: &str| finding[key].as_u64().unwrap();
            (finding["kind"].as_str().unwrap().to_owned(), number("line"), number("distance"))
        })
        .collect()
}

#[test]
fn what_a_test_visits_is_checked_and_then_what_is_near() {
    let dir = Dir::new();
    dir.write("table.c", TABLE);
    dir.cc("-g table.c -o table");
    let read = ("out-of-bounds-read".to_owned(), 10, 0);
    let (object, exit) = amplify(&dir, "./table --distance 0 -- 3x");
    assert_eq!((findings(&object), exit), (vec![read.clone()], 1), "{object}");
    assert_eq!(object["findings"][0]["changed_bytes"], 1);
    assert_eq!(object["tests"]["followed"], 1);
    // The whole program, and no solver between the checks.
    assert_eq!(object["checks"]["made"], 1);

    let (object, exit) = amplify(&dir, "./table --distance 1 -- 3x");
    let divided = ("division-by-zero".to_owned(), 9, 1);
    let mut found = findings(&object);
    found.sort();
    assert_eq!((found, exit), (vec![divided, read.clone()], 1), "{object}");
    // Equal runs have equal results, but for the time they take.
    let again = amplify(&dir, "./table --distance 1 -- 3x").0;
    assert_eq!(findings(&object), findings(&again));

    let (object, _) = amplify(&dir, "./table --no-check division -- 3x");
    assert_eq!(findings(&object), [read]);
    let (object, exit) = amplify(&dir, "./table --check assertion -- 3x");
    assert_eq!((findings(&object).len(), exit), (0, 0), "{object}");
}

#[test]
fn a_finding_can_be_replayed_and_read() {
    let dir = Dir::new();
    dir.write("table.c", TABLE);
    let line = format!(
        "{UMBRA} amplify --max-instructions 1000000 --distance 0 --output out table.c -- 2x"
    );
    let output = dir.shell(&line);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "1. out-of-bounds-read at table.c:10, confirmed natively",
        "1 byte away from command line:\n     argument 1\n       - [2]x\n",
        "case: out/cases/000001",
        "checks: 1 at 1 line; 0 % proved safe on their paths",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    // The case is a test like any other.
    let (object, _) = amplify(&dir, "--distance 0 --case out/cases/000001 table.c");
    assert_eq!(object["tests"]["failing"], 1);
    assert_eq!(object["findings"][0]["changed_bytes"], 0);
}

#[test]
fn tests_in_other_shapes_and_parts_of_a_suite() {
    let dir = Dir::new();
    dir.write("table.c", TABLE);
    dir.cc("-g table.c -o table");
    // Without the second byte there is no way to the division; a longer argument has one.
    let (object, _) = amplify(&dir, "./table --check division --moves 20 -- 3");
    let divided = object["findings"].as_array().unwrap().iter();
    let divided = divided.filter(|finding| finding["kind"] == "division-by-zero");
    let tests: Vec<&Value> = divided.map(|finding| &finding["test"]).collect();
    assert_eq!(tests, ["command line (longer argument 1)"], "{object}");
    assert!(object["tests"]["shapes"].as_u64().unwrap() > 0);

    std::fs::create_dir(dir.path("cases")).unwrap();
    for (name, word) in [("a", "1x"), ("b", "2x"), ("c", "3x"), ("d", "0x")] {
        let (program, arguments) = (b"table".to_vec(), vec![word.into()]);
        let case = Case { program, arguments, ..Case::default() };
        case.write(&dir.path("cases").join(name)).unwrap();
    }
    let (object, _) = amplify(&dir, "./table --distance 0 --case cases --sample 2");
    assert_eq!(object["tests"]["given"], 4);
    assert_eq!(object["tests"]["followed"], 2);
    let chances = object["sample"]["chances"].as_array().unwrap();
    assert_eq!((&chances[0]["found_by"], &chances[0]["chance"]), (&1.into(), &0.5.into()));
    // What tests have in common is asked once.
    let (object, _) = amplify(&dir, "./table --distance 0 --case cases");
    assert_eq!(object["checks"]["made"], 1, "{object}");
    assert_eq!(object["checks"]["repeated"], 3, "{object}");
    assert_eq!(object["findings"][0]["tests"].as_array().unwrap().len(), 4);
}

#[test]
fn wrong_command_lines_say_what_is_wrong() {
    let dir = Dir::new();
    dir.write("table.c", TABLE);
    for (words, wrong) in [
        ("table.c --check spelling -- 1x", "there is no check of this name; there are memory"),
        ("table.c --case none -- 1x", "the arguments are those of the test case"),
        ("none.c -- 1x", "none.c"),
    ] {
        let output = dir.shell(&format!("{UMBRA} amplify {words}"));
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(text.contains(wrong), "{words}: {text}");
    }
}
