//! The host's kernel. Each try is a child process of its own, in a folder that is made anew, so it
//! may do what it likes to itself.
#![allow(unsafe_code, reason = "system calls as the host's kernel answers them")]

use super::machine::{Machine, Outcome, PLACES, ROOM, Report, Try};
use super::row::Row;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Seconds after which a call is taken for one that does not come back.
const PATIENCE: i32 = 5;

/// Where tries are made.
pub(super) struct Host {
    root: PathBuf,
    root_text: CString,
    /// Arguments in memory.
    arena: *mut u8,
    /// Where a child leaves its results.
    report: *mut Report,
}

/// New memory, of this process or shared with its children.
fn map(length: usize, sharing: i32) -> *mut libc::c_void {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, sharing | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, which nobody else knows.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
    assert_ne!(address, libc::MAP_FAILED);
    address
}

impl Host {
    pub(super) fn new(root: &Path) -> Host {
        Host {
            root: root.to_owned(),
            root_text: CString::new(root.as_os_str().as_bytes()).unwrap(),
            arena: map(PLACES * ROOM, libc::MAP_PRIVATE).cast(),
            report: map(size_of::<Report>(), libc::MAP_SHARED).cast(),
        }
    }

    /// What comes of a row with a value in it.
    pub(super) fn run(&mut self, row: &Row, value: i64) -> Report {
        super::clear(&self.root);
        super::fill(&self.root);
        // SAFETY: the report is this object's, and no child is running.
        unsafe { self.report.write(Report::EMPTY) };
        // SAFETY: the child makes system calls and uses memory that is there already. It neither
        // allocates nor returns.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            self.be_child(row, value);
        }
        let status = wait(child);
        // SAFETY: the child has ended.
        let mut report = unsafe { self.report.read() };
        match status {
            Some(status) if libc::WIFSIGNALED(status) => report.killed(libc::WTERMSIG(status)),
            Some(status) => assert_eq!(status, 0, "a child failed"),
            None => report.blocked(),
        }
        report
    }

    fn be_child(&mut self, row: &Row, value: i64) -> ! {
        // SAFETY: the parent looks at it after the end of this process.
        let report = unsafe { &mut *self.report };
        // SAFETY: this process is alone and ends here.
        unsafe {
            // Past the libc, which keeps two signals for itself.
            let default = [0u64; 4];
            for signal in 1..=64 {
                libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0, 8);
            }
            let none = libc::stack_t {
                ss_sp: std::ptr::null_mut(),
                ss_flags: libc::SS_DISABLE,
                ss_size: 0,
            };
            libc::sigaltstack(&raw const none, std::ptr::null_mut());
            // A test that was another user for a while has changed this for all.
            libc::prctl(libc::PR_SET_DUMPABLE, 1);
            libc::setpriority(libc::PRIO_PROCESS, 0, 0);
            libc::umask(0o022);
            // The model has these as well, and no others.
            libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0);
            if libc::chdir(self.root_text.as_ptr()) != 0 {
                libc::_exit(1);
            }
        }
        let done = Try::new(self, value).run(row, report);
        // SAFETY: as above.
        unsafe { libc::_exit(i32::from(done.is_err())) }
    }
}

/// The status of a child that has ended; `None` if it had to be killed.
fn wait(child: i32) -> Option<i32> {
    let mut status = 0;
    // SAFETY: the child is this process's own, and has not been waited for.
    unsafe {
        let descriptor = libc::syscall(libc::SYS_pidfd_open, child, 0) as i32;
        assert!(descriptor >= 0);
        let mut entry = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let ended = libc::poll(&raw mut entry, 1, PATIENCE * 1000) == 1;
        if !ended {
            libc::kill(child, libc::SIGKILL);
        }
        libc::close(descriptor);
        libc::waitpid(child, &raw mut status, 0);
        ended.then_some(status)
    }
}

impl Machine for Host {
    fn call(&mut self, number: i64, [a, b, c, d, e, f]: [i64; 6]) -> Outcome {
        // SAFETY: only in a child process, which may come to any harm.
        let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
        let makes_process = matches!(number, libc::SYS_fork | libc::SYS_clone);
        if makes_process && result >= 0 {
            // SAFETY: the new process has nothing to do; its parent goes on when it has ended.
            unsafe {
                if result == 0 {
                    libc::_exit(0);
                }
                let how = libc::WEXITED | libc::WNOWAIT;
                libc::waitid(libc::P_PID, result as u32, std::ptr::null_mut(), how);
            }
        }
        match result {
            -1 => Outcome::Result(
                -std::io::Error::last_os_error().raw_os_error().map_or(0, i64::from),
            ),
            result => Outcome::Result(result),
        }
    }

    fn write(&mut self, address: i64, bytes: &[u8]) {
        // SAFETY: the address is one of the arena, with this room behind it.
        unsafe { (address as *mut u8).copy_from(bytes.as_ptr(), bytes.len()) };
    }

    fn read(&mut self, address: i64, bytes: &mut [u8]) {
        // SAFETY: as above.
        unsafe { bytes.as_mut_ptr().copy_from(address as *const u8, bytes.len()) };
    }

    fn memory(&self) -> i64 {
        self.arena as i64
    }
}
