//! `umbra record` as a user calls it.

use crate::support::{Dir, UMBRA};

const PROGRAM: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    if (!file) return 7;
    for (int c; (c = getc(file)) != EOF;) putchar(c);
    return 0;
}
"#;

/// The object of `--json`, behind what the suite itself has printed.
fn object(dir: &Dir, command: &str) -> (Option<i32>, serde_json::Value) {
    let output =
        dir.shell(&format!("{UMBRA} record --json --output store --program show {command}"));
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().unwrap_or_else(|| panic!("{error}"));
    (output.status.code(), serde_json::from_str(last).unwrap())
}

#[test]
fn invocations_become_cases_with_their_blocks() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    let before = dir.ok("md5sum show");
    let (exit, object) =
        object(&dir, "-- sh -c 'echo x > f; ./show f; ./show f; ./show none; true'");
    assert_eq!((exit, &object["exit"], &object["status"]), (Some(0), &0.into(), &0.into()));
    assert_eq!((&object["invocations"], &object["recorded"]), (&3.into(), &3.into()));
    assert_eq!(object["cases"], 2);
    assert_eq!(dir.ok("md5sum show"), before);
    // One of the two paths runs blocks that the other does not.
    let cases = dir.ok("cat store/cases/*.json");
    let blocks = |text: &str| text.matches(r#""blocks":""#).count();
    assert_eq!(blocks(&cases), 2, "{cases}");
    assert_eq!(
        dir.ok("cat store/cases/*.json | grep -o '\"blocks\":\"[0-9a-f]*' | sort -u | wc -l")
            .trim(),
        "2"
    );
}

#[test]
fn the_exit_code_says_how_the_suite_ended() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    let (exit, object) = object(&dir, "-- ./show none");
    assert_eq!((exit, &object["status"]), (Some(1), &7.into()));
    for (arguments, message) in [
        ("record --program none -- true", "umbra: cannot find none: No such file or directory"),
        ("record --program show.c -- true", "show.c is not an executable file"),
    ] {
        let output = dir.shell(&format!("{UMBRA} {arguments}"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(message), "{error}");
    }
}

const STUCK: &str = r#"
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (!strcmp(argv[1], "wait")) for (;;) pause();
    if (!strcmp(argv[1], "compute")) for (volatile int i = 0;; i++) continue;
    return 0;
}
"#;

/// Processes whose working directory is the folder.
fn left(dir: &Dir) -> usize {
    let folder = dir.path("").canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .count()
}

#[test]
fn a_suite_that_is_stuck_is_ended_and_the_process_named() {
    let dir = Dir::new();
    dir.write("stuck.c", STUCK);
    dir.cc("stuck.c -o show");
    for (what, how) in [("wait", "waits"), ("compute", "computes")] {
        let suite =
            format!("--max-silence 2s -- sh -c './show first; (sleep 1000 & ./show {what}); true'");
        let output = dir.shell(&format!(
            "timeout 60 {UMBRA} record --json --output store --program show {suite}"
        ));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["status"], 137, "{object}");
        // What was recorded until then is kept.
        assert_eq!(object["recorded"], 1, "{object}");
        let stuck: Vec<&str> =
            object["stuck"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let named = |command: &str, how: &str| {
            let (start, end) = (format!("`{command}` (process "), format!(", which {how})"));
            stuck.iter().any(|text| text.starts_with(&start) && text.ends_with(&end))
        };
        assert!(named(&format!("./show {what}"), how), "{object}");
        assert!(named("sleep 1000", "waits") && stuck.len() == 2, "{object}");
        assert!(said.contains("did nothing for 2 s (--max-silence)"), "{said}");
        assert!(said.contains(stuck[0]), "{said}");
        assert_eq!(left(&dir), 0);
    }
    // One that goes on is left alone, however long it takes.
    let (exit, object) = object(
        &dir,
        "--max-silence 1s -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; echo $i; done; ./show x'",
    );
    assert_eq!((exit, &object["stuck"]), (Some(0), &serde_json::json!([])), "{object}");
}

#[test]
fn a_folder_for_results_that_is_a_link_is_refused() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    dir.write("umbra.toml", "");
    dir.ok("git init --quiet . && mkdir elsewhere");
    for link in [".umbra", ".umbra/recordings", ".umbra/runs", ".umbra/recordings/objects"] {
        dir.ok(&format!(
            "rm -rf .umbra && mkdir -p $(dirname {link}) && ln -s $PWD/elsewhere {link}"
        ));
        let all = [
            "record --program show -- true",
            "case list",
            "run --sym stdin=1 show",
            "diff --complete show",
        ];
        let own = if link.ends_with("runs") { &all[2..] } else { &all[..2] };
        for command in if link == ".umbra" { &all } else { own } {
            let output = dir.shell(&format!("{UMBRA} {command}"));
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command}: {said}");
            assert!(said.contains(&format!("{link} is a symbolic link")), "{command}: {said}");
            assert_eq!(dir.ok("ls -A elsewhere"), "", "{command} has written through {link}");
        }
        // A place that the user names is the user's.
        dir.ok(&format!("{UMBRA} record --output elsewhere/store --program show -- ./show show.c"));
        dir.ok("rm -r elsewhere/store");
    }
}

/// The message of a recording that failed.
fn failure(dir: &Dir, command: &str) -> String {
    let output = dir.shell(&format!("{UMBRA} record --output store --program show {command}"));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    error
}

#[test]
fn a_recording_without_a_case_is_a_failure_with_a_reason() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    let said = failure(&dir, "-- true");
    assert!(said.contains("no case was recorded: the tests ran none of the programs"), "{said}");
    assert!(said.contains("or name programs with --program"), "{said}");
    // The folder that it runs in has no name.
    let suite = "mkdir gone && show=$PWD/show && cd gone && rmdir ../gone && $show x; true";
    let said = failure(&dir, &format!("-- sh -c '{suite}'"));
    assert!(said.contains("1 of 1 invocations were `no-directory`"), "{said}");
}

#[test]
fn a_new_recording_replaces_the_old_one_of_its_suite() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    dir.write("suite", "./show a; ./show b; true\n");
    dir.write("other", "./show b; ./show c; true\n");
    let cases = || dir.ok("ls store/cases").lines().count();
    object(&dir, "-- sh suite");
    assert_eq!(cases(), 2);
    object(&dir, "-- sh other");
    assert_eq!(cases(), 3);
    // `a` is gone from its suite; `b` is the other's, too.
    dir.write("suite", "./show d; true\n");
    object(&dir, "-- sh suite");
    assert_eq!(cases(), 3);
    // A recording that failed replaces nothing.
    dir.write("suite", "true\n");
    failure(&dir, "-- sh suite");
    assert_eq!(cases(), 3);
}

#[test]
fn git_does_not_see_our_own_folder() {
    let dir = Dir::new();
    dir.write("show.c", PROGRAM);
    dir.cc("show.c -o show");
    dir.write("umbra.toml", "");
    dir.ok(&format!("git init --quiet . && {UMBRA} record --program show -- ./show show.c"));
    let status = dir.ok("git status --porcelain");
    assert!(dir.exists(".umbra/recordings") && !status.contains(".umbra"), "{status}");
}
