//! Signals as far as a single process sees them.

use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use crate::user;
use std::sync::Arc;
use umbra_engine::{Answer, SignalDelivery, ThreadSignals, UserMemory};

const SIG_DFL: u64 = 0;
const SIG_IGN: u64 = 1;
const SA_SIGINFO: u64 = 4;
const SA_NODEFER: u64 = 0x4000_0000;
const SA_RESETHAND: u64 = 0x8000_0000;
/// The flags that Linux knows; it drops others.
const SA_KNOWN: u64 = 0xdc00_0807;

/// The highest signal number.
const SIGNALS: usize = 64;

/// `struct sigaction` of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Action {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// A timer that raises a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timer {
    pub(crate) signal: i32,
    /// Whose time it counts.
    pub(crate) clock: i32,
    /// The program has deleted it.
    pub(crate) gone: bool,
    /// When it goes off, in nanoseconds of the clock; `None` while disarmed.
    pub(crate) deadline: Option<u64>,
    pub(crate) interval: u64,
}

/// Handlers, mask, pending signals and timers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signals {
    actions: Arc<Vec<Action>>,
    /// Blocked signals: bit n is signal n + 1.
    pub(crate) mask: u64,
    /// Sent to the process.
    pending: u64,
    /// Sent to its thread, as `raise` does: these are kept apart, so that both may be pending.
    pending_for_thread: u64,
    alternate_stack: [u64; 3],
    pub(crate) timers: Arc<Vec<Timer>>,
}

/// `SIGKILL` and `SIGSTOP` can be neither blocked nor caught.
const UNBLOCKABLE: u64 = bit(libc::SIGKILL) | bit(libc::SIGSTOP);

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// The timer behind `alarm` and `setitimer(ITIMER_REAL)`.
const ALARM: usize = 0;

impl Signals {
    pub(crate) fn new(ignored: &[i32]) -> Signals {
        let mut actions = vec![Action::default(); SIGNALS];
        for &signal in ignored {
            if let Some(action) =
                usize::try_from(signal - 1).ok().and_then(|index| actions.get_mut(index))
            {
                action.handler = SIG_IGN;
            }
        }
        let alarm = Timer { signal: libc::SIGALRM, ..Timer::default() };
        Signals {
            actions: Arc::new(actions),
            mask: 0,
            pending: 0,
            pending_for_thread: 0,
            alternate_stack: [0, 2, 0],
            timers: Arc::new(vec![alarm]),
        }
    }

    /// Those of the thread that runs.
    pub(crate) fn of_thread(&self) -> ThreadSignals {
        ThreadSignals { mask: self.mask, pending: self.pending_for_thread }
    }

    /// From here on those of another thread count.
    pub(crate) fn enter_thread(&mut self, signals: ThreadSignals) {
        (self.mask, self.pending_for_thread) = (signals.mask, signals.pending);
    }

    fn action(&self, signal: i32) -> Action {
        self.actions[(signal - 1) as usize]
    }

    pub(crate) fn raise(&mut self, signal: i32) {
        self.pending |= self.kept(signal);
    }

    fn raise_for_thread(&mut self, signal: i32) {
        self.pending_for_thread |= self.kept(signal);
    }

    /// The bit of a signal; 0 if it is gone at once, since it is ignored and not blocked.
    fn kept(&self, signal: i32) -> u64 {
        let ignored = self.action(signal).handler == SIG_IGN || self.ignored_by_default(signal);
        if !ignored || self.mask & bit(signal) != 0 { bit(signal) } else { 0 }
    }

    fn all_pending(&self) -> u64 {
        self.pending | self.pending_for_thread
    }

    /// The first signal of a set of pending ones, which is no longer pending.
    fn take(&mut self, ready: u64) -> i32 {
        let thread = self.pending_for_thread & ready;
        let pending = if thread != 0 { &mut self.pending_for_thread } else { &mut self.pending };
        let signal = (*pending & ready).trailing_zeros() as i32 + 1;
        *pending &= !bit(signal);
        signal
    }

    fn ignored_by_default(&self, signal: i32) -> bool {
        self.action(signal).handler == SIG_DFL
            && matches!(signal, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT)
    }

