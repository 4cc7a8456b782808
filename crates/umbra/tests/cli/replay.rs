//! `umbra replay` and `umbra case`.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Dir, UMBRA};

const CASE: &str = r#"{"schema": "umbra/case/1", "program": "prog",
    "tree": [{"path": "in", "kind": "file", "modified": "5"}]}"#;

/// A folder with one case in it.
pub fn with_case() -> Dir {
    let dir = Dir::new();
    fs::create_dir_all(dir.path("case/files")).unwrap();
    dir.write("case/case.json", CASE);
    dir.write("case/files/in", "input\n");
    dir
}

pub fn replay(dir: &Dir, arguments: &str, exit: i32) -> Value {
    let output = dir.shell(&format!("{UMBRA} replay --json {arguments}"));
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn predictions_are_checked_on_one_version() {
    let dir = with_case();
    dir.write("three.c", "int main(void) { return 3; }\n");
    dir.ok("cc three.c -o three");
    assert_eq!(replay(&dir, "--on three case", 0)["unlike_prediction"], 0);
    let predicted = CASE.replacen('{', r#"{"expected": {"end": {"exited": 4}}, "#, 1);
    dir.write("case/case.json", &predicted);
    assert_eq!(replay(&dir, "--on three case", 1)["unlike_prediction"], 1);
}

/// Cases that cannot be laid out or read, among others that can.
fn with_impossible_cases() -> Dir {
    let dir = Dir::new();
    let long = "n".repeat(300);
    let deep = format!("{}x", "folder/".repeat(700));
    for (name, keys) in [
        ("1-good", String::new()),
        ("2-long", format!(r#", "tree": [{{"path": "{long}", "kind": "directory"}}]"#)),
        ("3-deep", format!(r#", "tree": [{{"path": "{deep}", "kind": "directory"}}]"#)),
        ("4-root", r#", "root": "/proc/self/cwd""#.to_owned()),
        (
            "5-link",
            r#", "directory": "l", "tree": [{"path": "l", "kind": "symlink", "target": "/"}]"#
                .to_owned(),
        ),
        ("6-bad", r#", "tree": [{"path": "../x", "kind": "directory"}]"#.to_owned()),
        ("7-good", r#", "arguments": ["x"]"#.to_owned()),
        ("8-damaged", "}".to_owned()),
    ] {
        fs::create_dir_all(dir.path(&format!("cases/{name}"))).unwrap();
        let text = format!(r#"{{"schema": "umbra/case/1", "program": "prog"{keys}}}"#);
        dir.write(&format!("cases/{name}/case.json"), &text);
    }
    dir.write("p.c", "int main(int c, char **v) { return c > 1 ? STATUS : 0; }\n");
    dir.ok("cc -DSTATUS=0 p.c -o old && cc -DSTATUS=3 p.c -o new");
    dir
}

#[test]
fn an_impossible_case_ends_no_replay() {
    let dir = with_impossible_cases();
    let names = |value: &Value| -> Vec<String> {
        let cases = value.as_array().unwrap().iter();
        cases.map(|case| case["case"].as_str().unwrap().to_owned()).collect()
    };
    // However deep a folder is, it can be made one name at a time.
    let impossible = ["2-long", "4-root", "5-link", "6-bad", "8-damaged"];
    let impossible = impossible.map(|name| format!("cases/{name}"));
    let object = replay(&dir, "--on old cases", 3);
    assert_eq!(object["impossible"], 5, "{object}");
    let runs = object["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 8, "{object}");
    let left_out = runs.iter().filter(|run| run["impossible"].is_string());
    let mut left_out = names(&Value::Array(left_out.cloned().collect()));
    left_out.sort();
    assert_eq!(left_out, impossible, "{object}");
    for (versions, exit, class) in
        [("--on old --on old", 3, "same"), ("--on old --on new", 1, "output-difference")]
    {
        let object = replay(&dir, &format!("{versions} cases"), exit);
        let comparison = &object["comparisons"][0];
        let mut left_out = names(&comparison["impossible"]);
        left_out.sort();
        assert_eq!(left_out, impossible, "{object}");
        assert!(comparison["classes"][class].as_u64().unwrap_or(0) > 0, "{object}");
    }
    let text = dir.shell(&format!("{UMBRA} replay --on old cases"));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("cases/2-long: cannot be run: "), "{text}");
    assert!(text.contains("cases/7-good: exit status 0"), "{text}");
}

/// What the limit on memory covers is part of every result.
#[test]
fn what_the_limit_on_memory_covers_is_said() {
    let dir = with_case();
    dir.write("p.c", "int main(void) { return 0; }\n");
    dir.ok("cc p.c -o prog");
    for versions in ["--on prog", "--on prog --on prog"] {
        let limit = &replay(&dir, &format!("{versions} --max-memory 64 case"), 0)["memory_limit"];
        assert_eq!(limit["mib"], 64);
        let (by, covers) = (limit["counted_by"].as_str(), limit["covers"].as_str());
        assert!(matches!(by, Some("cgroup-v1" | "cgroup-v2" | "processes")), "{limit}");
        assert!(covers.is_some_and(|text| text.contains("memory")), "{limit}");
        let text = dir.shell(&format!("{UMBRA} replay {versions} --max-memory 64 case"));
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.contains("memory of a run: at most 64 MiB, counted by "), "{text}");
    }
}

#[test]
fn an_example_is_made_smaller() {
    let dir = with_case();
    let source = "#include <stdlib.h>\n#include <string.h>\nint main(int c, char **v) {\n\
        #ifdef NEW\n  for (int i = 1; i < c; i++) if (strchr(v[i], 'x')) abort();\n#endif\n return 0; }\n";
    dir.write("p.c", source);
    dir.ok("cc -DOLD p.c -o old && cc -DNEW p.c -o new");
    let words = CASE.replacen('{', r#"{"arguments": ["-a", "long x word", "more"], "#, 1);
    dir.write("case/case.json", &words);
    let object = replay(&dir, "--on old --on new --minimise --output small case", 1);
    assert_eq!(object["comparisons"][0]["classes"]["regression"], 1, "{object}");
    let text = fs::read_to_string(dir.path("small/001-regression/case.json")).unwrap();
    let case: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(case["arguments"], serde_json::json!(["x"]), "{case}");
    assert_eq!(case["tree"], Value::Null, "{case}");
}

/// What a program can see of terminals is the same in the engine and natively.
#[test]
fn terminals_are_those_of_the_engine() {
    let dir = with_case();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../umbra-replay/tests/programs");
    dir.cc(&format!("{}/terminal.c -o terminal", source.display()));
    for (descriptors, streams) in [
        (r#"{"0": "terminal", "1": "terminal", "2": "terminal"}"#, r#"["stdout", "stderr"]"#),
        (r#"{"2": "terminal"}"#, r#"["stdout", "stderr"]"#),
        ("{}", r#"["stdout", "stderr"]"#),
    ] {
        let keys = format!(
            r#"{{"descriptors": {descriptors}, "expected": {{"end": {{"exited": 0}}, "streams": {streams}}}, "#
        );
        dir.write("case/case.json", &CASE.replacen('{', &keys, 1));
        dir.write("case/expected/stdout", "");
        dir.write("case/expected/stderr", "");
        let output = dir.shell(&format!("{UMBRA} run --case case terminal"));
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        fs::write(dir.path("case/expected/stdout"), &output.stdout).unwrap();
        fs::write(dir.path("case/expected/stderr"), &output.stderr).unwrap();
        assert!(output.stdout.starts_with(b"0: "), "{output:?}");
        let object = replay(&dir, "--on terminal case", 0);
        assert_eq!(object["unlike_prediction"], 0, "{object}");
    }
}

/// `kill -9` at any moment: nothing of it is left, and the next run says what any other says.
#[test]
fn killed_replays_leave_nothing_behind() {
    let kills = std::env::var("UMBRA_KILLS").map_or(5, |kills| kills.parse().unwrap());
    let dir = Dir::new();
    for number in 0..20 {
        let folder = format!("cases/{number:02}");
        fs::create_dir_all(dir.path(&folder)).unwrap();
        let name = format!("killed{}", std::process::id());
        let case = format!(
            r#"{{"schema": "umbra/case/1", "program": "{name}", "arguments": ["{number}"]}}"#
        );
        dir.write(&format!("{folder}/case.json"), &case);
    }
    dir.write(
        "p.c",
        "#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v) {\n\
         usleep(20000); return printf(\"%s %d\\n\", v[1], VERSION) < 0; }\n",
    );
    dir.ok("cc -DVERSION=1 p.c -o old && cc -DVERSION=2 p.c -o new");
    let whole = || {
        let mut object = replay(&dir, "--on old --on new cases", 1);
        object["wall_s"].take();
        object
    };
    let start = Instant::now();
    let expected = whole();
    let duration = start.elapsed();
    for kill in 0..kills {
        let mut command = std::process::Command::new(UMBRA);
        command.args(["replay", "--json", "--on", "old", "--on", "new", "cases"]);
        command.current_dir(dir.path(".")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // A moment, spread over the time that a run takes.
        std::thread::sleep(duration.mul_f64(f64::from(kill) / f64::from(kills)));
        // It may have ended already.
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(whole(), expected, "kill {kill}");
    }
    // What a run starts ends with it, at the latest when its own time is up.
    let name = format!("killed{}", std::process::id());
    let deadline = Instant::now() + Duration::from_secs(20);
    let left = || dir.shell(&format!("pgrep -x {}", &name[..name.len().min(15)])).status.code();
    // 1 says that there is none; anything else than 0 and 1 says nothing.
    loop {
        match left() {
            Some(1) => break,
            Some(0) => assert!(Instant::now() < deadline, "{name} still runs"),
            other => panic!("pgrep ended with {other:?}"),
        }
    }
}

#[test]
fn what_cannot_be_run_is_said() {
    let dir = with_case();
    for (arguments, said) in [
        ("--on missing case", "missing"),
        ("--on /bin/true nothing", "nothing is not a test case"),
        ("--on /bin/true --on /bin/true --on /bin/true case", "--on takes one version or two"),
        ("case", "umbra.toml"),
        ("--on /bin/true", "has no recordings"),
    ] {
        let output = dir.shell(&format!("{UMBRA} replay {arguments}"));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        assert!(text.contains(said), "{arguments}: {text}");
    }
}

#[test]
fn cases_are_shown_compared_and_moved() {
    let dir = with_case();
    let shown = dir.ok(&format!("{UMBRA} case show case"));
    assert!(shown.contains("command    prog\n") && shown.contains("  | input\n"), "{shown}");
    dir.ok("cp -r case other && printf 'inbut\\n' >other/files/in");
    assert_eq!(dir.shell(&format!("{UMBRA} case diff case case")).stdout, b"");
    let output = dir.shell(&format!("{UMBRA} case diff case other"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("- in[p]ut") && text.contains("+ in[b]ut"), "{text}");
    let coloured = dir.shell(&format!("{UMBRA} case diff --color always case other"));
    assert!(String::from_utf8_lossy(&coloured.stdout).contains("\u{1b}[31;7mp"), "{coloured:?}");
    let list = dir.ok(&format!("{UMBRA} case list ."));
    assert_eq!(list.lines().count(), 2, "{list}");
    dir.ok(&format!("{UMBRA} case export case copy && {UMBRA} case diff case copy"));
    assert!(dir.exists("copy/run.sh"));
    fs::create_dir(dir.path("words")).unwrap();
    let words = r#"{"schema": "umbra/case/1", "program": "prog", "arguments": ["-f", "x"]}"#;
    dir.write("words/case.json", words);
    dir.ok(&format!("{UMBRA} case export words k.ktest && {UMBRA} case import k.ktest back"));
    let back = dir.ok(&format!("{UMBRA} case show back"));
    assert!(back.contains("command    prog -f x\n"), "{back}");
    let again = dir.shell(&format!("{UMBRA} case export case copy"));
    assert_eq!(again.status.code(), Some(2), "what is there is not replaced");
}
