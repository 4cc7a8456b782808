//! Shared mappings that a program asks for, where no control group counts them.
//!
//! The pages of shared memory belong to no process: they stay when all who touched them have unmapped
//! them or ended, as long as somebody maps a part. So each request is counted before it is granted, by
//! its length and for good. A filter of system calls stops the caller and tells us
//! (seccomp_unotify(2)); the arguments that count are numbers, which the caller cannot change meanwhile.
//!
//! A shared mapping of a regular file is memory that the limit on files counts. That the descriptor
//! leads to one is only looked up where no other thread could put another in its place; the filter
//! refuses processes that share descriptors otherwise.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::process::{self, Answer, Pid, Request};

const PAGE: u64 = 4096;

/// The requests of one run.
pub struct Asked {
    listener: OwnedFd,
    most: u64,
    /// Bytes that were granted.
    pub granted: u64,
    /// Something was refused.
    pub refused: bool,
}

impl Asked {
    /// Takes over the filter's end; grants at most this many bytes.
    pub fn new(listener: OwnedFd, most: u64) -> Self {
        Self { listener, most, granted: 0, refused: false }
    }

    /// Tells when somebody waits for an answer.
    pub fn listener(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Answers who waits. Call it when there is somebody.
    pub fn answer(&mut self) -> io::Result<()> {
        let request = match process::receive_request(&self.listener) {
            Ok(request) => request,
            // It was killed meanwhile.
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(()),
            Err(error) => return Err(error),
        };
        let answer = self.decide(&request);
        match process::send_answer(&self.listener, request.id, answer) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
            done => done,
        }
    }

    fn decide(&mut self, request: &Request) -> Answer {
        let [_, length, _, flags, descriptor, _] = request.arguments;
        let is_anonymous = flags & libc::MAP_ANONYMOUS as u64 != 0;
        if !is_anonymous && is_file(request.process, descriptor as u32) {
            return Answer::Continue;
        }
        let length = length.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX);
        match self.granted.checked_add(length).filter(|sum| *sum <= self.most) {
            Some(sum) => {
                self.granted = sum;
                Answer::Continue
            }
            None => {
                self.refused = true;
                Answer::Error(libc::ENOMEM)
            }
        }
    }
}

/// Whether a descriptor is of a regular file, and stays it until the call that waits is made.
fn is_file(process: Pid, descriptor: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    let is_alone = threads.is_some_and(|threads| threads.trim() == "1");
    // Looked at, not opened.
    let kind = fs::metadata(format!("/proc/{process}/fd/{descriptor}")).map(|at| at.file_type());
    is_alone && kind.is_ok_and(|kind| kind.is_file())
}
