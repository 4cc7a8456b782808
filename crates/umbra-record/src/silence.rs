//! Whether a suite still does something.
//!
//! It does as long as processes come and go below it, or one of them writes anything anywhere. A
//! program that waits for what never comes, or computes without end, does neither, and the suite that waits
//! for it would do so for ever.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use umbra_text::Show;
use umbra_tracer::family::{self, Process};

/// How many processes are named.
const NAMED: usize = 5;

/// Listens to the processes below another one.
#[derive(Debug)]
pub struct Listener {
    /// How long they may be silent.
    limit: Duration,
    ancestor: u32,
    /// The executable of tracers, which say nothing themselves.
    tracer: PathBuf,
    heard: Vec<Trace>,
    since: Instant,
}

/// What a process is and has done, as far as it can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Trace {
    id: u32,
    started: u64,
    written: Option<u64>,
}

impl Listener {
    /// Listens to what is below `ancestor`.
    pub fn new(limit: Duration, ancestor: u32, tracer: &Path) -> Self {
        let (tracer, heard) = (tracer.to_owned(), Vec::new());
        Self { limit, ancestor, tracer, heard, since: Instant::now() }
    }

    /// How often it is to be asked.
    pub fn pause(&self) -> Duration {
        (self.limit / 10).clamp(Duration::from_millis(20), Duration::from_secs(5))
    }

    /// The processes that the suite is stuck at, if it has been silent for too long.
    pub fn stuck(&mut self) -> Option<Vec<String>> {
        let family = family::descendants(self.ancestor);
        let mut heard: Vec<Trace> = family.iter().map(trace).collect();
        heard.sort_by_key(|trace| trace.id);
        if heard != self.heard {
            (self.heard, self.since) = (heard, Instant::now());
        }
        (self.since.elapsed() >= self.limit).then(|| self.name(&family))
    }

    /// Those that do not wait for a child.
    fn name(&self, family: &[Process]) -> Vec<String> {
        let exe = |process: &Process| fs::read_link(format!("/proc/{}/exe", process.id)).ok();
        let of_suite: Vec<&Process> =
            family.iter().filter(|process| exe(process).as_ref() != Some(&self.tracer)).collect();
        let waits = |process: &Process| {
            let has_child = of_suite.iter().any(|other| other.parent == process.id);
            // Where the kernel does not say what it waits for, a parent is taken to wait.
            let wait = fs::read_to_string(format!("/proc/{}/wchan", process.id));
            process.state != 'R'
                && has_child
                && matches!(wait.as_deref(), Err(_) | Ok("" | "0" | "do_wait"))
        };
        let last = of_suite.iter().filter(|process| !waits(process));
        let named: Vec<String> = last.take(NAMED).map(|process| described(process)).collect();
        if named.is_empty() { vec!["no process that can be seen".to_owned()] } else { named }
    }
}

fn trace(process: &Process) -> Trace {
    // Not available for processes of other users: then only their coming and going is heard.
    let io = fs::read_to_string(format!("/proc/{}/io", process.id)).unwrap_or_default();
    let written = io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok());
    Trace { id: process.id, started: process.started, written }
}

/// A process in a few words.
fn described(process: &Process) -> String {
    let line = fs::read(format!("/proc/{}/cmdline", process.id)).unwrap_or_default();
    let words: Vec<String> = line
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| word.shown().to_string())
        .collect();
    let state = match process.state {
        'R' => "computes",
        'T' | 't' => "is stopped",
        _ => "waits",
    };
    format!("`{}` (process {}, which {state})", words.join(" "), process.id)
}
