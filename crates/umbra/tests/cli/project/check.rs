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
    // From a folder below, too.
    project.write("doc/README", "Numbers as words.\n");
    let mut below = project.command(&format!("check --json --quiet {SEARCH}"));
    let output = below.current_dir(project.repository().join("doc")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let mut below = project.command("report --list");
    let output = below.current_dir(project.repository().join("doc")).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    assert!(list.contains("working tree"), "{list}");
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
    let project = words();
    project.write("words.c", &WORDS.replace("\"1\") == 0", "\"7\") == 0"));
    // Where it was compiled is not in the program, as Debian's packages have it.
    project.write("Makefile", &MAKEFILE.replace("-g", "-g -ffile-prefix-map=$(CURDIR)=."));
    project.commit("new");
    let (exit, report, said) = project.check(&format!("{SEARCH} --start-from explore old..new"));
    assert_eq!(exit, 1, "{said}");
    assert_eq!(report["coverage"]["lines"], 2);
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
    // What an interrupt has left is no answer.
    let (_, report, _) = project.check("--budget 1s HEAD~1..HEAD");
    assert_eq!(end(&report, "search"), "done", "{report}");
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
fn an_expected_difference_is_accepted_in_a_file_of_its_own() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let check = format!("{SEARCH} old..new");
    let (exit, report, _) = project.check(&check);
    assert_eq!(exit, 1);
    let identity = findings(&report)[0]["id"].as_str().unwrap();
    let (said, _) = project.umbra("accept 1 --reason digits");
    let file = format!("umbra-accepted/{identity}.json");
    assert!(said.contains(&file), "{said}");
    let text = fs::read_to_string(project.repository().join(&file)).unwrap();
    assert!(text.contains("\"reason\": \"digits\""), "{text}");
    let (_, after, _) = project.check(&check);
    assert_eq!(findings(&after)[0]["accepted"], true);
    assert_eq!(findings(&after)[1]["accepted"], false);

    let folder = report["folder"].as_str().unwrap();
    project.umbra(&format!("accept {folder}/cases/002"));
    project.umbra("accept --all");
    let (exit, after, _) = project.check(&check);
    assert_eq!(exit, 0, "{after}");
    assert_eq!(after["gone"].as_array().unwrap().len(), 0);

    // What does not occur any more is said, and can be removed.
    let other = fs::read_to_string(project.repository().join(&file)).unwrap();
    project.write("umbra-accepted/0123456789ab.json", &other);
    let (_, after, _) = project.check(&check);
    assert_eq!(after["gone"][0], "0123456789ab");
    project.umbra("accept --gone");
    assert!(!project.repository().join("umbra-accepted/0123456789ab.json").exists());
    assert!(project.repository().join(&file).exists());

    let error = project.error("accept 99");
    assert!(error.contains("no finding 99") && error.contains(identity), "{error}");
    project.write(&file, "<<<<<<< ours");
    let error = project.error(&format!("check {check}"));
    assert!(error.contains(&file), "{error}");
}

#[test]
fn branches_that_accept_different_things_do_not_conflict() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.check(&format!("{SEARCH} old..new"));
    for (branch, accepted) in [("one", "1"), ("two", "2")] {
        project.git(&format!("checkout --quiet -b {branch} new"));
        project.umbra(&format!("accept {accepted}"));
        project.commit(&format!("accepted-{branch}"));
    }
    project.git("merge --quiet --no-edit one");
    let files = fs::read_dir(project.repository().join("umbra-accepted")).unwrap().count();
    assert_eq!(files, 2);
}

