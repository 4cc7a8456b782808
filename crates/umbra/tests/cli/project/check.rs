//! `umbra check`: the whole job for a patch, on small repositories with a test suite.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Project;
use crate::support::UMBRA;

/// A search that is the same each time, and short.
const SEARCH: &str = "--deterministic --max-instructions 150000";

/// Prints numbers as words, and has one test.
const WORDS: &str = r#"#include <stdio.h>
#include <string.h>

static const char *word(const char *digit)
{
    if (strcmp(digit, "1") == 0)
        return "one";
    if (strcmp(digit, "2") == 0)
        return "two";
    return NULL;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = word(argv[i]);

        if (!name) {
            fprintf(stderr, "no word for %s\n", argv[i]);
            return 1;
        }
        puts(name);
    }
    return 0;
}
"#;

const MAKEFILE: &str = "words: words.c\n\t$(CC) -g -o words words.c\ncheck: words\n\t./words 1 2\n";

/// The example that comes with Umbra: tests that pass, and a last patch that breaks something.
pub(super) fn bars() -> Project {
    let project = Project::empty();
    let patches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bars");
    project.git(&format!("am --quiet {}/*.patch", patches.display()));
    project
}

/// The words, with a commit `old`.
fn words() -> Project {
    let project = Project::empty();
    project.write("Makefile", MAKEFILE);
    project.write("words.c", WORDS);
    project.write(".gitignore", "words\n.umbra/\n");
    project.commit("old");
    project
}

/// The words, and a commit `new` in which this stands in place of that.
fn changed(that: &str, this: &str) -> Project {
    let project = words();
    assert!(WORDS.contains(that), "{that}");
    project.write("words.c", &WORDS.replace(that, this));
    project.commit("new");
    project
}

impl Project {
    /// `umbra check --json ARGS`: its exit code, its object, and what it said meanwhile.
    fn check(&self, args: &str) -> (i32, Value, String) {
        let output = self.output(&format!("check --json --quiet {args}"));
        let said = String::from_utf8(output.stderr).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap_or_default();
        let object = serde_json::from_str(last).unwrap_or_else(|_| panic!("{args}: {text}{said}"));
        (output.status.code().unwrap(), object, said)
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.dir.path("repo")
    }
}

/// How the stage of this name ended.
fn end<'a>(report: &'a Value, stage: &str) -> &'a str {
    let stages = report["stages"].as_array().unwrap();
    let line = stages.iter().find(|line| line["stage"] == stage);
    line.map_or("none", |line| line["end"].as_str().unwrap())
}

fn findings(report: &Value) -> &[Value] {
    report["findings"].as_array().unwrap()
}

/// What each finding is, whatever it took.
fn told(report: &Value) -> Vec<String> {
    let told = |finding: &Value| {
        let keys = ["id", "class", "verdict", "confirmed", "place", "shell", "cases"];
        keys.map(|key| finding[key].to_string()).join(" ")
    };
    findings(report).iter().map(told).collect()
}

fn notes(report: &Value) -> String {
    report["notes"].to_string()
}

