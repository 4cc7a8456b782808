//! The way that the README shows, from `umbra init` to differences, and what it leaves alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{MAKEFILE, Project, contents};

/// Two revisions, `before` and `after`, of the plain project, which can be tested.
fn tested() -> Project {
    let project = Project::plain();
    let check = "check: all\n\t./one\n\t./one >/dev/null\n\tsub/two; test $$? -gt 0\n";
    project.write("Makefile", &format!("{MAKEFILE}{check}"));
    project.umbra("init --force --no-try");
    project.commit("before");
    project.write("common.c", "int common(void) { return 3; }\n");
    project.commit("after");
    // What nobody has committed is not lost either.
    project.write("common.c", "int common(void) { return 4; }\n");
    project.write("untracked", "mine\n");
    project
}

fn object(project: &Project, arguments: &str, exit: i32) -> Value {
    let output = project.output(arguments);
    assert_eq!(output.status.code(), Some(exit), "umbra {arguments}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// The checkout and git's own files, without our results.
fn checkout(project: &Project) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = contents(&project.dir.path("repo"));
    found.retain(|path, _| !path.starts_with(".umbra"));
    found
}

#[test]
fn from_a_suite_to_differences_and_the_checkout_is_as_it_was() {
    let project = tested();
    let before = checkout(&project);
    let recorded = object(&project, "record --revision before --json", 0);
    assert_eq!((&recorded["invocations"], &recorded["recorded"]), (&json!(3), &json!(3)));
    let replayed = object(&project, "replay --range before..after --json", 1);
    let classes = &replayed["comparisons"][0]["classes"];
    // `one` writes the number, and once to nowhere; `two` ends with it.
    assert_eq!(*classes, json!({ "output-difference": 2, "same": 1 }), "{replayed}");
    let same = object(&project, "replay --range before..before --json", 0);
    assert_eq!(same["comparisons"][0]["classes"], json!({ "same": 3 }));
    project.error("replay --range after..no-such-revision");
    project.umbra("case list");
    project.umbra("gc --all");
    let after = checkout(&project);
    assert!(before.keys().eq(after.keys()), "files came or went");
    for (path, content) in &before {
        assert!(after[path] == *content, "{} changed", path.display());
    }
}
