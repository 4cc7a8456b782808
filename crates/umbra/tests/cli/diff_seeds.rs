//! `umbra diff` from many tests: which are followed, what they keep, when it ends.

use serde_json::Value;

use crate::diff::diff;
use crate::support::Dir;

/// Three changes: one that tests reach, one that makes no difference, one that no test reaches.
const COVER: &str = r#"
#include <umbra.h>
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  if (argv[1][0] == 'a')
    return change(1, 2);
  if (argv[1][0] == 'b')
    return change(3, 3);
  if (argc > 5)
    return change(5, 6);
  return 0;
}
"#;

/// Looks at a file below the working directory, and at what only its test case says.
const READS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <umbra.h>
int main(int argc, char **argv) {
  char c = 0;
  struct stat stat;
  int file = open(argv[1], O_RDONLY);
  if (read(file, &c, 1) != 1 || fstat(file, &stat) != 0)
    return 9;
  if ((stat.st_mode & 0777) != 0640 || umask(0) != 027 || !getenv("NAME") || getuid() != 1234)
    return 8;
  if (change(c > 'm', c >= 'm'))
    puts("second half");
  return 0;
}
"#;

/// The new version goes through a long loop on one input.
const LOOPS: &str = r#"
#include <umbra.h>
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  unsigned n = argv[1][0], sum = 0;
  if (change(n >= 'x', n > 'x'))
    return 1;
  for (unsigned i = 0; i != n * 100000; i++)
    sum += i;
  return sum & 1;
}
"#;

/// Asks for an input long after the versions may have parted.
const LATER: &str = include_str!("../../../../tests/shadow/reports/later_object.c");

/// From one point the new version never ends and never forks, from the other it fails after a while.
const TURNS: &str = r#"
#include <umbra.h>
static volatile unsigned turns;
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  unsigned n = argv[1][0];
  if (change(0, n == 'h'))
    for (;;)
      turns++;
  if (change(0, n == 'k')) {
    for (unsigned i = 0; i < 1000; i++)
      turns++;
    return 10 / (n - 'k');
  }
  return 0;
}
"#;

/// A test case with one argument.
fn case(dir: &Dir, name: &str, program: &str, argument: &str) {
    let text = format!(
        r#"{{"schema": "umbra/case/1", "program": "{program}", "arguments": ["{argument}"]}}"#
    );
    dir.write(&format!("{name}/case.json"), &text);
}

/// The change in a line.
fn change(object: &Value, line: u64) -> &Value {
    let changes = object["changes"].as_array().expect("a list");
    changes.iter().find(|change| change["line"] == line).expect("the change is listed")
}

/// Three edits of a program that knows nothing of the other: a value, a statement that is gone, a table.
const PLAIN: &str = r#"
static int table[2] = { 1, TABLE };
static int last(int n) { return table[n / 2]; }
int main(int argc, char **argv) {
  int n = 0;
  if (argc < 2)
    return 0;
  if (argv[1][0] == 'a')
    return VALUE;
  if (argv[1][0] == 'b') {
    n = 3;
    GONE
  }
  if (argv[1][0] == 'c')
    return last(argc);
  return n;
}
"#;

#[test]
fn of_two_programs_counters_of_either_choose_the_tests() {
    let dir = Dir::new();
    let version = |name: &str, table: &str, value: &str, gone: &str| {
        let text = PLAIN.replace("TABLE", table).replace("VALUE", value).replace("GONE", gone);
        dir.write(&format!("{name}.c"), &text);
        dir.cc(&format!("-g -w {name}.c -o {name}"));
    };
    version("old", "2", "1", "n++;");
    version("value", "2", "2", "n++;");
    version("gone", "2", "1", "");
    version("table", "4", "1", "n++;");
    for letter in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        case(&dir, &format!("seeds/{letter}"), "./old", letter);
    }
    // The test that touches the edit, of each pair; a removed statement is in the old program alone.
    for (new, letter) in [("value", "a"), ("gone", "b"), ("table", "c")] {
        dir.shell(&format!(
            "mkdir -p {new}.d && cp {new} {new}.d/old && cp {new}.bc {new}.d/old.bc"
        ));
        let (object, _) = diff(&dir, &format!("--case seeds old {new}.d/old"));
        let seeds = &object["seeds"];
        assert_eq!(
            (&seeds["given"], &seeds["followed"]),
            (&8.into(), &1.into()),
            "{new}: {object}"
        );
        let changes = object["changes"].as_array().unwrap();
        let tests: Vec<&Value> = changes.iter().map(|change| &change["tests"]).collect();
        let expected = serde_json::json!([format!("seeds/{letter}")]);
        match new {
            // A table has no line of code; the test that was followed shows that it was found.
            "table" => assert!(object["divergences"][0]["kind"] == "data", "{object}"),
            _ => assert!(
                !tests.is_empty() && tests.iter().all(|it| **it == expected),
                "{new}: {object}"
            ),
        }
    }
}

