//! `--resume`: a run whose process was killed ends as one that nobody disturbed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// 1,365 paths, each with some work; one byte makes an error.
const PROGRAM: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
  unsigned hash = 0;
  char none[1] = "";
  for (char *c = argv[1]; *c; c++) {
    for (int i = 0; i < 3000; i++) hash = hash * 31 + i;
    if (*c == 'a') hash += 1;
    else if (*c == 'b') hash += 3;
    else if (*c > 'x') hash += none[c - argv[1]];
  }
  printf("%u\n", hash);
  return 0;
}
"#;

const FLAGS: &str = "--sym arg=5 --max-tests 50";

fn program() -> Dir {
    let dir = Dir::new();
    dir.write("p.c", PROGRAM);
    dir.cc("-o p p.c");
    dir
}

fn umbra(dir: &Dir, line: &str) -> Output {
    dir.shell(&format!("{UMBRA} {line}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The last entry of a journal, if it is whole already.
fn entry(run: &Path) -> Option<Value> {
    let text = fs::read_to_string(run.join("journal")).ok()?;
    serde_json::from_str(text.lines().nth(2)?).ok()
}

/// What came of a run.
fn result(run: &Path) -> Value {
    entry(run).expect("there is a journal")["ended"]["result"].clone()
}

/// Starts a command and waits until it has written down where it stands.
fn begin(dir: &Dir, line: &str, run: &str) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec {UMBRA} {line}")]).current_dir(dir.path("."));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while entry(&dir.path(run)).is_none_or(|entry| entry.get("at").is_none()) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be killed");
        std::thread::yield_now();
    }
    child
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The inputs of all test cases of a run; no two are the same.
fn inputs(run: &Path) -> BTreeSet<String> {
    let folders: Vec<_> = fs::read_dir(run.join("cases")).unwrap().collect();
    let read = |folder: &std::io::Result<fs::DirEntry>| {
        let case = fs::read_to_string(folder.as_ref().unwrap().path().join("case.json")).unwrap();
        serde_json::from_str::<Value>(&case).unwrap()["arguments"].to_string()
    };
    let inputs: BTreeSet<String> = folders.iter().map(read).collect();
    assert_eq!(inputs.len(), folders.len(), "a test case is there twice");
    inputs
}

#[test]
fn a_killed_run_ends_as_one_that_nobody_disturbed() {
    let dir = program();
    for (number, more) in ["", "--deterministic", "--workers 3"].into_iter().enumerate() {
        let (whole, killed) = (format!("whole{number}"), format!("killed{number}"));
        let one = umbra(&dir, &format!("run {FLAGS} {more} --output {whole} ./p"));
        assert_eq!(one.status.code(), Some(1), "{}", text(&one.stderr));
        kill(begin(&dir, &format!("run {FLAGS} {more} --output {killed} ./p"), &killed));
        let other = umbra(&dir, &format!("run --resume {killed}"));
        assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
        let (one, other) = (result(&dir.path(&whole)), result(&dir.path(&killed)));
        for key in ["path_set", "coverage", "open", "cut"] {
            assert_eq!(one[key], other[key], "{key} {more}");
        }
        let errors = |result: &Value| -> Vec<String> {
            let findings = result["findings"].as_array().unwrap();
            let what = |found: &Value| format!("{} {}", found[0]["place"], found[1]);
            findings.iter().map(what).collect()
        };
        assert_eq!((errors(&one), errors(&one).len()), (errors(&other), 1), "{more}");
        let tests = inputs(&dir.path(&killed)).len();
        assert_eq!(other["cases"].as_array().unwrap().len(), tests);
        assert_eq!(fs::read_dir(dir.path(&killed).join("errors")).unwrap().count(), 1);
    }
}

#[test]
fn a_run_that_is_over_shows_its_results_again() {
    let dir = program();
    let first = umbra(&dir, "run --sym arg=1 ./p");
    let again = umbra(&dir, "run --resume");
    assert_eq!(
        (text(&first.stdout), first.status.code()),
        (text(&again.stdout), again.status.code())
    );
    let json = umbra(&dir, "run --resume .umbra/runs/0001 --json");
    let summary = fs::read(dir.path(".umbra/runs/0001/summary.json")).unwrap();
    assert_eq!(text(&json.stdout), text(&summary));
}

#[test]
fn only_one_process_works_on_a_run() {
    let dir = program();
    let child = begin(&dir, &format!("run {FLAGS} --output run ./p"), "run");
    let second = umbra(&dir, "run --resume run");
    kill(child);
    assert_eq!(second.status.code(), Some(2));
    let said = text(&second.stderr);
    assert!(said.contains("another process is working on") && said.contains("/run"), "{said}");
    assert_eq!(umbra(&dir, "run --resume run").status.code(), Some(1));
}

#[test]
fn what_is_not_the_same_run_is_refused_with_the_reason() {
    let dir = program();
    kill(begin(&dir, &format!("run {FLAGS} --output run ./p"), "run"));
    let kept = fs::read_to_string(dir.path("run/journal")).unwrap();
    let refused = |line: &str, reason: &str| {
        let output = umbra(&dir, line);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(reason), "{line}: {said}");
        assert!(said.matches("os error").count() < 2, "{line}: {said}");
    };
    refused("run --resume run --max-depth 3", "other flags");
    refused("run --resume run ./p x", "another program or other flags");
    refused("run --resume run --concrete ./p", "leave out --concrete");
    refused("diff --resume run", "umbra run --resume");
    refused("run --resume nowhere", "nowhere of a run: No such file or directory (os error 2)\n");
    refused("run --resume .", "no journal");
    dir.write("run/journal", &kept[..kept.len() / 2]);
    refused("run --resume run", "not whole");
    dir.write("run/journal", &kept.replacen("\"version\":\"0", "\"version\":\"9", 1));
    refused("run --resume run", "checksum");
    dir.write("run/journal", &kept.replacen("journal 2 ", "journal 9 ", 1));
    refused("run --resume run", "another version of umbra");
    dir.write("run/journal", &kept);
    dir.write("p.c", &PROGRAM.replace("+= 3", "+= 4"));
    dir.cc("-o p p.c");
    refused("run --resume run", "the program is another one");
    dir.write("p.c", PROGRAM);
    dir.cc("-o p p.c");
    let resumed = umbra(&dir, &format!("run --resume run {FLAGS} ./p"));
    assert_eq!(resumed.status.code(), Some(1), "{}", text(&resumed.stderr));
}

