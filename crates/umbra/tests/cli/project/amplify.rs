//! `umbra amplify` in a project.

use serde_json::Value;

use super::Project;

/// Reads a table at an index from the input.
const INDEX: &str = "\
#include \"common.h\"
static const int table[4] = {1, 2, 3, 4};
int main(int argc, char **argv) { return argc > 1 ? table[argv[1][0] & 15] - common() : 0; }
";

#[test]
fn the_recorded_tests_of_a_project_are_amplified() {
    let project = Project::plain();
    project.write("one.c", INDEX);
    let line = "amplify --quiet --json --no-sanitize --max-instructions 1000000 --distance 0";
    let report = |line: &str| -> (Value, Option<i32>) {
        let output = project.output(line);
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text
            .lines()
            .last()
            .unwrap_or_else(|| panic!("{line}: {}", String::from_utf8_lossy(&output.stderr)));
        (serde_json::from_str(last).unwrap(), output.status.code())
    };
    let (object, exit) = report(&format!("{line} -- ./one 3"));
    assert_eq!(exit, Some(1), "{object}");
    let finding = &object["findings"][0];
    assert_eq!(
        (&finding["program"], &finding["kind"]),
        (&"one".into(), &"out-of-bounds-read".into())
    );
    assert_eq!((&finding["line"], &finding["changed_bytes"]), (&3.into(), &1.into()));
    let untested = object["untested"].as_array().unwrap();
    assert!(untested.iter().any(|program| program == "sub/two"), "{object}");
    // They are recorded now.
    let (again, _) = report(line);
    assert_eq!(again["tests"]["given"], 1);
    let (other, exit) = report(&format!("{line} --only sub/two"));
    assert_eq!((other["findings"].as_array().unwrap().len(), exit), (0, Some(0)), "{other}");
}
