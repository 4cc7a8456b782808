//! `umbra reach` in a project: changed code that no test runs, and lines by their names.

use serde_json::Value;

use super::Project;

/// Two programs that share a file.
const MAIN: &str = "\
#include <stdio.h>
int grade(const char *text);
int main(int argc, char **argv) {
  printf(\"%d\\n\", grade(argc > 1 ? argv[1] : \"\"));
  return 0;
}
";

const OLD: &str = "\
int grade(const char *text) {
  if (text[0] == 'a')
    return 1;
  return 0;
}
";

/// What the patch adds: lines 4 to 8.
const NEW: &str = "\
int grade(const char *text) {
  if (text[0] == 'a')
    return 1;
  if (text[0] == 'b') {
    if (text[1] == 'x')
      return 3;
    return 2;
  }
  return 0;
}
";

fn project() -> Project {
    let project = Project::empty();
    let rules = "CC = cc\nCFLAGS = -g\nall: first second\nfirst: main.c grade.c\n\t$(CC) $(CFLAGS) -o $@ main.c grade.c\nsecond: main.c grade.c\n\t$(CC) $(CFLAGS) -o $@ main.c grade.c\n";
    project.write("Makefile", rules);
    project.write("main.c", MAIN);
    project.write("grade.c", OLD);
    project.umbra("init --no-try");
    project.commit("old");
    project.write("grade.c", NEW);
    project.commit("new");
    for (name, argument) in [("one", "ab"), ("two", "bb")] {
        let text = format!(
            r#"{{"schema": "umbra/case/1", "program": "./first", "arguments": ["{argument}"]}}"#
        );
        project.dir.write(&format!("cases/{name}/case.json"), &text);
    }
    project
}

/// What the command prints, and its exit code.
fn says(project: &Project, args: &str) -> (String, i32) {
    let output = project.command(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code().unwrap())
}

fn object(text: &str) -> Value {
    let line = text.lines().find(|line| line.starts_with('{')).unwrap();
    serde_json::from_str(line).unwrap()
}

#[test]
fn changed_code_that_no_test_runs_is_reached() {
    let project = project();
    let args = "reach --patch old..new --case ../cases --json --max-instructions 1000000 first";
    let (text, code) = says(&project, args);
    assert_eq!(code, 0, "{text}");
    let object = object(&text);
    let targets = object["programs"][0]["targets"].as_array().unwrap();
    let outcomes: Vec<&str> = targets.iter().map(|it| it["outcome"].as_str().unwrap()).collect();
    assert!(outcomes.contains(&"tested") && outcomes.contains(&"reached"), "{text}");
    assert!(!outcomes.contains(&"missed"), "{text}");
    let (blocks, lines) = (&object["blocks"], &object["lines"]);
    assert_eq!(blocks["reached"], blocks["all"], "{text}");
    assert!(lines["tested"].as_u64() < lines["reached"].as_u64(), "{text}");
}

#[test]
fn a_line_of_several_programs_is_looked_for_where_tests_are() {
    let project = project();
    let args = "reach --revision new --case ../cases --max-instructions 1000000 grade.c:6";
    let (text, code) = says(&project, args);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("grade.c:6 is in first, second"), "{text}");
    assert!(text.contains("grade.c:6 (grade): run by cases/000001"), "{text}");
    assert!(text.contains("1 more programs have this code"), "{text}");
    let (text, code) = says(&project, "reach --revision new --case ../cases grade.c:6 second");
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("there is no test for its program"), "{text}");
    let (text, code) = says(&project, "reach --revision new --case ../cases grade.c:6 third");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("first, second"), "{text}");
    let (text, code) = says(&project, "reach --revision new grade.c:6");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no recordings to start from"), "{text}");
}

#[test]
fn a_check_makes_inputs_for_changed_lines() {
    let project = project();
    let args = "check old..new --case ../cases --json --quiet --no-sanitize --program first \
                --max-instructions 1000000 --deterministic";
    let (text, _) = says(&project, args);
    let object = object(&text);
    let stages = object["stages"].as_array().unwrap();
    let stage = stages.iter().find(|stage| stage["stage"] == "reach").unwrap();
    assert_eq!(stage["end"], "done", "{text}");
    let hunks = object["hunks"].as_array().unwrap();
    let lines = hunks.iter().flat_map(|hunk| hunk["lines"].as_array().unwrap());
    let line = lines.clone().find(|line| line["new_line"] == 6).unwrap();
    assert_eq!((&line["tests"], &line["reached"]), (&0.into(), &true.into()), "{text}");
    assert_eq!(line["input"], "reach/cases/000001", "{text}");
    // Old and new differ on that input, so it is a finding, too.
    assert!(!object["findings"].as_array().unwrap().is_empty(), "{text}");
}
