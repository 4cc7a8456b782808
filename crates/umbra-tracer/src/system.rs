//! System calls that have no safe wrapper in the standard library: processes, tracing, descriptors.
//!
//! Thin: each function is one call. Errors are the kernel's numbers.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long, c_short};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::AsRawFd;
use std::time::Duration;

use libc::pid_t;

/// The kernel's error number of a failed call.
fn check(result: c_long) -> io::Result<c_long> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Ends the process at once.
pub fn exit(status: c_int) -> ! {
    // SAFETY: ends the process; no destructor has to run.
    unsafe { libc::_exit(status) }
}

/// What waiting for a process says.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// The process or thread.
    pub pid: pid_t,
    /// The encoded status.
    pub status: c_int,
}

/// Waits for a child or tracee; -1 is any. Interruptions are waited out.
pub fn wait(pid: pid_t, options: c_int) -> io::Result<Waited> {
    loop {
        let mut status = 0;
        // SAFETY: `status` is valid for the call.
        let result = unsafe { libc::waitpid(pid, &raw mut status, options) };
        match check(result.into()) {
            Ok(pid) => return Ok(Waited { pid: pid as pid_t, status }),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Waits for any tracee, but no longer than this: `None` if none has stopped or ended. `SIGCHLD` must be
/// blocked.
pub fn wait_for(time: Duration) -> io::Result<Option<Waited>> {
    let options = libc::__WALL | libc::WNOHANG;
    let waited = wait(-1, options)?;
    if waited.pid != 0 {
        return Ok(Some(waited));
    }
    let time = libc::timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    // SAFETY: a set of signals and a time that are read; nothing is written.
    unsafe { libc::sigtimedwait(&child_signal(), std::ptr::null_mut(), &raw const time) };
    Ok(Some(wait(-1, options)?).filter(|waited| waited.pid != 0))
}

/// Signals of children and tracees are kept until they are waited for.
pub fn block_child_signal() {
    // SAFETY: no handler is installed; the set is read.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_BLOCK, &child_signal(), std::ptr::null_mut());
    }
}

fn child_signal() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: the first call fills the whole set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        set.assume_init()
    }
}

/// A set of processors.
pub type Processors = libc::cpu_set_t;

/// The processor that this process runs on.
pub fn processor() -> Option<Processors> {
    // SAFETY: no memory but the set is touched, for which zeros are a value: the empty set.
    unsafe {
        let number = usize::try_from(libc::sched_getcpu()).ok()?;
        let mut processors: Processors = zeroed();
        (number < 8 * size_of::<Processors>()).then(|| libc::CPU_SET(number, &mut processors))?;
        Some(processors)
    }
}

/// The processors that a thread may use.
pub fn processors(pid: pid_t) -> io::Result<Processors> {
    // SAFETY: the kernel fills the set, for which zeros are a value, or a part of it.
    unsafe {
        let mut processors: Processors = zeroed();
        let size = size_of::<Processors>();
        check(libc::sched_getaffinity(pid, size, &raw mut processors).into())?;
        Ok(processors)
    }
}

/// Sets the processors that a thread may use; 0 is this one.
pub fn set_processors(pid: pid_t, processors: &Processors) -> io::Result<()> {
    // SAFETY: the set is read.
    check(unsafe { libc::sched_setaffinity(pid, size_of::<Processors>(), processors) }.into())
        .map(drop)
}

/// A ptrace request whose address and data are plain numbers.
pub fn trace(request: u32, pid: pid_t, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: the requests made here (seize, continue, listen) do not read or write our memory.
    check(unsafe { libc::ptrace(request, pid, address, data) }).map(drop)
}

/// The message of the last trace event.
pub fn event_message(pid: pid_t) -> io::Result<u64> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the kernel writes one long.
    check(unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &raw mut message) })?;
    Ok(message)
}

/// The registers of a stopped tracee.
pub fn registers(pid: pid_t) -> io::Result<libc::user_regs_struct> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::uninit();
    // SAFETY: the kernel fills the whole structure if the call succeeds.
    unsafe {
        check(libc::ptrace(libc::PTRACE_GETREGS, pid, 0, registers.as_mut_ptr()))?;
        Ok(registers.assume_init())
    }
}

/// A stop of a tracee at a system call.
#[derive(Clone, Copy, Debug)]
pub enum CallStop {
    /// Before it.
    Entry {
        /// Its number.
        number: c_long,
        /// Its arguments.
        arguments: [u64; 6],
    },
    /// After it, with its result.
    Exit(i64),
}

/// At which system call a tracee has stopped; `None` if it is no such stop.
pub fn call_stop(pid: pid_t) -> Option<CallStop> {
    let mut info = MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    let size = size_of::<libc::ptrace_syscall_info>();
    // SAFETY: the kernel fills as much of the structure as it knows, all of which are numbers.
    let info = unsafe {
        check(libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, size, info.as_mut_ptr())).ok()?;
        info.assume_init()
    };
    // SAFETY: `op` says which part of the union is filled; all parts are numbers.
    unsafe {
        match info.op {
            libc::PTRACE_SYSCALL_INFO_ENTRY => Some(CallStop::Entry {
                number: info.u.entry.nr as c_long,
                arguments: info.u.entry.args,
            }),
            libc::PTRACE_SYSCALL_INFO_SECCOMP => Some(CallStop::Entry {
                number: info.u.seccomp.nr as c_long,
                arguments: info.u.seccomp.args,
            }),
            libc::PTRACE_SYSCALL_INFO_EXIT => Some(CallStop::Exit(info.u.exit.sval)),
            _ => None,
        }
    }
}

