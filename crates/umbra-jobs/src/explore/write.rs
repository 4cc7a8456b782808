//! The thread that writes test cases while paths are explored.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use umbra_case::{Case, KTest};
use umbra_report::{Findings, Keep, RunFolder, Sample, Seen};
use umbra_text::Show;
use umbra_words::Finding;

use crate::{Budget, Control, Stopped};

/// Bytes of test cases that may wait to be written, and which part of the memory of the run that may
/// be; then workers wait too.
const ROOM: u64 = 256 << 20;
const ROOM_PART: u64 = 16;

/// How long tests are still written after the end of a run: first that of its time, then that of a run
/// that was stopped from outside.
const LATE: Duration = Duration::from_millis(250);
const LATE_STOPPED: Duration = Duration::from_secs(1);

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
struct Room {
    /// Bytes that may wait.
    most: u64,
    /// Bytes that do.
    waiting: Mutex<u64>,
    freed: Condvar,
    messages: AtomicU64,
}

impl Room {
    fn take(&self, bytes: u64) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self
            .freed
            .wait_while(waiting, |waiting| *waiting > self.most)
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
    progress: Progress,
}

/// What was written so far, for who has to know before the end.
#[derive(Clone)]
pub struct Progress {
    /// The folder of the run.
    pub folder: PathBuf,
    /// Test cases.
    pub tests: Arc<AtomicU64>,
    /// The errors, with their test cases.
    pub findings: Arc<Mutex<Findings>>,
}

/// What was written.
pub struct Results {
    /// The folder of the run.
    pub folder: RunFolder,
    /// The errors, with their test cases.
    pub findings: Findings,
    /// Paths whose test is that of another path: what they differ in has no place in a test case.
    pub alike: u64,
    /// Paths whose test was not written any more, since the run is over.
    pub late: u64,
    /// Test cases that KLEE's format has no place for.
    pub without_ktest: u64,
    /// The first thing that could not be written; nothing was written after it.
    pub failure: Option<anyhow::Error>,
}

impl Writer {
    /// Starts the thread. If something cannot be written it stops the run: without results it is of
    /// no use.
    pub fn start(
        folder: RunFolder,
        ktest: bool,
        budget: Budget,
        control: &Control,
    ) -> anyhow::Result<(Self, Queue)> {
        let (sender, receiver) = channel();
        let room = Arc::new(Room {
            most: ROOM.min(budget.memory / ROOM_PART),
            waiting: Mutex::default(),
            freed: Condvar::new(),
            messages: AtomicU64::new(0),
        });
        let progress = Progress {
            folder: folder.path().to_owned(),
            tests: Arc::default(),
            findings: Arc::new(Mutex::new(Findings::new(Keep::Smallest))),
        };
        let mut writing = Writing {
            folder,
            ktest,
            progress: progress.clone(),
            end: budget.end().map(|end| end + LATE),
            control: control.clone(),
            alike: 0,
            late: 0,
            without_ktest: 0,
            failure: None,
        };
        let queue = Queue { sender, room: Arc::clone(&room) };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                writing.write_all(&receiver, &room);
                writing.into_results()
            })
            .context("starting the thread that writes test cases (see ulimit -u and -v)")?;
        Ok((Self { thread, progress }, queue))
    }

    /// What was written so far.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Waits until everything is written; all queues must be gone.
    pub fn finish(self) -> Results {
        match self.thread.join() {
            Ok(results) => results,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// What the thread that writes has.
struct Writing {
    folder: RunFolder,
    ktest: bool,
    progress: Progress,
    /// When no more tests are written.
    end: Option<Instant>,
    control: Control,
    alike: u64,
    late: u64,
    without_ktest: u64,
    failure: Option<anyhow::Error>,
}

impl Writing {
    fn write_all(&mut self, receiver: &Receiver<Message>, room: &Room) {
        for message in receiver {
            let bytes = message.bytes();
            if self.end.is_none() && self.control.stopped().is_some() {
                self.end = Some(Instant::now() + LATE_STOPPED);
            }
            let late = self.end.is_some_and(|end| Instant::now() >= end);
            match message {
                // Errors are what a run is for.
                Message::Case { finding: None, .. } if late => self.late += 1,
                _ if self.failure.is_some() => {}
                message => {
                    if let Err(error) = self.write(message) {
                        self.failure = Some(error);
                        self.control.stop(Stopped::Interrupted);
                    }
                    self.progress.tests.store(self.folder.cases() as u64, Ordering::Relaxed);
                }
            }
            room.free(bytes);
        }
    }

    fn into_results(self) -> Results {
        let findings = self.progress.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let findings = findings.clone();
        Results {
            folder: self.folder,
            findings,
            alike: self.alike,
            late: self.late,
            without_ktest: self.without_ktest,
            failure: self.failure,
        }
    }

    fn write(&mut self, message: Message) -> anyhow::Result<()> {
        match message {
            Message::Sample(sample) => self.folder.write_sample(&sample)?,
            Message::Finding(finding) => self.add(finding)?,
            Message::Case { case, finding } => {
                let written = self.folder.write_case(&case)?;
                self.alike += u64::from(!written.is_new);
                if self.ktest && written.is_new {
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
        let seen = {
            let mut findings =
                self.progress.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.add(finding)
        };
        match seen {
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
