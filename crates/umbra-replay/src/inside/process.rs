//! The system calls that have no safe wrapper, each as a small safe function.
//!
//! Relies on one thing: the process that calls them has a single thread. [`SingleThread`] is the
//! proof, made once when the sandbox's process starts; nothing below that point starts a thread.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::time::Duration;

/// A process id, as it is seen from the caller's pid namespace.
pub type Pid = libc::pid_t;

/// Proof that this process has one thread.
#[derive(Clone, Copy)]
pub struct SingleThread(());

impl SingleThread {
    /// Looks it up.
    pub fn check() -> io::Result<Self> {
        match std::fs::read_dir("/proc/self/task")?.count() {
            1 => Ok(Self(())),
            threads => Err(io::Error::other(format!("{threads} threads in the sandbox's process"))),
        }
    }
}

/// Which side of a fork this is.
pub enum Forked {
    Parent(Pid),
    Child,
}

/// Forks, with new namespaces (flags of clone(2)) for the child.
pub fn fork(_: SingleThread, namespaces: libc::c_int) -> io::Result<Forked> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with no stack given this is fork(2): the child has a copy of
    // everything. There is no other thread whose locks could be copied in a locked state.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        child => Ok(Forked::Parent(child as Pid)),
    }
}

/// What wait4(2) tells.
pub struct Waited {
    pub pid: Pid,
    pub status: libc::c_int,
    pub user: Duration,
    pub system: Duration,
    /// Largest resident set, in bytes.
    pub peak: u64,
}

/// Looks for a child, or somebody who is traced, that changed state.
///
/// `Ok(None)`: nobody did. `Err` with `ECHILD`: there is nobody left.
pub fn wait_any() -> io::Result<Option<Waited>> {
    wait(-1, libc::WNOHANG | libc::__WALL)
}

/// Waits for the end of one child.
pub fn wait_for(pid: Pid) -> io::Result<Option<Waited>> {
    wait(pid, 0)
}

fn wait(pid: Pid, options: libc::c_int) -> io::Result<Option<Waited>> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that live through the call.
    let pid = unsafe { libc::wait4(pid, &raw mut status, options, &raw mut usage) };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.max(0) as u64)
            + Duration::from_micros(time.tv_usec.max(0) as u64)
    };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(Waited {
            pid,
            status,
            user: time(usage.ru_utime),
            system: time(usage.ru_stime),
            peak: usage.ru_maxrss.max(0) as u64 * 1024,
        })),
    }
}

/// Sends a signal by number, real-time ones included; `-1` is everybody who can be reached.
pub fn kill(pid: Pid, signal: libc::c_int) -> io::Result<()> {
    // SAFETY: no memory is involved.
    check(unsafe { libc::kill(pid, signal) })
}

fn ptrace(request: libc::c_uint, pid: Pid, data: libc::c_long) -> io::Result<()> {
    // SAFETY: the requests used in this file take a number as `data` and ignore the address.
    match unsafe { libc::ptrace(request, pid, ptr::null_mut::<libc::c_void>(), data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Starts to trace a process, which goes on.
pub fn trace_seize(pid: Pid, options: libc::c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_SEIZE, pid, libc::c_long::from(options))
}

/// Lets a stopped process that is traced go on, with this signal or none (0).
pub fn trace_continue(pid: Pid, signal: libc::c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_CONT, pid, libc::c_long::from(signal))
}

/// Leaves a process stopped as a stop signal has it, but listens to it.
pub fn trace_listen(pid: Pid) -> io::Result<()> {
    ptrace(libc::PTRACE_LISTEN, pid, 0)
}

/// Resets every signal to its default, then ignores the given ones, and unblocks all.
pub fn reset_signals(ignored: &[libc::c_int]) {
    for signal in 1..=64 {
        let action = if ignored.contains(&signal) { libc::SIG_IGN } else { libc::SIG_DFL };
        // SAFETY: neither action is a function of ours. Fails for those that cannot be changed.
        unsafe { libc::signal(signal, action) };
    }
    // SAFETY: the set is a local that is filled before it is used.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, ptr::null_mut());
    }
}

/// Makes `number` a copy of `from`, to be inherited.
pub fn copy_descriptor(from: RawFd, number: RawFd) -> io::Result<()> {
    // SAFETY: the child owns no descriptor object any more when it arranges its numbers; whatever
    // was at `number` is closed on purpose.
    check(unsafe { libc::dup2(from, number) })
}

/// Takes over a descriptor that the caller made and gave up.
pub fn adopt(number: RawFd) -> File {
    // SAFETY: only for numbers from `descriptors::arrange`, which leaks one descriptor for this.
    unsafe { File::from_raw_fd(number) }
}

/// Closes a descriptor by number.
pub fn close_descriptor(number: RawFd) {
    // SAFETY: as for `copy_descriptor`. It may not be open.
    unsafe { libc::close(number) };
}

