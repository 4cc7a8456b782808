//! Limits and signals: what is stopped says so, at any time.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Each question takes Z3 seconds.
const FLOATS: &str = r#"
#include <klee/klee.h>
#include <math.h>
int main(void) {
  double x, y;
  int found = 0;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  for (int i = 0; i < 1000; i++) {
    if (x * y / 3 + x / y == y * y * 7 + i) found++;
    x = x * y + i;
  }
  return found;
}
"#;

const LOOP: &str = "int main(void) { for (volatile int i = 0;; i++); }";

fn program(text: &str) -> Dir {
    let dir = Dir::new();
    dir.write("p.c", text);
    dir.cc("-o p p.c");
    dir
}

fn last_object(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| {
        panic!("{error}: {line}\n{}", String::from_utf8_lossy(&output.stderr))
    })
}

/// Starts `umbra run --json` and waits until Z3 is at work.
fn until_z3_works(dir: &Dir) -> Child {
    let child = Command::new(UMBRA)
        .args(["run", "--json", "--output", "out", "--max-query-time", "60", "./p"])
        .current_dir(dir.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !has_thread(child.id(), "z3 watchdog") {
        assert!(Instant::now() < deadline, "Z3 is never asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn has_thread(process: u32, name: &str) -> bool {
    let threads = fs::read_dir(Path::new("/proc").join(process.to_string()).join("task"));
    threads.into_iter().flatten().flatten().any(|thread| {
        fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim() == name)
    })
}

fn send(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn ctrl_c_ends_a_run_while_z3_works() {
    let dir = program(FLOATS);
    for signal in [Signal::INT, Signal::TERM] {
        let child = until_z3_works(&dir);
        let start = Instant::now();
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(last_object(&output)["limits_hit"], serde_json::json!(["interrupted"]));
        fs::remove_dir_all(dir.path("out")).unwrap();
    }
}

#[test]
fn two_ctrl_c_end_it_at_once_while_z3_works() {
    let dir = program(FLOATS);
    let mut child = until_z3_works(&dir);
    send(&child, Signal::INT);
    send(&child, Signal::INT);
    // Two that come at once are one for the kernel: whoever presses a key again does it later.
    while child.try_wait().unwrap().is_none() {
        send(&child, Signal::INT);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn one_run_that_a_limit_stops_has_an_exit_status_of_its_own() {
    let dir = program(LOOP);
    for (flags, limit) in [("--max-time 1", "time"), ("--max-instructions 100000", "instructions")]
    {
        let output = dir.shell(&format!("{UMBRA} run --json {flags} ./p"));
        assert_eq!(output.status.code(), Some(4));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(&format!("stopped at the limit on {limit}")), "{message}");
        let object = last_object(&output);
        assert_eq!((&object["exit"], &object["paths"]["cut"]), (&4.into(), &1.into()));
        assert_eq!(object["limits_hit"], serde_json::json!([limit]));
    }
}

/// Two paths that differ in what the program reads behind the end of its argument.
/// The engine keeps to the limits of a case, and the sandbox agrees.
#[test]
fn the_limits_of_a_case_hold_in_the_engine() {
    let dir = program(
        "#include <stdio.h>
        #include <stdlib.h>
        int main(void) { return puts(malloc(100 << 20) ? \"yes\" : \"no\") < 0; }",
    );
    for (limits, said) in [("", "yes\n"), (r#", "limits": {"as": 50000000}"#, "no\n")] {
        let expected = r#""expected": {"end": {"exited": 0}, "streams": ["stdout"]}"#;
        let start = r#""schema": "umbra/case/1", "program": "p""#;
        dir.write("case/case.json", &format!("{{{start}, {expected}{limits}}}"));
        dir.write("case/expected/stdout", said);
        assert_eq!(dir.ok(&format!("{UMBRA} run --case case ./p")), said);
        dir.ok(&format!("{UMBRA} replay --on p case"));
    }
}

/// Limits are looked at in between, not at every turn of a state: a file under `/proc` costs more than most turns.
#[test]
fn the_size_of_the_process_is_asked_for_now_and_then() {
    let dir = program(
        "#include <unistd.h>
        int main(void) {
            unsigned char b[3];
            int n = 0;
            if (read(0, b, 3) != 3) return 1;
            for (int i = 0; i < 24; i++) if (b[i / 8] >> i % 8 & 1) n += i;
            return n & 63;
        }",
    );
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", "trace=open,openat", "-o", "trace", UMBRA]);
    let words = ["run", "--json", "--output", "out", "--sym", "stdin=3", "--max-time", "2s", "./p"];
    let output = strace.args(words).current_dir(dir.path("")).output().expect("strace runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let paths = last_object(&output)["paths"]["completed"].as_u64().unwrap();
    let trace = fs::read_to_string(dir.path("trace")).unwrap();
    let asked = trace.lines().filter(|line| line.contains("/proc/")).count() as u64;
    assert!(paths > 200 && asked * 4 < paths, "{asked} files under /proc for {paths} paths");
}

#[test]
fn a_path_without_a_test_of_its_own_is_counted() {
    let dir = program(
        r#"
#include <stdio.h>
int main(int argc, char **argv) {
  if (argc > 1 && argv[1][0] == 'a' && !argv[1][1]) {
    if (argv[1][2] == 'b') puts("b");
    else puts("other");
  }
  return 0;
}
"#,
    );
    let output = dir.shell(&format!("{UMBRA} run --json ./p --sym-arg 3"));
    let object = last_object(&output);
    let (paths, tests) = (&object["paths"]["completed"], &object["tests"]);
    let (paths, tests) = (paths.as_u64().unwrap(), tests.as_u64().unwrap());
    assert!(tests < paths, "{object}");
    assert_eq!(object["tests_alike"], paths - tests, "{object}");
    let output = dir.shell(&format!("{UMBRA} run ./p --sym-arg 3"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 path without a test case of their own"), "{text}");
}

#[test]
fn limits_of_the_shell_are_named() {
    let dir = program(LOOP);
    // Of the stack: the work is done on another one.
    let output = dir.shell(&format!("ulimit -s 100; {UMBRA} run --max-instructions 100000 ./p"));
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    for (limit, status, said) in [("-v 300000", 2, "ulimit -v"), ("-t 3", 4, "ulimit -t")] {
        let output = dir.shell(&format!("ulimit {limit}; {UMBRA} run ./p"));
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{limit}: {message}");
        assert!(message.contains(said), "{limit}: {message}");
    }
    // Within an address space that suffices, memory is limited by it.
    let output = dir.shell(&format!("ulimit -v 2000000; {UMBRA} run --max-time 1 ./p"));
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
}

/// As another user, so that only these threads count.
#[test]
fn where_there_are_no_more_threads_fewer_workers_do() {
    let dir = program(
        r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  char c;
  klee_make_symbolic(&c, 1, "c");
  if (c == 'x') puts("found");
  return 0;
}
"#,
    );
    if !rustix::process::geteuid().is_root() {
        // Others of this user's processes count too: no thread can be had.
        let output = dir.shell(&format!("ulimit -u 1; {UMBRA} run ./p"));
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("ulimit -u"));
        return;
    }
    let umbra = dir.path("umbra");
    fs::copy(UMBRA, &umbra).unwrap();
    dir.ok("chmod 777 . && chmod 755 umbra p");
    let line = "setpriv --reuid 54321 --regid 54321 --clear-groups \
                prlimit --nproc=8 ./umbra run --json --workers 12 ./p";
    let output = dir.shell(line);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(message.contains("workers instead of 12"), "{message}");
    let object = last_object(&output);
    assert_eq!((&object["complete"], &object["paths"]["completed"]), (&true.into(), &2.into()));
    assert!(object["workers"].as_u64().unwrap() < 12, "{object}");
}
