//! What the processes of an invocation write to its standard output and error.
//!
//! A descriptor is followed under its own number while it leads to where it led at the start. What
//! goes there by another way (a copy of the descriptor, `sendfile`) is not seen; then nothing of
//! that stream is kept, since half of an output is worse than none.

use libc::pid_t;

use super::calls;
use super::invocation::{Entry, Next};
use super::memory;
use super::process::{self, Place};

/// Standard output and error of an invocation.
pub struct Outputs {
    channels: [Channel; 2],
    cap: u64,
    /// Writes that have begun and not returned.
    pending: u32,
}

struct Channel {
    place: Option<Place>,
    /// `None` once something was missed.
    bytes: Option<Vec<u8>>,
}

impl Outputs {
    /// Those of a process that has just started, each kept up to so many bytes.
    pub fn new(pid: pid_t, cap: u64) -> Self {
        let channel = |number| Channel { place: process::place(pid, number), bytes: Some(vec![]) };
        Self { channels: [channel(1), channel(2)], cap, pending: 0 }
    }

    /// A process is about to make a call.
    pub fn enter(&mut self, pid: pid_t, entry: &Entry) -> Next {
        let Some(argument) = calls::output_argument(entry.number) else { return Next::Go };
        let Some(channel) = self.channel(pid, entry.arguments[argument]) else { return Next::Go };
        match entry.number {
            libc::SYS_write | libc::SYS_writev => {
                if channel.bytes.is_none() {
                    return Next::Go;
                }
                self.pending += 1;
                Next::Return
            }
            libc::SYS_fcntl if !is_copy(entry.arguments[1]) => Next::Go,
            _ => {
                channel.bytes = None;
                Next::Go
            }
        }
    }

    /// A call has returned.
    pub fn leave(&mut self, pid: pid_t, entry: &Entry, result: i64) {
        let [descriptor, buffer, count, ..] = entry.arguments;
        let cap = self.cap;
        let followed = matches!(entry.number, libc::SYS_write | libc::SYS_writev);
        if !followed {
            return;
        }
        let Some(channel) = self.channel(pid, descriptor) else { return };
        let length = usize::try_from(result).unwrap_or(0);
        let written = match (length, entry.number) {
            (0, _) => Some(vec![]),
            (_, libc::SYS_write) => memory::bytes(pid, buffer, length),
            _ => memory::scattered(pid, buffer, count, length),
        };
        channel.bytes = match (channel.bytes.take(), written) {
            (Some(mut bytes), Some(written)) => {
                bytes.extend(written);
                (bytes.len() as u64 <= cap).then_some(bytes)
            }
            _ => None,
        };
        self.pending = self.pending.saturating_sub(1);
    }

    /// What was written, if all of it is known.
    pub fn finish(self) -> [Option<Vec<u8>>; 2] {
        let is_whole = self.pending == 0;
        self.channels.map(|channel| channel.bytes.filter(|_| is_whole))
    }

    fn channel(&mut self, pid: pid_t, descriptor: u64) -> Option<&mut Channel> {
        let index = match descriptor as u32 {
            1 => 0,
            2 => 1,
            _ => return None,
        };
        let channel = &mut self.channels[index];
        let place = channel.place?;
        (process::place(pid, index as u32 + 1) == Some(place)).then_some(channel)
    }
}

/// Whether a command of fcntl(2) copies the descriptor.
fn is_copy(command: u64) -> bool {
    matches!(command as i32, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC)
}
