//! Running LLVM's tools on files that nobody vouches for.
//!
//! LLVM's readers crash, hang or eat memory on damaged bitcode. They are
//! therefore started through a small step that lowers its own limits and then
//! becomes the tool, and are killed when their time is over.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{Error, Toolchain};

/// Limits of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Address space in bytes.
    pub address_space: u64,
    /// Processor time in seconds.
    pub cpu_seconds: u64,
    /// Wall-clock time in seconds.
    pub wall_seconds: u64,
}

impl Limits {
    /// For a tool that reads a bitcode file given by a user.
    pub const FOREIGN_BITCODE: Limits =
        Limits { address_space: 1 << 30, cpu_seconds: 10, wall_seconds: 10 };
}

/// Lowers the limits of this process and becomes `command`. Returns only on failure.
pub fn exec_limited(address_space: Option<u64>, cpu: Option<u64>, command: &[OsString]) -> Error {
    for (resource, name, value) in [
        (Resource::As, "address space", address_space),
        (Resource::Cpu, "processor time", cpu),
        (Resource::Core, "core files", Some(0)),
    ] {
        if let Some(value) = value {
            // What is limited already cannot be raised.
            let value = getrlimit(resource).maximum.map_or(value, |most| value.min(most));
            let limit = Rlimit { current: Some(value), maximum: Some(value) };
            if let Err(errno) = setrlimit(resource, limit) {
                return Error::Limit { resource: name, source: errno.into() };
            }
        }
    }
    let Some((program, args)) = command.split_first() else {
        return Error::start("")(std::io::ErrorKind::InvalidInput.into());
    };
    Error::start(program)(Command::new(program).args(args).exec())
}

/// Runs `program` on foreign input and returns its output, whatever its exit status.
pub(crate) fn output_limited(
    toolchain: &Toolchain,
    limits: Limits,
    program: &Path,
    args: &[&OsStr],
) -> Result<Output, Error> {
    let mut command = match &toolchain.umbra {
        Some(umbra) => {
            let mut command = Command::new(umbra);
            command
                .args(["__limited", "--as", &limits.address_space.to_string()])
                .args(["--cpu", &limits.cpu_seconds.to_string(), "--"])
                .arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(Error::start(program))?;
    wait_limited(child, limits, program)
}

fn wait_limited(mut child: Child, limits: Limits, program: &Path) -> Result<Output, Error> {
    let deadline = Instant::now() + Duration::from_secs(limits.wall_seconds);
    // Pipes are drained by threads: a child that writes more than a pipe holds
    // must not be taken for one that hangs.
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = loop {
        match child.try_wait().map_err(Error::io("wait for", program))? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                // It may have ended meanwhile; then there is nothing to kill.
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::TimedOut {
                    program: program.into(),
                    seconds: limits.wall_seconds,
                });
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let join = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: join(stdout), stderr: join(stderr) })
}

fn drain<R: std::io::Read + Send + 'static>(pipe: Option<R>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A broken pipe means the child is gone; what was read is what there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}
