//! One invocation while it runs: its system calls become touches.

use std::collections::BTreeSet;
use std::ffi::c_long;
use std::path::Path;

use libc::pid_t;

use super::files::Files;
use super::process::{self, Gathered, StreamKey};
use super::written::Outputs;
use super::{Following, calls, counters, memory};
use crate::raw::{Cap, End, Interest, Note, Recording, Start, Stream, Target};
use crate::settings::{Caps, Counters, Settings};

/// Flags of open(2) that say that a file is written.
const WRITING: u64 = (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC | libc::O_CREAT) as u64;

/// An invocation that runs.
pub struct Invocation {
    /// The process.
    pub leader: pid_t,
    program: u32,
    test: Option<Vec<u8>>,
    start: Start,
    files: Files,
    streams: Vec<(StreamKey, Stream)>,
    outputs: Outputs,
    written: BTreeSet<Vec<u8>>,
    counters: Option<Counters>,
    blocks: Option<Vec<u8>>,
    caps: Caps,
}

/// A system call at its entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its number.
    pub number: c_long,
    /// Its arguments.
    pub arguments: [u64; 6],
}

/// What to do when a call was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Let it run.
    Go,
    /// Stop again at its return: it reads from a stream, or writes output.
    Return,
    /// Let it run; it may show which processors a process may use.
    ShowProcessors,
}

impl Invocation {
    /// The process has just become a program of interest. `real` is the folder of the real programs.
    pub fn begin(
        pid: pid_t,
        program: u32,
        following: Following,
        test: Option<Vec<u8>>,
        settings: &Settings,
        real: &Path,
    ) -> Self {
        let described = settings.programs.get(program as usize);
        let Gathered { start, files, streams } = process::gather(pid, following, settings, real);
        let stream = |(key, descriptor)| (key, Stream { descriptor, bytes: Vec::new() });
        let is_written = |flags: u32| flags & libc::O_ACCMODE as u32 != libc::O_RDONLY as u32;
        let written = start.descriptors.iter().filter_map(|descriptor| match &descriptor.target {
            Target::File(path) if is_written(descriptor.flags) => Some(path.clone()),
            _ => None,
        });
        let written = written.collect();
        Self {
            leader: pid,
            program,
            test,
            start,
            files,
            streams: streams.into_iter().map(stream).collect(),
            outputs: Outputs::new(pid, settings.caps.output),
            written,
            counters: described.and_then(|program| program.counters),
            blocks: None,
            caps: settings.caps,
        }
    }

    /// Adds a note.
    pub fn note(&mut self, note: Note) {
        self.files.notes.insert(note);
    }

    /// A process of the invocation is about to make a call.
    pub fn enter(&mut self, pid: pid_t, entry: &Entry) -> Next {
        if let Some(call) = calls::by_number(entry.number) {
            let next = self.touch_paths(pid, call, entry);
            if matches!(entry.number, libc::SYS_execve | libc::SYS_execveat) {
                // If the call succeeds, the memory is gone.
                self.read_blocks(pid);
            }
            return next;
        }
        match entry.number {
            libc::SYS_sched_getaffinity | libc::SYS_sched_setaffinity => Next::ShowProcessors,
            libc::SYS_getdents | libc::SYS_getdents64 => {
                if let Some(folder) = process::link(pid, &format!("fd/{}", entry.arguments[0])) {
                    self.files.list(&folder);
                }
                Next::Go
            }
            libc::SYS_socket | libc::SYS_socketpair => {
                let is_local = entry.arguments[0] == libc::AF_UNIX as u64;
                self.note(if is_local { Note::Socket } else { Note::Network });
                Next::Go
            }
            _ => match self.outputs.enter(pid, entry) {
                Next::Go => self.enter_reading(pid, entry),
                next => next,
            },
        }
    }

