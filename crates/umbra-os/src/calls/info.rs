//! What the system tells of itself: names, limits, load.

use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// Bytes of one string of `struct utsname`.
const NAME: usize = 65;
/// The number of resources with limits.
const RESOURCES: u32 = 16;

impl System {
    pub(crate) fn uname(&mut self, memory: &mut dyn UserMemory, result: u64) -> Reply {
        let names = &self.config.names;
        let fields = [
            &names.sysname,
            &names.nodename,
            &names.release,
            &names.version,
            &names.machine,
            &names.domainname,
        ];
        let mut bytes = vec![0; NAME * fields.len()];
        for (n, field) in fields.into_iter().enumerate() {
            let length = field.len().min(NAME - 1);
            bytes[n * NAME..n * NAME + length].copy_from_slice(&field.as_bytes()[..length]);
        }
        user::put(memory, result, &bytes)?;
        Ok(0)
    }

    pub(crate) fn prlimit64(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        resource: u32,
        new: u64,
        old: u64,
    ) -> Reply {
        if resource >= RESOURCES {
            return Err(Errno::EINVAL.into());
        }
        if pid != 0 && pid != self.process.pid {
            return Err(Errno::ESRCH.into());
        }
        let before = self.process.limit(resource);
        if new != 0 {
            let (soft, hard) =
                (user::u64_at(memory, new)?, user::u64_at(memory, new.wrapping_add(8))?);
            if soft > hard {
                return Err(Errno::EINVAL.into());
            }
            if hard > before.1 && !self.process.credentials.is_privileged() {
                return Err(Errno::EPERM.into());
            }
            self.set_limit(memory, resource, (soft, hard))?;
        }
        user::put_optional(memory, old, &user::encode_words(&[before.0, before.1]))?;
        Ok(0)
    }

    fn set_limit(
        &mut self,
        memory: &mut dyn UserMemory,
        resource: u32,
        (soft, hard): (u64, u64),
    ) -> Result<(), Stop> {
        let lower = soft < self.process.limit(resource).0;
        match resource {
            // The machine's stack is not laid out as a native one is, and time does not pass.
            libc::RLIMIT_STACK if lower => {
                return Err(Stop::unsupported("a lower limit on the stack (RLIMIT_STACK)"));
            }
            libc::RLIMIT_CPU | libc::RLIMIT_RTTIME if lower => {
                return Err(Stop::unsupported("a lower limit on processor time"));
            }
            libc::RLIMIT_NPROC if lower && !self.process.credentials.is_privileged() => {
                return Err(Stop::unsupported("a lower limit on processes (RLIMIT_NPROC)"));
            }
            libc::RLIMIT_NOFILE if hard > 1 << 20 => return Err(Errno::EPERM.into()),
            _ => {}
        }
        self.process.set_limit(resource, soft, hard);
        if matches!(resource, libc::RLIMIT_AS | libc::RLIMIT_DATA) {
            self.tell_limits(memory);
        }
        Ok(())
    }

    pub(crate) fn sysinfo(&mut self, memory: &mut dyn UserMemory, result: u64) -> Reply {
        let mut bytes = [0; 112];
        let total = self.config.memory;
        let words = [self.clock.monotonic().seconds as u64, 0, 0, 0, total, total / 2, 0, 0, 0, 0];
        bytes[..80].copy_from_slice(&user::encode_words(&words));
        bytes[80..82].copy_from_slice(&1u16.to_le_bytes());
        bytes[104..108].copy_from_slice(&1u32.to_le_bytes());
        user::put(memory, result, &bytes)?;
        Ok(0)
    }

    pub(crate) fn getrusage(
        &mut self,
        memory: &mut dyn UserMemory,
        who: i32,
        result: u64,
    ) -> Reply {
        if !matches!(who, libc::RUSAGE_SELF | libc::RUSAGE_CHILDREN | libc::RUSAGE_THREAD) {
            return Err(Errno::EINVAL.into());
        }
        // A millisecond of user time, a megabyte resident: constants, so that runs are equal.
        let mut words = [0; 18];
        if who != libc::RUSAGE_CHILDREN {
            (words[1], words[4]) = (1000, 1024);
        }
        user::put(memory, result, &user::encode_words(&words))?;
        Ok(0)
    }

    pub(crate) fn times(&mut self, memory: &mut dyn UserMemory, result: u64) -> Reply {
        user::put_optional(memory, result, &[0; 32])?;
        let monotonic = self.clock.monotonic();
        Ok(monotonic.seconds * 100 + i64::from(monotonic.nanoseconds) / 10_000_000)
    }

    pub(crate) fn sched_getaffinity(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        size: u64,
        mask: u64,
    ) -> Reply {
        if pid != 0 && pid != self.process.pid {
            return Err(Errno::ESRCH.into());
        }
        let processors = self.config.processors.clamp(1, 1024) as usize;
        let length = processors.div_ceil(64) * 8;
        if !size.is_multiple_of(8) || (size as usize) < length {
            return Err(Errno::EINVAL.into());
        }
        let mut bytes = vec![0u8; length];
        for n in 0..processors {
            bytes[n / 8] |= 1 << (n % 8);
        }
        user::put(memory, mask, &bytes)?;
        Ok(length as i64)
    }

    /// The answer is 20 minus the nice value, so that it is never negative.
    pub(crate) fn getpriority(&mut self, which: i32, who: i32) -> Reply {
        if !(0..=2).contains(&which) {
            return Err(Errno::EINVAL.into());
        }
        if which == 0 && who != 0 && who != self.process.pid {
            return Err(Errno::ESRCH.into());
        }
        Ok(i64::from(20 - self.process.nice))
    }

    pub(crate) fn setpriority(&mut self, which: i32, who: i32, value: i32) -> Reply {
        self.getpriority(which, who)?;
        let value = value.clamp(-20, 19);
        if value < self.process.nice && !self.process.credentials.is_privileged() {
            return Err(Errno::EACCES.into());
        }
        self.process.nice = value;
        Ok(0)
    }

    pub(crate) fn sethostname(&mut self) -> Reply {
        if !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        Err(Stop::unsupported("a change of the system's name"))
    }
}
