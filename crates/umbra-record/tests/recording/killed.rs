//! A run that is killed leaves nothing that the next one does not put right.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use umbra_case::CaseId;
use umbra_record::{Progress, Recorder};

use crate::workplace::Workplace;

/// Set in the process that is killed: this test again, which then records.
const ROLE: &str = "UMBRA_RECORD_TEST_PROGRAM";
const SCRIPT: &str = "for i in 1 2 3 4 5 6 7 8; do echo $i > f$i; bin/probe cat f$i > o$i; \
                      echo $i | bin/probe line > p$i; bin/probe spawn bin/probe args $i > q$i; done; rm [fopq]?";

fn undisturbed(workplace: &Workplace) -> BTreeMap<CaseId, u64> {
    let summary = workplace.record(SCRIPT);
    assert_eq!((summary.invocations, summary.recorded), (32, 32));
    summary.cases
}

/// Starts a recording in a process group of its own; returns when it has started.
fn start(workplace: &Workplace) -> (Child, impl Sized) {
    let mut child = start_with(workplace, SCRIPT);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("begins")));
    (child, lines)
}

/// What the process that is killed does.
fn record_until_killed(program: std::ffi::OsString) {
    println!("\nbegins");
    let store = std::env::var_os("UMBRA_RECORD_TEST_STORE").unwrap();
    let command = std::env::var("UMBRA_RECORD_TEST_COMMAND").unwrap();
    let command: Vec<_> = command.lines().map(Into::into).collect();
    let config = umbra_record::RecordConfig::new(vec![program.into()], store);
    Recorder::new(config).run(&command, &mut |_| {}).unwrap();
}

fn kill(child: &mut Child) {
    let group = rustix::process::Pid::from_child(child);
    // It may have ended already.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    child.wait().unwrap();
}

#[test]
fn the_run_after_a_killed_one_is_as_any_other() {
    if let Some(program) = std::env::var_os(ROLE) {
        return record_until_killed(program);
    }
    let kills: u32 = std::env::var("UMBRA_KILLS").map_or(5, |count| count.parse().unwrap());
    let workplace = Workplace::new();
    let original = fs::read(workplace.program()).unwrap();
    let begin = Instant::now();
    let expected = undisturbed(&workplace);
    let whole = begin.elapsed();
    let mut recovered = 0;
    for number in 0..kills {
        let (mut child, _output) = start(&workplace);
        // A moment, spread over the time that a run takes.
        std::thread::sleep(whole.mul_f64(f64::from(number) / f64::from(kills)));
        kill(&mut child);
        let command = workplace.command(SCRIPT);
        let summary = Recorder::new(workplace.config())
            .run(&command, &mut |progress| {
                recovered += u32::from(matches!(progress, Progress::Recovered { .. }));
            })
            .unwrap();
        assert_eq!(summary.cases, expected, "kill {number}");
        assert_eq!((summary.killed_tracers, summary.damaged), (0, 0), "kill {number}");
        assert!(fs::read(workplace.program()).unwrap() == original, "kill {number}");
    }
    assert!(recovered > 0, "no kill met a run within {whole:?}");
    let left = fs::read_dir(workplace.store().join("recording")).unwrap().count();
    assert_eq!(left, 0);
}

/// Processes that work in the suite's folder.
fn of_suite(workplace: &Workplace) -> Vec<String> {
    let work = workplace.work();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| {
            fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&work))
        })
        .map(|entry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
        .collect()
}

/// Only the recorder is killed, at any moment: what it has started ends, wherever it has gone to, and the
/// next recording has what its own suite does.
#[test]
fn a_suite_does_not_outlive_its_recorder() {
    // Ends by itself, but not soon.
    let script = "turns='for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4 5 6 7 8 9; do \
        bin/probe args stray; sleep 0.2; done; done'; \
        (setsid sh -c \"$turns\" &) ; sh -c \"$turns\" & (trap '' TERM HUP; eval \"$turns\") & wait";
    let kills: u32 = std::env::var("UMBRA_KILLS").map_or(5, |count| count.parse().unwrap());
    let workplace = Workplace::new();
    let expected = undisturbed(&workplace);
    for number in 0..kills {
        let mut child = start_with(&workplace, script);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("begins")));
        std::thread::sleep(Duration::from_millis(600) * number / kills);
        child.kill().unwrap();
        child.wait().unwrap();
        let deadline = Instant::now() + Duration::from_secs(8);
        while !of_suite(&workplace).is_empty() {
            assert!(Instant::now() < deadline, "kill {number}: {:?}", of_suite(&workplace));
            std::thread::sleep(Duration::from_millis(5));
        }
        let summary = workplace.record(SCRIPT);
        assert_eq!(summary.cases, expected, "kill {number}");
    }
}

#[test]
fn another_store_puts_back_what_a_killed_run_has_left() {
    let workplace = Workplace::new();
    let original = fs::read(workplace.program()).unwrap();
    // The suite kills its recorder: the parent of the supervisor.
    let script = "kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $PPID)); true";
    let mut child = start_with(&workplace, script);
    assert!(!child.wait().unwrap().success());
    assert!(fs::read(workplace.program()).unwrap() != original);
    let mut config = workplace.config();
    config.store = workplace.work().join("elsewhere");
    let summary = workplace.record_with(config, "bin/probe args");
    assert_eq!((summary.invocations, summary.recorded), (1, 1));
    assert!(fs::read(workplace.program()).unwrap() == original);
}

fn start_with(workplace: &Workplace, script: &str) -> Child {
    let command = workplace.command(script);
    let words = command.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join("\n");
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::the_run_after_a_killed_one_is_as_any_other", "--nocapture"])
        .env(ROLE, workplace.program())
        .env("UMBRA_RECORD_TEST_STORE", workplace.store())
        .env("UMBRA_RECORD_TEST_COMMAND", words)
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}
