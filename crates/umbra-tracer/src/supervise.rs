//! The process that runs the recorded command.
//!
//! It adopts what the command leaves behind, tracers among it, so that nothing becomes a zombie
//! where process 1 does not care. It ends as the command does.
//!
//! Its lifeline is a pipe whose other end only the recorder has. When that is closed, and be it because
//! the recorder was killed, all that runs below is killed: a suite that went on alone would be seen by
//! the next recording.

use std::ffi::{OsStr, c_int};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::family::{self, Process};
use crate::system;

/// The status when the command cannot be run.
const NOT_RUN: c_int = 127;

/// Runs a command; returns its status, 128 + N for signal N.
pub fn main(lifeline: c_int, command: &[&OsStr]) -> c_int {
    let [program, rest @ ..] = command else { return NOT_RUN };
    system::close_on_execute(lifeline);
    let _ = system::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    let abandoned = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&abandoned);
    let listener = std::thread::Builder::new().spawn(move || {
        system::wait_for_close(lifeline);
        told.store(true, Ordering::SeqCst);
        kill_all();
    });
    // Without a thread nobody would end the command.
    let child = listener.and_then(|_| Command::new(program).args(rest).spawn());
    let child = match child {
        Ok(child) => child,
        Err(error) => {
            let program = program.as_bytes().escape_ascii();
            system::write(2, format!("umbra record: cannot run {program}: {error}\n").as_bytes());
            return NOT_RUN;
        }
    };
    // The terminal's signals are for the command, after which there is work left to do.
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        system::ignore(signal);
    }
    if abandoned.load(Ordering::SeqCst) {
        // The thread may have looked before the command was there.
        kill_all();
    }
    let mut ended = None;
    loop {
        match system::wait(-1, libc::__WALL) {
            Ok(waited) => {
                if waited.pid == child.id() as libc::pid_t {
                    ended = Some(status(waited.status));
                }
            }
            // There is nobody left.
            Err(_) => return ended.unwrap_or(NOT_RUN),
        }
        if abandoned.load(Ordering::SeqCst) {
            // Whoever was made while others were killed is below us now: its parent has ended.
            kill_all();
        } else if let Some(status) = ended {
            return status;
        }
    }
}

/// Kills all that runs below this process, tracers first: how a program ends that was killed by us is not
/// to be recorded. Until then nobody goes on because of that: a shell would run its next command.
fn kill_all() {
    let own = fs::read_link("/proc/self/exe").ok();
    let is_tracer = |process: &Process| {
        own.is_some() && fs::read_link(format!("/proc/{}/exe", process.id)).ok() == own
    };
    let below = family::descendants(std::process::id());
    let (tracers, others): (Vec<Process>, Vec<Process>) = below.into_iter().partition(is_tracer);
    for process in others.iter().filter(|process| !is_traced(process)) {
        system::kill(process.id as libc::pid_t, libc::SIGSTOP);
    }
    for process in tracers.into_iter().chain(others) {
        system::kill(process.id as libc::pid_t, libc::SIGKILL);
    }
}

/// Whether a tracer would see its signals.
fn is_traced(process: &Process) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id)).unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() != "0")
}

fn status(status: c_int) -> c_int {
    if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) }
}
