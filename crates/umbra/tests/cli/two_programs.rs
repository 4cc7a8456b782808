//! `umbra diff OLD NEW`: two programs that become one by themselves.

use crate::diff::diff;
use crate::support::{Dir, UMBRA};

/// A limit that moved by one, and lines that moved with it.
const OLD: &str = r#"
#include <assert.h>
#include <stdlib.h>
static int over(int n) {
  return n > 100;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  assert(n > -1000);
  return over(n) ? 3 : 0;
}
"#;

const NEW: &str = r#"
#include <assert.h>
#include <stdlib.h>

/* Whether a number is too large. */
static int over(int n) {
  return n >= 100;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  assert(n > -1000);
  return over(n) ? 3 : 0;
}
"#;

/// The same as NEW, written in another way.
const REWRITTEN: &str = r#"
#include <assert.h>
#include <stdlib.h>
static int over(int n) {
  if (n < 100)
    return 0;
  return 1;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  assert(n > -1000);
  return over(n) ? 3 : 0;
}
"#;

/// A table that the other program has with another number in it.
const TABLE: &str = r#"
static int table[2] = { 1, NUMBER };
int main(int argc, char **argv) { table[0]++; return table[argc & 1]; }
"#;

const ANNOTATED: &str = r#"
#include <umbra.h>
int main(int argc, char **argv) { return change(argc, argc + 1) > 2; }
"#;

fn programs() -> Dir {
    let dir = Dir::new();
    let sources = [("old", OLD), ("new", NEW), ("rewritten", REWRITTEN), ("annotated", ANNOTATED)];
    for (name, source) in sources {
        dir.write(&format!("{name}.c"), source);
        assert!(dir.shell(&format!("{UMBRA} cc -g {name}.c -o {name}")).status.success());
    }
    for number in ["3", "4"] {
        dir.write(&format!("table{number}.c"), &TABLE.replace("NUMBER", number));
    }
    dir
}

#[test]
fn two_plain_programs_part_where_they_differ_natively() {
    let dir = programs();
    let (object, code) = diff(&dir, "old new -- 420");
    assert_eq!(code, 1, "{object:#}");
    let found = &object["divergences"][0];
    assert_eq!(found["native"], "output-difference", "{object:#}");
    let (object, code) = diff(&dir, "--complete --function over old.c new.c");
    assert_eq!(code, 1, "{object:#}");
    let (object, code) = diff(&dir, "--complete --function over new.c rewritten.c");
    assert_eq!((code, object["divergences"].as_array().map(Vec::len)), (0, Some(0)), "{object:#}");
}

#[test]
fn a_table_that_changed_is_a_difference() {
    let dir = programs();
    let (object, code) = diff(&dir, "--complete table3.c table4.c");
    assert_eq!((code, &object["divergences"][0]["kind"]), (1, &"data".into()), "{object:#}");
}

#[test]
fn what_two_names_mean_is_said() {
    let dir = programs();
    let says = |flags: &str, code: i32, words: &[&str]| {
        let output = dir.shell(&format!("{UMBRA} diff {flags}"));
        let text = [output.stdout.clone(), output.stderr.clone()].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(output.status.code(), Some(code), "{flags}: {text}");
        for word in words {
            assert!(text.contains(word), "{flags}: {word} is not in {text}");
        }
    };
    says("old old", 0, &["the same program"]);
    says("annotated old", 2, &["umbra diff annotated -- old", "umbra diff annotated old --"]);
    says("old annotated", 2, &["has changes annotated in it"]);
    says("--explain old new", 0, &["return n > 100;", "~", "return n >= 100;", "1 changed"]);
    says("--explain annotated 3", 2, &["--explain is for two programs"]);
}
