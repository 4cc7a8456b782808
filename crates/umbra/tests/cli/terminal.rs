//! `umbra run` on a terminal: the line of progress, and Ctrl-C.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Never ends, and forks on every byte.
const ENDLESS: &str = r#"
#include <klee/klee.h>
int main(void) {
  for (;;) {
    char byte;
    klee_make_symbolic(&byte, 1, "byte");
    if (byte == 'x') klee_silent_exit(0);
  }
}
"#;

/// A run that someone watches.
struct Watched {
    child: Child,
    terminal: File,
    seen: String,
}

impl Watched {
    /// Starts `umbra run` with a terminal for its standard error.
    fn start(dir: &Dir, arguments: &[&str]) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let other: OwnedFd = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().expect("a path"))
            .expect("the other side")
            .into();
        let child = Command::new(UMBRA)
            .arg("run")
            .args(arguments)
            .current_dir(dir.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(other)
            .spawn()
            .expect("umbra runs");
        Self { child, terminal: terminal.into(), seen: String::new() }
    }

    /// Reads until the terminal shows a text.
    fn wait_for(&mut self, text: &str) {
        let mut buffer = [0; 4096];
        while !self.seen.contains(text) {
            let length = self.terminal.read(&mut buffer).unwrap_or(0);
            assert!(length > 0, "the run ended: {}", self.seen);
            self.seen += &String::from_utf8_lossy(&buffer[..length]);
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("it is there");
    }

    /// Reads the rest; how it ended, and its standard output.
    fn end(mut self) -> (ExitStatus, String) {
        let mut buffer = [0; 4096];
        // The terminal is an error to read once nobody has its other side.
        while self.terminal.read(&mut buffer).is_ok_and(|length| length > 0) {}
        let mut text = String::new();
        let mut stdout = self.child.stdout.take().expect("a pipe");
        stdout.read_to_string(&mut text).expect("text");
        (self.child.wait().expect("it ends"), text)
    }
}

fn endless() -> Dir {
    let dir = Dir::new();
    dir.write("p.c", ENDLESS);
    dir.cc("-o p p.c");
    dir
}

#[test]
fn ctrl_c_ends_the_run_with_tests_for_open_paths() {
    let dir = endless();
    for (signal, workers) in [(Signal::INT, "1"), (Signal::INT, "2"), (Signal::TERM, "2")] {
        let mut run = Watched::start(&dir, &["--json", "--workers", workers, "./p"]);
        run.wait_for(" paths  ");
        assert!(run.seen.contains("\r\x1b[K"), "{:?}", run.seen);
        run.signal(signal);
        let (status, text) = run.end();
        assert_eq!(status.code(), Some(0), "{text}");
        let object: Value = serde_json::from_str(text.trim_end()).expect("the object");
        assert_eq!(object["limits_hit"], serde_json::json!(["interrupted"]), "{text}");
        assert!(object["states"]["open"].as_u64() > Some(0), "{text}");
        assert!(object["tests"].as_u64() > Some(0), "{text}");
        assert!(dir.exists(".umbra/runs/last/summary.json"));
        fs::remove_dir_all(dir.path(".umbra")).unwrap();
    }
}

#[test]
fn the_line_can_be_turned_off() {
    let dir = endless();
    let mut run = Watched::start(&dir, &["--quiet", "--max-instructions", "5000", "./p"]);
    let mut seen = Vec::new();
    // Reading fails when the other side is closed.
    let _ = run.terminal.read_to_end(&mut seen);
    assert_eq!(String::from_utf8_lossy(&seen), "");
    assert_eq!(run.end().0.code(), Some(0));
}
