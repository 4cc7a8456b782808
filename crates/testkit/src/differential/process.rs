//! A process run to its end, or to a time limit, with its output caught.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::outcome::End;

/// What came of it.
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The time from start to end.
    pub took: Duration,
}

/// Runs a command; `input`, if any, is given through a pipe. Standard input is the command's own
/// otherwise.
///
/// The command gets a process group of its own, which is killed at the limit.
pub fn run(command: &mut Command, input: Option<&[u8]>, limit: Duration) -> Result<Finished> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        if let (Some(mut pipe), Some(input)) = (stdin, input) {
            // A program need not read its input: a broken pipe is no error.
            scope.spawn(move || drop(pipe.write_all(input)));
        }
        let stdout = scope.spawn(move || read_all(stdout));
        let stderr = scope.spawn(move || read_all(stderr));
        let end = wait(&mut child, start, limit)?;
        let took = start.elapsed();
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        Ok(Finished { end, stdout, stderr, took })
    })
}

fn wait(child: &mut std::process::Child, start: Instant, limit: Duration) -> Result<End> {
    loop {
        if let Some(status) = child.try_wait()? {
            let signal = || 128 + status.signal().unwrap_or_default();
            return Ok(End::Status(status.code().unwrap_or_else(signal)));
        }
        let elapsed = start.elapsed();
        if elapsed > limit {
            let group = rustix::process::Pid::from_child(child);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            child.wait()?;
            return Ok(End::TimedOut(limit.as_secs()));
        }
        // Most runs take a few milliseconds; long ones need not be watched so closely.
        thread::sleep((elapsed / 10).clamp(Duration::from_micros(300), Duration::from_millis(20)));
    }
}

fn read_all(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is what there is to compare.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, input: Option<&[u8]>, seconds: u64) -> Finished {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).stdin(Stdio::null());
        run(&mut command, input, Duration::from_secs(seconds)).unwrap()
    }

    #[test]
    fn status_and_output() {
        let finished = shell("cat; echo e >&2; exit 3", Some(b"in"), 10);
        assert_eq!(finished.end, End::Status(3));
        assert_eq!((finished.stdout, finished.stderr), (b"in".to_vec(), b"e\n".to_vec()));
    }

    #[test]
    fn signal() {
        assert_eq!(shell("kill -9 $$", None, 10).end, End::Status(137));
    }

    #[test]
    fn limit() {
        let finished = shell("echo a; sleep 60 & sleep 60", None, 1);
        assert_eq!(finished.end, End::TimedOut(1));
        assert_eq!(finished.stdout, b"a\n");
    }
}
