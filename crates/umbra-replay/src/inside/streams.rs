//! Our ends of a program's pipes. Nothing here waits.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_setfl};

use super::descriptors::Kind;
use super::terminals::written;
use umbra_compare::Captured;

/// A stream that the program writes.
pub struct Output {
    /// Its number in the program.
    pub number: u32,
    /// Our end, until it is closed.
    pub end: Option<File>,
    /// What came.
    pub kept: Captured,
    kind: Kind,
}

/// A stream that the program reads.
pub struct Input {
    /// Our end, until it is closed.
    pub end: Option<File>,
    bytes: Vec<u8>,
    written: usize,
}

fn without_waiting(end: OwnedFd) -> io::Result<File> {
    fcntl_setfl(&end, OFlags::NONBLOCK)?;
    Ok(File::from(end))
}

impl Output {
    /// What comes from the program's descriptor `number`.
    pub fn new(number: u32, end: OwnedFd, kind: Kind) -> io::Result<Self> {
        Ok(Self { number, end: Some(without_waiting(end)?), kept: Captured::default(), kind })
    }

    /// What the program wrote.
    pub fn take(&mut self) -> Captured {
        let kept = std::mem::take(&mut self.kept);
        match self.kind {
            Kind::Pipe => kept,
            Kind::Terminal => Captured { bytes: written(&kept.bytes), ..kept },
        }
    }

    /// Reads what is there; at most `most` bytes are kept.
    pub fn read(&mut self, most: usize) {
        let mut buffer = [0; 1 << 16];
        while let Some(end) = &mut self.end {
            match end.read(&mut buffer) {
                Ok(0) => self.end = None,
                Ok(count) => {
                    let room = most - self.kept.bytes.len();
                    self.kept.bytes.extend_from_slice(&buffer[..count.min(room)]);
                    self.kept.cut |= count > room;
                    if self.kept.cut {
                        // Whoever goes on writing blocks or gets SIGPIPE until it is killed.
                        self.end = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.end = None,
            }
        }
    }
}

impl Input {
    /// What the program can read.
    pub fn new(end: OwnedFd, bytes: Vec<u8>) -> io::Result<Self> {
        Ok(Self { end: Some(without_waiting(end)?), bytes, written: 0 })
    }

    /// Writes what fits.
    pub fn write(&mut self) {
        while let Some(end) = &mut self.end {
            if self.written == self.bytes.len() {
                self.end = None;
                return;
            }
            match end.write(&self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // The program has closed its end.
                Err(_) => self.end = None,
            }
        }
    }
}
