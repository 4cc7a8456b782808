//! Watches a program from its start to the end of the last process it left: feeds its input, keeps
//! its output, holds its limits.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::account::Account;
use super::asked::Asked;
use super::process::{self, Pid, Waited};
use super::streams::{Input, Output};
use super::trace::{Tracer, is_stop};
use super::{descriptors::Descriptors, processes};
use crate::Confinement;
use crate::wire::Job;
use umbra_compare::{Blocks, Captured, Note, Usage};
use umbra_words::{End, LimitKind};

/// How often memory is looked at. A program fills about 50 MiB in that time.
const TICK: Duration = Duration::from_millis(10);

/// Told when the process that asked for the run is gone.
pub struct Abandoned;

/// What was seen.
pub struct Seen {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub blocks: Option<Blocks>,
    pub usage: Usage,
    pub notes: Vec<Note>,
}

/// What is watched, and how.
pub struct Watched<'a> {
    pub program: Pid,
    pub tracer: Option<Tracer>,
    /// Where it asks for shared mappings, if it has to.
    pub asked: Option<Asked>,
    pub account: Account<'a>,
    /// Looks whether the run uses more disk than it may, where the file system does not limit it.
    pub disk: Option<&'a dyn Fn() -> bool>,
}

/// One run under watch.
pub struct Watch<'a> {
    job: &'a Job,
    confinement: Confinement,
    program: Pid,
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    tracer: Option<Tracer>,
    asked: Option<Asked>,
    account: Account<'a>,
    disk: Option<&'a dyn Fn() -> bool>,
    started: Instant,
    ticks: u64,
    /// The program's own end, once it has ended.
    ended: Option<(Waited, Instant)>,
    /// Why everything is being killed, if it is.
    stopped: Option<End>,
    killing: bool,
    survivors: u64,
    /// Shared mappings were refused, by an `asked` that is gone.
    refused_memory: bool,
}

/// Blocks the signal that tells of children, to be read from a descriptor instead. Before the fork,
/// so that none is missed.
pub fn child_signals() -> io::Result<SignalFd> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGCHLD);
    set.thread_block()?;
    Ok(SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?)
}

impl<'a> Watch<'a> {
    /// Takes over the ends of the descriptors that are ours.
    pub fn new(
        job: &'a Job,
        confinement: Confinement,
        watched: Watched<'a>,
        descriptors: Descriptors,
    ) -> io::Result<Self> {
        let Watched { program, tracer, asked, account, disk } = watched;
        let mut watch = Self {
            job,
            confinement,
            program,
            outputs: Vec::new(),
            inputs: Vec::new(),
            tracer,
            asked,
            account,
            disk,
            started: Instant::now(),
            ticks: 0,
            ended: None,
            stopped: None,
            killing: false,
            survivors: 0,
            refused_memory: false,
        };
        for (number, end, kind) in descriptors.outputs {
            watch.outputs.push(Output::new(number, end, kind)?);
        }
        watch.inputs = descriptors.inputs;
        Ok(watch)
    }

    /// Until nobody of the run is left. `asker` is the socket to the process that asked.
    pub fn run(
        mut self,
        signals: &SignalFd,
        asker: BorrowedFd,
    ) -> io::Result<Result<Seen, Abandoned>> {
        loop {
            let nobody_left = self.reap()?;
            self.pump();
            if nobody_left {
                break;
            }
            self.hold_limits();
            if self.killing {
                processes::kill_all(self.confinement);
            }
            if self.wait(signals, asker)? {
                processes::end_all(self.confinement);
                return Ok(Err(Abandoned));
            }
            while signals.read_signal()?.is_some() {}
        }
        Ok(Ok(self.finish()))
    }