#[test]
fn a_regression_that_no_test_shows_is_found_in_a_fresh_clone() {
    let project = bars();
    let (exit, report, said) = project.check(&format!("{SEARCH} HEAD~1..HEAD"));
    assert_eq!(exit, 1, "{said}");
    assert!(notes(&report).contains("There is no umbra.toml"), "{report}");
    assert_eq!(end(&report, "record"), "done", "{said}");
    let first = &findings(&report)[0];
    assert_eq!(first["class"], "regression");
    assert_eq!(first["confirmed"], true);
    assert_eq!(first["verdict"], "bars is killed by SIGFPE, where it exits with status 0");
    assert_eq!(first["place"]["file"], "bars.c");
    assert_eq!(first["place"]["line"], 45);
    assert_eq!(report["hunks"][0]["answer"], "found");
    assert_eq!(report["coverage"]["lines"], 4);

    // What is printed to paste shows what it says.
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    let line = first["shell"].as_str().unwrap();
    let status = |version: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(folder.join(version)).stdout(Stdio::null());
        shell.status().unwrap().code()
    };
    // A shell says 128 + 8 for SIGFPE.
    assert_eq!([status("old"), status("new")], [Some(0), Some(136)], "{line}");
    let command = first["command"].as_str().unwrap();
    let replayed = project.output(command.strip_prefix("umbra ").unwrap());
    assert_eq!(replayed.status.code(), Some(1), "{command}");

    let page = fs::read_to_string(report["page"].as_str().unwrap()).unwrap();
    assert!(page.contains("killed by SIGFPE"), "the page has the finding");

    let (exit, again, _) = project.check(&format!("{SEARCH} --fail-on never HEAD~1..HEAD"));
    assert_eq!(exit, 0);
    assert_eq!(told(&again), told(&report));
    for stage in ["patch", "record", "suite", "search"] {
        assert_eq!(end(&again, stage), "reused", "{stage}");
    }
}

#[test]
fn the_text_has_the_line_to_paste_and_paths_from_here() {
    let project = changed("NULL;\n}", "\"many\";\n}");
    let output = project.output(&format!("check {SEARCH} old..new"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("1. output-difference: words exits with status 0"), "{text}");
    assert!(text.contains("   $ ./words "), "{text}");
    assert!(text.contains("umbra replay .umbra/checks/"), "{text}");
    assert!(text.contains("The whole report: .umbra/checks/"), "{text}");
    let said = String::from_utf8(output.stderr).unwrap();
    for stage in ["build", "patch", "record", "suite", "search", "confirm"] {
        assert!(said.contains(&format!("umbra: {stage}: ")), "{stage}: {said}");
    }
}

#[test]
fn what_changes_nothing_has_no_finding() {
    let project = changed("static const char *word", "/* In English. */\nstatic const char *word");
    let (exit, report, _) = project.check(&format!("{SEARCH} old..new"));
    assert_eq!((exit, findings(&report).len()), (0, 0), "{report}");
    assert_eq!(report["hunks"][0]["answer"], "no-code");
    assert!(notes(&report).contains("No changed line has code"), "{report}");

    let (exit, report, _) = project.check(&format!("{SEARCH} old..old"));
    assert_eq!(exit, 0);
    assert!(notes(&report).contains("Both versions are the same source."), "{report}");
}

#[test]
fn a_patch_that_does_not_build_is_shown_and_is_no_success() {
    let project = words();
    project.umbra("init --no-try");
    project.write("words.c", &WORDS.replace("\"one\"", "one"));
    project.commit("new");
    let (exit, report, _) = project.check(&format!("{SEARCH} old..new"));
    assert_eq!(exit, 2, "{report}");
    assert_eq!(end(&report, "build"), "failed");
    assert!(notes(&report).contains("The new version (new) does not build"), "{report}");
    assert_eq!(report["hunks"][0]["because"], "not both versions build");
}

#[test]
fn the_working_tree_is_checked_against_its_commit() {
    let project = words();
    project.write("words.c", &WORDS.replace("\"two\"", "\"too\""));
    let (exit, report, said) = project.check(SEARCH);
    assert_eq!(exit, 1, "{report}{said}");
    assert_eq!(report["new"]["name"], ".");
    assert_eq!(findings(&report)[0]["by_suite"], true, "{report}");
}

#[test]
fn a_command_line_stands_for_a_suite() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.write("Makefile", &MAKEFILE.replace("./words 1 2", "false"));
    project.write("input", "ignored\n");
    project.commit("newer");
    let line = "old..new --stdin input -- ./words 2 3";
    let (exit, report, said) = project.check(&format!("{SEARCH} {line}"));
    assert_eq!(exit, 1, "{said}");
    assert_eq!(end(&report, "record"), "skipped");
    let is_there = |finding: &Value| finding["shell"] == "printf 'ignored\\n' | ./words 2 1";
    assert!(findings(&report).iter().any(is_there), "{report}");

    let error = project.error("check old..new -- ./swords 2");
    assert!(error.contains("swords") && error.contains("words"), "{error}");
}