/// Marks all descriptors from `first` on to be closed on exec.
pub fn close_on_exec_from(first: libc::c_uint) -> io::Result<()> {
    const CLOEXEC: libc::c_uint = 4;
    // SAFETY: no memory is involved.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, CLOEXEC) };
    if check(result as libc::c_int).is_ok() {
        return Ok(());
    }
    // Linux has the flag since 5.11.
    for number in open_from(first)? {
        // SAFETY: no memory is involved. The number may not be open any more.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}

/// Numbers of open descriptors from `first` on; one of them was opened to find them, and is closed.
fn open_from(first: libc::c_uint) -> io::Result<Vec<RawFd>> {
    let open = std::fs::read_dir("/proc/self/fd")?;
    let open = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok());
    Ok(open.filter(|number| *number >= first as RawFd).collect())
}

/// Takes the socket that is standard input, and lets go of everything else that was inherited: what a
/// program reaches through this process can only be what was opened for it. Standard error stays if it
/// is a pipe.
pub fn take_streams() -> io::Result<UnixStream> {
    copy_descriptor(0, SOCKET)?;
    close_all_from(SOCKET as libc::c_uint + 1)?;
    close_on_exec_from(SOCKET as libc::c_uint)?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for number in 0..=2 {
        if number != 2 || !is_pipe(number) {
            copy_descriptor(null.as_raw_fd(), number)?;
        }
    }
    // SAFETY: the number was made above, and nothing else owns it.
    Ok(unsafe { UnixStream::from_raw_fd(SOCKET) })
}

fn is_pipe(number: RawFd) -> bool {
    // SAFETY: `stat` is plain numbers, for which zero is a value.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local.
    let done = unsafe { libc::fstat(number, &raw mut status) };
    done == 0 && status.st_mode & libc::S_IFMT == libc::S_IFIFO
}

/// Closes all descriptors from `first` on. No object of this process owns one of them.
fn close_all_from(first: libc::c_uint) -> io::Result<()> {
    // SAFETY: no memory is involved.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
    if check(result as libc::c_int).is_ok() {
        return Ok(());
    }
    // Where the kernel, or a filter that this process is in, does not have the call.
    for number in open_from(first)? {
        close_descriptor(number);
    }
    Ok(())
}

/// The number of the socket to the asker.
const SOCKET: RawFd = 3;

/// Closes the socket that [`take_streams`] took, in a process that does not serve it.
pub fn close_socket() {
    close_descriptor(SOCKET);
}

/// Confines the calling process by a filter whose questions are answered by whoever has the returned
/// descriptor.
pub fn apply_asking_filter(filter: &[seccompiler::sock_filter]) -> io::Result<OwnedFd> {
    const SET_FILTER: libc::c_uint = 1;
    const NEW_LISTENER: libc::c_ulong = 1 << 3;
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(io::Error::other)?,
        filter: filter.as_ptr().cast_mut().cast(),
    };
    // SAFETY: the program and its instructions, of the kernel's layout in both crates, outlive the
    // call, which only reads them.
    let listener =
        unsafe { libc::syscall(libc::SYS_seccomp, SET_FILTER, NEW_LISTENER, &raw const program) };
    check(listener as libc::c_int)?;
    // SAFETY: a new descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as RawFd) })
}

/// A system call that waits for an answer.
pub struct Request {
    pub id: u64,
    pub process: Pid,
    pub arguments: [u64; 6],
}

/// What becomes of it.
pub enum Answer {
    /// The kernel does it.
    Continue,
    /// It fails with this error.
    Error(libc::c_int),
}

/// The next request; blocks if there is none.
pub fn receive_request(listener: &OwnedFd) -> io::Result<Request> {
    const RECEIVE: libc::c_ulong = 0xc050_2100;
    // SAFETY: plain numbers, for which zero is a value; the kernel wants them zero.
    let mut request: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local of the size that the request's number says.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut request) })?;
    let process = request.pid as Pid;
    Ok(Request { id: request.id, process, arguments: request.data.args })
}

/// Answers a request.
pub fn send_answer(listener: &OwnedFd, id: u64, answer: Answer) -> io::Result<()> {
    const SEND: libc::c_ulong = 0xc018_2101;
    const CONTINUE: u32 = 1;
    let (error, flags) = match answer {
        Answer::Continue => (0, CONTINUE),
        Answer::Error(error) => (-error, 0),
    };
    let mut response = libc::seccomp_notif_resp { id, val: 0, error, flags };
    // SAFETY: the pointer is to a local of the size that the request's number says.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw mut response) })
}

/// Replaces the program; returns only on failure.
pub fn execute(path: &CString, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end with null and their strings outlive the call.
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends this process at once, without running destructors or handlers of the process it was
/// forked from.
pub fn exit(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

/// Sets a limit by the number of the resource.
pub fn set_limit(resource: u32, soft: u64, hard: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: the pointer is to a local.
    check(unsafe { libc::setrlimit(resource, &raw const limit) })
}

/// The hard limit of a resource.
pub fn hard_limit(resource: u32) -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a local.
    check(unsafe { libc::getrlimit(resource, &raw mut limit) })?;
    Ok(limit.rlim_max)
}

/// Sets the file mode creation mask.
pub fn set_umask(mask: u32) {
    // SAFETY: no memory is involved.
    unsafe { libc::umask(mask) };
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The version of Landlock's interface that the kernel offers.
pub fn landlock_version() -> io::Result<i32> {
    const VERSION: libc::c_uint = 1;
    let none = ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call reads no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0, VERSION) };
    check(version as libc::c_int)?;
    Ok(version as i32)
}
