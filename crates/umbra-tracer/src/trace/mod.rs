//! The tracer: traces a process and its children until the last of them has ended.
//!
//! A process is an invocation from the moment its shim stops it, since the program begins there. Its
//! children belong to it until they become programs themselves.
//!
//! The calls of a process are picked by a filter, or it stops at each ([`Following`]), as its shim has
//! chosen. A filter stays in a process and its children, and a filtered call without a tracer fails:
//! these are never let go. Whatever goes wrong here, tracees are continued. If the tracer is killed,
//! so are they.

pub mod calls;

mod ancestry;
mod capture;
mod counters;
mod files;
mod invocation;
mod memory;
mod nearness;
mod output;
mod process;
mod release;
mod written;

use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use libc::pid_t;

use crate::raw::{End, Note};
use crate::settings::{Settings, names};
use crate::system::{self, CallStop, Waited};
use invocation::{Entry, Invocation, Next};
use nearness::Nearness;
use output::Output;
use release::Caller;
use umbra_shim::{BEGINS, WATCHED};

const OPTIONS: c_int = libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_EXITKILL;

/// Watches a process from its shim on. `notify` is told when it may go on.
///
/// By its name, that of the executable, a shim knows the process of a tracer.
pub fn main(run: &Path, process: pid_t, notify: c_int) -> ! {
    system::leave_session();
    system::close_all_but(notify);
    system::block_child_signal();
    if system::trace(libc::PTRACE_SEIZE, process, 0, OPTIONS as usize).is_err() {
        // The shim sees the end of the pipe, and writes down that nobody watches.
        system::exit(1);
    }
    let nearness = Nearness::new(process);
    system::write(notify, &[WATCHED]);
    system::close(notify);
    prepare_process();
    let output = Output::new(run);
    let mut settings = fs::read(run.join(names::SETTINGS))
        .ok()
        .and_then(|bytes| Settings::decode(&bytes))
        .unwrap_or_default();
    for resource in [libc::RLIMIT_AS, libc::RLIMIT_DATA] {
        settings.caps.fit(system::limit(0, resource).map_or(u64::MAX, |limit| limit.rlim_cur));
    }
    let mut tracer = Tracer::new(run, process, settings, nearness, output);
    tracer.watch();
    tracer.output.end();
    system::exit(0)
}

/// The limits and the folder of the watched process are not for its tracer.
fn prepare_process() {
    let _ = std::env::set_current_dir("/");
    system::set_umask(0o022);
    for signal in [libc::SIGXFSZ, libc::SIGXCPU, libc::SIGPIPE, libc::SIGHUP] {
        system::ignore(signal);
    }
    // The shim has lifted what would keep the tracer from starting.
    for resource in [libc::RLIMIT_FSIZE, libc::RLIMIT_CPU, libc::RLIMIT_NOFILE] {
        let infinite =
            libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        if system::set_limit(resource, infinite).is_err()
            && let Ok(limit) = system::limit(0, resource)
        {
            let _ = system::set_limit(
                resource,
                libc::rlimit { rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max },
            );
        }
    }
}

/// How the system calls of a process are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Following {
    /// A filter in the kernel picks those that matter; all others run at full speed.
    Filter,
    /// It stops at each.
    EachCall,
}

struct Tracer<'a> {
    output: Output<'a>,
    settings: Settings,
    /// Bytes of the file they are from, which grows when programs are linked.
    settings_size: u64,
    /// Where the programs' own files are.
    real: PathBuf,
    root: pid_t,
    test: Option<Vec<u8>>,
    invocations: HashMap<u32, Invocation>,
    /// The invocation that each thread belongs to.
    owners: HashMap<pid_t, u32>,
    /// Processes in a shim, which is not to be recorded.
    shims: HashSet<pid_t>,
    /// Threads that stop at each call.
    each_call: HashSet<pid_t>,
    /// Threads that have a filter.
    filtered: HashSet<pid_t>,
    /// Calls that are watched up to their return.
    entered: HashMap<pid_t, Entry>,
    /// New threads that stopped before their parent's call was seen.
    early: HashSet<pid_t>,
    nearness: Nearness,
    serial: u32,
}

