//! Processes of the host: those that attacks must not reach, and those that they must not leave.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A variable in the environment of every attack, by which its processes are known wherever they
/// are and whoever their parent is by now.
const MARK: &str = "UMBRA_TEST_ATTACK";

/// What stands before `sleep` in the command of each guard: as it is, with another priority, in
/// another nest of processes. A signal that attacks send to everybody stays pending, where it can be
/// seen.
const COMMANDS: [&[&str]; 4] = [
    &["env", "--block-signal=WINCH"],
    &["env", "--block-signal=WINCH", "nice", "-n", "5"],
    &["env", "--block-signal=WINCH", "setsid", "--wait"],
    &["env", "--block-signal=WINCH", "sh", "-c", "\"$@\"; exit 1", "guard"],
];

/// Processes that sleep, and how they were when all of them slept.
pub struct Guards {
    processes: Vec<Child>,
    before: Vec<String>,
}

impl Guards {
    /// Starts them in a folder; half of them in groups of their own.
    pub fn start(folder: &Path) -> Self {
        let start = |(index, words): (usize, &&[&str])| {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]).args(["sleep", "3600"]).current_dir(folder);
            if index % 2 == 0 {
                command.process_group(0);
            }
            command.stdin(Stdio::null()).spawn().expect("a process")
        };
        let processes: Vec<Child> = COMMANDS.iter().enumerate().map(start).collect();
        // They are what they will be once each of them has become, or has started, `sleep`.
        let mut before = Vec::new();
        while before.len() < processes.len() {
            std::thread::yield_now();
            before = states(&processes);
            before.retain(|state| state.contains("(sleep) S") && !state.contains(") R"));
        }
        Self { before: states(&processes), processes }
    }

    /// The one that attacks are aimed at.
    pub fn first(&self) -> u32 {
        self.processes[0].id()
    }

    /// What is not as it was.
    pub fn changes(&self) -> Vec<String> {
        let pairs = self.before.iter().zip(states(&self.processes));
        pairs
            .filter(|(before, after)| *before != after)
            .map(|(before, after)| format!("a process of the host was {before:?}, is {after:?}"))
            .collect()
    }
}

impl Drop for Guards {
    fn drop(&mut self) {
        for process in &mut self.processes {
            for child in children(process.id()) {
                let child = rustix::process::Pid::from_raw(child as i32);
                let kill = |pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                _ = child.map(kill);
            }
            _ = process.kill();
            _ = process.wait();
        }
    }
}

/// Each process with its children: number, name, state, start, priority, pending signals.
fn states(processes: &[Child]) -> Vec<String> {
    let state = |process: &Child| {
        let all = std::iter::once(process.id()).chain(children(process.id()));
        all.map(|pid| format!("{pid} {} ", state(pid).unwrap_or_default())).collect()
    };
    processes.iter().map(state).collect()
}

fn state(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let name = stat.get(stat.find('(')?..=stat.rfind(')')?)?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let (state, nice, started) = (fields.first()?, fields.get(16)?, fields.get(19)?);
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let pending = status.lines().filter(|line| {
        let is_pending = line.starts_with("SigPnd:") || line.starts_with("ShdPnd:");
        is_pending && !line.ends_with("\t0000000000000000")
    });
    let pending: Vec<&str> = pending.collect();
    Some(format!("{name} {state} started {started} nice {nice} pending {pending:?}"))
}

fn children(pid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The variable that marks the attacks of one sentinel.
pub fn mark(first: u32) -> String {
    format!("{MARK}={first}")
}

/// Processes with the mark that still run. One whose environment may not be read is nobody's of
/// ours: attacks run as the user who looks, or as one that the superuser can look at.
pub fn left(mark: &str) -> Vec<String> {
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").expect("processes").flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            left.push(format!("process {:?} ({}) is left", entry.file_name(), name.trim()));
        }
    }
    left
}