    /// Whether children that have ended are not waited for.
    pub(crate) fn drops_children(&self) -> bool {
        let action = self.action(libc::SIGCHLD);
        action.handler == SIG_IGN || action.flags & libc::SA_NOCLDWAIT as u64 != 0
    }

    /// What a child does not inherit: pending signals and timers.
    pub(crate) fn forget_own(&mut self) {
        (self.pending, self.pending_for_thread) = (0, 0);
        self.timers = Signals::new(&[]).timers;
    }

    pub(crate) fn deliverable(&self) -> bool {
        self.all_pending() & !self.mask != 0
    }

    /// The deadline of the timer that goes off first.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.timers.iter().filter_map(|timer| timer.deadline).min()
    }
}

impl System {
    /// Ends a call: delivers what is pending and not blocked.
    pub(crate) fn deliver_signals(&mut self, result: i64) -> Answer {
        let saved = self.signals.mask;
        self.deliver_with_mask(result, saved)
    }

    fn deliver_with_mask(&mut self, result: i64, saved: u64) -> Answer {
        let mut deliveries = Vec::new();
        let mut saved = saved;
        while self.signals.deliverable() {
            let signal = self.signals.take(!self.signals.mask);
            let action = self.signals.action(signal);
            match action.handler {
                SIG_IGN => {}
                SIG_DFL => match signal {
                    _ if self.signals.ignored_by_default(signal) => {}
                    libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {
                        return Answer::Unsupported(format!("stopped by signal {signal}"));
                    }
                    _ => return Answer::Killed(signal),
                },
                handler => {
                    let with_info = action.flags & SA_SIGINFO != 0;
                    deliveries.push(SignalDelivery {
                        signal,
                        handler,
                        with_info,
                        saved_mask: saved,
                    });
                    let own = if action.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
                    self.signals.mask |= (action.mask | own) & !UNBLOCKABLE;
                    saved = self.signals.mask;
                    if action.flags & SA_RESETHAND != 0 {
                        self.set_action(signal, Action { handler: SIG_DFL, ..action });
                    }
                }
            }
        }
        if deliveries.is_empty() {
            self.signals.mask = saved;
            return Answer::Return(result);
        }
        // As in the kernel, where each handler's frame is put on top of the one before it: the last
        // one set up runs first, and the mask of before comes back with the first.
        deliveries.reverse();
        Answer::Interrupted { result, deliveries }
    }

    fn set_action(&mut self, signal: i32, action: Action) {
        Arc::make_mut(&mut self.signals.actions)[(signal - 1) as usize] = action;
    }

    pub(crate) fn sigaction(
        &mut self,
        memory: &mut dyn UserMemory,
        signal: i32,
        new: u64,
        old: u64,
        size: u64,
    ) -> Reply {
        if size != 8 {
            return Err(Errno::EINVAL.into());
        }
        let mut action = None;
        if new != 0 {
            let word =
                |memory: &mut dyn UserMemory, n: u64| user::u64_at(memory, new.wrapping_add(n * 8));
            action = Some(Action {
                handler: word(memory, 0)?,
                flags: word(memory, 1)? & SA_KNOWN,
                restorer: word(memory, 2)?,
                mask: word(memory, 3)? & !UNBLOCKABLE,
            });
        }
        if !(1..=SIGNALS as i32).contains(&signal) || (new != 0 && bit(signal) & UNBLOCKABLE != 0) {
            return Err(Errno::EINVAL.into());
        }
        let before = self.signals.action(signal);
        if let Some(action) = action {
            self.set_action(signal, action);
            if action.handler == SIG_IGN || self.signals.ignored_by_default(signal) {
                self.signals.pending &= !bit(signal);
                self.signals.pending_for_thread &= !bit(signal);
            }
        }
        let words = [before.handler, before.flags, before.restorer, before.mask];
        user::put_optional(memory, old, &user::encode_words(&words))?;
        Ok(0)
    }

