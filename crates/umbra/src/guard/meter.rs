//! How much memory the process really has.
#![allow(unsafe_code, reason = "giving freed memory back is a call of the C library")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Reads the resident size from a file that stays open.
pub struct Meter {
    file: Option<File>,
}

impl Meter {
    /// Without the file nothing is ever measured.
    pub fn new() -> Self {
        Self { file: File::open("/proc/self/statm").ok() }
    }

    /// The resident size in bytes, or zero where it cannot be read.
    pub fn resident(&self) -> u64 {
        let mut text = [0; 128];
        let Some(file) = &self.file else { return 0 };
        let length = file.read_at(&mut text, 0).unwrap_or(0);
        let text = std::str::from_utf8(&text[..length]).unwrap_or("");
        let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
        pages.unwrap_or(0) * rustix::param::page_size() as u64
    }
}

/// Gives memory that was freed back to the host. An allocator keeps it otherwise.
pub fn trim() {
    // SAFETY: it may be called at any time, on any thread.
    unsafe { libc::malloc_trim(0) };
}

/// Ends the process at once: nobody else is asked, who may be waiting for memory or for a lock.
pub fn end(code: u8) -> ! {
    // SAFETY: it does not return, and nothing of the process is used any more.
    unsafe { libc::_exit(code.into()) }
}

/// The address space that the process may have (`ulimit -v`), if that is limited.
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// The processor time that the process may take (`ulimit -t`), if that is limited.
pub fn processor_time_limit() -> Option<Duration> {
    let limit = getrlimit(Resource::Cpu);
    limit.current.into_iter().chain(limit.maximum).min().map(Duration::from_secs)
}

/// The processor time that it has taken.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
