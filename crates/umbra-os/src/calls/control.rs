//! What a process says about itself: `prctl`, scheduling, `personality`. Nothing of this changes how
//! a process alone runs, so it is kept and told again.

use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use crate::user;
use std::sync::Arc;
use umbra_engine::UserMemory;

/// The slack of timers that a process starts with, in nanoseconds.
const TIMER_SLACK: u64 = 50_000;
/// The last operation of `prctl` that Linux has, as far as is known here.
const LAST_OPERATION: i32 = 80;
/// Operations with numbers of their own.
const SET_VMA: i32 = 0x5356_4d41;
const SET_PTRACER: i32 = 0x5961_6d61;
/// Scheduling policies without priorities, besides the usual one.
const POLICIES: [i32; 4] = [libc::SCHED_BATCH, libc::SCHED_IDLE, libc::SCHED_DEADLINE, 7];

impl System {
    fn setting(&self, operation: i32) -> Option<u64> {
        self.process.settings.get(&operation).copied()
    }

    fn keep(&mut self, operation: i32, value: u64) -> Reply {
        Arc::make_mut(&mut self.process.settings).insert(operation, value);
        Ok(0)
    }

    pub(crate) fn prctl(
        &mut self,
        memory: &mut dyn UserMemory,
        operation: i32,
        arguments: [u64; 4],
    ) -> Reply {
        let [argument, rest @ ..] = arguments;
        let lone = rest == [0; 3];
        let kept = |set| self.setting(set).unwrap_or(0);
        match operation {
            libc::PR_SET_NAME => self.set_name(memory, argument),
            libc::PR_GET_NAME => {
                user::put(memory, argument, &self.process.name)?;
                Ok(0)
            }
            // A parent does not end before its child.
            libc::PR_SET_PDEATHSIG if argument <= 64 => self.keep(operation, argument),
            libc::PR_GET_PDEATHSIG => {
                user::put(memory, argument, &(kept(libc::PR_SET_PDEATHSIG) as u32).to_le_bytes())?;
                Ok(0)
            }
            libc::PR_GET_DUMPABLE => Ok(self.setting(libc::PR_SET_DUMPABLE).unwrap_or(1) as i64),
            libc::PR_GET_KEEPCAPS => Ok(kept(libc::PR_SET_KEEPCAPS) as i64),
            libc::PR_SET_DUMPABLE | libc::PR_SET_KEEPCAPS if argument <= 1 => {
                self.keep(operation, argument)
            }
            libc::PR_GET_TIMING => Ok(0),
            libc::PR_SET_TIMING if argument == 0 => Ok(0),
            libc::PR_GET_TIMERSLACK => {
                Ok(self.setting(libc::PR_SET_TIMERSLACK).unwrap_or(TIMER_SLACK) as i64)
            }
            libc::PR_SET_TIMERSLACK => {
                let slack = if argument as i64 <= 0 { TIMER_SLACK } else { argument };
                self.keep(operation, slack)
            }
            libc::PR_SET_CHILD_SUBREAPER => self.keep(operation, u64::from(argument != 0)),
            libc::PR_GET_CHILD_SUBREAPER => {
                let value = kept(libc::PR_SET_CHILD_SUBREAPER) as u32;
                user::put(memory, argument, &value.to_le_bytes())?;
                Ok(0)
            }
            libc::PR_SET_THP_DISABLE if lone => self.keep(operation, u64::from(argument != 0)),
            libc::PR_GET_THP_DISABLE if lone && argument == 0 => {
                Ok(kept(libc::PR_SET_THP_DISABLE) as i64)
            }
            libc::PR_SET_NO_NEW_PRIVS if lone && argument == 1 => self.keep(operation, 1),
            // A sandbox may have set it before.
            libc::PR_GET_NO_NEW_PRIVS if lone && argument == 0 => {
                match kept(libc::PR_SET_NO_NEW_PRIVS) {
                    1 => Ok(1),
                    _ => Err(Stop::unsupported("prctl with PR_GET_NO_NEW_PRIVS")),
                }
            }
            libc::PR_SET_PDEATHSIG
            | libc::PR_SET_DUMPABLE
            | libc::PR_SET_KEEPCAPS
            | libc::PR_SET_TIMING
            | libc::PR_SET_THP_DISABLE
            | libc::PR_GET_THP_DISABLE
            | libc::PR_SET_NO_NEW_PRIVS
            | libc::PR_GET_NO_NEW_PRIVS => Err(Errno::EINVAL.into()),
            1..=LAST_OPERATION | SET_VMA | SET_PTRACER => {
                Err(Stop::unsupported(format!("prctl with operation {operation}")))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn set_name(&mut self, memory: &mut dyn UserMemory, address: u64) -> Reply {
        // At most 15 bytes and a NUL; longer names are cut.
        let mut name = [0; 16];
        for (n, slot) in name.iter_mut().take(15).enumerate() {
            let byte: [u8; 1] = user::array(memory, address.wrapping_add(n as u64))?;
            if byte[0] == 0 {
                break;
            }
            *slot = byte[0];
        }
        self.process.name = name;
        Ok(0)
    }

    pub(crate) fn personality(&mut self, persona: u32) -> Reply {
        match persona {
            0 | u32::MAX => Ok(0),
            _ => Err(Stop::unsupported(format!("personality {persona:#x}"))),
        }
    }

    pub(crate) fn membarrier(&mut self, command: i32, flags: u32) -> Reply {
        const GLOBAL: i32 = 1;
        const PRIVATE: i32 = 8;
        const REGISTER: i32 = 16;
        const REGISTERED: i32 = -1;
        match command {
            _ if flags != 0 => Err(Stop::unsupported("membarrier with flags")),
            GLOBAL => Ok(0),
            REGISTER => self.keep(REGISTERED, 1),
            PRIVATE if self.setting(REGISTERED).is_some() => Ok(0),
            PRIVATE => Err(Errno::EPERM.into()),
            _ => Err(Stop::unsupported(format!("membarrier with command {command}"))),
        }
    }

    fn check_self(&self, pid: i32) -> Result<(), Stop> {
        match pid {
            pid if pid < 0 => Err(Errno::EINVAL.into()),
            0 => Ok(()),
            pid if pid == self.process.pid => Ok(()),
            _ => Err(Stop::unsupported("scheduling of another process")),
        }
    }

    /// Only the processors that there are may be named; with all of them nothing changes.
    pub(crate) fn sched_setaffinity(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        size: u64,
        mask: u64,
    ) -> Reply {
        let processors = self.config.processors.clamp(1, 1024) as usize;
        let mut bytes = vec![0; (size as usize).min(processors.div_ceil(64) * 8)];
        memory.read(mask, &mut bytes)?;
        self.check_self(pid)?;
        let wanted = |n: usize| bytes.get(n / 8).is_some_and(|byte| byte & (1 << (n % 8)) != 0);
        match (0..processors).filter(|&n| wanted(n)).count() {
            0 => Err(Errno::EINVAL.into()),
            all if all == processors => Ok(0),
            _ => Err(Stop::unsupported("sched_setaffinity to some of the processors")),
        }
    }

    pub(crate) fn sched_getscheduler(&mut self, pid: i32) -> Reply {
        self.check_self(pid)?;
        Ok(i64::from(libc::SCHED_OTHER))
    }

    pub(crate) fn sched_setscheduler(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        policy: i32,
        parameters: u64,
    ) -> Reply {
        if parameters == 0 || policy < 0 {
            return Err(Errno::EINVAL.into());
        }
        let priority = user::u32_at(memory, parameters)?;
        self.check_self(pid)?;
        match (policy, priority) {
            (libc::SCHED_OTHER, 0) => Ok(0),
            (libc::SCHED_OTHER, _) => Err(Errno::EINVAL.into()),
            _ => Err(Stop::unsupported(format!("sched_setscheduler to policy {policy}"))),
        }
    }

    pub(crate) fn sched_getparam(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        result: u64,
    ) -> Reply {
        if result == 0 {
            return Err(Errno::EINVAL.into());
        }
        self.check_self(pid)?;
        user::put(memory, result, &0u32.to_le_bytes())?;
        Ok(0)
    }

    /// The bounds of the priorities that a policy has.
    pub(crate) fn sched_priority(&mut self, policy: i32, bound: i64) -> Reply {
        match policy {
            libc::SCHED_FIFO | libc::SCHED_RR => Ok(bound),
            libc::SCHED_OTHER => Ok(0),
            _ if POLICIES.contains(&policy) => Ok(0),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    pub(crate) fn timer_getoverrun(&mut self, id: i32) -> Reply {
        let index = self.timer_index(id)?;
        match self.signals.timers[index].interval {
            0 => Ok(0),
            _ => Err(Stop::unsupported("timer_getoverrun of a timer with an interval")),
        }
    }
}