/// Reads memory of another process; returns how much could be read.
pub fn read_memory(pid: pid_t, address: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec { iov_base: address as *mut _, iov_len: buffer.len() };
    // SAFETY: `local` is `buffer`; the remote side is checked by the kernel.
    let result =
        unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    check(result as c_long).map(|count| count as usize)
}

/// A `prctl` whose arguments are plain numbers.
pub fn prctl(option: c_int, argument: usize) -> io::Result<()> {
    // SAFETY: only options without pointers are used with this function.
    check(unsafe { libc::prctl(option, argument, 0, 0, 0) }.into()).map(drop)
}

/// Writes bytes; what cannot be written is lost.
pub fn write(descriptor: c_int, bytes: &[u8]) {
    // SAFETY: the buffer is `bytes`.
    let _ = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
}

/// Closes a descriptor of this process by its number.
pub fn close(descriptor: c_int) {
    // SAFETY: only called for descriptors that nothing else in this process owns.
    unsafe { libc::close(descriptor) };
}

/// Keeps a descriptor from programs that are executed.
pub fn close_on_execute(descriptor: c_int) {
    // SAFETY: no memory is touched.
    unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// Waits until nobody has the other end of a pipe, into which nobody writes.
pub fn wait_for_close(pipe: c_int) {
    let mut byte = 0_u8;
    loop {
        // SAFETY: one byte is written to `byte`.
        let read = check(unsafe { libc::read(pipe, (&raw mut byte).cast(), 1) } as c_long);
        match read {
            Ok(1..) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What cannot be read from has no other end.
            Ok(_) | Err(_) => return,
        }
    }
}

/// Sends a signal to a process, which may have ended.
pub fn kill(pid: pid_t, signal: c_int) {
    // SAFETY: no memory is touched.
    unsafe { libc::kill(pid, signal) };
}

/// Closes every descriptor but one.
pub fn close_all_but(kept: c_int) {
    let kept = kept as u32;
    // SAFETY: called before the tracer owns any other descriptor.
    unsafe {
        if kept > 0 {
            libc::syscall(libc::SYS_close_range, 0, kept - 1, 0);
        }
        libc::syscall(libc::SYS_close_range, kept + 1, u32::MAX, 0);
    }
}

/// Leaves session, process group and terminal.
pub fn leave_session() {
    // SAFETY: no memory is touched.
    unsafe { libc::setsid() };
}

/// Ignores a signal.
pub fn ignore(signal: c_int) {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Soft and hard limit of a process, 0 for this one.
pub fn limit(pid: pid_t, resource: u32) -> io::Result<libc::rlimit> {
    // SAFETY: an integer structure, for which zeros are a value; the kernel fills it.
    let mut limit: libc::rlimit = unsafe { zeroed() };
    // SAFETY: the new limit is absent, the old one is written to `limit`.
    check(unsafe { libc::prlimit(pid, resource, std::ptr::null(), &raw mut limit) }.into())?;
    Ok(limit)
}

/// Sets a limit of this process.
pub fn set_limit(resource: u32, limit: libc::rlimit) -> io::Result<()> {
    // SAFETY: the new limit is read, no old one is written.
    check(unsafe { libc::prlimit(0, resource, &raw const limit, std::ptr::null_mut()) }.into())
        .map(drop)
}

/// Whether two descriptors of a process share their open file.
pub fn same_file(pid: pid_t, one: u32, other: u32) -> bool {
    const KCMP_FILE: c_int = 0;
    // SAFETY: no memory is touched.
    unsafe { libc::syscall(libc::SYS_kcmp, pid, pid, KCMP_FILE, one, other) == 0 }
}

/// Locks a byte of an open file until it is closed; fails if it is locked.
pub fn lock_byte(file: &impl AsRawFd, offset: u64) -> io::Result<()> {
    set_lock(file, byte_lock(offset))
}

/// Gives the lock of a byte back.
pub fn unlock_byte(file: &impl AsRawFd, offset: u64) -> io::Result<()> {
    set_lock(file, libc::flock { l_type: libc::F_UNLCK as c_short, ..byte_lock(offset) })
}

fn set_lock(file: &impl AsRawFd, lock: libc::flock) -> io::Result<()> {
    // SAFETY: the description of the lock is read.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) }.into())
        .map(drop)
}

/// Whether a byte of a file is locked by someone who has opened it otherwise.
pub fn is_byte_locked(file: &impl AsRawFd, offset: u64) -> io::Result<bool> {
    let mut lock = byte_lock(offset);
    // SAFETY: the description of the lock is read and written.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) }.into())?;
    Ok(lock.l_type != libc::F_UNLCK as c_short)
}

fn byte_lock(offset: u64) -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as c_short,
        l_whence: libc::SEEK_SET as c_short,
        l_start: offset as libc::off_t,
        l_len: 1,
        l_pid: 0,
    }
}

/// The file mode creation mask is set.
pub fn set_umask(mask: u32) {
    // SAFETY: no memory is touched.
    unsafe { libc::umask(mask) };
}
