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
    // Flags may stand behind the programs, too.
    let (object, code) = diff(&dir, "old.c new.c --complete --function over");
    assert_eq!((code, object["exit"].as_u64()), (1, Some(1)), "{object:#}");
}

#[test]
fn a_test_on_whose_path_the_versions_part_is_named() {
    let dir = Dir::new();
    for most in ["2", "3"] {
        let text = "#include <stdio.h>\nint main(int argc, char **argv) {\n  if (argc > MOST) puts(\"many\");\n}\n";
        dir.write(&format!("most{most}.c"), &text.replace("MOST", most));
    }
    for (arguments, parted) in
        [("a", serde_json::json!([])), ("a b", serde_json::json!(["command line"]))]
    {
        let (object, _) = diff(&dir, &format!("most2.c most3.c -- {arguments}"));
        assert_eq!(object["seeds"]["parted"], parted, "{object:#}");
    }
}

/// One version goes on to start a thread, which Umbra cannot follow.
const THREAD: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *ends(void *argument) { exit(4); }
static void start(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ends, NULL);
  pthread_join(thread, NULL);
}
int main(int argc, char **argv) {
  if (argc > 1)
    WAY;
  puts("on");
  start();
  return 0;
}
"#;

#[test]
fn a_version_that_cannot_be_followed_further_has_parted() {
    let dir = Dir::new();
    for (name, way) in [("exits", "exit(3)"), ("threads", "argc--")] {
        dir.write(&format!("{name}.c"), &THREAD.replace("WAY", way));
    }
    for versions in ["exits.c threads.c", "threads.c exits.c"] {
        let (object, code) = diff(&dir, &format!("{versions} -- a"));
        let found = &object["divergences"][0];
        assert_eq!((code, &found["native"]), (1, &"output-difference".into()), "{object:#}");
    }
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
    says("old new --explain", 0, &["1 changed"]);
    says("old new --explode", 2, &["unexpected argument '--explode'"]);
    says("--html page.html old new", 2, &["--explain"]);
}

/// Says its version, in a variable and in a message, and another number that looks like one.
const RELEASED: &str = r#"
#include <stdio.h>
#include <string.h>
static const char *program_version = "NUMBER";
int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "-v") == 0) {
    puts(program_version);
    return puts("made for NUMBER, see the manual") < 0;
  }
  return printf("%s%d\n", "RATIO", argc) < 0;
}
"#;

#[test]
fn the_number_of_a_version_is_ignored_and_said() {
    let dir = Dir::new();
    let write = |name: &str, number: &str, ratio: &str| {
        dir.write(name, &RELEASED.replace("NUMBER", number).replace("RATIO", ratio));
    };
    write("old.c", "3.8", "1.5");
    write("new.c", "3.10", "1.5");
    write("other.c", "3.10", "2.5");
    let output = dir.shell(&format!("{UMBRA} diff old.c new.c"));
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = "the same program, but for number of the version, 3.8 and 3.10 (2 times)\n";
    assert_eq!(text, expected);
    // The other number is held by nothing that is called a version.
    let (object, code) = diff(&dir, "old.c other.c -- x");
    assert_eq!((code, &object["divergences"][0]["kind"]), (1, &"data".into()), "{object:#}");
    let ignored = &object["unification"]["ignored"][0];
    assert_eq!(ignored["what"], "number of the version, 3.8 and 3.10", "{object:#}");
    let output = dir.shell(&format!("{UMBRA} diff --explain old.c other.c"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("ignored:    number of the version, 3.8 and 3.10 (2 times)"), "{text}");
}

/// A field in the middle of a struct, and a function that nobody edited but which reads behind it.
const GROWN: &str = r#"
#include <stdlib.h>
struct pair { int first; FIELD int last; };
static struct pair kept;
static int both(struct pair *p) {
  return p->first + p->last;
}
int main(int argc, char **argv) {
  struct pair p = { .first = atoi(argv[1]), .last = 2 };
  kept = p;
  return both(&kept) LIMIT;
}
"#;

#[test]
fn an_explanation_shows_both_texts_and_what_a_run_reached() {
    let dir = Dir::new();
    for (name, field, limit) in [("old", "", "> 5"), ("new", "long more;", ">= 5")] {
        dir.write(
            &format!("{name}/grown.c"),
            &GROWN.replace("FIELD", field).replace("LIMIT", limit),
        );
        dir.cc(&format!("-g {name}/grown.c -o {name}/grown"));
    }
    let text = dir.ok(&format!("{UMBRA} diff --explain old/grown new/grown"));
    for word in [
        "2 hunks in 1 file, 2 lines removed, 2 added",
        "2 changed (1 of them ripple)",
        "type:       pair changed (8 → 24 bytes, 2 → 3 fields), 1 function ripples: both",
        "globals:    kept (8 bytes → 24)",
        "^ predicate > → >=",
        "^ offset 4 → 16",
        "no line of it was edited",
    ] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    assert!(!text.contains("reached"), "nothing ran: {text}");
    // With a test there is a run, and a page has all of it.
    let output =
        dir.shell(&format!("{UMBRA} diff --explain --html page.html old/grown new/grown -- 9"));
    assert_eq!(output.status.code(), Some(1));
    let page = std::fs::read_to_string(dir.path("page.html")).unwrap();
    for word in ["<mark", "The run", "parts here", "reached by", "pair", "<title>old/grown"] {
        assert!(page.contains(word), "{word} is not in {page}");
    }
    for word in ["http:", "https:", "src=", "url(", "@import"] {
        assert!(!page.contains(word), "the page needs {word}");
    }
    assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
}

/// A helper that is new in the program, and like a function of the libc that is called no more.
#[test]
fn a_function_of_the_program_does_not_become_one_of_the_libc() {
    let dir = Dir::new();
    let main = |condition: &str, helper: &str| {
        format!(
            "#include <string.h>\n{helper}\nint main(int argc, char **argv) {{\n  if (argc > 1 && {condition})\n    \
             return 3;\n  return argc;\n}}\n"
        )
    };
    dir.write("old.c", &main("strcmp(argv[1], \"-l\") == 0", ""));
    let helper = "static int is_option(const char *word, char letter) {\n  \
                  return word[0] == '-' && word[1] == letter && !word[2];\n}";
    dir.write("new.c", &main("is_option(argv[1], 'l')", helper));
    let text = dir.ok(&format!("{UMBRA} diff --explain old.c new.c"));
    assert!(text.contains("added:      is_option") && !text.contains("was strcmp"), "{text}");
}
