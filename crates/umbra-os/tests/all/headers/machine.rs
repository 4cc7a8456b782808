//! System calls on the host's kernel and on the model, through one seam: what a try needs is made
//! by the same calls on both.

use super::row::{Row, Step, Word};
use crate::memory::{BASE, FlatMemory};
use crate::model::{User, config};
use std::path::Path;
use umbra_engine::{Answer, Environment, UserMemory};
use umbra_os::Kernel;

/// Bytes that each argument in memory has for itself.
pub(super) const ROOM: usize = 4096;
/// Arguments in memory that one try may have.
pub(super) const PLACES: usize = 64;
/// Bytes that a call may fill.
const ROOM_FOR_RESULTS: usize = 512;
/// Words that one try may report.
const WORDS: usize = 60;

/// What comes of a call.
pub(super) enum Outcome {
    Result(i64),
    Killed(i32),
    /// The path of the model ends.
    Cut(String),
}

/// Something that answers system calls.
pub(super) trait Machine {
    fn call(&mut self, number: i64, words: [i64; 6]) -> Outcome;
    fn write(&mut self, address: i64, bytes: &[u8]);
    fn read(&mut self, address: i64, bytes: &mut [u8]);
    /// Where arguments in memory lie.
    fn memory(&self) -> i64;
}

/// The results of a try, in a form that a child process can leave in shared memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Report {
    length: usize,
    words: [i64; WORDS],
}

/// What stands for the end of the process: the signal is added.
const KILLED: i64 = i64::MIN;
/// What stands for a call that does not come back.
const BLOCKED: i64 = i64::MIN + 0x1000;

impl Report {
    pub(super) const EMPTY: Report = Report { length: 0, words: [0; WORDS] };

    pub(super) fn push(&mut self, word: i64) {
        self.words[self.length] = word;
        self.length += 1;
    }

    pub(super) fn killed(&mut self, signal: i32) {
        self.push(KILLED + i64::from(signal));
    }

    pub(super) fn blocked(&mut self) {
        self.push(BLOCKED);
    }

    pub(super) fn words(&self) -> &[i64] {
        &self.words[..self.length]
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.words().iter().map(|&word| match word {
            BLOCKED => "blocked".to_owned(),
            KILLED..0 if word < KILLED + 100 => format!("killed by {}", word - KILLED),
            -4095..0 => format!("errno {}", -word),
            _ => format!("{word:#x}"),
        });
        write!(f, "{}", shown.collect::<Vec<_>>().join(", "))
    }
}

/// One try: a row with a value in it.
pub(super) struct Try<'a, M: Machine> {
    machine: &'a mut M,
    value: i64,
    places: usize,
    /// Descriptors and pages that were made, by what they are.
    made: [Option<i64>; Word::KINDS],
    results: [i64; 8],
    /// What the step in hand fills: addresses and lengths.
    outs: [Option<(i64, usize)>; 4],
}

