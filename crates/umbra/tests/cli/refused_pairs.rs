//! `umbra diff OLD NEW` on what are no two versions of one program: a message that says why, and exit code 2.

use crate::support::{Dir, UMBRA};

/// A small program.
const LIMIT: &str = r#"
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  if (n > 100)
    return 3;
  return 0;
}
"#;

/// A program about as small, which has nothing to do with it.
const LINES: &str = r#"
#include <stdio.h>
int main(void) {
  char line[80];
  while (fgets(line, sizeof line, stdin))
    puts(line);
  return 0;
}
"#;

/// Another one, with functions of its own.
const SORT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
int main(int argc, char **argv) {
  char text[4] = "dca";
  qsort(text, 3, 1, compare);
  printf("%s %d\n", text, argc);
  return 0;
}
"#;

/// One that runs something before `main`.
const EARLY: &str = r#"
#include <stdlib.h>
static int most = 100;
__attribute__((constructor)) static void early(void) { most = 200; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  if (n > most)
    return 3;
  return 0;
}
"#;

/// What the command says must have these words in it.
fn refused(dir: &Dir, words: &str, says: &[&str]) {
    let output = dir.shell(&format!("{UMBRA} diff {words}"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{words}: {text}");
    for word in says {
        assert!(text.contains(word), "{words}: {word} is not in {text}");
    }
    assert!(!text.contains("panicked"), "{text}");
    assert!(!dir.exists("umbra-out-0"), "{words}: there is a folder with results");
}

#[test]
fn programs_without_anything_in_common() {
    let dir = Dir::new();
    for (name, source) in [("limit", LIMIT), ("lines", LINES), ("sort", SORT)] {
        dir.write(&format!("{name}.c"), source);
        dir.cc(&format!("-g {name}.c -o {name}"));
    }
    for (a, b) in [("limit", "lines"), ("lines", "limit"), ("limit", "sort"), ("sort", "lines")] {
        refused(&dir, &format!("{a} {b} -- 3"), &["nothing in common", a, b]);
        refused(&dir, &format!("--explain {a}.c {b}.c"), &["nothing in common"]);
    }
    // The smallest program that there is, and one edit.
    dir.write("zero.c", "int main(void) { return 0; }\n");
    dir.write("one.c", "int main(void) { return 1; }\n");
    let output = dir.shell(&format!("{UMBRA} diff --complete zero.c one.c"));
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn programs_with_other_entry_points() {
    let dir = Dir::new();
    dir.write("limit.c", LIMIT);
    dir.write("early.c", EARLY);
    refused(&dir, "limit.c early.c -- 3", &["different functions that run before `main`"]);
    dir.write("started.c", "int started(int argc) { return argc; }\n");
    dir.ok("clang-19 -g -c -emit-llvm started.c -o started.bc");
    refused(&dir, "limit.c started.bc -- 3", &["started.bc", "undefined symbol: main"]);
    refused(&dir, "started.bc limit.c -- 3", &["started.bc", "undefined symbol: main"]);
}

#[test]
fn programs_without_debug_information() {
    let dir = Dir::new();
    dir.write("limit.c", LIMIT);
    dir.cc("-g limit.c -o limit");
    dir.ok("opt-19 -strip-debug -o bare.bc limit.bc");
    refused(&dir, "limit.c bare.bc -- 3", &["the new program has no debug information", "-g"]);
}

#[test]
fn programs_for_other_machines_and_compilers() {
    let dir = Dir::new();
    dir.write("limit.c", LIMIT);
    dir.write("plain.c", "int main(int argc, char **argv) { return argc; }\n");
    dir.ok("clang-19 -g -c -emit-llvm --target=i686-linux-gnu plain.c -o small.bc");
    refused(&dir, "limit.c small.bc -- 3", &["small.bc", "not for x86-64"]);
    dir.ok("clang-19 -g -c -emit-llvm --target=aarch64-linux-gnu plain.c -o arm.bc");
    refused(&dir, "arm.bc limit.c -- 3", &["arm.bc", "not for x86-64"]);
    // Bitcode of a compiler to come: the epoch in its first block is another one.
    dir.ok("clang-19 -g -c -emit-llvm plain.c -o plain.bc");
    let mut bytes = std::fs::read(dir.path("plain.bc")).unwrap();
    bytes[0x1c] ^= 8;
    std::fs::write(dir.path("later.bc"), bytes).unwrap();
    refused(&dir, "limit.c later.bc -- 3", &["later.bc", "of another LLVM version"]);
}