#[test]
fn a_report_comes_in_all_forms_and_as_tests() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let error = project.error("report");
    assert!(error.contains("run umbra check first"), "{error}");
    let (_, report, _) = project.check(&format!("{SEARCH} old..new"));
    let (list, _) = project.umbra("report --list");
    assert!(list.contains("old ("), "{list}");
    for (form, start) in [
        ("text", "3 output differences"),
        ("html", "<!DOCTYPE html>"),
        ("json", "{\"command\":\"check\""),
        ("sarif", "{"),
        ("junit", "<?xml"),
        ("lcov", "TN:"),
        ("cobertura", "<?xml"),
        ("markdown", "### Umbra: 3 output differences"),
    ] {
        let (text, _) = project.umbra(&format!("report --format {form}"));
        assert!(text.to_lowercase().starts_with(&start.to_lowercase()), "{form}: {text}");
        project.umbra(&format!("report --format {form} --output form"));
        let written = fs::read_to_string(project.repository().join("form")).unwrap();
        assert_eq!(written.trim_end(), text.trim_end(), "{form}");
    }
    let error = project.error("report no-such-check");
    assert!(error.contains("no check no-such-check"), "{error}");

    // The tests pass on the old version, and fail on the new one.
    let (scripts, _) = project.umbra("report --export-tests exported");
    assert_eq!(scripts.lines().count(), findings(&report).len(), "{scripts}");
    let folder = PathBuf::from(report["folder"].as_str().unwrap());
    for script in scripts.lines() {
        let status = |version: &str| {
            let program = folder.join(version).join("words");
            let mut test = Command::new(project.repository().join(script));
            test.arg(program).stdout(Stdio::null()).status().unwrap().code()
        };
        assert_eq!([status("old"), status("new")], [Some(0), Some(1)], "{script}");
    }
    // What is accepted is right as the new version does it.
    project.umbra("accept --all");
    project.umbra("report --export-tests exported");
    let script = project.repository().join(scripts.lines().next().unwrap());
    let status = Command::new(script).arg(folder.join("new/words")).status().unwrap();
    assert!(status.success());
}

#[test]
fn tests_that_changed_are_recorded_again() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let (_, report, _) = project.check(&format!("{SEARCH} old..new"));
    assert_eq!(end(&report, "record"), "done");
    project.write("words.c", &WORDS.replace("\"two\"", "\"too\""));
    project.commit("source");
    let (_, report, _) = project.check(&format!("{SEARCH} new..source"));
    assert_eq!(end(&report, "record"), "reused");
    project.write("Makefile", &MAKEFILE.replace("./words 1 2", "./words 2"));
    project.commit("tests");
    let (_, report, _) = project.check(&format!("{SEARCH} old..tests"));
    assert_eq!(end(&report, "record"), "done");
}

#[test]
fn a_log_has_a_line_for_each_commit() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.umbra("init --no-try");
    project.write("README", "Numbers as words.\n");
    project.commit("readme");
    project.write("words.c", "int main(void) { return }\n");
    project.commit("broken");
    let output = project.output(&format!("log {SEARCH} --json old..broken"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("commit"), "{text}");
    assert!(lines[1].contains("new") && lines[1].contains("output difference"), "{text}");
    assert!(lines[2].contains("readme") && lines[2].contains("No difference"), "{text}");
    assert!(lines[3].contains("broken") && lines[3].contains("build"), "{text}");
    let object: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    let exits: Vec<&Value> =
        object["commits"].as_array().unwrap().iter().map(|commit| &commit["exit"]).collect();
    assert_eq!(exits, [1, 0, 2]);
    // Each has a report.
    let folder = object["commits"][0]["folder"].as_str().unwrap();
    let (report, _) = project.umbra(&format!("report {folder}"));
    assert!(report.contains("output difference"), "{report}");
    let error = project.error("log old..old");
    assert!(error.contains("no commits in old..old"), "{error}");
}

#[test]
fn later_versions_judge_a_difference() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.write("words.c", &WORDS.replace("\"two\"", "\"too\""));
    project.commit("fix");
    let (exit, report, said) = project.check(&format!("{SEARCH} old..new --also new --also fix"));
    assert_eq!(exit, 1, "{said}");
    let first = &findings(&report)[0];
    assert_eq!(first["also"][0]["name"], "new");
    assert_eq!(first["judged"], "bug", "{first}");
    let error = project.error("check old..new --also nowhere");
    assert!(error.contains("nowhere"), "{error}");
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
    assert!(message.contains("git repository"), "{message}");
    // Nothing to build.
    let empty = Project::empty();
    empty.write("README", "nothing");
    empty.commit("old");
    let error = empty.error("check");
    assert!(error.contains("no build system was found"), "{error}");
}

