//! The thread that writes test cases while paths are explored.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use umbra_case::{Case, KTest};
use umbra_report::{Findings, Keep, RunFolder, Sample, Seen};
use umbra_strategy::Snapshot;
use umbra_words::Finding;

use super::collect::Told;
use crate::{Budget, Control, Error, Journal, JournalError, Stopped};

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
    /// What another process needs to go on. All that was sent before is written then.
    Journal(Box<Page>),
}

/// A page of the journal, but for what was written.
pub struct Page {
    /// The run.
    pub snapshot: Snapshot,
    /// What was told of it.
    pub told: Told,
}

/// Where a run of all paths stands.
#[derive(Serialize, Deserialize)]
pub struct Progress {
    /// The run.
    pub snapshot: Snapshot,
    /// What was told of it.
    pub told: Told,
    /// What was written.
    pub written: Written,
}

/// What was written so far.
#[derive(Default, Serialize, Deserialize)]
pub struct Written {
    /// Test cases.
    pub cases: usize,
    findings: Vec<(Finding, u64)>,
    alike: u64,
    late: u64,
    without_ktest: u64,
}

impl Message {
    /// About how much memory it holds.
    fn bytes(&self) -> u64 {
        let case = match self {
            Self::Case { case, .. } => case,
            // Pages are counted apart.
            Self::Journal(_) => return 0,
            Self::Finding(_) | Self::Sample(_) => return 512,
        };
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

    /// Sends a page of the journal, when the one before is written: so no more than two are lost with the process.
    pub fn send_page(&self, page: Page) {
        let waiting = self.room.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self
            .room
            .freed
            .wait_while(waiting, |waiting| waiting.pages > 0)
            .unwrap_or_else(PoisonError::into_inner);
        waiting.pages += 1;
        self.room.messages.fetch_add(1, Ordering::Relaxed);
        let _ = self.sender.send(Message::Journal(Box::new(page)));
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
    waiting: Mutex<Waiting>,
    freed: Condvar,
    messages: AtomicU64,
}

/// What waits to be written.
#[derive(Default)]
struct Waiting {
    bytes: u64,
    /// Pages of the journal.
    pages: u64,
}

impl Room {
    fn take(&self, bytes: u64) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self
            .freed
            .wait_while(waiting, |waiting| waiting.bytes > self.most)
            .unwrap_or_else(PoisonError::into_inner);
        waiting.bytes += bytes;
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    fn free(&self, bytes: u64, pages: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.bytes -= bytes;
        waiting.pages -= pages;
        drop(waiting);
        self.messages.fetch_sub(1, Ordering::Relaxed);
        self.freed.notify_all();
    }
}

/// What the thread that writes begins with.
pub struct Start {
    /// The folder of the run.
    pub folder: RunFolder,
    /// What was written to it before.
    pub written: Written,
    /// The journal there.
    pub journal: Arc<Journal>,
    /// Whether each test case is written for KLEE's tools, too.
    pub ktest: bool,
}

/// The thread that writes.
pub struct Writer {
    thread: JoinHandle<Results>,
    so_far: SoFar,
}

/// What was written so far, for who has to know before the end.
#[derive(Clone)]
pub struct SoFar {
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
    /// The journal there.
    pub journal: Arc<Journal>,
    /// The errors, with their test cases.
    pub findings: Findings,
    /// Paths whose test is that of another path: what they differ in has no place in a test case.
    pub alike: u64,
    /// Paths whose test was not written any more, since the run is over.
    pub late: u64,
    /// Test cases that KLEE's format has no place for.
    pub without_ktest: u64,
    /// The first thing that could not be written; nothing was written after it.
    pub failure: Option<Error>,
}

impl Writer {
    /// Starts the thread. If something cannot be written it stops the run: without results it is of
    /// no use.
    pub fn start(start: Start, budget: Budget, control: &Control) -> Result<(Self, Queue), Error> {
        let (sender, receiver) = channel();
        let room = Arc::new(Room {
            most: ROOM.min(budget.memory / ROOM_PART),
            waiting: Mutex::default(),
            freed: Condvar::new(),
            messages: AtomicU64::new(0),
        });
        let Start { folder, written, journal, ktest } = start;
        let mut findings = Findings::new(Keep::Smallest);
        for (finding, count) in written.findings {
            findings.restore(finding, count);
        }
        let so_far = SoFar {
            folder: folder.path().to_owned(),
            tests: Arc::new(AtomicU64::new(written.cases as u64)),
            findings: Arc::new(Mutex::new(findings)),
        };
        let mut writing = Writing {
            folder,
            ktest,
            so_far: so_far.clone(),
            journal,
            end: budget.end().map(|end| end + LATE),
            control: control.clone(),
            alike: written.alike,
            late: written.late,
            without_ktest: written.without_ktest,
            failure: None,
        };
        let queue = Queue { sender, room: Arc::clone(&room) };
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                writing.write_all(&receiver, &room);
                writing.into_results()
            })
            .map_err(Error::Writer)?;
        Ok((Self { thread, so_far }, queue))
    }