    pub(crate) fn sigprocmask(
        &mut self,
        memory: &mut dyn UserMemory,
        how: i32,
        new: u64,
        old: u64,
        size: u64,
    ) -> Reply {
        if size != 8 {
            return Err(Errno::EINVAL.into());
        }
        let before = self.signals.mask;
        if new != 0 {
            let set = user::u64_at(memory, new)? & !UNBLOCKABLE;
            self.signals.mask = match how {
                libc::SIG_BLOCK => before | set,
                libc::SIG_UNBLOCK => before & !set,
                libc::SIG_SETMASK => set,
                _ => return Err(Errno::EINVAL.into()),
            };
        }
        user::put_optional(memory, old, &before.to_le_bytes())?;
        Ok(0)
    }

    pub(crate) fn sigpending(&mut self, memory: &mut dyn UserMemory, set: u64) -> Reply {
        let pending = self.signals.all_pending() & self.signals.mask;
        user::put(memory, set, &pending.to_le_bytes())?;
        Ok(0)
    }

    pub(crate) fn sigaltstack(&mut self, memory: &mut dyn UserMemory, new: u64, old: u64) -> Reply {
        let before = self.signals.alternate_stack;
        if new != 0 {
            let mut words = [0; 3];
            for (n, word) in words.iter_mut().enumerate() {
                *word = user::u64_at(memory, new.wrapping_add(n as u64 * 8))?;
            }
            const AUTODISARM: i32 = 1 << 31;
            let flags = words[1] as i32;
            match flags & !AUTODISARM {
                libc::SS_DISABLE => words = [0, libc::SS_DISABLE as u64, 0],
                0 | libc::SS_ONSTACK if words[2] < 2048 => return Err(Errno::ENOMEM.into()),
                0 | libc::SS_ONSTACK => words[1] = 0,
                _ => return Err(Errno::EINVAL.into()),
            }
            if flags & AUTODISARM != 0 {
                return Err(Stop::unsupported("sigaltstack with SS_AUTODISARM"));
            }
            self.signals.alternate_stack = words;
        }
        user::put_optional(memory, old, &user::encode_words(&before))?;
        Ok(0)
    }

    pub(crate) fn kill(&mut self, pid: i32, signal: i32) -> Reply {
        if !(0..=SIGNALS as i32).contains(&signal) {
            return Err(Errno::EINVAL.into());
        }
        let group = self.process.pgid;
        let own_group = pid == 0 || pid == -group;
        if pid == self.process.pid || own_group {
            if signal != 0 {
                self.signals.raise(signal);
            }
            self.signal_parents(signal, |_, other| own_group && other == group);
            return Ok(0);
        }
        let is_parent = self.signal_parents(signal, |parent, other| parent == pid || other == -pid);
        if is_parent || self.family.has_zombie(pid) {
            return Ok(0);
        }
        let known = pid == self.process.ppid || pid == 1;
        match (known, signal) {
            (true, 0) if self.process.credentials.is_privileged() => Ok(0),
            (true, _) if !self.process.credentials.is_privileged() => Err(Errno::EPERM.into()),
            (true, _) => Err(Stop::unsupported("signal to another process")),
            _ if pid == -1 => Err(Stop::unsupported("signal to every process")),
            _ => Err(Errno::ESRCH.into()),
        }
    }

    /// `tkill` and `tgkill`: the thread that runs sends itself a signal.
    pub(crate) fn thread_kill(&mut self, group: i32, thread: i32, signal: i32) -> Reply {
        if thread <= 0 || group <= 0 || !(0..=SIGNALS as i32).contains(&signal) {
            return Err(Errno::EINVAL.into());
        }
        if group != self.process.pid {
            return Err(Errno::ESRCH.into());
        }
        if thread != self.process.thread {
            return match self.process.thread == self.process.pid && !self.process.has_threads {
                true => Err(Errno::ESRCH.into()),
                false => Err(Stop::unsupported("signal to another thread")),
            };
        }
        if signal != 0 {
            self.signals.raise_for_thread(signal);
        }
        Ok(0)
    }

    /// Waits with another mask until a handler has run.
    pub(crate) fn sigsuspend(&mut self, memory: &mut dyn UserMemory, set: u64, size: u64) -> Reply {
        if size != 8 {
            return Err(Errno::EINVAL.into());
        }
        let mask = user::u64_at(memory, set)? & !UNBLOCKABLE;
        let saved = std::mem::replace(&mut self.signals.mask, mask);
        self.wait_for_signal("sigsuspend", saved)
    }