/// 1,365 paths; the versions part where the third or the fourth byte is the third `a`, and print something else in the end.
const VERSIONS: &str = r#"
#include <stdio.h>
#include <umbra.h>
int main(int argc, char **argv) {
  unsigned hash = 0, count = 0;
  for (char *c = argv[1]; *c; c++) {
    for (int i = 0; i < 3000; i++) hash = hash * 31 + i;
    if (*c == 'a') count++;
    else if (*c == 'b') hash += 3;
    else if (*c > 'x') hash += 7;
    if (change(count > 3, count > 2)) puts("many");
  }
  printf("%u\n", change(count, count | 4));
  return 0;
}
"#;

fn versions() -> Dir {
    let dir = Dir::new();
    dir.write("p.c", VERSIONS);
    dir.cc("-g -o p p.c");
    dir
}

/// What a comparison has found, but for the numbers of its test cases.
fn found(run: &Path) -> (Value, Vec<String>) {
    let mut result = result(run);
    let divergences = result["divergences"].as_array_mut().unwrap();
    let mut lines: Vec<String> = Vec::new();
    for divergence in divergences {
        let cases = divergence["cases"].as_array().unwrap().len();
        divergence["cases"] = cases.into();
        lines.push(divergence.to_string());
    }
    lines.sort();
    (
        serde_json::json!([result["path_set"], result["changes"], result["cut"], result["open"]]),
        lines,
    )
}

#[test]
fn a_killed_comparison_ends_as_one_that_nobody_disturbed() {
    let dir = versions();
    let flags = "diff --complete --sym arg=5 --no-replay";
    for (number, more) in ["--deterministic", "--workers 2"].into_iter().enumerate() {
        let (whole, killed) = (format!("whole{number}"), format!("killed{number}"));
        let one = umbra(&dir, &format!("{flags} {more} --output {whole} ./p"));
        assert_eq!(one.status.code(), Some(1), "{}", text(&one.stderr));
        kill(begin(&dir, &format!("{flags} {more} --output {killed} ./p"), &killed));
        let other = umbra(&dir, &format!("diff --resume {killed}"));
        assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
        let (one, other) = (found(&dir.path(&whole)), found(&dir.path(&killed)));
        assert_eq!(one, other, "{more}");
        assert!(one.1.len() > 1, "{one:?}");
        inputs(&dir.path(&killed));
    }
}

#[test]
fn tests_that_were_followed_are_not_followed_again() {
    let dir = versions();
    for word in ["aaa", "zaaa", "abaa", "aazab", "bbbb", "aaaaa"] {
        dir.write(&format!("tests/{word}/case.json"), &case(word));
    }
    let flags = "diff --case tests --seeds all --no-replay --deterministic";
    let one = umbra(&dir, &format!("{flags} --output whole ./p"));
    assert_eq!(one.status.code(), Some(1), "{}", text(&one.stderr));
    kill(begin(&dir, &format!("{flags} --output killed ./p"), "killed"));
    let before = entry(&dir.path("killed")).unwrap();
    assert!(before["at"]["progress"]["ledger"]["pages"].as_u64() > Some(0), "{before}");
    let other = umbra(&dir, "diff --resume killed");
    assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
    assert_eq!(found(&dir.path("whole")), found(&dir.path("killed")));
    let refused = umbra(&dir, "diff --resume killed --max-sides 3");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("give no others"), "{}", text(&refused.stderr));
    let again = umbra(&dir, "diff --resume killed");
    assert_eq!(text(&again.stdout), text(&other.stdout));
}

/// A test with one argument.
fn case(word: &str) -> String {
    serde_json::json!({ "schema": "umbra/case/1", "program": "p", "arguments": [word] }).to_string()
}
