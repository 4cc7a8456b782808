//! Programs of a project that run others of it: in a replay each version runs its own.

use serde_json::{Value, json};

use super::Project;

const MAKEFILE: &str = "\
CC = cc
all: bin/outer bin/inner
bin/outer: outer.c
\tmkdir -p bin && $(CC) -o $@ outer.c
bin/inner: inner.c
\tmkdir -p bin && $(CC) -o $@ inner.c
check: all
\tcd data && ../bin/outer given
";

const OUTER: &str = r#"#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    pid_t child = fork();
    if (child == 0) {
        execl("../bin/inner", "inner", argv[1], (char *)0);
        _exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
"#;

const INNER: &str = "#include <stdio.h>\n\
    int main(int argc, char **argv) { return printf(\"one %s\\n\", argv[1]) < 0; }\n";

/// A project with three revisions, of which the first was recorded: the second has another `inner`,
/// the third has none.
fn recorded() -> Project {
    let project = Project::empty();
    project.write("Makefile", MAKEFILE);
    project.write("outer.c", OUTER);
    project.write("inner.c", INNER);
    project.write("data/given", "");
    project.umbra("init --no-try");
    project.commit("old");
    project.umbra("record");
    project.write("inner.c", &INNER.replace("one", "two"));
    project.commit("new");
    project.write("Makefile", &MAKEFILE.replacen(" bin/inner", "", 1).replace(": all", ":"));
    project.git("rm --quiet --force inner.c");
    project.commit("without");
    project
}

fn compared(project: &Project, range: &str, exit: i32) -> Value {
    let output = project.output(&format!("replay --json --range {range}"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(exit), "{range}: {error}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    object["comparisons"][0].clone()
}

#[test]
fn a_version_runs_its_own_programs() {
    let project = recorded();
    let comparison = compared(&project, "old..new", 1);
    // The case of `outer`, and that of the `inner` that it ran.
    assert_eq!(comparison["classes"], json!({"output-difference": 2}), "{comparison}");
    for cluster in comparison["clusters"].as_array().unwrap() {
        let differences = cluster["differences"].as_array().unwrap();
        // And no difference in the file of the program.
        assert_eq!(differences.len(), 1, "{cluster}");
        let [old, new] = ["old", "new"].map(|version| differences[0][version].clone());
        assert_eq!((old, new), ("one given".into(), "two given".into()), "{cluster}");
    }
    // A version without the program runs the recorded one.
    let comparison = compared(&project, "old..without", 0);
    assert_eq!(comparison["classes"], json!({"same": 1}), "{comparison}");
    assert_eq!(comparison["without_program"], 1);
}

#[test]
fn recordings_list_the_programs_in_their_trees() {
    let project = recorded();
    let listed =
        project.dir.ok(r#"cat repo/.umbra/recordings/cases/*.json | grep -o '"programs":"[^"]*"'"#);
    assert_eq!(listed, "\"programs\":\"bin/inner\"\n");
}