    pub(crate) fn pause(&mut self) -> Reply {
        let saved = self.signals.mask;
        self.wait_for_signal("pause", saved)
    }

    /// `sigwait` and its kind: takes a pending signal of a set, or waits for one; its handler does
    /// not run. Of the information only the number is known.
    pub(crate) fn sigtimedwait(
        &mut self,
        memory: &mut dyn UserMemory,
        [set, info, timeout, size]: [u64; 4],
    ) -> Reply {
        if size != 8 {
            return Err(Errno::EINVAL.into());
        }
        let set = user::u64_at(memory, set)? & !UNBLOCKABLE;
        let end = match timeout {
            0 => None,
            _ => {
                let (seconds, nanoseconds) = user::timespec(memory, timeout)?;
                if seconds < 0 || !(0..1_000_000_000).contains(&nanoseconds) {
                    return Err(Errno::EINVAL.into());
                }
                let delay = (seconds as u64).saturating_mul(1_000_000_000) + nanoseconds as u64;
                Some(self.clock.elapsed.saturating_add(delay))
            }
        };
        loop {
            if self.signals.all_pending() & set != 0 {
                let signal = self.signals.take(set);
                let mut bytes = [0u8; 128];
                bytes[..4].copy_from_slice(&signal.to_le_bytes());
                user::put_optional(memory, info, &bytes)?;
                return Ok(i64::from(signal));
            }
            if self.signals.deliverable() {
                return Err(Errno::EINTR.into());
            }
            let due = self.signals.next_deadline();
            match [due, end].into_iter().flatten().min() {
                Some(now) if end.is_some_and(|end| end <= self.clock.elapsed && end <= now) => {
                    return Err(Errno::EAGAIN.into());
                }
                Some(deadline) => self.advance_to(deadline),
                None => return Err(Stop::endless("sigwait")),
            }
        }
    }

    fn wait_for_signal(&mut self, what: &str, saved: u64) -> Reply {
        let waiting = self.signals.mask;
        loop {
            self.signals.mask = waiting;
            if self.signals.deliverable() {
                match self.deliver_with_mask(-i64::from(libc::EINTR), saved) {
                    // Only ignored ones: go on waiting.
                    Answer::Return(_) => continue,
                    answer => return Err(Stop::Answer(Box::new(answer))),
                }
            }
            match self.signals.next_deadline() {
                Some(deadline) => self.advance_to(deadline),
                None => return Err(Stop::endless(what)),
            }
        }
    }

    /// Lets time pass until `deadline` and fires the timers on the way.
    pub(crate) fn advance_to(&mut self, deadline: u64) {
        self.clock.elapsed = self.clock.elapsed.max(deadline);
        let now = self.clock.elapsed;
        for index in 0..self.signals.timers.len() {
            let Some(due) = self.signals.timers[index].deadline.filter(|due| *due <= now) else {
                continue;
            };
            let timer = &mut Arc::make_mut(&mut self.signals.timers)[index];
            timer.deadline =
                (timer.interval > 0).then(|| due.saturating_add(timer.interval).max(now + 1));
            let signal = timer.signal;
            if signal > 0 {
                self.signals.raise(signal);
            }
        }
    }

    /// Sleeps until `deadline`; true when a signal came first.
    pub(crate) fn sleep_until(&mut self, deadline: u64) -> bool {
        while self.clock.elapsed < deadline {
            let next = self.signals.next_deadline().map_or(deadline, |due| due.min(deadline));
            self.advance_to(next);
            if self.signals.deliverable() {
                return true;
            }
        }
        false
    }

    /// Arms the timer behind `alarm`; gives back what was left of it and its interval.
    pub(crate) fn arm(&mut self, index: usize, delay: u64, interval: u64) -> (u64, u64) {
        let now = self.clock.elapsed;
        let timer = &mut Arc::make_mut(&mut self.signals.timers)[index];
        let left = timer.deadline.map_or(0, |due| due.saturating_sub(now).max(1));
        let before = (left, timer.interval);
        timer.deadline = (delay > 0).then(|| now.saturating_add(delay));
        timer.interval = interval;
        before
    }

    pub(crate) fn arm_alarm(&mut self, delay: u64, interval: u64) -> (u64, u64) {
        self.arm(ALARM, delay, interval)
    }
}
