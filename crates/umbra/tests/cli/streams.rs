//! What becomes of results that nobody takes: a reader who has gone, a disk that is full; and the
//! object of `--json`, which comes whatever happens.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::project::Project;
use crate::support::UMBRA;

/// Every command that prints a result, with what it needs in a [`prepared`] folder.
const COMMANDS: &[&str] = &[
    "--help",
    "--version",
    "run --help",
    "case list ../store",
    "case list ../case",
    "case show ../case",
    "case diff ../case ../case2",
    "doctor",
    "doctor --json",
    "libc path",
    "init --force --no-try ../other",
    "build new",
    "build --json new",
    "gc --max-size 10GiB",
    "replay --on ../prog ../case",
    "replay --on ../prog --on ../prog ../case",
    "replay --json --on ../prog ../case",
    "replay --json --on ../prog --on ../prog ../case",
    "run --json ../quiet",
    "run --sym stdin=1 ../quiet",
    "run --json --sym stdin=1 ../quiet",
    "diff --complete --sym stdin=1 ../changed",
    "diff --complete --json --sym stdin=1 ../changed",
    "record --output ../r1 --program ../quiet -- ../quiet",
    "record --json --output ../r2 --program ../quiet -- ../quiet",
    "record --bare -- true",
];

/// A project, programs and a case.
fn prepared() -> Project {
    let project = Project::plain();
    let dir = &project.dir;
    dir.write("case/case.json", r#"{"schema": "umbra/case/1", "program": "prog"}"#);
    dir.write(
        "case2/case.json",
        r#"{"schema": "umbra/case/1", "program": "prog", "arguments": ["x"]}"#,
    );
    dir.write("other/Makefile", "all:\n");
    dir.write("quiet.c", "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n");
    dir.write(
        "changed.c",
        "#include <stdio.h>\n#include <umbra.h>\nint main(void) { return change(getchar() == 'x', 0); }\n",
    );
    dir.cc("quiet.c -o quiet");
    dir.cc("changed.c -o changed");
    dir.ok("cp quiet prog");
    dir.ok(&format!("{UMBRA} record --output store --program quiet -- ./quiet"));
    project.umbra("build new");
    project
}

fn run(project: &Project, arguments: &str, stdout: Stdio) -> Output {
    let mut command: Command = project.command(arguments);
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).output().unwrap()
}

/// What of standard error is an error; some commands say what they do.
fn complaints(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let fine = ["invocations into cases", "analysis build of", "found no"];
    let lines = text.lines().filter(|line| !fine.iter().any(|fine| line.contains(fine)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_reader_who_has_gone_ends_a_command_quietly() {
    let project = prepared();
    for command in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = run(&project, command, writer.into());
        assert_eq!(
            (output.status.code(), complaints(&output).as_str()),
            (Some(0), ""),
            "{command}"
        );
    }
    // Also in the middle of it.
    let project = &project.dir;
    assert_eq!(project.ok(&format!("{UMBRA} case show case | head -c 1")), "c");
}

#[test]
fn a_full_disk_is_an_error() {
    let project = prepared();
    for command in COMMANDS.iter().chain(&["cc --print-ar"]) {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = run(&project, command, full.into());
        // The wrapper ends as compilers do.
        let expected = if command.starts_with("cc") { 1 } else { 2 };
        let said = complaints(&output);
        assert_eq!(output.status.code(), Some(expected), "{command}: {said}");
        assert!(
            said.contains("cannot write to standard output: No space left on device"),
            "{command}: {said}"
        );
        assert!(!said.contains("panicked"), "{command}: {said}");
    }
}

/// Standard error is for messages: without it results are the same.
#[test]
fn a_command_does_without_standard_error() {
    let project = prepared();
    for command in COMMANDS.iter().filter(|command| !command.contains("../r")) {
        let with = project.command(command).output().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let without = project.command(command).stderr(full).output().unwrap();
        assert_eq!(with.status.code(), without.status.code(), "{command}");
    }
}

#[test]
fn a_failure_is_one_object_too() {
    let project = prepared();
    for command in [
        "run --json ../none",
        "run --json --sym stdin=1 ../case/case.json",
        "run --json --no-such-flag x",
        "diff --json --complete ../none",
        "diff --json --case ../none ../changed",
        "build --json no-such-revision",
        "replay --json --on ../none ../case",
        "replay --json --on ../prog ../none",
        "replay --json --range no..such ../case",
        "record --json --program ../none -- true",
        "record --json --program ../case/case.json -- true",
        "record --json --revision none",
        "record --json --program ../quiet",
        "record --json --max-silence never -- true",
    ] {
        let output = project.command(command).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let object: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{command}: {error}: {text}{}", String::from_utf8_lossy(&output.stderr))
        });
        assert_eq!(output.status.code(), Some(2), "{command}: {object}");
        assert_eq!(
            (&object["schema"], &object["exit"]),
            (&"umbra/1".into(), &2.into()),
            "{command}"
        );
        assert_eq!(object["command"], command.split(' ').next().unwrap());
        let error = object["error"].as_str().unwrap();
        assert!(!error.is_empty(), "{command}");
        // People see the same.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = error.lines().next().unwrap();
        assert!(said.contains(first), "{command}: {said} has no {first}");
    }
}
