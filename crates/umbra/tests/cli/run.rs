//! `umbra run`: what it takes, what it passes through, what it says.

use serde_json::Value;

use crate::support::{Dir, UMBRA};

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  FILE *file = fopen("made", "w");
  fprintf(file, "%d\n", argc);
  fclose(file);
  remove("old");
  puts(argc > 1 ? argv[1] : "nothing");
  fputs("said\n", stderr);
  if (argc > 2) abort();
  return 7;
}
"#;

fn program() -> Dir {
    let dir = Dir::new();
    dir.write("p.c", PROGRAM);
    dir.write("old", "old");
    dir
}

#[test]
fn executables_bitcode_and_c_files_run_alike() {
    let dir = program();
    dir.cc("-o p p.c");
    dir.ok("clang-19 -c -emit-llvm -g -o raw.bc p.c");
    for name in ["./p", "p.bc", "raw.bc", "p.c"] {
        let output = dir.shell(&format!("{UMBRA} run {name} argument"));
        assert_eq!(output.status.code(), Some(7), "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "argument\n", "{name}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "said\n", "{name}");
    }
    assert!(dir.exists("old") && !dir.exists("made"), "the host is as it was");
}

#[test]
fn the_tree_can_be_had() {
    let dir = program();
    dir.cc("-o p p.c");
    dir.shell(&format!("{UMBRA} run --commit after ./p a"));
    assert!(dir.exists("after/made") && dir.exists("after/p.c") && !dir.exists("after/old"));
    assert_eq!(dir.ok("cat after/made"), "2\n");
}

#[test]
fn the_object_has_its_keys() {
    let dir = program();
    dir.cc("-o p p.c");
    let object = |arguments: &str| -> Value {
        let output = dir.shell(&format!("{UMBRA} run --json ./p {arguments}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().expect("an object");
        let object: Value = serde_json::from_str(last).expect("the last line is JSON");
        assert_eq!(object["exit"].as_i64(), output.status.code().map(i64::from));
        object
    };
    let clean = object("");
    for key in ["wall_s", "cpu_s", "execute_s", "instructions", "peak_mib", "queries", "solver_s"] {
        assert!(clean[key].is_number(), "{key}");
    }
    assert_eq!((&clean["schema"], &clean["command"]), (&"umbra/1".into(), &"run".into()));
    assert_eq!(clean["exit"], 7);
    assert_eq!(clean["paths"], serde_json::json!({"completed": 1, "error": 0, "cut": 0}));
    assert!(clean["coverage"]["covered"].as_u64() < clean["coverage"]["lines"].as_u64());
    // The machine itself is small: a program of this size fits many times over.
    assert!(clean["peak_mib"].as_f64().expect("a number") < 64.0);
    let aborted = object("a b");
    assert_eq!(aborted["exit"], 1);
    assert_eq!(aborted["errors"][0]["kind"], "abort");
}

#[test]
fn questions_to_the_solver_are_logged() {
    let dir = Dir::new();
    dir.write(
        "p.c",
        "int main(int argc, char **argv) {
           int c = argv[1][0];
           if (c == 'x') return c > 'y';
           return c * c == 2 * c + 15;
         }",
    );
    let run = format!("{UMBRA} run --json --log-queries log --sym arg=1 p.c");
    let object: Value = serde_json::from_str(&dir.ok(&run)).expect("an object");
    let log = dir.ok("cat log/w*-q*.smt2");
    let answered = |status: &str| log.lines().filter(|line| line.contains(status)).count() as u64;
    let (sat, unsat) = (answered(":status sat"), answered(":status unsat"));
    assert!(sat > 0, "{log}");
    assert_eq!(object["queries"], sat + unsat, "{log}");
    let again = dir.shell(&run);
    assert_eq!(again.status.code(), Some(2));
    let message = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(message.contains("the folder is not empty"), "{message}");
}

#[test]
fn covered_lines_are_lcov_s() {
    let dir = program();
    dir.cc("-o p p.c");
    dir.shell(&format!("{UMBRA} run --coverage lines ./p"));
    let trace = dir.ok("cat lines");
    let own = trace.split("end_of_record").find(|file| file.contains("p.c\n")).expect("p.c");
    assert!(own.contains("DA:5,1\n"), "the file is opened: {own}");
    assert!(own.contains("DA:11,"), "{own}");
}

#[test]
fn what_is_no_program_is_refused() {
    let dir = program();
    dir.write("text", "text");
    for (name, reason) in [
        ("absent", "opening absent"),
        ("text", "neither an executable, nor bitcode, nor a C file"),
        ("/bin/true", "build it with `umbra cc`"),
    ] {
        let output = dir.shell(&format!("{UMBRA} run {name}"));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(message.starts_with("umbra: ") && message.contains(reason), "{message}");
    }
}

/// It is not taken for an argument of the program, nor its value for the program.
#[test]
fn an_unknown_flag_before_the_program_is_an_error() {
    let dir = Dir::new();
    dir.write("a.c", "int main(void) { return 0; }\n");
    for command in ["run --max-fail 1 a.c", "diff --max-fail 1 a.c", "record --frob x -- true"] {
        let output = dir.shell(&format!("{UMBRA} {command}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("unexpected argument '--"), "{said}");
    }
}