    /// Handles all changes of state; says whether nobody is left.
    fn reap(&mut self) -> io::Result<bool> {
        loop {
            match process::wait_any() {
                Ok(None) => return Ok(false),
                Ok(Some(waited)) if is_stop(&waited) => {
                    if let Some(tracer) = &mut self.tracer {
                        tracer.stopped(waited.pid, waited.status);
                    }
                }
                Ok(Some(waited)) => {
                    if let Some(tracer) = &mut self.tracer {
                        tracer.ended(waited.pid);
                    }
                    if waited.pid == self.program {
                        self.ended = Some((waited, Instant::now()));
                    } else if self.killing && self.ended.is_some() && self.stopped.is_none() {
                        self.survivors += 1;
                    }
                }
                Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Moves what can be moved without waiting.
    fn pump(&mut self) {
        let most = usize::try_from(self.job.limits.output).unwrap_or(usize::MAX);
        let mut over = false;
        for output in &mut self.outputs {
            output.read(most);
            over |= output.kept.cut;
        }
        for input in &mut self.inputs {
            input.write();
        }
        if over && self.ended.is_none() {
            self.stop(End::OverLimit(LimitKind::Output));
        }
    }

    fn hold_limits(&mut self) {
        let limits = &self.job.limits;
        if let Some((_, at)) = &self.ended {
            self.killing |= at.elapsed() >= limits.grace;
            return;
        }
        if self.started.elapsed() >= limits.wall {
            self.stop(End::Hung);
            return;
        }
        // Nothing is looked at before the first tick, when most programs have ended.
        if self.started.elapsed() < TICK * (self.ticks as u32 + 1) {
            return;
        }
        self.ticks = (self.started.elapsed().as_millis() / TICK.as_millis()) as u64;
        let asked = self.asked.as_ref().map_or(0, |asked| asked.granted);
        let kept: usize = self.outputs.iter().map(|output| output.kept.bytes.capacity()).sum();
        if self.account.used(asked, kept as u64) > limits.memory {
            self.stop(End::OverLimit(LimitKind::Memory));
        } else if self.disk.is_some_and(|is_over| is_over()) {
            self.stop(End::OverLimit(LimitKind::Disk));
        }
    }

    fn stop(&mut self, end: End) {
        if self.stopped.is_none() {
            if let Some(tracer) = &mut self.tracer {
                tracer.read_all();
            }
            self.stopped = Some(end);
        }
        self.killing = true;
    }

    /// Waits for something to happen; says whether the asker is gone.
    fn wait(&mut self, signals: &SignalFd, asker: BorrowedFd) -> io::Result<bool> {
        let questions = self.asked.as_ref().map(Asked::listener);
        let mut wanted = vec![
            // No event is asked for: the end of the connection is always told.
            PollFd::new(asker, PollFlags::empty()),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        wanted.extend(questions.map(|listener| PollFd::new(listener, PollFlags::POLLIN)));
        let outputs = self.outputs.iter().filter_map(|output| output.end.as_ref());
        wanted.extend(outputs.map(|end| PollFd::new(end.as_fd(), PollFlags::POLLIN)));
        let inputs = self.inputs.iter().filter_map(|input| input.end.as_ref());
        wanted.extend(inputs.map(|end| PollFd::new(end.as_fd(), PollFlags::POLLOUT)));
        let timeout = PollTimeout::from(TICK.as_millis() as u8);
        match poll(&mut wanted, timeout) {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::POLLHUP | PollFlags::POLLERR;
        let had = |at: usize, flags| {
            wanted.get(at).and_then(PollFd::revents).is_some_and(|events| events.intersects(flags))
        };
        let is_abandoned = had(0, gone);
        // Of the questions, if there is somebody to ask.
        let (is_asked, nobody_asks) = (had(2, PollFlags::POLLIN), had(2, gone));
        if let Some(asked) = &mut self.asked {
            if is_asked {
                asked.answer()?;
            } else if nobody_asks {
                // Everybody that the filter was for has ended.
                self.refused_memory = asked.refused;
                self.asked = None;
            }
        }
        Ok(is_abandoned)
    }

    fn finish(mut self) -> Seen {
        self.pump();
        let mut notes = Vec::new();
        if self.survivors > 0 {
            notes.push(Note::Survivors { count: self.survivors });
        }
        let mut usage = Usage { wall: self.started.elapsed(), ..Usage::default() };
        let asked = self.asked.as_ref();
        if self.refused_memory || asked.is_some_and(|asked| asked.refused) {
            notes.push(Note::SharedMemory);
        }
        let mut end = self.stopped.take();
        if end.is_none() && self.account.was_over() {
            end = Some(End::OverLimit(LimitKind::Memory));
        }
        if let Some((waited, at)) = &self.ended {
            usage = Usage {
                wall: *at - self.started,
                user: waited.user,
                system: waited.system,
                peak_memory: waited.peak,
            };
            end = end.or_else(|| Some(self.meaning(waited)));
        }
        let mut take = |number| {
            let output = self.outputs.iter_mut().find(|output| output.number == number);
            output.map_or_else(Captured::default, Output::take)
        };
        let (stdout, stderr) = (take(1), take(2));
        let had_tracer = self.tracer.is_some();
        let blocks = self.tracer.and_then(Tracer::finish);
        if had_tracer && blocks.is_none() {
            notes.push(Note::NoCounters);
        }
        // Somebody was waited for, or there would have been no run.
        let end = end.unwrap_or(End::Killed(libc::SIGKILL));
        Seen { end, stdout, stderr, blocks, usage, notes }
    }

    /// The status of the program in our words.
    fn meaning(&self, waited: &Waited) -> End {
        if libc::WIFEXITED(waited.status) {
            return End::Exited(libc::WEXITSTATUS(waited.status));
        }
        let signal = libc::WTERMSIG(waited.status);
        let case_sets = |resource: u32| self.job.resources.iter().any(|(set, ..)| *set == resource);
        let cpu = waited.user + waited.system;
        match signal {
            libc::SIGXCPU if !case_sets(libc::RLIMIT_CPU) => End::Hung,
            // A second later, for a program that ignores the signal.
            libc::SIGKILL if cpu >= self.job.limits.cpu && !case_sets(libc::RLIMIT_CPU) => {
                End::Hung
            }
            libc::SIGXFSZ if !case_sets(libc::RLIMIT_FSIZE) => End::OverLimit(LimitKind::FileSize),
            _ => End::Killed(signal),
        }
    }
}
