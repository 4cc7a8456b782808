//! Letting go of processes that a debugger wants.
//!
//! A process has one tracer. When a process below a recorded program begins to trace another, as
//! `strace` and `gdb` do, the one that is to be traced is no longer the tracer's. One that has a filter
//! cannot be let go: the debugger fails, and the invocation is no test case.
//!
//! A leak check traces the process that it is part of, just before that ends, from a child that no tracer
//! is told of. That child's beginning is seen.

use std::fs;

use libc::pid_t;

use super::Tracer;
use super::invocation::Entry;
use crate::raw::{End, Note};
use crate::system;

/// Requests of ptrace(2) with which tracing begins.
const TRACE_ME: u64 = libc::PTRACE_TRACEME as u64;
const ATTACH: u64 = libc::PTRACE_ATTACH as u64;
const SEIZE: u64 = libc::PTRACE_SEIZE as u64;
/// The flag of clone(2) for a child that is not traced.
const UNTRACED: u64 = libc::CLONE_UNTRACED as u64;

/// What becomes of the process that makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// It goes on.
    Stays,
    /// It is no longer the tracer's, and runs.
    IsGone,
}

impl Tracer<'_> {
    /// A process is about to make a call that may concern its tracer.
    pub(super) fn before_trace(&mut self, pid: pid_t, entry: &Entry) -> Caller {
        let [first, second, ..] = entry.arguments;
        match entry.number {
            libc::SYS_ptrace => match first {
                TRACE_ME => self.is_wanted(pid, pid),
                ATTACH | SEIZE => self.is_wanted(second as pid_t, pid),
                _ => Caller::Stays,
            },
            libc::SYS_clone if first & UNTRACED != 0 && !self.filtered.contains(&pid) => {
                self.let_process_go(pid);
                Caller::IsGone
            }
            _ => Caller::Stays,
        }
    }

    /// Someone wants to trace a process; it may be itself that asks for it.
    fn is_wanted(&mut self, traced: pid_t, caller: pid_t) -> Caller {
        if self.filtered.contains(&traced) {
            if let Some(invocation) = self.invocation(traced) {
                invocation.note(Note::Debugger);
            }
            return Caller::Stays;
        }
        if traced == caller {
            self.let_go(traced, 0, Note::Unseen);
            return Caller::IsGone;
        }
        self.stop_and_let_go(traced, Note::Unseen);
        Caller::Stays
    }

    /// Lets go of a process with all its threads, this one last.
    fn let_process_go(&mut self, pid: pid_t) {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let numbers = threads.filter_map(|thread| thread.file_name().to_str()?.parse().ok());
        for thread in numbers.filter(|thread| *thread != pid) {
            self.stop_and_let_go(thread, Note::Untraced);
        }
        if let Some(invocation) = self.invocation(pid) {
            invocation.read_blocks(pid);
        }
        self.let_go(pid, 0, Note::Untraced);
    }

    /// Only a stopped process can be let go.
    fn stop_and_let_go(&mut self, pid: pid_t, note: Note) {
        if !self.owners.contains_key(&pid) {
            return;
        }
        if self.early.remove(&pid) {
            return self.let_go(pid, 0, note);
        }
        if system::trace(libc::PTRACE_INTERRUPT, pid, 0, 0).is_err() {
            return;
        }
        match system::wait(pid, libc::__WALL) {
            Ok(waited) if !libc::WIFSTOPPED(waited.status) => self.ended(waited),
            Ok(waited) => {
                let is_signal = waited.status >> 16 == 0;
                let signal = if is_signal { libc::WSTOPSIG(waited.status) & 0x7f } else { 0 };
                let signal = if signal == libc::SIGTRAP { 0 } else { signal };
                self.let_go(pid, signal, note);
            }
            Err(_) => {}
        }
    }

    /// Ends tracing a stopped process, with a signal that it was about to get. What it does from now
    /// on is not seen, which its invocation notes.
    fn let_go(&mut self, pid: pid_t, signal: i32, note: Note) {
        self.end_invocation(pid, End::Unknown, Some(note));
        self.nearness.let_go(pid);
        self.forget(pid);
        super::resume(pid, libc::PTRACE_DETACH, signal);
    }
}
