//! `umbra run` with symbolic inputs: what is explored, what is said, what is left in the folder.

use std::collections::BTreeSet;
use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Four paths, by the first byte of its argument: two that end well, two with an error.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  char *c = argc > 1 ? argv[1] : "";
  volatile int zero = 0;
  if (*c == 'z') return 7 / zero;
  if (*c == 'a') abort();
  puts(*c == 'x' ? "found" : "other");
  return *c == 'x' ? 3 : 0;
}
"#;

/// Its paths through argc, standard input and a file.
const READER: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char byte = 0;
  if (argc > 1 && argv[argc - 1][0] == '!') puts("argument");
  if (read(0, &byte, 1) == 1 && byte == '!') puts("standard input");
  int file = open("A", O_RDONLY);
  if (file >= 0 && read(file, &byte, 1) == 1 && byte == '!') puts("file");
  char *variable = getenv("V");
  if (variable && *variable == '!') puts("variable");
  return 0;
}
"#;

/// Never ends, and forks on every byte.
const ENDLESS: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned count = 0;
  for (;;) {
    char byte;
    klee_make_symbolic(&byte, 1, "byte");
    if (byte == 'x') count++;
    if (count > 1000000) return 1;
  }
}
"#;

fn program(text: &str) -> Dir {
    let dir = Dir::new();
    dir.write("p.c", text);
    dir.cc("-o p p.c");
    dir
}

fn run(dir: &Dir, line: &str) -> Output {
    dir.shell(&format!("{UMBRA} run {line}"))
}

