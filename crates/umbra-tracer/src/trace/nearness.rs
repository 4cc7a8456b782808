//! Which processor a process runs on while it is watched.
//!
//! A stop is a switch to the tracer and one back. Between two processors each of them wakes up one
//! that sleeps, which takes several times as long as all that the tracer does. So what stops often is
//! kept on the tracer's processor. What works by itself for a moment is not kept there any longer, and
//! nothing is once someone asks which processors there are to use: the answer is as without a tracer.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use libc::pid_t;

use crate::system::{self, Processors};

/// A thread that has not stopped for so long works by itself.
pub const MOMENT: Duration = Duration::from_millis(2);
/// So many stops with less than a moment between bring a thread here.
const OFTEN: u32 = 4;

/// The threads that are kept near, and those that could be.
pub struct Nearness {
    /// The tracer's processor; `None` if nothing is kept there.
    here: Option<Processors>,
    threads: HashMap<pid_t, Thread>,
    /// When threads were last looked through.
    looked: Instant,
}

#[derive(Clone, Copy)]
struct Thread {
    /// The processors that it may use.
    own: Processors,
    is_here: bool,
    /// Its last stop, and how many came shortly after another.
    stopped: Instant,
    stops: u32,
}

impl Nearness {
    /// The tracer stays on its processor from now on, and a process that has just begun comes there.
    pub fn new(process: pid_t) -> Self {
        let now = Instant::now();
        let here = system::processor().filter(|here| system::set_processors(0, here).is_ok());
        let mut threads = HashMap::new();
        if let (Some(here), Ok(own)) = (&here, system::processors(process)) {
            let is_here = system::set_processors(process, here).is_ok();
            threads.insert(process, Thread { own, is_here, stopped: now, stops: 0 });
        }
        Self { here, threads, looked: now }
    }

    /// Whether threads are to be looked through when a moment has passed without a stop.
    pub fn is_keeping(&self) -> bool {
        self.threads.values().any(|thread| thread.is_here)
    }

    /// A thread has stopped.
    pub fn stopped(&mut self, pid: pid_t) {
        let Some(here) = &self.here else { return };
        let now = Instant::now();
        if let Some(thread) = self.threads.get_mut(&pid) {
            let is_soon = now.duration_since(thread.stopped) < MOMENT;
            thread.stops = if is_soon { thread.stops.saturating_add(1) } else { 0 };
            thread.stopped = now;
            if !thread.is_here && thread.stops > OFTEN {
                thread.is_here = system::set_processors(pid, here).is_ok();
            }
        }
        if now.duration_since(self.looked) >= MOMENT {
            self.look_through(now);
        }
    }

    /// A moment may have passed without a stop.
    pub fn wait(&mut self) {
        self.look_through(Instant::now());
    }

    fn look_through(&mut self, now: Instant) {
        self.looked = now;
        for (pid, thread) in &mut self.threads {
            if now.duration_since(thread.stopped) >= MOMENT {
                thread.leave(*pid);
            }
        }
    }

    /// A thread has a child, or another thread beside it, which is where the thread was.
    pub fn forked(&mut self, parent: pid_t, child: pid_t) {
        if let Some(thread) = self.threads.get(&parent).copied() {
            self.threads.insert(child, Thread { is_here: self.here.is_some(), ..thread });
        }
    }

    /// A thread has ended.
    pub fn forget(&mut self, pid: pid_t) {
        self.threads.remove(&pid);
    }

    /// A thread is someone else's from now on.
    pub fn let_go(&mut self, pid: pid_t) {
        if let Some(mut thread) = self.threads.remove(&pid) {
            thread.leave(pid);
        }
    }

    /// Nothing is kept here any more.
    pub fn end(&mut self) {
        self.here = None;
        for (pid, thread) in &mut self.threads {
            thread.leave(*pid);
        }
    }
}

impl Thread {
    fn leave(&mut self, pid: pid_t) {
        if self.is_here {
            // If this fails, the thread is gone.
            let _ = system::set_processors(pid, &self.own);
            self.is_here = false;
        }
        self.stops = 0;
    }
}