#[test]
fn what_is_in_the_way_is_named_with_the_way_out() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    project.umbra("init --no-try");
    project.dir.ok("git clone --quiet --depth 1 file://$PWD/repo shallow");
    let said = |command: &mut Command| {
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        said
    };
    let shallow = project.dir.path("shallow");
    fs::copy(project.repository().join("umbra.toml"), shallow.join("umbra.toml")).unwrap();
    let message = said(project.command("check HEAD~1..HEAD").current_dir(&shallow));
    assert!(message.contains("git fetch --unshallow"), "{message}");
    let message = said(project.command("check old..new").env("UMBRA_CACHE", "/proc/nowhere"));
    assert!(message.contains("/proc/nowhere"), "{message}");
    let bin = project.dir.path("bin");
    fs::create_dir(&bin).unwrap();
    let message = said(project.command("check old..new").env("PATH", &bin));
    assert!(message.contains("apt-get install git"), "{message}");
    project.dir.ok("ln -s $(command -v git) bin/git");
    let message = said(project.command("check old..new").env("PATH", &bin));
    assert!(message.contains("clang") && message.contains("umbra doctor"), "{message}");
    // A detached head is a revision as any other.
    project.git("checkout --quiet --detach new");
    let (exit, report, said) = project.check(&format!("{SEARCH} HEAD"));
    assert_eq!(exit, 1, "{said}");
    assert_eq!(report["new"]["name"], "HEAD");
}

/// What a build needs may be in a submodule that nobody has checked out.
#[test]
fn a_submodule_that_is_missing_is_named() {
    let project = words();
    project.dir.ok("git init --quiet lib && cd lib && printf 'int extra;\n' >extra.c && git add extra.c && git -c user.name=a -c user.email=a@b commit --quiet -m lib");
    project.write("Makefile", &MAKEFILE.replace("words.c\n", "words.c sub/extra.c\n"));
    project.git("-c protocol.file.allow=always submodule --quiet add file://$PWD/lib sub");
    project.commit("with");
    project.write("words.c", &WORDS.replace("\"1\") == 0", "\"7\") == 0"));
    project.commit("new");
    // It is built as it was committed.
    let (exit, report, said) = project.check(&format!("{SEARCH} with..new"));
    assert_eq!(exit, 1, "{report}{said}");
    assert!(!notes(&report).contains("submodule"), "{report}");
    project.dir.ok("git clone --quiet file://$PWD/repo clone");
    let clone = project.dir.path("clone");
    let way_out = "git submodule update --init";
    let error = |args: &str| {
        let output = project.command(args).current_dir(&clone).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert!(error("check HEAD").contains(way_out));
    fs::write(clone.join("umbra.toml"), "[build]\nconfigure = \"\"\n").unwrap();
    let text = error("check HEAD");
    assert!(text.contains("The submodule sub is not checked out"), "{text}");
    assert!(text.contains("sub/extra.c"), "{text}");
}

/// The disk of the cache is full: what can be done without it is done, and the rest is said.
#[test]
fn a_full_disk_is_said_with_the_way_out() {
    let project = changed("\"1\") == 0", "\"7\") == 0");
    let script = format!(
        "mkdir small && mount -t tmpfs -o size=2m none small && libc=$({UMBRA} libc path) && \
         ln -s $(realpath $libc) small/$(basename $libc) && head -c 1900k /dev/zero >small/filler && cd repo && \
         UMBRA_CACHE=$PWD/../small {UMBRA} check {SEARCH} old..new"
    );
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    let output = command.current_dir(project.dir.path(".")).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("No space left on device"), "{text}");
    assert!(text.contains("`umbra gc`"), "{text}");
    assert_eq!(project.git("status --porcelain"), "");
    // With room it is done.
    let (exit, report, said) = project.check(&format!("{SEARCH} old..new"));
    assert_eq!(exit, 1, "{report}{said}");
}
