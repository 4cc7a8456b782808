//! The process that runs the recorded command.
//!
//! It adopts what the command leaves behind, watchers among it, so that nothing becomes a zombie
//! where process 1 does not care. It ends as the command does.

use std::ffi::{OsStr, c_int};
use std::process::Command;

use crate::system;

/// The status when the command cannot be run.
const NOT_RUN: c_int = 127;

/// Runs a command; returns its status, 128 + N for signal N.
pub fn main(command: &[&OsStr]) -> c_int {
    let [program, rest @ ..] = command else { return NOT_RUN };
    let _ = system::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    let mut command = Command::new(program);
    let child = match command.args(rest).spawn() {
        Ok(child) => child,
        Err(error) => {
            let program = program.display();
            system::write(2, format!("umbra record: cannot run {program}: {error}\n").as_bytes());
            return NOT_RUN;
        }
    };
    // The terminal's signals are for the command, after which there is work left to do.
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        system::ignore(signal);
    }
    loop {
        match system::wait(-1, libc::__WALL) {
            Ok(waited) if waited.pid == child.id() as libc::pid_t => {
                return status(waited.status);
            }
            Ok(_) => {}
            Err(_) => return NOT_RUN,
        }
    }
}

fn status(status: c_int) -> c_int {
    if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) }
}
