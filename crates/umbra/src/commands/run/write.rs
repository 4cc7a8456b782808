//! The thread that writes test cases while paths are explored.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context;
use umbra_case::{Case, KTest};
use umbra_report::{Finding, Findings, Keep, RunFolder, Sample, Seen};
use umbra_text::Show;

/// Bytes of test cases that may wait to be written; then workers wait too.
const ROOM: u64 = 256 << 20;

/// What is to be written.
pub enum Message {
    /// A test case, which may show an error.
    Case {
        /// The case.
        case: Box<Case>,
        /// The error.
        finding: Option<Finding>,
    },
    /// An error that gets no test case of its own.
    Finding(Finding),
    /// Where the run stands.
    Sample(Sample),
}

impl Message {
    /// About how much memory it holds.
    fn bytes(&self) -> u64 {
        let Self::Case { case, .. } = self else { return 512 };
        let expected = &case.expected;
        let output = [&expected.stdout, &expected.stderr, &expected.tree];
        let output: usize = output.into_iter().flatten().map(Vec::len).sum();
        case.input_bytes() + output as u64 + 1024
    }
}

/// Where workers put what is to be written.
#[derive(Clone)]
pub struct Queue {
    sender: Sender<Message>,
    room: Arc<Room>,
}

impl Queue {
    /// Waits only if far too much waits already.
    pub fn send(&self, message: Message) {
        self.room.take(message.bytes());
        // Nobody reads after a failure to write, which is reported at the end.
        let _ = self.sender.send(message);
    }

    /// How many messages wait to be written.
    pub fn waiting(&self) -> u64 {
        self.room.messages.load(Ordering::Relaxed)
    }
}

/// How much waits to be written.
#[derive(Default)]
struct Room {
    /// Bytes.
    waiting: Mutex<u64>,
    freed: Condvar,
    messages: AtomicU64,
}

impl Room {
    fn take(&self, bytes: u64) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self
            .freed
            .wait_while(waiting, |waiting| *waiting > ROOM)
            .unwrap_or_else(PoisonError::into_inner);
        *waiting += bytes;
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    fn free(&self, bytes: u64) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.messages.fetch_sub(1, Ordering::Relaxed);
        self.freed.notify_all();
    }
}

/// The thread that writes.
pub struct Writer {
    thread: JoinHandle<Results>,
    written: Arc<AtomicU64>,
}

/// What was written.
pub struct Results {
    /// The folder of the run.
    pub folder: RunFolder,
    /// The errors, with their test cases.
    pub findings: Findings,
    /// Test cases that KLEE's format has no place for.
    pub without_ktest: u64,
    /// The first thing that could not be written; nothing was written after it.
    pub failure: Option<anyhow::Error>,
}

impl Writer {
    /// Starts the thread. If something cannot be written it sets `stop`: a run without results is
    /// of no use.
    pub fn start(folder: RunFolder, ktest: bool, stop: Arc<AtomicBool>) -> (Self, Queue) {
        let (sender, receiver) = channel();
        let room = Arc::new(Room::default());
        let written = Arc::new(AtomicU64::new(0));
        let mut results = Results {
            folder,
            findings: Findings::new(Keep::Smallest),
            without_ktest: 0,
            failure: None,
        };
        let queue = Queue { sender, room: Arc::clone(&room) };
        let counter = Arc::clone(&written);
        let thread = std::thread::spawn(move || {
            results.write_all(&receiver, &room, ktest, &stop, &counter);
            results
        });
        (Self { thread, written }, queue)
    }

    /// Counts test cases as they are written.
    pub fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.written)
    }

    /// Waits until everything is written; all queues must be gone.
    pub fn finish(self) -> Results {
        match self.thread.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Results {
    fn write_all(
        &mut self,
        receiver: &Receiver<Message>,
        room: &Room,
        ktest: bool,
        stop: &AtomicBool,
        written: &AtomicU64,
    ) {
        for message in receiver {
            let bytes = message.bytes();
            if self.failure.is_none() {
                if let Err(error) = self.write(message, ktest) {
                    self.failure = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
                written.store(self.folder.cases() as u64, Ordering::Relaxed);
            }
            room.free(bytes);
        }
    }

    fn write(&mut self, message: Message, ktest: bool) -> anyhow::Result<()> {
        match message {
            Message::Sample(sample) => self.folder.write_sample(&sample)?,
            Message::Finding(finding) => self.add(finding)?,
            Message::Case { case, finding } => {
                let written = self.folder.write_case(&case)?;
                if ktest && written.is_new {
                    self.write_ktest(&case, &self.folder.path().join(&written.name))?;
                }
                if let Some(finding) = finding {
                    self.add(Finding { case: Some(written.name), ..finding })?;
                }
            }
        }
        Ok(())
    }

    /// Adds an error; its report is written at once, for those who watch the run.
    fn add(&mut self, finding: Finding) -> Result<(), umbra_report::Error> {
        let copy = finding.clone();
        match self.findings.add(finding) {
            Seen::New | Seen::Better => self.folder.write_error(&copy, 1).map(|_| ()),
            Seen::Known => Ok(()),
        }
    }

    fn write_ktest(&mut self, case: &Case, folder: &Path) -> anyhow::Result<()> {
        match KTest::of_posix(case).and_then(|ktest| ktest.encode()) {
            Ok(bytes) => {
                let path = folder.join("test.ktest");
                std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.shown()))
            }
            Err(_) => {
                self.without_ktest += 1;
                Ok(())
            }
        }
    }
}
