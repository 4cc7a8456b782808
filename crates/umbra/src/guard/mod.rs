//! The guard: keeps a run within its time and its memory, whatever it is doing.
//!
//! A thread looks at the clock and at the resident size of the process. It first asks: workers drop
//! states and end paths that take much ([`Control::ask_for_memory`]), then everything is told to stop
//! ([`Control::stop`]), which loops of workers, machines and solvers look at. What does not stop by
//! then is in the middle of something that nobody has cut into pieces: then the guard says the last
//! words of the run and ends the process. So limits hold during set-up and in any single step.

mod meter;

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use umbra_jobs::{Budget, Control, Need, Stopped};

use crate::out::tell;
use meter::Meter;

/// Between two looks at most.
const LONGEST: Duration = Duration::from_millis(50);

/// Between two looks at least.
const SHORTEST: Duration = Duration::from_millis(5);

/// Bytes that a process may come to take in a second: how soon the next look has to be.
const GROWTH: u64 = 4 << 30;

/// For what is being done then; after that the run is ended.
const STOPPING: Duration = Duration::from_millis(650);

/// On a busy machine the run may not have been given a processor meanwhile: it is waited for as much longer, up to this.
const STARVED: Duration = Duration::from_secs(10);

/// The same for a run that was interrupted, or that has too much memory.
const AFTER_OTHERS: Duration = Duration::from_secs(2);

/// Processor time that is kept for the end of a run.
const PROCESSOR_REST: Duration = Duration::from_millis(1500);

/// The program itself, its libraries and what it reads need some memory: until a run is set up, less
/// than this is no limit.
const SET_UP: u64 = 256 << 20;

/// And beside that, so much for the run.
const LEAST: u64 = 48 << 20;

/// Says what is known of a run that has to be ended, and returns the exit code.
pub type LastWords = Box<dyn FnOnce(Stopped) -> u8 + Send>;

/// Watches the run until it is dropped.
pub struct Guard {
    shared: Arc<Shared>,
}

struct Shared {
    budget: Budget,
    control: Control,
    /// The bytes that count now.
    memory: AtomicU64,
    watch: Mutex<Watch>,
    changed: Condvar,
}

enum Watch {
    /// With what is to be said if the run has to be ended.
    On(LastWords),
    /// The run is over.
    Off,
    /// The run is being ended.
    Ending,
}

impl Guard {
    /// Starts to watch.
    pub fn start(budget: Budget, control: &Control, last_words: LastWords) -> anyhow::Result<Self> {
        let budget = Budget { memory: within_address_space(budget.memory)?, ..budget };
        let shared = Arc::new(Shared {
            budget,
            control: control.clone(),
            memory: AtomicU64::new(budget.memory.max(SET_UP)),
            watch: Mutex::new(Watch::On(last_words)),
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("guard".to_owned())
            .spawn(move || Rounds::new(&watched).go())
            .context("starting the thread that watches the limits (see ulimit -u and -v)")?;
        Ok(Self { shared })
    }

    /// The run is set up: from now on the limit is that of the run.
    pub fn set_up(&self) {
        let least = Meter::new().resident() + LEAST;
        self.shared.memory.store(self.shared.budget.memory.max(least), Ordering::Relaxed);
    }

    /// Says what is to be said from now on if the run has to be ended.
    pub fn set_last_words(&self, last_words: LastWords) {
        *self.shared.watch_or_wait() = Watch::On(last_words);
    }

    /// The run is over: what comes now is not ended any more.
    pub fn disarm(&self) {
        *self.shared.watch_or_wait() = Watch::Off;
        self.shared.changed.notify_all();
    }
}

impl umbra_jobs::Guard for Guard {
    fn set_up(&self) {
        Guard::set_up(self);
    }

    fn over(&self) {
        self.disarm();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.disarm();
    }
}

impl Shared {
    /// The watch; does not return if the run is being ended.
    fn watch_or_wait(&self) -> std::sync::MutexGuard<'_, Watch> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        while matches!(*watch, Watch::Ending) {
            watch = self.changed.wait(watch).unwrap_or_else(PoisonError::into_inner);
        }
        watch
    }
}

/// What the guard knows from one look to the next.
struct Rounds<'a> {
    shared: &'a Shared,
    meter: Meter,
    /// The share of the limit, in percent, from which on states are dropped.
    soft: u64,
    /// The share at the last look, and how much was added since: as much may come until the next.
    before: u64,
    growth: u64,
    /// How often workers had answered when they were asked last, until they do.
    asked: Option<u64>,
    /// Since when everything is told to stop, and how long each thread had waited for a processor by then.
    stopped: Option<(Instant, HashMap<OsString, Duration>)>,
    /// The processor time that the process may take (`ulimit -t`).
    processor_time: Option<Duration>,
}

/// From which share of the limit on, in percent, states are dropped at first.
const SOFT: u64 = 80;
/// The same if that does not help.
const SOFT_END: u64 = 94;
/// How much more there has to be until it is tried again.
const SOFT_STEP: u64 = 6;
/// From which share on the run is stopped.
const HARD: u64 = 100;
/// From which share on it is ended.
const LAST: u64 = 107;