impl<'a> Tracer<'a> {
    fn new(
        run: &Path,
        process: pid_t,
        settings: Settings,
        nearness: Nearness,
        output: Output<'a>,
    ) -> Self {
        Self {
            output,
            settings,
            // Not known: the first look reads it again.
            settings_size: 0,
            real: run.join(names::REAL),
            root: process,
            test: ancestry::test_of(process),
            invocations: HashMap::new(),
            owners: HashMap::new(),
            shims: HashSet::from([process]),
            each_call: HashSet::new(),
            filtered: HashSet::new(),
            entered: HashMap::new(),
            early: HashSet::new(),
            nearness,
            serial: 0,
        }
    }

    /// Runs until no tracee is left.
    fn watch(&mut self) {
        while let Ok(waited) = self.next() {
            if libc::WIFSTOPPED(waited.status) {
                self.stopped(waited);
            } else {
                self.ended(waited);
            }
        }
    }

    /// Waits until a tracee has stopped or ended.
    fn next(&mut self) -> io::Result<Waited> {
        while self.nearness.is_keeping() {
            if let Some(waited) = system::wait_for(nearness::MOMENT)? {
                return Ok(waited);
            }
            self.nearness.wait();
        }
        system::wait(-1, libc::__WALL)
    }

    fn stopped(&mut self, Waited { pid, status }: Waited) {
        self.nearness.stopped(pid);
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            libc::PTRACE_EVENT_SECCOMP if self.each_call.contains(&pid) => self.go_on(pid, 0),
            libc::PTRACE_EVENT_SECCOMP => self.at_call(pid),
            libc::PTRACE_EVENT_EXEC => {
                self.executed(pid);
                self.go_on(pid, 0);
            }
            libc::PTRACE_EVENT_EXIT => {
                if let Some(invocation) = self.invocation(pid) {
                    invocation.read_blocks(pid);
                }
                self.go_on(pid, 0);
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                self.forked(pid);
                self.go_on(pid, 0);
            }
            libc::PTRACE_EVENT_STOP => self.stopped_as_group(pid, signal),
            _ if signal == libc::SIGTRAP | 0x80 => self.at_call(pid),
            _ if signal == libc::SIGSTOP && self.begins(pid) => self.go_on(pid, 0),
            _ => self.go_on(pid, signal),
        }
    }

    /// Continues a thread, to its next call if it stops at each.
    fn go_on(&self, pid: pid_t, signal: c_int) {
        let each_call = self.each_call.contains(&pid);
        resume(pid, if each_call { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT }, signal);
    }

    /// A stop of the whole process by job control, or the first stop of a new one.
    fn stopped_as_group(&mut self, pid: pid_t, signal: c_int) {
        match signal {
            libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {
                resume(pid, libc::PTRACE_LISTEN, 0);
            }
            _ if pid != self.root && !self.owners.contains_key(&pid) => {
                // Its parent's event is on its way, and says whom it belongs to.
                self.early.insert(pid);
            }
            _ => self.go_on(pid, 0),
        }
    }

    fn forked(&mut self, parent: pid_t) {
        let Ok(child) = system::event_message(parent) else { return };
        let child = child as pid_t;
        if let Some(owner) = self.owners.get(&parent).copied() {
            self.owners.insert(child, owner);
            let is_thread = fs::metadata(format!("/proc/{parent}/task/{child}")).is_ok();
            if let Some(invocation) = self.invocations.get_mut(&owner) {
                invocation.note(if is_thread { Note::Threads } else { Note::Spawns });
            }
        } else {
            self.owners.insert(child, u32::MAX);
        }
        self.nearness.forked(parent, child);
        for set in [&mut self.each_call, &mut self.filtered] {
            if set.contains(&parent) {
                set.insert(child);
            }
        }
        if self.early.remove(&child) {
            self.go_on(child, 0);
        }
    }

    /// Whether a process has stopped itself since its program begins now.
    fn begins(&mut self, pid: pid_t) -> bool {
        match system::registers(pid) {
            Ok(registers) if registers.r8 == BEGINS => {
                let following = match registers.r10 {
                    0 => Following::EachCall,
                    _ => Following::Filter,
                };
                self.begin_invocation(pid, registers.r9 as u32, following);
                true
            }
            _ => false,
        }
    }

    /// A process has become another program. All its other threads are gone.
    fn executed(&mut self, pid: pid_t) {
        self.shims.remove(&pid);
        self.entered.remove(&pid);
        let program = process::link(pid, "exe").unwrap_or_default();
        self.read_programs();
        if self.settings.programs.iter().any(|other| other.path == program) {
            self.shims.insert(pid);
        } else if let Some(invocation) = self.invocation(pid) {
            let note = if invocation.leader == pid { Note::Executes } else { Note::Spawns };
            invocation.note(note);
        }
    }

    /// Reads which programs there are, if some were linked since.
    fn read_programs(&mut self) {
        let Some(path) = self.real.parent().map(|run| run.join(names::SETTINGS)) else { return };
        let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if size == 0 || size == self.settings_size {
            return;
        }
        if let Some(settings) = fs::read(&path).ok().and_then(|bytes| Settings::decode(&bytes)) {
            self.settings_size = size;
            self.settings.programs = settings.programs;
        }
    }

    /// A process is one of the programs from now on.
    fn begin_invocation(&mut self, pid: pid_t, number: u32, following: Following) {
        if self.settings.programs.len() <= number as usize {
            self.read_programs();
        }
        self.shims.remove(&pid);
        self.end_invocation(pid, End::Unknown, Some(Note::Executes));
        let test = match pid == self.root {
            true => self.test.take(),
            false => ancestry::test_of(pid),
        };
        match following {
            Following::EachCall => self.each_call.insert(pid),
            Following::Filter => self.each_call.remove(&pid) | self.filtered.insert(pid),
        };
        let invocation =
            Invocation::begin(pid, number, following, test, &self.settings, &self.real);
        self.serial += 1;
        self.invocations.insert(self.serial, invocation);
        self.owners.insert(pid, self.serial);
    }

    fn invocation(&mut self, pid: pid_t) -> Option<&mut Invocation> {
        self.invocations.get_mut(self.owners.get(&pid)?)
    }

    fn at_call(&mut self, pid: pid_t) {
        match system::call_stop(pid) {
            Some(CallStop::Entry { number, arguments }) => {
                let entry = Entry { number, arguments };
                if self.before_trace(pid, &entry) == Caller::Stays {
                    self.before_call(pid, entry);
                }
            }
            Some(CallStop::Exit(result)) => {
                let entry = self.entered.remove(&pid);
                if let (Some(entry), Some(invocation)) = (entry, self.invocation(pid)) {
                    invocation.leave(pid, &entry, result);
                }
                self.go_on(pid, 0);
            }
            // A kernel that does not tell.
            None => {
                if let Some(invocation) = self.invocation(pid) {
                    invocation.note(Note::Unseen);
                }
                self.go_on(pid, 0);
            }
        }
    }

    fn before_call(&mut self, pid: pid_t, entry: Entry) {
        let in_shim = self.shims.contains(&pid);
        let invocation = self.invocation(pid).filter(|_| !in_shim);
        match invocation.map(|invocation| invocation.enter(pid, &entry)) {
            Some(Next::Return) => {
                self.entered.insert(pid, entry);
                return resume(pid, libc::PTRACE_SYSCALL, 0);
            }
            Some(Next::ShowProcessors) => self.nearness.end(),
            Some(Next::Go) | None => {}
        }
        self.go_on(pid, 0);
    }

    fn ended(&mut self, Waited { pid, status }: Waited) {
        let end = match libc::WIFSIGNALED(status) {
            true => End::Killed(libc::WTERMSIG(status)),
            false => End::Exited(libc::WEXITSTATUS(status)),
        };
        self.end_invocation(pid, end, None);
        self.forget(pid);
    }

    /// A thread has ended, or is someone else's from now on.
    fn forget(&mut self, pid: pid_t) {
        self.owners.remove(&pid);
        self.entered.remove(&pid);
        self.nearness.forget(pid);
        for set in [&mut self.shims, &mut self.each_call, &mut self.filtered, &mut self.early] {
            set.remove(&pid);
        }
    }

    /// Writes the invocation whose leader this process is.
    fn end_invocation(&mut self, pid: pid_t, end: End, note: Option<Note>) {
        let Some(owner) = self.owners.get(&pid).copied() else { return };
        if self.invocations.get(&owner).is_none_or(|invocation| invocation.leader != pid) {
            return;
        }
        let Some(mut invocation) = self.invocations.remove(&owner) else { return };
        if let Some(note) = note {
            invocation.note(note);
        }
        let (recording, files) = invocation.finish(end);
        self.output.write(&recording, &files);
    }
}

fn resume(pid: pid_t, request: u32, signal: c_int) {
    // The only failure is that the process is gone, which the next wait tells.
    let _ = system::trace(request, pid, 0, signal as usize);
}