#[test]
fn the_tests_that_reach_a_change_are_followed() {
    let dir = Dir::new();
    dir.write("cover.c", COVER);
    dir.cc("-g -w cover.c -o cover");
    for (name, argument) in [("one", "a"), ("two", "abc"), ("three", "b"), ("four", "x")] {
        case(&dir, &format!("seeds/{name}"), "./cover", argument);
    }
    case(&dir, "seeds/other", "./paste", "a");
    let near = "--max-around-instructions 0 --case seeds cover";
    let (object, code) = diff(&dir, near);
    assert_eq!(code, 1, "{object}");
    let seeds = &object["seeds"];
    assert_eq!(seeds["given"], 5, "{object}");
    assert_eq!((&seeds["other_programs"], &seeds["followed"]), (&1.into(), &3.into()), "{object}");
    let first = change(&object, 7);
    assert_eq!(first["tests"], serde_json::json!(["seeds/one", "seeds/two"]), "{object}");
    assert_eq!((&first["paired"], &first["diverged"]), (&true.into(), &true.into()), "{object}");
    let second = change(&object, 9);
    assert_eq!(second["tests"], serde_json::json!(["seeds/three"]), "{object}");
    assert_eq!((&second["reached"], &second["paired"]), (&true.into(), &false.into()), "{object}");
    let third = change(&object, 11);
    assert_eq!((&third["reached"], &third["tests"]), (&false.into(), &serde_json::json!([])));
    assert_eq!(object["divergences"][0]["native"], "output-difference", "{object}");
    // The test that a case was made from is in the case.
    assert!(dir.ok("cat out/cases/*/case.json").contains("\"seed\": \"seeds/one\""));
    let (all, _) = diff(&dir, &format!("--seeds all {near}"));
    assert_eq!(all["seeds"]["followed"], 4, "{all}");
    // Two of them have another status, and go the same way.
    assert_eq!(all["seeds"]["parted"], serde_json::json!([]), "{all}");
    let (one, _) = diff(&dir, "--seeds 1 --case seeds cover");
    assert_eq!(one["seeds"]["followed"], 1, "{one}");
    let text = dir.shell(&format!("{} diff {near}", crate::support::UMBRA));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("tests: 3 of 5 followed") && text.contains("not reached"), "{text}");
}

/// All tests come to the change, and only the last one to where it is seen.
const BEHIND: &str = r#"
#include <stdio.h>
#include <umbra.h>
int main(int argc, char **argv) {
  int n = change(argc, argc + 1);
  if (argc > 2 && argv[1][0] == 'p' && argv[1][1] == 'q')
    printf("%d\n", n);
  return 0;
}
"#;

#[test]
fn more_tests_lose_no_finding() {
    let dir = Dir::new();
    dir.write("behind.c", BEHIND);
    dir.cc("-g -w behind.c -o behind");
    let case = |name: &str, arguments: &str| {
        let text = format!(
            r#"{{"schema": "umbra/case/1", "program": "./behind", "arguments": {arguments}}}"#
        );
        dir.write(&format!("{name}/case.json"), &text);
    };
    for (name, arguments) in [("a", r#"["x"]"#), ("b", r#"["y"]"#), ("c", r#"["pq", "r"]"#)] {
        case(&format!("seeds/{name}"), arguments);
    }
    let lines = |object: &Value| -> Vec<(Value, Value)> {
        let divergences = object["divergences"].as_array().expect("a list");
        divergences.iter().map(|it| (it["line"].clone(), it["native"].clone())).collect()
    };
    // Near this test alone, near all of them in the order that is chosen, and with twice the instructions.
    let flags = "--deterministic --max-around-instructions 100000";
    let (alone, code) = diff(&dir, &format!("{flags} --case seeds/c behind"));
    assert_eq!(code, 1, "{alone}");
    assert!(lines(&alone).contains(&(5.into(), "output-difference".into())), "{alone}");
    for flags in [flags, "--deterministic --max-around-instructions 200000"] {
        let (all, _) = diff(&dir, &format!("{flags} --case seeds behind"));
        assert_eq!(all["seeds"]["followed"], 3, "{all}");
        for line in lines(&alone) {
            assert!(lines(&all).contains(&line), "{line:?} is lost: {all}");
        }
    }
}

#[test]
fn a_seed_keeps_all_of_its_case() {
    let dir = Dir::new();
    dir.write("reads.c", READS);
    dir.cc("-g -w reads.c -o reads");
    dir.write("seed/files/sub/deep/in", "a");
    dir.write(
        "seed/case.json",
        r#"{"schema": "umbra/case/1", "program": "./reads", "arguments": ["deep/in"],
            "environment": ["NAME=value"], "directory": "sub", "umask": "0027", "user": 1234,
            "tree": [{"path": "sub/deep/in", "kind": "file", "mode": "0640"}]}"#,
    );
    let (object, code) = diff(&dir, "--case seed reads");
    assert_eq!(code, 1, "{object}");
    let divergence = &object["divergences"][0];
    assert_eq!(
        (&divergence["line"], &divergence["native"]),
        (&16.into(), &"output-difference".into())
    );
    assert_eq!(divergence["differences"][0]["channel"], "stdout", "{object}");
    let found = divergence["case"].as_str().expect("a test case");
    assert_eq!(dir.ok(&format!("cat out/{found}/files/sub/deep/in")), "m");
    let text = dir.ok(&format!("cat out/{found}/case.json"));
    assert!(text.contains("\"umask\": \"0027\"") && text.contains("NAME=value"), "{text}");
}