    /// What was written so far.
    pub fn so_far(&self) -> SoFar {
        self.so_far.clone()
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
    journal: Arc<Journal>,
    ktest: bool,
    so_far: SoFar,
    /// When no more tests are written.
    end: Option<Instant>,
    control: Control,
    alike: u64,
    late: u64,
    without_ktest: u64,
    failure: Option<Error>,
}

impl Writing {
    fn write_all(&mut self, receiver: &Receiver<Message>, room: &Room) {
        for message in receiver {
            let bytes = message.bytes();
            let pages = u64::from(matches!(message, Message::Journal(_)));
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
                    self.so_far.tests.store(self.folder.cases() as u64, Ordering::Relaxed);
                }
            }
            room.free(bytes, pages);
        }
    }

    fn into_results(self) -> Results {
        let findings = self.so_far.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let findings = findings.clone();
        Results {
            folder: self.folder,
            journal: self.journal,
            findings,
            alike: self.alike,
            late: self.late,
            without_ktest: self.without_ktest,
            failure: self.failure,
        }
    }

    fn write(&mut self, message: Message) -> Result<(), Error> {
        match message {
            Message::Sample(sample) => self.folder.write_sample(&sample)?,
            Message::Finding(finding) => self.add(finding)?,
            Message::Journal(page) => self.keep(*page)?,
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

    /// Writes a page of the journal.
    fn keep(&self, page: Page) -> Result<(), JournalError> {
        let findings = self.so_far.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let findings = findings.iter().map(|(finding, count)| (finding.clone(), count));
        let written = Written {
            cases: self.folder.cases(),
            findings: findings.collect(),
            alike: self.alike,
            late: self.late,
            without_ktest: self.without_ktest,
        };
        let Page { snapshot, told } = page;
        self.journal.keep(Progress { snapshot, told, written })
    }

    /// Adds an error; its report is written at once, for those who watch the run.
    fn add(&mut self, finding: Finding) -> Result<(), umbra_report::Error> {
        let copy = finding.clone();
        let seen = {
            let mut findings = self.so_far.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.add(finding)
        };
        match seen {
            Seen::New | Seen::Better => self.folder.write_error(&copy, 1).map(|_| ()),
            Seen::Known => Ok(()),
        }
    }

    fn write_ktest(&mut self, case: &Case, folder: &Path) -> Result<(), Error> {
        match KTest::of_posix(case).and_then(|ktest| ktest.encode()) {
            Ok(bytes) => {
                let path = folder.join("test.ktest");
                std::fs::write(&path, bytes).map_err(Error::file("writing", &path))
            }
            Err(_) => {
                self.without_ktest += 1;
                Ok(())
            }
        }
    }
}
