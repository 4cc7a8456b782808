//! `umbra reach` on a program alone: what it finds, and what it says where it cannot look.

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Lines of interest: 3 in a macro that nobody uses, 9 and 13 to reach.
const PROGRAM: &str = "\
#include <stdio.h>
#include <string.h>

#define UNUSED 1

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], \"--version\") == 0)
    return puts(\"1.0\") < 0;
  if (argc > 1 && argv[1][0] == 'k' && argv[1][1] > 'w')
    puts(\"deep\");
  return 0;
}
";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("p.c", PROGRAM);
    dir.cc("-g p.c -o p");
    dir
}

/// What the command prints, and its exit status.
fn says(dir: &Dir, args: &str) -> (String, i32) {
    let output = dir.shell(&format!("{UMBRA} reach {args} 2>&1"));
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap())
}

fn object(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_line_is_reached_from_a_command_line() {
    let dir = dir();
    let args = "--json --output out --max-instructions 1000000 --program ./p p.c:10 -- abc";
    let (text, code) = says(&dir, args);
    assert_eq!(code, 0, "{text}");
    let object = object(&text);
    let target = &object["programs"][0]["targets"][0];
    assert_eq!((&target["outcome"], &target["function"]), (&"reached".into(), &"main".into()));
    assert_eq!(target["inputs"][0]["confirmed"], true, "{text}");
    assert_eq!(object["blocks"]["reached"], 1, "{text}");
    // The case runs by itself, and what need not change is as in the test.
    let case = std::fs::read_to_string(dir.path("out/cases/000001/case.json")).unwrap();
    assert!(case.contains("\"kxc\"") || case.contains("\"k"), "{case}");
    assert_eq!(dir.ok("sh out/cases/000001/run.sh ./p"), "deep\n");
}

#[test]
fn a_function_and_a_case_are_enough() {
    let dir = dir();
    let text = r#"{"schema": "umbra/case/1", "program": "./p", "arguments": ["abc"]}"#;
    dir.write("cases/one/case.json", text);
    let (text, code) = says(&dir, "--json --program ./p --case cases main");
    assert_eq!(code, 0, "{text}");
    let object = object(&text);
    let target = &object["programs"][0]["targets"][0];
    assert_eq!(target["outcome"], "tested", "{text}");
    assert_eq!(target["inputs"][0]["case"], "cases/one", "{text}");
}

#[test]
fn where_there_is_nothing_to_look_for_it_is_said() {
    let dir = dir();
    for (args, expected) in [
        ("--program ./p p.c:4", "p.c:4 has no code: the nearest line that has is 7"),
        ("--program ./p q.c:4", "has no code of q.c"),
        ("--program ./p mein", "has no function mein"),
        ("--program ./p MAI", "(there is main)"),
        ("--program ./p --without magic main", "expected one of greedy, regeneration"),
        ("--program ./none main", "none"),
    ] {
        let (text, code) = says(&dir, args);
        assert_eq!(code, 2, "{args}: {text}");
        assert!(text.contains(expected), "{args}: {text}");
    }
}

#[test]
fn what_is_missed_has_a_reason() {
    let dir = dir();
    let without = "--without greedy,regeneration,switching,options,exploration";
    let args = format!("--max-instructions 100000 {without} --program ./p p.c:10 -- abc");
    let (text, code) = says(&dir, &args);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("p.c:10 (main): not run: nothing was left to try"), "{text}");
}
