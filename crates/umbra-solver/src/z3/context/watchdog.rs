//! Ends checks that Z3's own clock does not end.
//!
//! Z3's timer cancels a check once. Between two phases of the check that is lost, and the check
//! goes on for as long as it takes: seen with limits of a millisecond. The watchdog cancels it from a
//! while after the limit on, again and again. And it cancels what someone wants to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use z3_sys::{Z3_context, Z3_interrupt};

/// What Z3's own clock has after the limit: it leaves the context as it was.
const GRACE: Duration = Duration::from_millis(100);

/// Between two cancellations.
const AGAIN: Duration = Duration::from_millis(20);

/// Between two looks at whether someone wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// A check that is limited by nothing but someone who stops it.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// A thread that watches the checks of one context.
#[derive(Debug)]
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    watch: Mutex<Watch>,
    changed: Condvar,
    stop: Option<Arc<AtomicBool>>,
}

#[derive(Debug, Default)]
struct Watch {
    /// When the check that runs is cancelled.
    deadline: Option<Instant>,
    /// When the thread looks again by itself. It need not be woken for what comes later.
    looks: Option<Instant>,
    cancelled: bool,
    ended: bool,
}

/// A context, for interrupting only.
struct Interruptible(Z3_context);

// SAFETY: `Z3_interrupt` may be called on any thread, and is the only call that is made.
unsafe impl Send for Interruptible {}

impl Watchdog {
    /// Starts the thread. The watchdog must be dropped before the context is deleted.
    pub(super) fn start(raw: Z3_context, stop: Option<Arc<AtomicBool>>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { stop, ..Shared::default() });
        let (watched, context) = (Arc::clone(&shared), Interruptible(raw));
        let thread = thread::Builder::new()
            .name("z3 watchdog".to_owned())
            .spawn(move || watched.keep_watch(&context))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// A check begins that may take so long; `None` is any time.
    pub(super) fn begin(&self, time: Option<Duration>) {
        let now = Instant::now();
        let deadline = now + time.map_or(NEVER, |time| time + GRACE);
        let next = self.shared.next_look(now, deadline);
        let mut watch = self.shared.lock();
        watch.deadline = Some(deadline);
        if watch.looks.is_none_or(|looks| looks > next) {
            self.shared.changed.notify_one();
        }
    }

    /// The check has ended. Says whether it was cancelled: then the context may stay so.
    pub(super) fn end(&self) -> bool {
        let mut watch = self.shared.lock();
        watch.deadline = None;
        std::mem::take(&mut watch.cancelled)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to panic at.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// When the thread has to look at a check that ends at the deadline.
    fn next_look(&self, now: Instant, deadline: Instant) -> Instant {
        if self.stop.is_some() { deadline.min(now + LOOK) } else { deadline }
    }

    fn keep_watch(&self, context: &Interruptible) {
        let mut watch = self.lock();
        while !watch.ended {
            let now = Instant::now();
            if watch.deadline.is_some_and(|deadline| deadline <= now || self.is_stopped()) {
                watch.cancelled = true;
                watch.deadline = Some(now + AGAIN);
                // SAFETY: the context is alive: the watchdog ends before it. The lock is held, so
                // the check has not ended.
                unsafe { Z3_interrupt(context.0) };
            }
            watch.looks = watch.deadline.map(|deadline| self.next_look(now, deadline));
            watch = match watch.looks {
                Some(looks) => {
                    let waited = self.changed.wait_timeout(watch, looks - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(watch).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