/// The object of a run that ends with this exit code.
fn object(dir: &Dir, line: &str, exit: i32) -> Value {
    let output = run(dir, &format!("--json {line}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{line}: {stderr}");
    let text = String::from_utf8(output.stdout).expect("text");
    let object: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(object["exit"], exit, "{line}");
    object
}

fn names(dir: &Dir, folder: &str) -> BTreeSet<String> {
    let entries =
        fs::read_dir(dir.path(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What the test cases of a run predict for standard output.
fn predictions(dir: &Dir, folder: &str) -> BTreeSet<String> {
    let cases = names(dir, &format!("{folder}/cases"));
    let read =
        |case| fs::read_to_string(dir.path(&format!("{folder}/cases/{case}/expected/stdout")));
    cases.iter().map(|case| read(case).expect("a prediction")).collect()
}

#[test]
fn every_way_to_say_what_is_symbolic() {
    let dir = program(READER);
    for (index, (flags, arguments, found)) in [
        ("--sym arg=1", "", "argument\n"),
        ("--sym args=0..1x1", "", "argument\n"),
        ("--sym-arg 1", "", "argument\n"),
        ("--sym-args 0 1 1", "", "argument\n"),
        ("", "--sym-arg 1", "argument\n"),
        ("", "--sym-args 0 2 1", "argument\n"),
        ("--sym stdin=1", "", "standard input\n"),
        ("--sym stdin=0..1", "", "standard input\n"),
        ("--sym-stdin 1", "", "standard input\n"),
        ("", "--sym-stdin 1", "standard input\n"),
        ("--sym file:A=1", "", "file\n"),
        ("--sym file:A=0..1+exists", "", "file\n"),
        ("--sym-files 1 1", "", "file\n"),
        ("", "--sym-files 1 1", "file\n"),
        ("--sym env:V=1", "", "variable\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = format!("out{index}");
        let line = format!("--output {folder} {flags} ./p {arguments}");
        assert_eq!(object(&dir, &line, 0)["complete"], true, "{line}");
        let all = predictions(&dir, &folder);
        assert_eq!(all, BTreeSet::from([String::new(), found.to_owned()]), "{line}");
    }
    // The place among the arguments is that of the symbolic one, which is not the last.
    object(&dir, "--output fixed ./p --sym-arg 1 x", 0);
    assert_eq!(predictions(&dir, "fixed"), BTreeSet::from([String::new()]));
}

#[test]
fn a_program_that_makes_inputs_is_explored_or_replayed() {
    let dir = program(
        r#"
#include <klee/klee.h>
#include <unistd.h>
int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&y, 1, "y");
  klee_prefer_cex(&y, y == 'p');
  klee_prefer_cex(&y, y == 'q');
  if (x == 'n') klee_silent_exit(0);
  if (x == 'm') { write(1, &y, 1); return 4; }
  write(1, "other", 5);
  return 0;
}
"#,
    );
    let run = object(&dir, "--output out ./p", 0);
    assert_eq!(run["terminations"], serde_json::json!({"exited": 2, "silent": 1}));
    assert_eq!(run["tests"], 2);
    // The first preference is met; the second contradicts it.
    let expected = BTreeSet::from(["p".to_owned(), "other".to_owned()]);
    assert_eq!(predictions(&dir, "out"), expected);
    for case in names(&dir, "out/cases") {
        let case = format!("out/cases/{case}");
        let expected = fs::read_to_string(dir.path(&format!("{case}/expected/stdout"))).unwrap();
        let engine = format!("KTEST_FILE={case}/objects.ktest {UMBRA} run --concrete ./p");
        for line in [engine, format!("{case}/run.sh p")] {
            let output = dir.shell(&line);
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{line}");
            let status = if expected == "p" { 4 } else { 0 };
            assert_eq!(output.status.code(), Some(status), "{line}");
        }
    }
}

#[test]
fn exit_codes_tell_findings_and_gaps_apart() {
    let dir = program(PROGRAM);
    assert_eq!(object(&dir, "./p --sym-arg 1", 1)["complete"], true);
    let endless = program(ENDLESS);
    let cut = "--max-instructions 20000 ./p";
    assert_eq!(object(&endless, cut, 0)["complete"], false);
    assert_eq!(object(&endless, &format!("--require-complete {cut}"), 3)["complete"], false);
    // Nothing is missing, or there is something to be said about the program.
    object(&program(READER), "--require-complete --sym-stdin 1 ./p", 0);
    object(&dir, "--require-complete --max-depth 2 ./p --sym-arg 1", 1);
    for (line, reason) in [
        ("--output p ./p --sym-arg 1", "cannot look into p"),
        ("--output . ./p --sym-arg 1", ". is not empty"),
        ("--function f ./p", "--function f: the program does not define `f`"),
        ("--commit after ./p --sym-arg 1", "--commit needs a single run"),
        ("./p --sym-args 1 2", "--sym-args takes the fewest and the most arguments"),
        ("--sym args=2 ./p", "as in `args=0..2x4`"),
        ("--sym-arg x ./p", "--sym-arg <N>"),
        ("--serch dfs ./p", "a similar argument exists: '--search'"),
        ("--search deph-first ./p", "a similar searcher exists: 'depth-first'"),
        ("--search x ./p", "unknown searcher `x`; there are depth-first"),
        ("--tests some ./p", "[possible values: all, new, errors, none]"),
        ("--max-time 3d ./p", "unknown unit of time `d`"),
        ("--workers 0 ./p", "--workers <N>"),
        ("--deterministic --max-time 1s ./p", "cannot be used with '--max-time <TIME>'"),
        ("--concrete --sym-arg 1 ./p", "cannot be used with"),
    ] {
        let output = run(&dir, line);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains(reason), "{line}: {message}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn the_folder_has_everything() {
    let dir = program(PROGRAM);
    let summary = object(&dir, "./p --sym-arg 1", 1);
    object(&dir, "--tests none ./p --sym-arg 1", 1);
    assert_eq!(names(&dir, ".umbra/runs"), ["0001", "0002", "last"].map(String::from).into());
    assert_eq!(fs::read_link(dir.path(".umbra/runs/last")).unwrap().as_os_str(), "0002");
    let files =
        ["cases", "coverage.info", "errors", "info", "journal", "stats.csv", "summary.json"];
    assert_eq!(names(&dir, ".umbra/runs/0001"), files.map(String::from).into());
    let errors = names(&dir, ".umbra/runs/0001/errors");
    assert_eq!(errors, ["abort-p.c-8.txt", "division-by-zero-p.c-7.txt"].map(String::from).into());
    // The object is the file.
    let file = fs::read_to_string(dir.path(".umbra/runs/0001/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), summary);
    let statistics = fs::read_to_string(dir.path(".umbra/runs/0001/stats.csv")).unwrap();
    let last: Vec<&str> = statistics.lines().last().unwrap().split(',').collect();
    assert_eq!((last[2], last[3]), ("4", "0"), "paths and states at the end: {statistics}");
    let lines = fs::read_to_string(dir.path(".umbra/runs/0001/coverage.info")).unwrap();
    assert!(lines.contains("DA:8,1\n"), "{lines}");
    // Without test cases the errors are there all the same.
    let none = fs::read_to_string(dir.path(".umbra/runs/0002/errors/abort-p.c-8.txt")).unwrap();
    assert!(none.contains("No test case was written."), "{none}");
    assert!(!dir.exists(".umbra/runs/0002/cases"));
}

#[test]
fn test_cases_do_natively_what_they_predict() {
    let dir = program(PROGRAM);
    let run = object(&dir, "--output out ./p --sym-arg 2", 1);
    let cases = names(&dir, "out/cases");
    assert_eq!(run["tests"], cases.len());
    let mut ends = BTreeSet::new();
    for case in &cases {
        let output = dir.shell(&format!("out/cases/{case}/run.sh p"));
        let text = fs::read_to_string(dir.path(&format!("out/cases/{case}/case.json"))).unwrap();
        let end = &serde_json::from_str::<Value>(&text).unwrap()["expected"]["end"];
        let expected = match (end["exited"].as_i64(), end["error"]["kind"].as_str()) {
            (Some(status), _) => status,
            (_, Some("division-by-zero")) => 128 + 8,
            (_, Some("abort")) => 128 + 6,
            _ => panic!("an unexpected end: {end}"),
        };
        assert_eq!(output.status.code().map(i64::from), Some(expected), "{case}");
        let stdout = fs::read(dir.path(&format!("out/cases/{case}/expected/stdout"))).unwrap();
        assert_eq!(output.stdout, stdout, "{case}");
        ends.insert(expected);
    }
    assert_eq!(ends, BTreeSet::from([0, 3, 128 + 6, 128 + 8]));
    // The representative of each error is one of them.
    for error in run["errors"].as_array().unwrap() {
        let case = error["case"].as_str().expect("a case").strip_prefix("cases/").unwrap();
        assert!(cases.contains(case), "{case}");
    }
}

#[test]
fn the_paths_that_get_a_test_case_can_be_chosen() {
    let dir = program(
        r#"
#include <klee/klee.h>
int main(void) {
  unsigned char x[4], zero = 0;
  klee_make_symbolic(x, 4, "x");
  int sum = 0;
  for (int i = 0; i < 4; i++) if (x[i] > 100) sum++;
  return sum == 4 ? 1 / zero : 0;
}
"#,
    );
    let tests = |flags: &str| {
        let run = object(&dir, &format!("{flags} --search dfs --workers 1 ./p"), 1);
        assert_eq!(run["paths"]["completed"], 15, "{flags}");
        (run["tests"].as_u64().unwrap(), run["tests_left_out"].as_u64().unwrap())
    };
    assert_eq!(tests(""), (16, 0));
    assert_eq!(tests("--tests all"), (16, 0));
    assert_eq!(tests("--tests errors"), (1, 0));
    assert_eq!(tests("--tests none"), (0, 0));
    let (new, left_out) = tests("--tests new");
    assert!((2..8).contains(&new) && left_out == 0, "{new}");
    let (few, left_out) = tests("--max-tests 3");
    assert_eq!(few + left_out, 16);
    assert!((4..10).contains(&few), "three, and those that are new: {few}");
    let output = run(&dir, "--max-tests 3 --search dfs --workers 1 ./p");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = format!("{left_out} paths without a test case of their own");
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn klee_s_format_is_written_on_demand() {
    let dir = program(PROGRAM);
    object(&dir, "--output with --ktest ./p --sym-arg 1", 1);
    object(&dir, "--output without ./p --sym-arg 1", 1);
    for (folder, expected) in [("with", true), ("without", false)] {
        for case in names(&dir, &format!("{folder}/cases")) {
            assert_eq!(dir.exists(&format!("{folder}/cases/{case}/test.ktest")), expected);
        }
    }
    let ktest = fs::read(dir.path("with/cases/000001/test.ktest")).unwrap();
    assert!(ktest.starts_with(b"KTEST"));
    // A file that KLEE's model cannot have.
    let output = run(&dir, "--quiet --ktest --sym file:other=1 --sym-arg 1 ./p");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("cannot be written as .ktest"), "{message}");
}

#[test]
fn limits_are_kept_and_named() {
    let dir = program(ENDLESS);
    for (flags, limits) in [
        ("--max-time 300ms", &["time"][..]),
        ("--max-instructions 20000", &["instructions"]),
        ("--max-depth 5 --max-path-instructions 20000", &["depth", "path-instructions"]),
        ("--max-forks 5 --max-path-instructions 20000", &["forks", "path-instructions"]),
        ("--max-states 3 --max-instructions 20000", &["instructions", "states"]),
    ] {
        let run = object(&dir, &format!("{flags} --workers 1 ./p"), 0);
        assert_eq!(run["limits_hit"], serde_json::json!(limits), "{flags}");
        assert_eq!(run["complete"], false, "{flags}");
        if let Some(most) = flags.strip_prefix("--max-instructions ") {
            // Blocks are counted as a whole.
            let most: u64 = most.parse().unwrap();
            assert!(run["instructions"].as_u64().unwrap() < most + 1000, "{run}");
        }
    }
    let output = run(&dir, "--max-instructions 20000 ./p");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("No path ended"), "{text}");
    assert!(text.contains("limits hit: instructions"), "{text}");
}

#[test]
fn a_small_memory_ends_the_run_and_not_the_machine() {
    let dir = program(ENDLESS);
    let run = object(&dir, "--max-memory 1 --max-instructions 30000000 --workers 1 ./p", 0);
    let limits = run["limits_hit"].as_array().unwrap();
    assert!(limits.contains(&"memory".into()), "{run}");
}

#[test]
fn memory_that_is_refused_is_a_limit_that_was_hit() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  char *volatile memory = malloc(argv[1][0] == 'x' ? 5000000 : 5);
  puts(memory ? "memory" : "no memory");
  return 0;
}
"#;
    let dir = program(source);
    let run = object(&dir, "--max-memory 4 ./p --sym-arg 1", 0);
    assert_eq!(run["limits_hit"], serde_json::json!(["allocation"]), "{run}");
    assert_eq!(run["complete"], false, "{run}");
    let run = object(&dir, "--max-memory 64 ./p --sym-arg 1", 0);
    assert_eq!((&run["limits_hit"], &run["complete"]), (&serde_json::json!([]), &true.into()));
}

#[test]
fn open_paths_get_tests_unless_they_are_unwanted() {
    let dir = program(ENDLESS);
    let flags = "--max-instructions 20000 --deterministic ./p";
    let with = object(&dir, flags, 0);
    let without = object(&dir, &format!("--no-open-tests {flags}"), 0);
    assert!(with["states"]["open"].as_u64() > Some(0), "{with}");
    assert_eq!(with["paths"]["cut"], 0, "open is not cut: {with}");
    assert!(with["tests"].as_u64() > Some(0), "{with}");
    assert_eq!(without["states"]["open"], with["states"]["open"]);
    assert_eq!(without["tests"], 0, "{without}");
}

#[test]
fn however_paths_are_searched_they_are_the_same() {
    let dir = program(PROGRAM);
    for flags in [
        "--search dfs",
        "--search breadth-first",
        "--search random-path,coverage-new --seed 7",
        "--search nurs:md2u,batch:100",
        "--workers 1",
        "--workers 3",
        "--deterministic",
        "--max-query-time 5s",
    ] {
        let run = object(&dir, &format!("{flags} ./p --sym-arg 2"), 1);
        assert_eq!(run["complete"], true, "{flags}");
        let paths = serde_json::json!({"completed": 2, "error": 2, "cut": 0});
        assert_eq!(run["paths"], paths, "{flags}");
    }
    assert_eq!(object(&dir, "--workers 3 ./p --sym-arg 2", 1)["workers"], 3);
}

#[test]
fn deterministic_runs_are_equal() {
    let dir = program(ENDLESS);
    for folder in ["one", "two"] {
        object(&dir, &format!("--deterministic --max-instructions 30000 --output {folder} ./p"), 0);
    }
    assert!(names(&dir, "one/cases").len() > 3);
    dir.ok("diff -r one/cases two/cases");
    dir.ok("diff one/coverage.info two/coverage.info");
}

#[test]
fn output_is_as_asked_for() {
    let dir = program(PROGRAM);
    let text = |flags: &str| {
        let output = run(&dir, &format!("{flags} ./p --sym-arg 1"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.is_empty(), "nobody watches, so nothing is said: {message}");
        String::from_utf8(output.stdout).expect("text")
    };
    let plain = text("");
    assert!(plain.starts_with("2 errors found in 4 paths; every path was followed"), "{plain}");
    assert!(plain.contains("division-by-zero  p.c:7  once  cases/00000"), "{plain}");
    assert!(plain.contains("Results are in .umbra/runs/0001, 4 tests in cases/"), "{plain}");
    assert!(!plain.contains('\x1b') && !plain.contains("bit-blaster"), "{plain}");
    assert!(!text("--color never").contains('\x1b'));
    assert!(text("--color always").contains('\x1b'));
    assert!(text("--stats").contains("bit-blaster"));
    assert_eq!(text("--quiet"), "");
    assert_eq!(text("--quiet --json").lines().count(), 1);
    assert_eq!(text("--json").lines().count(), 1);
    text("--coverage lines");
    assert!(fs::read_to_string(dir.path("lines")).unwrap().contains("DA:7,1\n"));
}

#[test]
fn the_object_is_as_documented() {
    let dir = program(PROGRAM);
    let run = object(&dir, "./p --sym-arg 1", 1);
    let documented = include_str!("../../../../docs/json.md");
    let section = documented.split("## `umbra run`").nth(1).unwrap().split("\n## ").next().unwrap();
    for key in run.as_object().expect("an object").keys() {
        let general = ["schema", "command", "exit"].contains(&key.as_str());
        assert!(general || section.contains(&format!("`{key}`")), "{key} is not documented");
    }
    assert_eq!(run["schema"], "umbra/1");
    assert_eq!(run["coverage"]["program_lines"], 7);
    assert_eq!(run["coverage"]["program_covered"], 7);
    assert_eq!(run["errors"].as_array().map(Vec::len), Some(2));
    assert_eq!(run["states"]["created"], 4);
    let phases = run["phases"].as_array().unwrap().iter();
    let phases: Vec<&str> = phases.map(|phase| phase["name"].as_str().unwrap()).collect();
    assert_eq!(phases, ["load", "prepare", "explore", "write"]);
}

#[test]
fn an_error_in_libc_is_its_caller_s() {
    let dir = program(
        r#"
#include <string.h>
int main(int argc, char **argv) {
  char name[2];
  if (argv[1][0] == 'a') strcpy(name, "long");
  if (argv[1][0] == 'b') strcpy(name, "longer");
  return 0;
}
"#,
    );
    let run = object(&dir, "./p --sym-arg 1", 1);
    let errors = run["errors"].as_array().unwrap().iter();
    let places: Vec<(&str, u64)> = errors
        .map(|error| (error["kind"].as_str().unwrap(), error["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [("out-of-bounds-write", 5), ("out-of-bounds-write", 6)]);
}

#[test]
fn c_files_are_compiled_without_a_word_or_with_their_errors() {
    let dir = Dir::new();
    dir.write(
        "warned.c",
        "int main(int argc, char **argv) { int *x = \"a\"; return *argv[1] == 'x'; }",
    );
    let output = run(&dir, "--quiet warned.c --sym-arg 1");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    dir.write("wrong.c", "int main(void) { return undeclared; }");
    let output = run(&dir, "--sym-arg 1 wrong.c");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("wrong.c:1:25: error: use of undeclared identifier"), "{message}");
    assert!(message.contains("umbra: compiling wrong.c: "), "{message}");
}

#[test]
fn one_function_can_be_run_with_any_arguments() {
    let dir = program(
        r#"
int average(int total, unsigned char count) {
  if (total < 0) return 0;
  return total / (count & 15);
}
int main(void) { return average(7, 3); }
"#,
    );
    let run = object(&dir, "--function average ./p", 1);
    assert_eq!(run["errors"][0]["kind"], "division-by-zero");
    assert_eq!(run["errors"][0]["line"], 4);
    assert_eq!(run["complete"], true);
    // Without the flag the program itself runs, once.
    assert_eq!(run_once(&dir), Some(2));
}

/// Natively the parent of a process that has died goes on.
#[test]
fn an_error_in_a_child_leaves_its_parent_out() {
    let dir = program(
        r#"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  unsigned char b = 0;
  if (read(0, &b, 1) != 1) return 9;
  pid_t child = fork();
  if (!child) {
    if (b == 5) abort();
    _exit(b & 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 77 : WEXITSTATUS(status);
}
"#,
    );
    let run = object(&dir, "--sym stdin=1 ./p", 1);
    assert_eq!((&run["paths"]["completed"], &run["paths"]["error"]), (&2.into(), &1.into()));
    assert_eq!(run["complete"], false);
    assert_eq!(run["limits_hit"], serde_json::json!(["parent of a process with an error"]));
}

/// The object behind a pointer has an address of ours, which what was asked of the pointer before may rule out.
#[test]
fn a_pointer_that_was_tested_before_its_use_is_a_gap() {
    let dir = program(
        r#"
int f(int *p) {
  if (((unsigned long)p & 7) == 4) return *p + 1;
  if (p == (int *)0x7777) return *p;
  return 3;
}
int main(void) {
  int n = 1;
  return f(&n);
}
"#,
    );
    let run = object(&dir, "--function f --require-complete ./p", 3);
    assert_eq!(run["complete"], false);
    assert_eq!((&run["paths"]["completed"], &run["paths"]["cut"]), (&1.into(), &2.into()));
    assert_eq!(run["limits_hit"], serde_json::json!(["pointer that was tested before its use"]));
}

fn run_once(dir: &Dir) -> Option<i32> {
    run(dir, "./p").status.code()
}

#[test]
fn flags_that_have_no_effect_are_named() {
    let dir = program(READER);
    let output = run(&dir, "--output out --search dfs ./p </dev/null");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(message.contains("these flags have no effect: --output, --search"), "{message}");
    assert!(!dir.exists("out"));
}
