//! What the shim does in the process of the program: start a watcher, then become the program.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, c_char, c_int};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libc::pid_t;

use crate::filter::{self, Streams};
use crate::raw::{Recording, Unwatched};
use crate::settings::names;
use crate::slot::Slot;
use crate::{supervise, system, watch};

/// The status when the real program cannot be run, as shells have it.
const NOT_RUN: c_int = 127;
/// The highest descriptor that is looked at for streams; suites do not pass on higher ones.
const HIGHEST_DESCRIPTOR: c_int = 63;
/// The least address space in which a watcher works.
const LEAST_ADDRESS_SPACE: u64 = 256 << 20;

/// The binary. Returns the exit status only if the real program could not be run.
///
/// # Safety
///
/// `arguments` is a vector of C strings that ends with a null pointer.
pub unsafe fn main(arguments: *const *const c_char) -> c_int {
    match Slot::of_this_process() {
        Some(Slot::Program { run, number, real, .. }) => {
            let run = PathBuf::from(OsStr::from_bytes(&run));
            observe(&run, number);
            let Ok(program) = CString::new(real) else { return NOT_RUN };
            // SAFETY: passed on from the caller.
            let error = unsafe { system::execute(&program, arguments) };
            let program = program.to_string_lossy();
            complain(&format!("cannot run {program}, which this file stands for: {error}"))
        }
        Some(Slot::Supervisor { run: _ }) => {
            // SAFETY: passed on from the caller.
            unsafe { supervise::main(arguments) }
        }
        None => complain("this file stands for no program: it is used by `umbra record` only"),
    }
}

fn complain(message: &str) -> c_int {
    system::write(2, format!("umbra-shim: {message}\n").as_bytes());
    NOT_RUN
}

/// Sees to it that this process is watched, or that it is written down why not.
fn observe(run: &Path, number: u32) {
    let reason = match tracer() {
        None => match start_watcher(run) {
            Ok(()) => return install_filter(),
            Err(reason) => reason,
        },
        // The watcher of a parent process sees this one too, and knows what it is.
        Some(tracer) if is_watcher(tracer) => return install_filter(),
        Some(_) => Unwatched::Traced,
    };
    let process = std::process::id();
    let recording =
        Recording { program: number, process, unwatched: Some(reason), ..Recording::default() };
    // There is nobody to tell if this fails: the program's own output must stay as it is.
    let _ = watch::write_recording(run, &recording, 0);
}

/// The process that traces this one.
fn tracer() -> Option<pid_t> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    line.trim().parse().ok().filter(|pid| *pid != 0)
}

fn is_watcher(pid: pid_t) -> bool {
    fs::read(format!("/proc/{pid}/comm"))
        .is_ok_and(|name| name.trim_ascii_end() == watch::NAME.to_bytes())
}

/// Starts the watcher in a process that is nobody's child, and waits until it watches.
fn start_watcher(run: &Path) -> Result<(), Unwatched> {
    let space = system::limit(0, libc::RLIMIT_AS).map_err(|_| Unwatched::Limits)?;
    if space.rlim_max < LEAST_ADDRESS_SPACE && system::user() != 0 {
        return Err(Unwatched::Limits);
    }
    let process = std::process::id() as pid_t;
    let (ready, notify) = system::pipe().map_err(|_| Unwatched::NoProcess)?;
    // Where only a parent may trace, anyone may for a moment. An error says that all may anyway.
    let _ = system::prctl(libc::PR_SET_PTRACER, usize::MAX);
    let result = match system::fork_silently() {
        Ok(0) => match system::fork_silently() {
            Ok(0) => watch::main(run, process, notify),
            Ok(_) => system::exit(0),
            Err(_) => system::exit(1),
        },
        Ok(child) => {
            system::close(notify);
            let _ = system::wait(child, libc::__WALL);
            system::read_byte(ready).ok_or(Unwatched::Refused).map(drop)
        }
        Err(_) => {
            system::close(notify);
            Err(Unwatched::NoProcess)
        }
    };
    system::close(ready);
    let _ = system::prctl(libc::PR_SET_PTRACER, 0);
    result
}

/// Installs the filter that makes the watcher see this process's calls. If that fails, the watcher
/// sees that there is none.
fn install_filter() {
    let streams = (0..=HIGHEST_DESCRIPTOR).any(is_stream);
    let streams = if streams { Streams::Followed } else { Streams::None };
    let mut program = filter::program(streams);
    if system::set_filter(&mut program).is_err() {
        // An ordinary user must give up the gain of privileges by `execve` first.
        let _ = system::prctl(libc::PR_SET_NO_NEW_PRIVS, 1);
        let _ = system::set_filter(&mut program);
    }
}

/// Whether a descriptor is open and what is read from it is gone.
fn is_stream(descriptor: c_int) -> bool {
    let Ok(status) = system::status(descriptor) else { return false };
    match status.st_mode & libc::S_IFMT {
        libc::S_IFIFO | libc::S_IFSOCK => true,
        libc::S_IFCHR => status.st_rdev != NULL_DEVICE,
        _ => false,
    }
}

/// The number of /dev/null.
pub const NULL_DEVICE: libc::dev_t = libc::makedev(1, 3);

/// The folder of finished recordings.
pub fn raw_folder(run: &Path) -> PathBuf {
    run.join(names::RAW)
}