#[test]
fn without_tests_all_small_inputs_are_tried() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let (exit, report, said) = project.check(&format!("{SEARCH} --start-from explore old..new"));
    assert_eq!(exit, 1, "{said}");
    assert_eq!(end(&report, "record"), "skipped");
    assert!(told(&report).iter().any(|finding| finding.contains("./words 7")), "{report}");
}

#[test]
fn a_suite_that_cannot_be_recorded_is_said_and_the_search_goes_on() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.write("Makefile", &MAKEFILE.replace("./words 1 2", "exit 3"));
    project.commit("newest");
    let (exit, report, _) = project.check(&format!("{SEARCH} old..newest"));
    assert_eq!(exit, 1, "{report}");
    assert_eq!(end(&report, "record"), "failed");
    assert!(notes(&report).contains("fails (exit status 2)"), "{report}");
    assert!(told(&report).iter().any(|finding| finding.contains("./words 7")), "{report}");
}

#[test]
fn one_check_of_a_patch_at_a_time() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let mut first = project.command("check --budget 10m old..new");
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(first.stderr.take().unwrap());
    wait_for(&mut said, "umbra: build: ");
    let error = project.error("check old..new");
    assert!(error.contains("another"), "{error}");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// Reads lines up to one that begins so.
fn wait_for(lines: &mut impl BufRead, start: &str) {
    let mut all = String::new();
    loop {
        let before = all.len();
        assert_ne!(lines.read_line(&mut all).unwrap(), 0, "no line with {start}: {all}");
        if all[before..].starts_with(start) {
            return;
        }
    }
}

#[test]
fn an_interrupt_ends_with_the_report_of_what_was_found() {
    let project = bars();
    let mut child = project.command("check --json --budget 10m HEAD~1..HEAD");
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    wait_for(&mut said, "umbra: suite: ");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let interrupted = Instant::now();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    assert!(interrupted.elapsed() < Duration::from_secs(60), "{:?}", interrupted.elapsed());
    let report: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(end(&report, "search"), "interrupted", "{report}");
    assert_eq!(report["complete"], false);
    assert!(Path::new(report["page"].as_str().unwrap()).exists());
}

#[test]
fn a_killed_check_goes_on_where_it_was() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.umbra("init --no-try");
    let check = format!("{SEARCH} old..new");
    let start = Instant::now();
    let (_, expected, _) = project.check(&check);
    let whole = start.elapsed();
    assert!(!findings(&expected).is_empty());
    let kills = std::env::var("UMBRA_KILLS").map_or(5, |kills| kills.parse().unwrap());
    let mut random = fastrand::Rng::with_seed(1);
    for kill in 0..kills {
        fs::remove_dir_all(project.repository().join(".umbra")).unwrap();
        let moment = whole.mul_f64(random.f64());
        let mut command = project.command(&format!("check --quiet {check}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        // It may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        let (exit, report, said) = project.check(&check);
        assert_eq!(exit, 1, "kill {kill} after {moment:?}: {said}");
        assert_eq!(told(&report), told(&expected), "kill {kill} after {moment:?}: {said}");
        for key in ["hunks", "coverage"] {
            assert_eq!(report[key], expected[key], "kill {kill} after {moment:?}: {key}");
        }
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    for (args, said) in [
        ("check no-such..old", "no-such"),
        ("check old..new --program nothing", "there are words"),
        ("check old..old --case nowhere", "nowhere"),
        ("check --start-from explore --case nowhere", "--case"),
    ] {
        let error = project.error(args);
        assert!(error.contains(said), "umbra {args}: {error}");
    }
    let outside = project.dir.path("outside");
    fs::create_dir(&outside).unwrap();
    let output = Command::new(UMBRA).arg("check").current_dir(&outside).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("git"), "{message}");
}
