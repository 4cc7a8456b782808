//! How much memory and time the process really has.
#![allow(unsafe_code, reason = "giving freed memory back is a call of the C library")]

use std::collections::HashMap;
use std::ffi::OsString;
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

/// How long each thread has waited for a processor, as far as the system says.
pub fn waits() -> HashMap<OsString, Duration> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let wait = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        let nanoseconds = text.split(' ').nth(1)?.parse().ok()?;
        Some((task.file_name(), Duration::from_nanos(nanoseconds)))
    };
    tasks.filter_map(wait).collect()
}

/// The longest that a thread has waited for a processor since then.
pub fn longest_wait(since: &HashMap<OsString, Duration>) -> Duration {
    let waited = |(task, now): (OsString, Duration)| {
        now.saturating_sub(since.get(&task).copied().unwrap_or(Duration::ZERO))
    };
    waits().into_iter().map(waited).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_that_shares_a_processor_waits_for_it() {
        let before = waits();
        // Each thread looks for itself: a wait is forgotten with the thread that waited.
        let has_waited = || {
            let start = Instant::now();
            while longest_wait(&before) < Duration::from_millis(20) {
                if start.elapsed() > Duration::from_secs(20) {
                    return false;
                }
            }
            true
        };
        let threads = 4 * std::thread::available_parallelism().map_or(1, usize::from);
        let seen = std::thread::scope(|scope| {
            let spinning: Vec<_> = (0..threads).map(|_| scope.spawn(has_waited)).collect();
            spinning.into_iter().any(|thread| thread.join().unwrap())
        });
        // A system that keeps no account says nothing at all.
        assert!(before.is_empty() || seen);
    }
}
