//! Reads the block counters of a program at its exit.
//!
//! The program is traced for nothing else: no system call and no instruction is stopped at, only
//! fork (children run the same code, so their blocks count), exec (afterwards the memory is another
//! program's) and exit. Threads share the memory and are left alone.

use std::collections::HashMap;
use std::io::{self, IoSliceMut};

use nix::sys::uio::{RemoteIoVec, process_vm_readv};

use super::process::{self, Pid, trace_continue, trace_listen, trace_seize};
use umbra_compare::Blocks;

const OPTIONS: libc::c_int = libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;

/// The counters of one run.
pub struct Tracer {
    address: usize,
    bytes: Vec<u8>,
    /// Whether one read at least has succeeded.
    read: bool,
    /// Traced processes, and whether they run the program that has the counters.
    processes: HashMap<Pid, Image>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Image {
    /// Our own code on the way to exec.
    Before,
    Program,
    Other,
}

impl Tracer {
    /// Starts to trace the process that is going to execute the program.
    pub fn start(pid: Pid, (address, length): (u64, u64)) -> io::Result<Self> {
        trace_seize(pid, OPTIONS)?;
        Ok(Self {
            address: address as usize,
            bytes: vec![0; length as usize],
            read: false,
            processes: HashMap::from([(pid, Image::Before)]),
        })
    }

    /// Handles a stop that waiting has told of, and lets the process go on.
    pub fn stopped(&mut self, pid: Pid, status: libc::c_int) {
        let signal = libc::WSTOPSIG(status);
        let event = status >> 16;
        let image = self.processes.entry(pid).or_insert(Image::Program);
        // The process may be killed at any moment, so errors mean that it is gone.
        match event {
            libc::PTRACE_EVENT_EXIT => {
                self.read_from(pid);
                _ = trace_continue(pid, 0);
            }
            libc::PTRACE_EVENT_EXEC => {
                *image = if *image == Image::Before { Image::Program } else { Image::Other };
                _ = trace_continue(pid, 0);
            }
            libc::PTRACE_EVENT_STOP if is_stop_signal(signal) => _ = trace_listen(pid),
            0 => _ = trace_continue(pid, signal),
            _ => _ = trace_continue(pid, 0),
        }
    }

    /// Forgets a process that has ended.
    pub fn ended(&mut self, pid: Pid) {
        self.processes.remove(&pid);
    }

    /// Reads the counters of all that still run, before they are killed.
    pub fn read_all(&mut self) {
        for pid in self.processes.keys().copied().collect::<Vec<Pid>>() {
            self.read_from(pid);
        }
    }

    fn read_from(&mut self, pid: Pid) {
        if self.processes.get(&pid) != Some(&Image::Program) {
            return;
        }
        let mut bytes = vec![0; self.bytes.len()];
        let length = bytes.len();
        let read = process_vm_readv(
            nix::unistd::Pid::from_raw(pid),
            &mut [IoSliceMut::new(&mut bytes)],
            &[RemoteIoVec { base: self.address, len: length }],
        );
        if read == Ok(length) {
            self.read = true;
            for (sum, byte) in self.bytes.iter_mut().zip(bytes) {
                *sum |= byte;
            }
        }
    }

    /// What was counted; `None` if no process could be read.
    pub fn finish(self) -> Option<Blocks> {
        self.read.then_some(Blocks(self.bytes))
    }
}

fn is_stop_signal(signal: libc::c_int) -> bool {
    matches!(signal, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU)
}

/// Whether a status is of a stop and not of an end.
pub fn is_stop(waited: &process::Waited) -> bool {
    libc::WIFSTOPPED(waited.status)
}
