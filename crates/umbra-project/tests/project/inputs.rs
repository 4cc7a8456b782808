//! Symbolic inputs in native runs: the headers, and the values of a `.ktest` file.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use umbra_project::compile;

use crate::toolchain;

/// One harness for all three families of names.
const HARNESS: &str = r#"
#include "klee/klee.h"
#include <klee/klee.h>
#include <umbra.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void reach_error(void);
int main(void) {
  unsigned char bytes[3];
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  short pair[2];
  umbra_symbolic(pair, sizeof pair, "pair");
  int range = klee_range(-2, 9, "range");
  int any = __VERIFIER_nondet_int();
  int flag = __VERIFIER_nondet_bool();
  __VERIFIER_assume(any != 100);
  printf("%d %d %d %d %d %d %d %d\n",
         bytes[0], bytes[1], bytes[2], pair[0], pair[1], range, any, flag);
  fflush(stdout);
  if (any == 101) klee_report_error("harness.c", 7, "a hundred and one", "user");
  if (any == 102) klee_abort();
  if (any == 103) reach_error();
  if (any == 104) klee_silent_exit(4);
  umbra_assert(any != 105);
  umbra_assume(any != 106);
  return klee_is_symbolic(any) || umbra_is_symbolic(any) || klee_get_valuel(any) != any;
}
"#;

/// What exits with 98: the test case does not fit the program.
const NO_FIT: Option<i32> = Some(98);
/// What exits with 99: an assumption leaves the input out.
const ASSUMED_AWAY: Option<i32> = Some(99);
const SIGABRT: Option<i32> = Some(6);

fn blob(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap();
    [&length.to_be_bytes(), bytes].concat()
}

fn ktest(version: u32, objects: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = b"KTEST".to_vec();
    file.extend(version.to_be_bytes());
    file.extend(1u32.to_be_bytes());
    file.extend(blob(b"program"));
    file.extend([0; 8]);
    file.extend(u32::try_from(objects.len()).unwrap().to_be_bytes());
    for (name, bytes) in objects {
        file.extend(blob(name.as_bytes()));
        file.extend(blob(bytes));
    }
    file
}

struct Harness {
    folder: tempfile::TempDir,
    exe: PathBuf,
    bitcode: PathBuf,
}

impl Harness {
    fn new(source: &str) -> Harness {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("harness.c");
        fs::write(&file, source).unwrap();
        let out = folder.path().join("out");
        let program = compile(&toolchain(), &[file], &["-Werror".into()], &out).unwrap();
        Harness { folder, exe: program.exe, bitcode: program.bitcode }
    }

