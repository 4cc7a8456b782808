//! Loading in a child process.
//!
//! LLVM's reader trusts its input; on a damaged file it may crash, exit, loop or use up all memory.
//! So [`Loader`] starts a process that reads the file and sends back our own binary form, and turns
//! whatever happens to that process into a value. The process runs [`load_child`]; it is a hidden
//! command of the program, or any other program that calls it.
//!
//! The parent sets the limits of the child, right after starting it: so the child needs no options,
//! and what it may use before it is limited is less than any limit that makes sense.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, getrlimit, prlimit, set_parent_process_death_signal, setrlimit,
};

use crate::binary::{decode, encode};
use crate::load::{LoadError, load_bitcode};
use crate::program::Program;

/// Starts the answer when a program follows.
const PROGRAM: u8 = b'P';
/// Starts the answer when an error follows.
const ERROR: u8 = b'E';

/// How much of the child's complaints is kept.
const MAX_STDERR: u64 = 1 << 16;

/// What a child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of address space.
    pub memory_bytes: u64,
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Time until it is killed.
    pub wall: Duration,
}

impl Limits {
    /// Limits for a file of so many bytes: the default ones, more for large files.
    ///
    /// A sound file takes about 25 bytes of memory for each of its own and a second for each eight
    /// million; this allows several times that.
    pub fn for_file(bytes: u64) -> Self {
        let steps = bytes >> 24;
        let default = Self::default();
        Self {
            memory_bytes: default.memory_bytes.saturating_add(steps << 30),
            cpu_seconds: default.cpu_seconds.saturating_add(10 * steps),
            wall: default.wall.saturating_add(Duration::from_secs(60 * steps)),
        }
    }
}

/// Enough for files of 16 MiB, which is more than most programs have. A child that works ends by its
/// processor time, also on a busy machine; the other limit is for one that hangs.
impl Default for Limits {
    fn default() -> Self {
        Self { memory_bytes: 1 << 30, cpu_seconds: 10, wall: Duration::from_secs(60) }
    }
}

/// Loads files in a child process.
#[derive(Clone, Debug)]
pub struct Loader {
    /// The program to start.
    pub program: PathBuf,
    /// Its arguments, before the path of the file to load.
    pub arguments: Vec<OsString>,
    /// What it may use.
    pub limits: Limits,
}

/// How a child ended, and what it wrote.
struct Outcome {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

impl Loader {
    /// Loads a bitcode file. Whatever is in it, this returns within the limits.
    pub fn load(&self, path: &Path) -> Result<Program, LoadError> {
        let failed = |what: &str, error: io::Error| LoadError::Child {
            path: path.into(),
            reason: format!("{what} {}: {error}", self.program.display()),
        };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .arg(path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed("cannot start", error))?;
        if let Err(error) = self.limit(&child) {
            end(&mut child);
            return Err(failed("cannot limit", error));
        }
        match self.wait(&mut child) {
            Ok(Some(outcome)) => self.judge(path, &outcome),
            Ok(None) => Err(LoadError::LimitExceeded {
                path: path.into(),
                limit: format!("{} s", self.limits.wall.as_secs_f64()),
            }),
            Err(error) => Err(failed("cannot wait for", error)),
        }
    }

    /// The limits, or those of this process where they are lower (`ulimit -v`, `ulimit -t`).
    fn effective(&self) -> Limits {
        let lower = |wanted: u64, resource| {
            let own = getrlimit(resource);
            own.current.into_iter().chain(own.maximum).fold(wanted, u64::min)
        };
        Limits {
            memory_bytes: lower(self.limits.memory_bytes, Resource::As),
            cpu_seconds: lower(self.limits.cpu_seconds, Resource::Cpu),
            ..self.limits
        }
    }