impl<'a> Rounds<'a> {
    fn new(shared: &'a Shared) -> Self {
        let processor_time = meter::processor_time_limit();
        Self {
            shared,
            meter: Meter::new(),
            soft: SOFT,
            before: 0,
            growth: 0,
            asked: None,
            stopped: None,
            processor_time,
        }
    }

    fn go(mut self) {
        loop {
            let share = self.share();
            self.growth = share.saturating_sub(std::mem::replace(&mut self.before, share));
            self.look_at_clock();
            self.look_at_memory(share);
            if self.is_patience_over(share) {
                self.end();
            }
            let pause = self.pause(share);
            let watch = self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*watch, Watch::Off) {
                return;
            }
            let waited = self.shared.changed.wait_timeout(watch, pause);
            let (watch, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if matches!(*watch, Watch::Off) {
                return;
            }
        }
    }

    /// How much of the memory is taken, in percent.
    fn share(&self) -> u64 {
        let limit = self.shared.memory.load(Ordering::Relaxed);
        self.meter.resident().saturating_mul(100) / limit.max(1)
    }

    /// How long not to look: memory and time may not be used up before.
    fn pause(&self, share: u64) -> Duration {
        let limit = self.shared.memory.load(Ordering::Relaxed);
        let room = limit / 100 * HARD.saturating_sub(share);
        let pause = Duration::from_secs_f64(room as f64 / GROWTH as f64).clamp(SHORTEST, LONGEST);
        let Budget { start, time, .. } = self.shared.budget;
        let left = time.map(|time| (start + time).saturating_duration_since(Instant::now()));
        left.filter(|left| !left.is_zero()).map_or(pause, |left| left.min(pause))
    }

    fn look_at_clock(&mut self) {
        let Budget { start, time, .. } = self.shared.budget;
        if time.is_some_and(|time| start.elapsed() >= time) {
            self.shared.control.stop(Stopped::Time);
        }
        if self.shared.control.stopped().is_none() && self.is_processor_time_over() {
            tell!("stopping: the processor time is used up (ulimit -t)");
            self.shared.control.stop(Stopped::Time);
        }
        if self.shared.control.stopped().is_some() {
            self.stopped.get_or_insert_with(|| (Instant::now(), meter::waits()));
        }
    }

    /// Whether the system is about to end the process for its processor time.
    fn is_processor_time_over(&self) -> bool {
        self.processor_time.is_some_and(|most| meter::processor_time() + PROCESSOR_REST >= most)
    }

    /// Asks for memory, and stops the run if it does not come.
    fn look_at_memory(&mut self, share: u64) {
        let control = &self.shared.control;
        if share >= HARD {
            control.stop(Stopped::Memory);
            return;
        }
        match self.asked {
            Some(before) if control.answered() == before => {}
            Some(_) => {
                meter::trim();
                self.asked = None;
                // If that has not helped, it is tried again when there is more, not all the time.
                self.soft = (self.share() + SOFT_STEP).clamp(SOFT, SOFT_END);
            }
            None if share + self.growth >= self.soft && self.shared.budget.drops => {
                self.asked = Some(control.answered());
                let is_first = self.soft == SOFT;
                control.ask_for_memory(if is_first { Need::Some } else { Need::Pressing });
            }
            None if share < SOFT => self.soft = SOFT,
            None => {}
        }
    }

    /// Whether the run was told to stop, and does not.
    fn is_patience_over(&self, share: u64) -> bool {
        let Some(why) = self.shared.control.stopped() else { return false };
        if share >= LAST {
            return true;
        }
        let end = self.shared.budget.end();
        let late = end.is_some_and(|end| {
            let late = Instant::now().saturating_duration_since(end);
            late >= STOPPING && late >= STOPPING + self.starved()
        });
        let since = self.stopped.as_ref().map_or(Duration::ZERO, |(since, _)| since.elapsed());
        let other = match why {
            // That of the processor may be meant.
            Stopped::Time => end.is_none_or(|end| Instant::now() < end),
            _ => true,
        };
        late || other && since >= AFTER_OTHERS
    }

    /// How long the run has waited for a processor since it was told to stop.
    fn starved(&self) -> Duration {
        let waited = self.stopped.as_ref().map(|(_, waits)| meter::longest_wait(waits));
        waited.unwrap_or_default().min(STARVED)
    }

    /// Ends the process, unless the run has just come to its end.
    fn end(&self) {
        let why = self.shared.control.stopped().unwrap_or(Stopped::Interrupted);
        let mut watch = self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Watch::On(last_words) = std::mem::replace(&mut *watch, Watch::Ending) {
            // Whoever comes to the end of the run meanwhile waits.
            drop(watch);
            meter::end(last_words(why));
        }
        *watch = Watch::Off;
    }
}

/// The memory that can be had in the address space: what is mapped is more than what is used.
fn within_address_space(memory: u64) -> anyhow::Result<u64> {
    /// Mapped, not used: the program and its libraries, the stacks and heaps of threads.
    const MAPPED: u64 = 768 << 20;
    let Some(space) = meter::address_space() else { return Ok(memory) };
    if space < MAPPED {
        bail!(
            "the address space is limited to {} MiB (ulimit -v), but Umbra needs at least {} MiB",
            space >> 20,
            MAPPED >> 20
        );
    }
    // A table that grows is there twice for a moment.
    Ok(memory.min((space - MAPPED) / 2).max(LEAST))
}
