//! Letting go of processes that a debugger wants.
//!
//! A process has one tracer. When a process below a recorded program begins to trace another, as
//! `strace` and `gdb` do, the one that is to be traced is no longer the watcher's.

use libc::pid_t;

use super::Watcher;
use crate::raw::{End, Note};
use crate::system;

/// Requests of ptrace(2) with which tracing begins.
const TRACE_ME: u64 = libc::PTRACE_TRACEME as u64;
const ATTACH: u64 = libc::PTRACE_ATTACH as u64;
const SEIZE: u64 = libc::PTRACE_SEIZE as u64;

/// What becomes of the process that calls ptrace(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// It goes on.
    Stays,
    /// It is no longer the watcher's, and runs.
    IsGone,
}

impl Watcher<'_> {
    /// A process is about to call ptrace(2) with these arguments.
    pub(super) fn before_trace(&mut self, pid: pid_t, arguments: &[u64; 6]) -> Caller {
        let [request, target, ..] = *arguments;
        match request {
            TRACE_ME => {
                self.let_go(pid, 0);
                Caller::IsGone
            }
            ATTACH | SEIZE => {
                self.stop_and_let_go(target as pid_t);
                Caller::Stays
            }
            _ => Caller::Stays,
        }
    }

    /// Only a stopped process can be let go.
    fn stop_and_let_go(&mut self, pid: pid_t) {
        if !self.owners.contains_key(&pid) {
            return;
        }
        if !self.early.remove(&pid) {
            if system::trace(libc::PTRACE_INTERRUPT, pid, 0, 0).is_err() {
                return;
            }
            match system::wait(pid, libc::__WALL) {
                Ok(waited) if !libc::WIFSTOPPED(waited.status) => return self.ended(waited),
                Ok(waited) => {
                    let is_signal = waited.status >> 16 == 0;
                    let signal = if is_signal { libc::WSTOPSIG(waited.status) & 0x7f } else { 0 };
                    let signal = if signal == libc::SIGTRAP { 0 } else { signal };
                    return self.let_go(pid, signal);
                }
                Err(_) => return,
            }
        }
        self.let_go(pid, 0);
    }

    /// Ends tracing a stopped process, with a signal that it was about to get.
    fn let_go(&mut self, pid: pid_t, signal: i32) {
        // What it does from now on is not seen: if it is a recorded program, that is incomplete.
        self.end_invocation(pid, End::Unknown, Some(Note::Unfiltered));
        self.forget(pid);
        super::resume(pid, libc::PTRACE_DETACH, signal);
    }
}