    fn limit(&self, child: &Child) -> io::Result<()> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("no process id"))?;
        let limits = self.effective();
        for (resource, soft, hard) in [
            (Resource::As, limits.memory_bytes, limits.memory_bytes),
            // The first is a signal that names the reason, the second the end.
            (Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds + 1),
        ] {
            // What is limited already cannot be raised.
            let hard = getrlimit(resource).maximum.map_or(hard, |most| hard.min(most));
            let limit = Rlimit { current: Some(soft), maximum: Some(hard) };
            match prlimit(Some(pid), resource, limit) {
                // A child that is done already needs no limits.
                Ok(_) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits for the child's end; `None` if it took too long and was killed.
    fn wait(&self, child: &mut Child) -> io::Result<Option<Outcome>> {
        let deadline = Instant::now() + self.limits.wall;
        let (sender, receiver) = mpsc::channel();
        // An answer is never longer than the memory it was made in.
        if let Some(stdout) = child.stdout.take() {
            let stdout = stdout.take(self.limits.memory_bytes);
            let read = move || {
                // Nobody takes it any more if it comes too late.
                let _ = sender.send(read_all(stdout));
            };
            if let Err(error) = thread::Builder::new().spawn(read) {
                end(child);
                return Err(error);
            }
        }
        // Without a thread for them, the complaints are not known.
        let stderr = child.stderr.take().and_then(|stderr| {
            thread::Builder::new().spawn(move || read_all(stderr.take(MAX_STDERR))).ok()
        });
        let stdout = match receiver.recv_timeout(self.limits.wall) {
            Ok(stdout) => stdout,
            Err(RecvTimeoutError::Timeout) => {
                end(child);
                return Ok(None);
            }
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
        };
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() >= deadline => {
                    end(child);
                    return Ok(None);
                }
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let stderr = stderr.and_then(|reader| reader.join().ok());
        Ok(Some(Outcome {
            status,
            stdout,
            stderr: String::from_utf8_lossy(&stderr.unwrap_or_default()).into_owned(),
        }))
    }

    fn judge(&self, path: &Path, outcome: &Outcome) -> Result<Program, LoadError> {
        let path = path.to_path_buf();
        if outcome.status.success() {
            let unreadable = |reason: String| LoadError::Child {
                path: path.clone(),
                reason: format!("{} answered {reason}", self.program.display()),
            };
            return match outcome.stdout.split_first() {
                Some((&PROGRAM, bytes)) => {
                    decode(bytes).map_err(|error| unreadable(error.to_string()))
                }
                Some((&ERROR, bytes)) => match postcard::from_bytes::<LoadError>(bytes) {
                    Ok(error) => Err(error),
                    Err(_) => Err(unreadable("a damaged error".into())),
                },
                _ => Err(unreadable("nothing".into())),
            };
        }
        let last_line = outcome.stderr.lines().rev().find(|line| !line.is_empty());
        let said = last_line.map_or(String::new(), |line| format!(": {line}"));
        let out_of_memory = ["memory allocation of", "out of memory", "bad_alloc"];
        if out_of_memory.iter().any(|text| outcome.stderr.contains(text)) {
            return Err(LoadError::LimitExceeded {
                path,
                limit: format!("{} MiB of memory", self.effective().memory_bytes >> 20),
            });
        }
        match outcome.status.signal() {
            Some(signal) if signal == Signal::XCPU.as_raw() => Err(LoadError::LimitExceeded {
                path,
                limit: format!("{} s of processor time", self.effective().cpu_seconds),
            }),
            Some(signal) => {
                Err(LoadError::Crashed { path, reason: format!("signal {signal}{said}") })
            }
            None => Err(LoadError::Crashed { path, reason: format!("{}{said}", outcome.status) }),
        }
    }
}

/// Kills the child and collects it. Both fail only if it is gone already.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// What can be read; an error ends it as the end of the stream does.
fn read_all(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    bytes
}

/// The child's side: loads the file and writes the answer for [`Loader`].
///
/// An error of loading is an answer too; the error returned is one of writing.
pub fn load_child(path: &Path, output: &mut dyn Write) -> io::Result<()> {
    // Nobody wants a core file of LLVM, nor the process without its parent.
    let no_core = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, no_core)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    match load_bitcode(path) {
        Ok(program) => {
            output.write_all(&[PROGRAM])?;
            output.write_all(&encode(&program))?;
        }
        Err(error) => {
            output.write_all(&[ERROR])?;
            // A path that is not UTF-8 cannot be sent; the parent knows it anyway.
            let error = match path.to_str() {
                Some(_) => error,
                None => LoadError::Child {
                    path: path.to_string_lossy().into_owned().into(),
                    reason: error.to_string(),
                },
            };
            let bytes = postcard::to_allocvec(&error).map_err(io::Error::other)?;
            output.write_all(&bytes)?;
        }
    }
    output.flush()
}
