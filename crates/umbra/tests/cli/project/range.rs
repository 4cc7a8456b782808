//! `umbra diff --range`: two revisions of a project.

use serde_json::Value;

use super::Project;

/// A limit that moves by one in the new revision; the other programs stay as they are.
const LIMIT: &str = "\
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  return n > 100 ? 3 : 0;
}
";

/// Three programs: one that differs, one of which only a comment differs, one that is new.
fn project() -> Project {
    let project = Project::empty();
    let rules = "CC = cc\nCFLAGS = -g\nPROGRAMS = limit same\nall: $(PROGRAMS)\n.c:\n\t$(CC) $(CFLAGS) -o $@ $<\n";
    project.write("Makefile", rules);
    project.write("limit.c", LIMIT);
    project.write("same.c", "int main(void) { return 0; }\n");
    project.write(".gitignore", "*.o\n");
    project.umbra("init --no-try");
    project.commit("old");
    project.write("Makefile", &rules.replace("limit same", "limit same more"));
    project.write("limit.c", &LIMIT.replace("n > 100", "n >= 100"));
    project.write("same.c", "/* Nothing. */\nint main(void) { return 0; }\n");
    project.write("more.c", "int main(void) { return 1; }\n");
    project.commit("new");
    for (name, program, argument) in
        [("first", "limit", "420"), ("second", "limit", "0420"), ("third", "same", "1")]
    {
        let text = format!(
            r#"{{"schema": "umbra/case/1", "program": "./{program}", "arguments": ["{argument}"]}}"#
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

#[test]
fn every_program_that_differs_is_compared() {
    let project = project();
    let output = project.command("diff --range old..new --case ../cases --json").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let object: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let programs = object["programs"].as_array().unwrap();
    let outcomes: Vec<(&str, &str)> = programs
        .iter()
        .map(|program| (program["path"].as_str().unwrap(), program["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(outcomes, [("limit", "compared"), ("more", "left-out"), ("same", "same")], "{text}");
    let limit = &programs[0]["summary"];
    assert_eq!(limit["divergences"][0]["native"], "output-difference", "{limit:#}");
    assert_eq!(limit["unification"]["changed"], 1, "{limit:#}");
    assert!(
        text.contains("new against old: 3 programs, 1 the same, 1 compared, 1 left out"),
        "{text}"
    );
}

#[test]
fn one_program_of_both_revisions_is_compared() {
    let project = project();
    let (text, code) = says(&project, "diff --range old..new --program limit -- 420");
    assert_eq!(code, 1, "{text}");
    let (text, code) =
        says(&project, "diff --range old..new --program limit --complete --sym args=1x3");
    assert_eq!(code, 1, "{text}");
    // The text of either revision is git's, though both were built in one folder.
    let (text, code) = says(&project, "diff --range old..new --program limit --explain");
    assert_eq!(code, 0, "{text}");
    for word in
        ["1 line removed, 1 added", "return n > 100 ? 3 : 0;", "~", "return n >= 100 ? 3 : 0;"]
    {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn what_is_meant_with_two_revisions_is_said() {
    let project = project();
    for (args, words) in [
        ("diff --range old..new a b", &["umbra diff a b ", "--program NAME -- a b"][..]),
        ("diff --range old..new", &["no recordings", "--program NAME -- ARGS"][..]),
        ("diff --range old..new --complete", &["name it with --program"][..]),
        ("diff --range old..new --program other -- 1", &["there is no program other", "limit"][..]),
        ("diff --program limit -- 1", &["--range"][..]),
    ] {
        let (text, code) = says(&project, args);
        assert_eq!(code, 2, "{args}: {text}");
        for word in words {
            assert!(text.contains(word), "{args}: {word} is not in {text}");
        }
    }
}