impl<'a, M: Machine> Try<'a, M> {
    pub(super) fn new(machine: &'a mut M, value: i64) -> Try<'a, M> {
        Try {
            machine,
            value,
            places: 0,
            made: [None; Word::KINDS],
            results: [0; 8],
            outs: [None; 4],
        }
    }

    /// Makes the calls of a row; stops where the process ends. Says why if the model cuts.
    pub(super) fn run(&mut self, row: &Row, report: &mut Report) -> Result<(), String> {
        for (n, step) in row.steps.iter().enumerate() {
            match self.step(step)? {
                Outcome::Result(result) => {
                    self.results[n] = result;
                    let failed = (-4095..0).contains(&result);
                    report.push(if failed || step.value { result } else { 0 });
                    if !failed {
                        self.shown(report);
                    }
                }
                Outcome::Killed(signal) => {
                    report.killed(signal);
                    return Ok(());
                }
                Outcome::Cut(why) => return Err(why),
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<Outcome, String> {
        self.outs = [None; 4];
        let mut words = [0; 6];
        for (word, given) in words.iter_mut().zip(step.words) {
            *word = self.word(given)?;
        }
        Ok(self.machine.call(step.call, words))
    }

    /// Reports the memory that a call was to fill.
    fn shown(&mut self, report: &mut Report) {
        for (at, length) in self.outs.into_iter().flatten() {
            let mut bytes = [0; ROOM_FOR_RESULTS];
            self.machine.read(at, &mut bytes[..length]);
            for chunk in bytes[..length].chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                report.push(i64::from_le_bytes(word));
            }
        }
    }

    fn place(&mut self, bytes: &[u8]) -> i64 {
        assert!(self.places < PLACES && bytes.len() <= ROOM);
        let at = self.machine.memory() + (self.places * ROOM) as i64;
        self.places += 1;
        self.machine.write(at, bytes);
        at
    }

    fn longs(&mut self, given: &[Word]) -> Result<i64, String> {
        let mut bytes = [0; 64];
        for (place, word) in bytes.chunks_mut(8).zip(given) {
            place.copy_from_slice(&self.word(word)?.to_le_bytes());
        }
        Ok(self.place(&bytes))
    }

    /// Memory that is reported after the call.
    fn compare(&mut self, at: i64, length: usize) -> i64 {
        let free = self.outs.iter_mut().find(|out| out.is_none());
        *free.unwrap() = Some((at, length));
        at
    }

    fn word(&mut self, word: &Word) -> Result<i64, String> {
        Ok(match *word {
            Word::Number(number) => number,
            Word::Tried(base) => base | self.value,
            Word::Result(n) => self.results[n],
            Word::Text(text) => {
                let mut bytes = [0; 64];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                self.place(&bytes[..=text.len()])
            }
            Word::Buffer => self.place(&[0; ROOM_FOR_RESULTS]),
            Word::Out(length) => {
                let at = self.place(&[0; ROOM_FOR_RESULTS]);
                self.compare(at, length)
            }
            Word::Ints(given) => {
                let mut bytes = [0; 64];
                for (place, word) in bytes.chunks_mut(4).zip(given) {
                    place.copy_from_slice(&(self.word(word)? as i32).to_le_bytes());
                }
                self.place(&bytes)
            }
            Word::Longs(given) => self.longs(given)?,
            Word::Changed(given) => {
                let at = self.longs(given)?;
                self.compare(at, given.len() * 8)
            }
            Word::Polled(descriptor) => {
                let mut bytes = [0; 8];
                bytes[..4].copy_from_slice(&(self.word(descriptor)? as i32).to_le_bytes());
                bytes[4..6].copy_from_slice(&(self.value as i16).to_le_bytes());
                let at = self.place(&bytes);
                self.compare(at + 6, 2);
                at
            }
            Word::Shifted(low, high) => {
                (self.word(low)? & 0xffff) | (self.word(high)? & 0xffff) << 16
            }
            Word::Own => self.made(word, libc::SYS_getpid, [0; 6])?,
            Word::Child => self.made(word, libc::SYS_fork, [0; 6])?,
            Word::File => self.opened(word, "file", libc::O_RDWR)?,
            Word::Reader => self.opened(word, "file", libc::O_RDONLY)?,
            Word::Directory => self.opened(word, ".", libc::O_RDONLY)?,
            Word::PipeOut | Word::PipeIn => {
                let ends = |at| [at, i64::from(libc::O_NONBLOCK), 0, 0, 0, 0];
                self.ends(libc::SYS_pipe2, ends, (Word::PipeOut, Word::PipeIn))?;
                self.known(word)
            }
            Word::PairOne | Word::PairTwo => {
                let kind = i64::from(libc::SOCK_STREAM | libc::SOCK_NONBLOCK);
                let ends = |at| [i64::from(libc::AF_UNIX), kind, 0, at, 0, 0];
                self.ends(libc::SYS_socketpair, ends, (Word::PairOne, Word::PairTwo))?;
                self.known(word)
            }
            Word::Socket => self.made(word, libc::SYS_socket, [1, 1, 0, 0, 0, 0])?,
            Word::Event => {
                self.made(word, libc::SYS_eventfd2, [3, libc::O_NONBLOCK.into(), 0, 0, 0, 0])?
            }
            Word::Watcher => {
                self.made(word, libc::SYS_inotify_init1, [libc::O_NONBLOCK.into(), 0, 0, 0, 0, 0])?
            }
            Word::MemoryFile => {
                let name = self.place(b"name\0");
                self.made(word, libc::SYS_memfd_create, [name, 0, 0, 0, 0, 0])?
            }
            Word::Page => self.made(word, libc::SYS_mmap, [0, 8192, 3, 0x22, -1, 0])?,
            Word::FilePage => {
                let file = self.word(&Word::File)?;
                self.made(word, libc::SYS_mmap, [0, 4096, 3, 1, file, 0])?
            }
        })
    }

    fn known(&self, word: &Word) -> i64 {
        self.made[word.kind()].unwrap_or(-1)
    }

    /// What a call gives, which is made once in a try.
    fn made(&mut self, word: &Word, call: i64, words: [i64; 6]) -> Result<i64, String> {
        if self.made[word.kind()].is_none() {
            match self.machine.call(call, words) {
                Outcome::Result(result) if !(-4095..0).contains(&result) => {
                    self.made[word.kind()] = Some(result);
                }
                Outcome::Cut(why) => return Err(why),
                _ => panic!("call {call} fails"),
            }
        }
        Ok(self.known(word))
    }

    fn opened(&mut self, word: &Word, name: &str, flags: i32) -> Result<i64, String> {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        let path = self.place(&bytes);
        let words = [libc::AT_FDCWD.into(), path, flags.into(), 0, 0, 0];
        self.made(word, libc::SYS_openat, words)
    }

    fn ends(
        &mut self,
        call: i64,
        words: impl Fn(i64) -> [i64; 6],
        (one, two): (Word, Word),
    ) -> Result<(), String> {
        if self.made[one.kind()].is_some() {
            return Ok(());
        }
        let at = self.place(&[0; 8]);
        if let Outcome::Cut(why) = self.machine.call(call, words(at)) {
            return Err(why);
        }
        let mut bytes = [0; 8];
        self.machine.read(at, &mut bytes);
        for (word, bytes) in [one, two].iter().zip(bytes.chunks(4)) {
            let fd = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            self.made[word.kind()] = Some(fd.into());
        }
        Ok(())
    }
}

/// The model, in a state that each try gets a copy of.
pub(super) struct Model {
    kernel: Kernel,
    memory: FlatMemory,
}

/// The modelled kernel over a folder, for the user that runs the test.
pub(super) fn kernel(root: &Path) -> Kernel {
    Kernel::new(config(root, &User::own())).unwrap()
}

impl Model {
    pub(super) fn of(kernel: &Kernel) -> Model {
        Model { kernel: kernel.clone(), memory: FlatMemory::new() }
    }
}

impl Machine for Model {
    fn call(&mut self, number: i64, words: [i64; 6]) -> Outcome {
        let words = words.map(|word| word as u64);
        match self.kernel.system_call(&mut self.memory, number as u64, words) {
            Answer::Return(result) | Answer::Interrupted { result, .. } => Outcome::Result(result),
            Answer::Killed(signal) => Outcome::Killed(signal),
            Answer::Unsupported(why) | Answer::Endless(why) => Outcome::Cut(why),
            // The child goes on; its end is that of the call in the parent.
            Answer::Forked(pid) => {
                let exit = libc::SYS_exit_group as u64;
                self.kernel.system_call(&mut self.memory, exit, [0; 6]);
                Outcome::Result(pid)
            }
            other => panic!("call {number} {words:?}: {other:?}"),
        }
    }

    fn write(&mut self, address: i64, bytes: &[u8]) {
        self.memory.write(address as u64, bytes).unwrap();
    }

    fn read(&mut self, address: i64, bytes: &mut [u8]) {
        self.memory.read(address as u64, bytes).unwrap();
    }

    fn memory(&self) -> i64 {
        BASE as i64
    }
}