    fn run(&self, ktest: Option<&[u8]>) -> Output {
        let mut command = Command::new(&self.exe);
        command.env_clear();
        if let Some(bytes) = ktest {
            let path = self.folder.path().join("case.ktest");
            fs::write(&path, bytes).unwrap();
            command.env("KTEST_FILE", path);
        }
        command.output().unwrap()
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The objects of a fitting test case, with this value of the undetermined number.
fn objects(any: &[u8; 4]) -> [(&'static str, &[u8]); 5] {
    [
        ("bytes", &[1, 2, 255]),
        ("pair", &[0x34, 0x12, 0xff, 0xff]),
        ("range", &[0xfe, 0xff, 0xff, 0xff]),
        ("nondet_int", any),
        ("nondet_bool", &[1]),
    ]
}

#[test]
fn a_test_case_gives_the_values() {
    let harness = Harness::new(HARNESS);
    let run = |any: i32| harness.run(Some(&ktest(3, &objects(&any.to_le_bytes()))));
    let fine = run(-5);
    assert_eq!(stderr(&fine), "");
    assert_eq!(stdout(&fine), "1 2 255 4660 -1 -2 -5 1\n");
    assert_eq!(fine.status.code(), Some(0));
    for (any, status, signal, message) in [
        (100, ASSUMED_AWAY, None, "an assumption does not hold"),
        (101, None, SIGABRT, "harness.c:7: a hundred and one (user)"),
        (102, None, SIGABRT, "klee_abort was called"),
        (103, None, SIGABRT, "reach_error was called"),
        (104, Some(4), None, ""),
        (105, None, SIGABRT, "Assertion failed: any != 105"),
        (106, ASSUMED_AWAY, None, "an assumption does not hold"),
    ] {
        let output = run(any);
        assert_eq!((output.status.code(), output.status.signal()), (status, signal), "{any}");
        assert!(stderr(&output).contains(message), "{any}: {}", stderr(&output));
    }
    // Without a test case everything is zero.
    let zero = harness.run(None);
    assert_eq!(stdout(&zero), "0 0 0 0 0 0 0 0\n");
    assert_eq!(zero.status.code(), Some(0));
}

/// Arguments, files and the like come first in files that KLEE writes.
#[test]
fn objects_of_the_environment_are_passed_over() {
    let harness = Harness::new(HARNESS);
    let mut all: Vec<(&str, &[u8])> =
        vec![("n_args", &[1, 0, 0, 0]), ("arg00", b"ab\0"), ("A-data", b"x"), ("A-data-stat", b"")];
    all.extend([("stdin", &b"abc"[..]), ("stdin-stat", b"s"), ("model_version", &[1, 0, 0, 0])]);
    let any = 7i32.to_le_bytes();
    all.extend(objects(&any));
    for version in [3, 4] {
        let output = harness.run(Some(&ktest(version, &all)));
        assert_eq!(stdout(&output), "1 2 255 4660 -1 -2 7 1\n", "{}", stderr(&output));
    }
}

#[test]
fn a_test_case_that_does_not_fit_is_refused() {
    let harness = Harness::new(HARNESS);
    let any = 7i32.to_le_bytes();
    let right = objects(&any);
    let whole = ktest(3, &right);
    let mut name = right;
    name[1].0 = "pairs";
    let mut size = right;
    size[1].1 = &[1, 2, 3];
    let mut range = right;
    range[2].1 = &[9, 0, 0, 0];
    let mut flag = right;
    flag[4].1 = &[2];
    let cases: [(Vec<u8>, Option<i32>, &str); 9] = [
        (ktest(3, &name), NO_FIT, "next object is `pairs`, but the program asks for `pair`"),
        (ktest(3, &size), NO_FIT, "object `pair` has another size"),
        (ktest(3, &right[..4]), NO_FIT, "no object left for `nondet_bool`"),
        (whole[..whole.len() - 1].to_vec(), NO_FIT, "ends early"),
        (whole[..3].to_vec(), NO_FIT, "ends early"),
        (ktest(9, &right), NO_FIT, "version that is not known"),
        (b"#!/bin/sh\n".to_vec(), NO_FIT, "is not a .ktest file"),
        (ktest(3, &range), ASSUMED_AWAY, "an assumption does not hold"),
        (ktest(3, &flag), ASSUMED_AWAY, "an assumption does not hold"),
    ];
    for (bytes, status, message) in cases {
        let output = harness.run(Some(&bytes));
        assert_eq!(output.status.code(), status, "{message}");
        assert!(stderr(&output).contains(message), "{message}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{message}");
    }
    let missing = Command::new(&harness.exe).env("KTEST_FILE", "none").output().unwrap();
    assert_eq!(missing.status.code(), NO_FIT);
    assert!(stderr(&missing).contains("none: cannot be opened"));
}

/// Competition programs bring functions of these names along.
#[test]
fn definitions_of_the_program_win() {
    let harness = Harness::new(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <klee/klee.h>\n\
         int __VERIFIER_nondet_int(void);\n\
         unsigned __VERIFIER_nondet_uint(void) { return 5; }\n\
         void reach_error(void) { puts(\"mine\"); exit(3); }\n\
         void __VERIFIER_assert(int condition) { if (!condition) reach_error(); }\n\
         void klee_assume(uintptr_t condition) { printf(\"assume %d\\n\", (int)condition); }\n\
         int main(void) {\n\
           klee_assume(__VERIFIER_nondet_int());\n\
           __VERIFIER_assert(__VERIFIER_nondet_uint() == 5);\n\
           __VERIFIER_assert(0);\n}\n",
    );
    let output = harness.run(None);
    assert_eq!((stdout(&output), output.status.code()), ("assume 0\nmine\n", Some(3)));
}

/// Names of the runtime that a file defines.
fn runtime_symbols(file: &Path) -> Vec<String> {
    let output = Command::new("llvm-nm-19")
        .args(["--defined-only", "--format=just-symbols"])
        .arg(file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let ours = ["klee_", "umbra_", "__VERIFIER_", "reach_error", "__umbra_say", "__umbra_exit"];
    let is_ours = |name: &&str| ours.iter().any(|prefix| name.starts_with(prefix));
    stdout(&output).lines().filter(is_ours).map(str::to_owned).collect()
}

#[test]
fn a_program_that_calls_nothing_of_it_has_nothing_of_it() {
    let plain = Harness::new(
        "#include <klee/klee.h>\n#include <umbra.h>\n#include <stdio.h>\n\
         int main(void) { umbra_assert(puts(\"x\")); }\n",
    );
    assert_eq!(runtime_symbols(&plain.exe), [""; 0]);
    assert_eq!(runtime_symbols(&plain.bitcode), [""; 0]);
    // The names that an analysis looks for are in the bitcode of one that does.
    let harness = Harness::new(HARNESS);
    let symbols = runtime_symbols(&harness.bitcode);
    for name in ["klee_make_symbolic", "klee_assume", "__VERIFIER_nondet_int", "reach_error"] {
        assert!(symbols.iter().any(|symbol| symbol == name), "{name}: {symbols:?}");
    }
}
