//! Pointers to different objects that are ordered or subtracted, against AddressSanitizer.
//!
//! A generated program has a line for each two objects, two places in them, and what is done with the
//! pointers there; its argument picks the line. All of them are explored at once.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Objects of all kinds: an expression for the start, and the size.
const OBJECTS: [(&str, usize); 8] = [
    ("table", 2000),
    ("other", 10),
    ("tiny", 10),
    ("second", 10),
    ("large", 5000),
    ("huge", 3 << 20),
    ("buffer", 700),
    ("near", 20),
];

const OPERATIONS: [&str; 4] = ["P < Q", "P >= Q", "Q - P > 3", "(int)(P - Q) == 1"];

const START: &str = r#"#include <stdlib.h>
static char table[2000], other[10];
int main(int argc, char **argv) {
  char *tiny = malloc(10), *second = malloc(10), *large = malloc(5000), *huge = malloc(3 << 20);
  char buffer[700], near[20];
  if (argc != 2) return 0;
  char *P, *Q;
  volatile int result = 0;
  switch ((argv[1][0] - '0') * 64 + (argv[1][1] - '0')) {
"#;

#[test]
fn pointers_to_different_objects_are_noted_where_a_sanitizer_reports_them() {
    let mut text = START.to_owned();
    let first = text.lines().count() + 1;
    let mut names = Vec::new();
    for (left, left_size) in OBJECTS {
        for (right, right_size) in OBJECTS {
            // Places and operations take turns, so that each pair of objects meets some of both.
            for turn in 0..4 {
                let number = names.len();
                let operation = OPERATIONS[(number / 4 + turn) % 4];
                let (a, b) = match turn {
                    0 => (0, 0),
                    1 => (left_size / 2, right_size - 1),
                    2 => (left_size - 1, 0),
                    _ => (1, right_size / 3),
                };
                writeln!(
                    text,
                    "  case {number}: P = {left} + {a}; Q = {right} + {b}; result = {operation}; break;"
                )
                .unwrap();
                names.push(format!("{}{}", char(number / 64), char(number % 64)));
            }
        }
    }
    text += "  }\n  return 0;\n}\n";
    let dir = Dir::new();
    dir.write("pointers.c", &text);
    dir.cc("-o pointers pointers.c");
    dir.ok("clang-19 -g -fsanitize=address,pointer-compare,pointer-subtract pointers.c -o checked");
    let script = "for x in \"$@\"; do ./checked \"$x\" >/dev/null 2>&1 || echo \"$x\"; done";
    dir.write("each.sh", script);
    let options = "ASAN_OPTIONS=detect_invalid_pointer_pairs=1:detect_leaks=0:symbolize=0";
    let reported = dir.ok(&format!("{options} sh each.sh '{}'", names.join("' '")));
    let reported: BTreeSet<usize> = reported
        .lines()
        .map(|name| first + names.iter().position(|known| known == name).unwrap())
        .collect();

    let output = dir.shell(&format!("{UMBRA} run --json --sym-args 1 1 2 ./pointers"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let object: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(object["complete"], true, "{object}");
    let noted: BTreeSet<usize> = object["undefined"]
        .as_array()
        .unwrap()
        .iter()
        .map(|undefined| undefined["line"].as_u64().unwrap() as usize)
        .collect();
    let different = OBJECTS.len() * (OBJECTS.len() - 1) * 4;
    assert_eq!((noted.len(), &noted), (different, &reported));
}

#[test]
fn a_comparison_of_two_versions_notes_them_too() {
    let text = |result: &str| {
        format!(
            "#include <stdlib.h>\n\
             int main(int argc, char **argv) {{\n\
             \x20 char *first = malloc(10), *second = malloc(10);\n\
             \x20 if (argv[1][0] == 'x' && first < second) return {result};\n\
             \x20 return 0;\n\
             }}\n"
        )
    };
    let dir = Dir::new();
    dir.write("old.c", &text("1"));
    dir.write("new.c", &text("2"));
    for way in ["--complete --sym arg=1 old.c new.c", "old.c new.c -- x"] {
        let output = dir.shell(&format!("{UMBRA} diff --json --output run {way}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let object: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        let [undefined] = object["undefined"].as_array().unwrap().as_slice() else {
            panic!("{way}: {object}")
        };
        assert_eq!((&undefined["kind"], &undefined["line"]), (&"pointer-order".into(), &4.into()));
        let shown = dir.shell(&format!("rm -r run; {UMBRA} diff --output run {way}; rm -r run"));
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("undefined in C: pointer-order at"), "{way}: {shown}");
    }
}

/// The character that stands for a digit to the base 64.
fn char(digit: usize) -> char {
    char::from(b'0' + digit as u8)
}