    /// A call that reads from a stream or writes output has returned.
    pub fn leave(&mut self, pid: pid_t, entry: &Entry, result: i64) {
        self.outputs.leave(pid, entry, result);
        let Ok(length) = usize::try_from(result) else { return };
        let Some(at) = self.stream(pid, entry) else { return };
        if length == 0 {
            return;
        }
        let [_, buffer, count, ..] = entry.arguments;
        let bytes = match entry.number {
            libc::SYS_read | libc::SYS_recvfrom => memory::bytes(pid, buffer, length),
            libc::SYS_readv => memory::scattered(pid, buffer, count, length),
            _ => None,
        };
        let Some(bytes) = bytes else {
            self.note(Note::UnfollowedStream);
            return;
        };
        let stream = &mut self.streams[at].1;
        if (stream.bytes.len() + bytes.len()) as u64 > self.caps.stream {
            self.files.exceeded.insert(Cap::Stream);
        } else {
            stream.bytes.extend(bytes);
        }
    }

    /// Reads the block counters while the process still has its memory.
    pub fn read_blocks(&mut self, pid: pid_t) {
        if pid == self.leader
            && let Some(counters) = &self.counters
        {
            self.blocks = counters::read(pid, counters).or(self.blocks.take());
        }
    }

    /// The recording and the contents that belong to it.
    pub fn finish(mut self, end: End) -> (Recording, Files) {
        self.files.note_changes(&self.written);
        let outputs = self.outputs.finish();
        if outputs.iter().any(Option::is_none) {
            self.files.notes.insert(Note::Output);
        }
        let recording = Recording {
            program: self.program,
            process: self.leader as u32,
            test: self.test,
            start: self.start,
            touched: std::mem::take(&mut self.files.touched),
            streams: self.streams.into_iter().map(|(_, stream)| stream).collect(),
            system: std::mem::take(&mut self.files.system),
            notes: std::mem::take(&mut self.files.notes),
            exceeded: std::mem::take(&mut self.files.exceeded),
            end,
            outputs,
            blocks: self.blocks,
        };
        (recording, self.files)
    }

    fn touch_paths(&mut self, pid: pid_t, call: &calls::Call, entry: &Entry) -> Next {
        let mut next = Next::Go;
        if call.number == libc::SYS_chroot {
            self.note(Note::Chroot);
        }
        for argument in call.paths {
            let Some(path) = memory::string(pid, entry.arguments[argument.path]) else { continue };
            // An empty path is the descriptor itself, or an error.
            if path.is_empty() {
                continue;
            }
            if path.ends_with(b"status") {
                // Below /proc, it tells of processors.
                next = Next::ShowProcessors;
            }
            let Some(base) = base(pid, argument.base.map(|index| entry.arguments[index])) else {
                if !path.starts_with(b"/") {
                    self.note(Note::NoDirectory);
                    continue;
                }
                self.touch(b"/", &path, argument, entry);
                continue;
            };
            self.touch(&base, &path, argument, entry);
        }
        next
    }

    fn touch(&mut self, base: &[u8], path: &[u8], argument: &calls::PathArgument, entry: &Entry) {
        let follow = argument.follows(&entry.arguments);
        let reached = self.files.touch(base, path, follow, argument.interest);
        let writes = match entry.number {
            libc::SYS_open => entry.arguments[1] & WRITING != 0,
            libc::SYS_openat => entry.arguments[2] & WRITING != 0,
            _ => argument.interest == Interest::Content,
        };
        if writes && let Some(path) = reached {
            self.written.insert(path);
        }
    }

    fn enter_reading(&mut self, pid: pid_t, entry: &Entry) -> Next {
        match self.stream(pid, entry) {
            Some(_) => Next::Return,
            None => Next::Go,
        }
    }

    fn stream(&self, pid: pid_t, entry: &Entry) -> Option<usize> {
        // Output goes to a stream, too.
        if !calls::READING.contains(&entry.number) {
            return None;
        }
        let descriptor = match entry.number {
            libc::SYS_sendfile => entry.arguments[1],
            _ => entry.arguments[0],
        };
        let key = process::stream_key(pid, descriptor)?;
        self.streams.iter().position(|(other, _)| *other == key)
    }
}

/// The folder that a path starts from.
fn base(pid: pid_t, descriptor: Option<u64>) -> Option<Vec<u8>> {
    let path = match descriptor.map(|descriptor| descriptor as i32) {
        None | Some(libc::AT_FDCWD) => process::link(pid, "cwd"),
        Some(descriptor) => process::link(pid, &format!("fd/{descriptor}")),
    };
    path.filter(|path| path.starts_with(b"/") && !path.ends_with(b" (deleted)"))
}
