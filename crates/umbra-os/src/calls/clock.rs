//! Clocks, sleeping and timers.

use crate::errno::Errno;
use crate::signal::Timer;
use crate::system::{Reply, Stop, System};
use crate::time::{SECOND, Timestamp};
use crate::user;
use std::sync::Arc;
use umbra_engine::UserMemory;

/// The finest step of a coarse clock, and what `times` counts in a second.
const TICK: u64 = 4_000_000;
/// Nanoseconds of processor time that every process claims to have used.
const CPU_TIME: Timestamp = Timestamp::new(0, 1_000_000);
/// Timers one process may make.
const MAX_TIMERS: usize = 64;

impl System {
    fn clock_value(&self, clock: i32) -> Result<Timestamp, Stop> {
        match clock {
            libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
                Ok(self.clock.now())
            }
            libc::CLOCK_MONOTONIC
            | libc::CLOCK_MONOTONIC_RAW
            | libc::CLOCK_MONOTONIC_COARSE
            | libc::CLOCK_BOOTTIME => Ok(self.clock.monotonic()),
            libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => Ok(CPU_TIME),
            // A machine has them or not.
            libc::CLOCK_REALTIME_ALARM | libc::CLOCK_BOOTTIME_ALARM => {
                Err(Stop::unsupported("an alarm clock"))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    pub(crate) fn clock_gettime(
        &mut self,
        memory: &mut dyn UserMemory,
        clock: i32,
        result: u64,
    ) -> Reply {
        let value = self.clock_value(clock)?;
        user::put(memory, result, &user::encode_timespec(value))?;
        self.clock.elapsed += self.config.clock_step;
        Ok(0)
    }

    pub(crate) fn clock_getres(
        &mut self,
        memory: &mut dyn UserMemory,
        clock: i32,
        result: u64,
    ) -> Reply {
        self.clock_value(clock)?;
        let step = Timestamp::new(0, if is_coarse(clock) { TICK as u32 } else { 1 });
        user::put_optional(memory, result, &user::encode_timespec(step))?;
        Ok(0)
    }

    pub(crate) fn clock_settime(
        &mut self,
        memory: &mut dyn UserMemory,
        clock: i32,
        time: u64,
    ) -> Reply {
        if clock != libc::CLOCK_REALTIME {
            return Err(Errno::EINVAL.into());
        }
        let (seconds, nanoseconds) = user::timespec(memory, time)?;
        self.set_clock(seconds, nanoseconds)
    }

    fn set_clock(&mut self, seconds: i64, nanoseconds: i64) -> Reply {
        user::nanoseconds_of(seconds, nanoseconds)?;
        if !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        let elapsed = self.clock.elapsed;
        let back =
            Timestamp::new(seconds.saturating_sub((elapsed / SECOND) as i64), nanoseconds as u32);
        self.clock.start = back;
        Ok(0)
    }

    pub(crate) fn gettimeofday(
        &mut self,
        memory: &mut dyn UserMemory,
        result: u64,
        zone: u64,
    ) -> Reply {
        let now = self.clock.now();
        self.clock.elapsed += self.config.clock_step;
        let words = [now.seconds as u64, u64::from(now.nanoseconds / 1000)];
        user::put_optional(memory, result, &user::encode_words(&words))?;
        user::put_optional(memory, zone, &[0; 8])?;
        Ok(0)
    }

    pub(crate) fn settimeofday(&mut self, memory: &mut dyn UserMemory, time: u64) -> Reply {
        if time == 0 {
            return Ok(0);
        }
        let (seconds, microseconds) = user::timespec(memory, time)?;
        self.set_clock(seconds, microseconds.checked_mul(1000).ok_or(Errno::EINVAL)?)
    }

    pub(crate) fn time(&mut self, memory: &mut dyn UserMemory, result: u64) -> Reply {
        let now = self.clock.now().seconds;
        user::put_optional(memory, result, &now.to_le_bytes())?;
        Ok(now)
    }

    pub(crate) fn clock_nanosleep(
        &mut self,
        memory: &mut dyn UserMemory,
        clock: i32,
        flags: i32,
        request: u64,
        remaining: u64,
    ) -> Reply {
        match clock {
            libc::CLOCK_THREAD_CPUTIME_ID
            | libc::CLOCK_MONOTONIC_RAW
            | libc::CLOCK_REALTIME_COARSE
            | libc::CLOCK_MONOTONIC_COARSE => return Err(Errno::EOPNOTSUPP.into()),
            libc::CLOCK_PROCESS_CPUTIME_ID => {
                return Err(Stop::unsupported("clock_nanosleep in processor time"));
            }
            _ => {}
        }
        let now = self.clock_value(clock)?;
        let (seconds, nanoseconds) = user::timespec(memory, request)?;
        let mut wait = user::nanoseconds_of(seconds, nanoseconds)?;
        let absolute = flags & libc::TIMER_ABSTIME != 0;
        if absolute {
            let passed = user::nanoseconds_of(now.seconds.max(0), i64::from(now.nanoseconds))?;
            wait = wait.saturating_sub(passed);
        }
        let deadline = self.clock.elapsed.saturating_add(wait);
        if self.sleep_until(deadline) {
            if !absolute {
                let left = Timestamp::default().plus(deadline.saturating_sub(self.clock.elapsed));
                user::put_optional(memory, remaining, &user::encode_timespec(left))?;
            }
            return Err(Errno::EINTR.into());
        }
        Ok(0)
    }

    pub(crate) fn alarm(&mut self, seconds: u32) -> Reply {
        let (left, _) = self.arm_alarm(u64::from(seconds) * SECOND, 0);
        Ok(left.div_ceil(SECOND) as i64)
    }

    pub(crate) fn setitimer(
        &mut self,
        memory: &mut dyn UserMemory,
        which: i32,
        new: u64,
        old: u64,
    ) -> Reply {
        if !(0..=2).contains(&which) {
            return Err(Errno::EINVAL.into());
        }
        let mut value = [0; 2];
        if new != 0 {
            for (n, value) in value.iter_mut().enumerate() {
                let (seconds, microseconds) =
                    user::timespec(memory, new.wrapping_add(n as u64 * 16))?;
                *value = user::nanoseconds_of(
                    seconds,
                    microseconds.checked_mul(1000).ok_or(Errno::EINVAL)?,
                )?;
            }
        }
        if which != 0 && value != [0, 0] {
            return Err(Stop::unsupported("a timer in processor time"));
        }
        let before = if which == 0 { self.arm_alarm(value[1], value[0]) } else { (0, 0) };
        put_itimer(memory, old, before, 1000)?;
        Ok(0)
    }

    pub(crate) fn getitimer(
        &mut self,
        memory: &mut dyn UserMemory,
        which: i32,
        result: u64,
    ) -> Reply {
        if !(0..=2).contains(&which) {
            return Err(Errno::EINVAL.into());
        }
        let value = if which == 0 { self.timer_value(0) } else { (0, 0) };
        put_itimer(memory, result, value, 1000)?;
        Ok(0)
    }

    fn timer_value(&self, index: usize) -> (u64, u64) {
        let timer = self.signals.timers[index];
        (
            timer.deadline.map_or(0, |due| due.saturating_sub(self.clock.elapsed).max(1)),
            timer.interval,
        )
    }

    pub(crate) fn timer_create(
        &mut self,
        memory: &mut dyn UserMemory,
        clock: i32,
        event: u64,
        result: u64,
    ) -> Reply {
        self.clock_value(clock)?;
        if matches!(clock, libc::CLOCK_MONOTONIC_RAW) || is_coarse(clock) {
            return Err(Errno::EOPNOTSUPP.into());
        }
        // struct sigevent: value, then signal number, then how to notify.
        let signal = if event == 0 {
            libc::SIGALRM
        } else {
            let signal = user::u32_at(memory, event.wrapping_add(8))? as i32;
            match user::u32_at(memory, event.wrapping_add(12))? as i32 {
                libc::SIGEV_NONE => 0,
                libc::SIGEV_SIGNAL | libc::SIGEV_THREAD if (1..=64).contains(&signal) => signal,
                libc::SIGEV_THREAD_ID => {
                    return Err(Stop::unsupported("a timer that signals a thread"));
                }
                _ => return Err(Errno::EINVAL.into()),
            }
        };
        if self.signals.timers.len() > MAX_TIMERS {
            return Err(Stop::unsupported("more than 64 timers"));
        }
        let id = self.signals.timers.len() as u32 - 1;
        user::put(memory, result, &id.to_le_bytes())?;
        Arc::make_mut(&mut self.signals.timers).push(Timer { signal, clock, ..Timer::default() });
        Ok(0)
    }

    pub(super) fn timer_index(&self, id: i32) -> Result<usize, Errno> {
        // Timer 0 is the alarm's; the program's ids start behind it.
        let index = usize::try_from(id).map_err(|_| Errno::EINVAL)? + 1;
        let timer = self.signals.timers.get(index);
        if timer.is_some_and(|timer| !timer.gone) { Ok(index) } else { Err(Errno::EINVAL) }
    }

    pub(crate) fn timer_settime(
        &mut self,
        memory: &mut dyn UserMemory,
        id: i32,
        flags: i32,
        new: u64,
        old: u64,
    ) -> Reply {
        let index = self.timer_index(id)?;
        let interval = user::duration(memory, new)?;
        let mut delay = user::duration(memory, new.wrapping_add(16))?;
        let clock = self.signals.timers[index].clock;
        let is_processor =
            matches!(clock, libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID);
        if is_processor && delay > 0 {
            return Err(Stop::unsupported("a timer in processor time"));
        }
        if flags & libc::TIMER_ABSTIME != 0 && delay > 0 {
            let now = self.clock_value(clock)?;
            let passed = user::nanoseconds_of(now.seconds.max(0), i64::from(now.nanoseconds))?;
            delay = delay.saturating_sub(passed).max(1);
        }
        let before = self.arm(index, delay, interval);
        put_itimer(memory, old, before, 1)?;
        Ok(0)
    }

    pub(crate) fn timer_gettime(
        &mut self,
        memory: &mut dyn UserMemory,
        id: i32,
        result: u64,
    ) -> Reply {
        let value = self.timer_value(self.timer_index(id)?);
        put_itimer(memory, result, value, 1)?;
        Ok(0)
    }

    pub(crate) fn timer_delete(&mut self, id: i32) -> Reply {
        let index = self.timer_index(id)?;
        let timer = &mut Arc::make_mut(&mut self.signals.timers)[index];
        (timer.deadline, timer.gone) = (None, true);
        Ok(0)
    }
}

fn is_coarse(clock: i32) -> bool {
    matches!(clock, libc::CLOCK_REALTIME_COARSE | libc::CLOCK_MONOTONIC_COARSE)
}

/// `struct itimerspec` or `itimerval`: the interval, then what is left; `unit` nanoseconds to the
/// fraction's one.
pub(super) fn put_itimer(
    memory: &mut dyn UserMemory,
    address: u64,
    (left, interval): (u64, u64),
    unit: u64,
) -> Result<(), Errno> {
    let split = |value: u64| [value / SECOND, value % SECOND / unit];
    let words = [split(interval), split(left)].concat();
    user::put_optional(memory, address, &user::encode_words(&words))
}