#[test]
fn budgets_that_are_used_up_are_reported() {
    let dir = Dir::new();
    dir.write("loops.c", LOOPS);
    dir.cc("-g -w loops.c -o loops");
    let (object, _) = diff(&dir, "--max-point-instructions 3000 loops a");
    let left_out = object["left_out"].as_object().expect("an object");
    assert!(left_out.contains_key("limit on point-budget"), "{object}");
    case(&dir, "seeds/one", "loops", "a");
    case(&dir, "seeds/two", "loops", "b");
    let (late, _) = diff(&dir, "--max-time 1ms --seeds all --case seeds loops");
    assert!(late["seeds"]["out_of_time"].as_u64() >= Some(1), "{late}");
    assert!(late["left_out"]["tests that were not followed"].as_u64() >= Some(1), "{late}");
}

#[test]
fn a_case_has_what_is_asked_for_later_or_says_that_it_may_lack_it() {
    let dir = Dir::new();
    dir.write("later.c", LATER);
    dir.cc("-g -w later.c -o later");
    let missing = "paths cut that may ask for more inputs";
    for (flags, is_whole) in [("", true), ("--max-point-instructions 10", false)] {
        let (object, _) = diff(&dir, &format!("--no-replay --object x=05 {flags} later"));
        let case = object["divergences"][0]["case"].as_str().expect("a case");
        let text = dir.ok(&format!("cat out/{case}/case.json"));
        assert_eq!(text.contains("\"y\""), is_whole, "{text}");
        assert_eq!(text.contains("\"incomplete\""), !is_whole, "{text}");
        assert_eq!(object["left_out"].get(missing).is_none(), is_whole, "{object}");
    }
}

#[test]
fn points_take_turns() {
    let dir = Dir::new();
    dir.write("turns.c", TURNS);
    dir.cc("-g -w turns.c -o turns");
    let flags = "--deterministic --max-instructions 20000000 --no-replay turns a";
    let (object, _) = diff(&dir, flags);
    let divergences = object["divergences"].as_array().expect("a list");
    let fails = |line: &&Value| line["line"] == 11 && line["class"] == "regression";
    assert_eq!(divergences.iter().filter(fails).count(), 1, "{object}");
    assert!(object["left_out"].get("stopped by instructions").is_some(), "{object}");
}

#[test]
fn what_cannot_run_natively_is_said() {
    let dir = Dir::new();
    dir.write("cover.c", COVER);
    dir.cc("-g -w cover.c -o cover");
    let reason = |flags: &str| {
        let (object, _) = diff(&dir, flags);
        assert_eq!(object["divergences"][0]["native"], Value::Null, "{object}");
        assert_eq!(object["replay"]["replayed"], 0, "{object}");
        assert!(object["replay"]["not_replayed"].as_u64() >= Some(1), "{object}");
        object["replay"]["reason"].as_str().expect("a reason").to_owned()
    };
    assert!(reason("--no-replay cover a").contains("--no-replay"));
    assert!(reason("--max-replay-time 0s cover a").contains("--max-replay-time"));
    dir.ok("mkdir alone && mv cover.bc alone/lone.bc");
    assert!(reason("alone/lone.bc a").contains("no executable"));
    let (source, _) = diff(&dir, "cover.c a");
    assert_eq!(source["divergences"][0]["native"], "output-difference", "{source}");
}
