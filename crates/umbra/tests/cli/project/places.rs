//! Where in a patch differences come from, as `umbra replay` says it.

use serde_json::{Value, json};

use super::Project;

const MAKEFILE: &str = "\
CC = cc
say: say.c
\t$(CC) -o $@ say.c
";

/// One program with changes that do not depend on each other. All of them show on standard output,
/// but for a change in `compute` that every case runs and that shows nowhere.
const OLD: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *const word = "old";
static int area(int a, int b) {
    return a * b;
}
static int sum(int a, int b) {
    return a + b;
}
static int compute(const char *what, int a, int b) {
    int result = 0;
    if (!strcmp(what, "area")) result = area(a, b);
    if (!strcmp(what, "sum")) result = sum(a, b);
    if (!strcmp(what, "gone"))
        result = 7;
    return result;
}
int main(int argc, char **argv) {
    if (argc < 4) return puts(word) < 0;
    return printf("%d\n", compute(argv[1], atoi(argv[2]), atoi(argv[3]))) < 0;
}
"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("Makefile", MAKEFILE);
    project.write("say.c", OLD);
    project.umbra("init --no-try");
    project.commit("old");
    let new = OLD
        .replace(r#""old""#, r#""new""#)
        .replace("a * b", "a * b + 1")
        .replace("a + b", "a + b + 1")
        .replace("int result = 0", "int result = -0")
        .replace("    if (!strcmp(what, \"gone\"))\n        result = 7;\n", "");
    project.write("say.c", &new);
    project.commit("new");
    let cases: [&[&str]; 8] = [
        &["area", "2", "3", "more"],
        &["area", "20", "30"],
        &["sum", "2", "3"],
        &["sum", "200", "300"],
        &["gone", "0", "0"],
        &["none", "0", "0"],
        &["other", "0", "0"],
        &[],
    ];
    for (number, arguments) in cases.into_iter().enumerate() {
        let case = json!({"schema": "umbra/case/1", "program": "say", "arguments": arguments});
        project.dir.write(&format!("cases/{number}/case.json"), &case.to_string());
    }
    project
}

/// The clusters that a replay prints as JSON.
fn clusters(project: &Project, arguments: &str) -> Vec<Value> {
    let output = project.output(&format!("replay --json --range old..new {arguments} ../cases"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let comparison = &object["comparisons"][0];
    assert_eq!(comparison["without_places"], json!({}), "{comparison}");
    assert_eq!(comparison["classes"], json!({"output-difference": 6, "same": 2}));
    comparison["clusters"].as_array().unwrap().clone()
}

#[test]
fn differences_are_told_apart_by_the_line_they_come_from() {
    let project = project();
    let mut found: Vec<Value> = clusters(&project, "")
        .iter()
        .map(|cluster| {
            let keys = ["place", "function", "place_version", "place_differing", "place_same"];
            let mut values: Vec<Value> = keys.map(|key| cluster[key].clone()).to_vec();
            values.push(cluster["changed_line_ran"].clone());
            values.push(cluster["cases"].as_array().unwrap().len().into());
            values.into()
        })
        .collect();
    found.sort_by_key(Value::to_string);
    let expected = [
        json!(["say.c:16", "compute", "old", 1, 0, true, 1]),
        json!(["say.c:6", "area", "new", 2, 0, true, 2]),
        json!(["say.c:9", "sum", "new", 2, 0, true, 2]),
        // The word has changed, and a word is no code.
        json!([null, null, null, null, null, false, 1]),
    ];
    assert_eq!(found, expected);

    let (text, _) = {
        let output = project.output("replay --range old..new ../cases");
        (String::from_utf8(output.stdout).unwrap(), output.status)
    };
    for line in [
        "output-difference in say at say.c:6 (area), 2 cases\n",
        "output-difference in say at say.c:16 (compute, old version), 1 case\n",
        "output-difference in say without running a changed line, 1 case\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

/// What is made smaller still runs the line.
#[test]
fn a_smaller_example_has_the_same_place() {
    let project = project();
    let clusters = clusters(&project, "--minimise --output ../small");
    let areas = clusters.iter().position(|cluster| cluster["place"] == "say.c:6");
    let number = areas.unwrap_or_else(|| panic!("{clusters:?}")) + 1;
    let text = project.dir.ok(&format!("cat small/{number:03}-output-difference/case.json"));
    let case: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(case["arguments"], json!(["area", "", ""]), "{case}");
}
