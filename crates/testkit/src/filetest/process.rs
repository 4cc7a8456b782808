//! Child processes that may hang, print much or die.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// More than any program of a test writes.
const MAX_OUTPUT: u64 = 256 << 20;

/// What a process did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended; `None` if its time or memory was over.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The exit status as a shell shows it; 124 for a time-out.
    pub fn code(&self) -> i32 {
        match self.status {
            Some(status) => status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            None => 124,
        }
    }

    /// The signal that killed it.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }
}

/// Runs a command to its end, or until `limit` is over.
pub fn run(command: &mut Command, limit: Duration) -> anyhow::Result<Outcome> {
    run_within(command, limit, u64::MAX)
}

/// As [`run`], also ended when more than `memory` KiB are resident.
pub fn run_within(command: &mut Command, limit: Duration, memory: u64) -> anyhow::Result<Outcome> {
    let deadline = Instant::now() + limit;
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {command:?}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = wait(&mut child, deadline, memory)?;
    Ok(Outcome {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

fn wait(child: &mut Child, deadline: Instant, memory: u64) -> anyhow::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline || resident(child) > memory {
            // It may have ended meanwhile; then there is nothing to kill.
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// KiB of a process that are in memory; 0 if that is not known.
fn resident(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe means the child is gone; what was read is what there is.
            // Whoever writes without end is told so: the pipe is closed behind what is enough.
            let _ = pipe.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Runs `job` for every number below `count`, two at a time; the results are in order.
pub fn two_at_a_time<T: Send>(count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = job(index);
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The `umbra` command to test: `UMBRA`, or the release build beside the running test.
pub fn umbra_command() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("UMBRA") {
        return Ok(path.into());
    }
    let this = std::env::current_exe()?;
    let path = this.ancestors().nth(3).context("finding the build folder")?.join("release/umbra");
    if !path.exists() {
        bail!("{} does not exist: run `make build`", path.display());
    }
    Ok(path)
}
