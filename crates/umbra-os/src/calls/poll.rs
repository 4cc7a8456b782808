//! Waiting for descriptors.

use crate::errno::Errno;
use crate::fs::inode::Data;
use crate::pair::Pair;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// The highest descriptor of a `select` set, plus one.
const SET_BITS: i32 = 1024;

impl System {
    /// The `POLL*` events that a descriptor has now.
    fn events(&self, fd: i32) -> i16 {
        let Ok(description) = self.file(fd) else {
            return libc::POLLNVAL;
        };
        let node = self.fs.node(description.inode);
        let mut events = 0;
        match &node.data {
            Data::Pipe(pipe) => {
                if description.readable() {
                    events |= if pipe.len() > 0 { libc::POLLIN | libc::POLLRDNORM } else { 0 };
                    events |= if pipe.writers == 0 { libc::POLLHUP } else { 0 };
                }
                if description.writable() {
                    events |= if pipe.space() > 0 { libc::POLLOUT | libc::POLLWRNORM } else { 0 };
                    events |= if pipe.readers == 0 { libc::POLLERR } else { 0 };
                }
            }
            Data::Stream(stream) if !stream.is_file() => {
                if description.readable() {
                    events |= libc::POLLIN | libc::POLLRDNORM;
                }
                if description.writable() {
                    events |= libc::POLLOUT | libc::POLLWRNORM;
                }
                if stream.broken {
                    events |= libc::POLLERR;
                }
            }
            Data::Event(event) => {
                events |= if event.count > 0 { libc::POLLIN } else { 0 };
                events |= if event.count < crate::event::MOST { libc::POLLOUT } else { 0 };
            }
            Data::Timer(timer) => {
                events |= if timer.expirations(&self.clock) > 0 { libc::POLLIN } else { 0 };
            }
            Data::Pair(pair) => events |= self.pair_events(pair),
            Data::Socket => {
                events |= libc::POLLOUT | libc::POLLWRNORM | libc::POLLWRBAND | libc::POLLHUP;
            }
            _ => events |= libc::POLLIN | libc::POLLRDNORM | libc::POLLOUT | libc::POLLWRNORM,
        }
        events
    }

    fn pair_events(&self, pair: &Pair) -> i16 {
        let peer = match &self.fs.node(pair.peer).data {
            Data::Pair(peer) => peer.no_more,
            _ => (false, false),
        };
        let datagrams = pair.kind == libc::SOCK_DGRAM;
        let gone = pair.abandoned && !datagrams;
        let read_ended = gone || pair.no_more.0 || peer.1;
        let write_ended = gone || pair.no_more.1 || peer.0;
        let mut events = libc::POLLOUT | libc::POLLWRNORM | libc::POLLWRBAND;
        if !pair.is_empty() || read_ended {
            events |= libc::POLLIN | libc::POLLRDNORM;
        }
        events |= if read_ended { libc::POLLRDHUP } else { 0 };
        events |= if read_ended && write_ended { libc::POLLHUP } else { 0 };
        events | if pair.reset { libc::POLLERR } else { 0 }
    }

    /// When the first timer among these descriptors expires.
    fn first_expiry(&self, descriptors: impl Iterator<Item = i32>) -> Option<u64> {
        let due = |fd: i32| match self.fs.node(self.file(fd).ok()?.inode).data {
            Data::Timer(timer) => timer.deadline,
            _ => None,
        };
        descriptors.filter_map(due).min()
    }

    /// Waits until something is ready, `timeout` nanoseconds have passed or a signal came.
    fn wait_until_ready(
        &mut self,
        timeout: Option<u64>,
        expiry: Option<u64>,
        what: &str,
    ) -> Result<(), Stop> {
        let deadline = timeout.map(|timeout| self.clock.elapsed.saturating_add(timeout));
        let deadline = match (deadline, expiry) {
            (Some(deadline), Some(expiry)) => Some(deadline.min(expiry)),
            (deadline, expiry) => deadline.or(expiry),
        };
        loop {
            let next = self.signals.next_deadline();
            let until = match (deadline, next) {
                (Some(deadline), Some(next)) => deadline.min(next),
                (Some(deadline), None) => deadline,
                (None, Some(next)) => next,
                (None, None) => return Err(Stop::endless(what)),
            };
            if self.sleep_until(until) {
                return Err(Errno::EINTR.into());
            }
            if deadline.is_some_and(|deadline| deadline <= self.clock.elapsed) {
                return Ok(());
            }
        }
    }

    pub(crate) fn poll(
        &mut self,
        memory: &mut dyn UserMemory,
        list: u64,
        count: u64,
        timeout: Option<u64>,
    ) -> Reply {
        if count > self.process.limit(libc::RLIMIT_NOFILE).0 {
            return Err(Errno::EINVAL.into());
        }
        let always = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;
        let mut entries = Vec::new();
        for n in 0..count {
            let at = list.wrapping_add(n * 8);
            let fd = user::u32_at(memory, at)? as i32;
            let wanted = i16::from_le_bytes(user::array(memory, at.wrapping_add(4))?);
            self.check_watch(fd)?;
            entries.push((at, fd, wanted));
        }
        for round in 0..2 {
            let mut ready = 0;
            for &(at, fd, wanted) in &entries {
                let events = if fd < 0 { 0 } else { self.events(fd) & (wanted | always) };
                user::put(memory, at.wrapping_add(6), &events.to_le_bytes())?;
                ready += i64::from(events != 0);
            }
            if ready > 0 || timeout == Some(0) || round == 1 {
                return Ok(ready);
            }
            let expiry = self.first_expiry(entries.iter().map(|&(_, fd, _)| fd));
            self.wait_until_ready(timeout, expiry, "poll")?;
        }
        Ok(0)
    }

    pub(crate) fn select(
        &mut self,
        memory: &mut dyn UserMemory,
        count: i32,
        sets: [u64; 3],
        timeout: Option<u64>,
    ) -> Reply {
        if count < 0 {
            return Err(Errno::EINVAL.into());
        }
        let count = count.min(SET_BITS);
        let bytes = (count as usize).div_ceil(64) * 8;
        let wanted_events = [
            libc::POLLIN | libc::POLLHUP | libc::POLLERR,
            libc::POLLOUT | libc::POLLERR,
            libc::POLLPRI,
        ];
        let mut wanted = [const { Vec::new() }; 3];
        for (set, address) in wanted.iter_mut().zip(sets) {
            *set = vec![0u8; bytes];
            if address != 0 {
                memory.read(address, set)?;
            }
        }
        for round in 0..2 {
            let mut found = wanted.clone().map(|set| vec![0u8; set.len()]);
            let mut ready = 0;
            for fd in 0..count {
                let (byte, bit) = (fd as usize / 8, 1u8 << (fd % 8));
                for n in 0..3 {
                    if wanted[n][byte] & bit == 0 {
                        continue;
                    }
                    self.file(fd)?;
                    self.check_watch(fd)?;
                    if self.events(fd) & wanted_events[n] != 0 {
                        found[n][byte] |= bit;
                        ready += 1;
                    }
                }
            }
            if ready > 0 || timeout == Some(0) || round == 1 {
                for (set, address) in found.iter().zip(sets) {
                    user::put_optional(memory, address, set)?;
                }
                return Ok(ready);
            }
            let is_wanted = |fd: &i32| wanted[0][*fd as usize / 8] & (1 << (fd % 8)) != 0;
            let expiry = self.first_expiry((0..count).filter(is_wanted));
            self.wait_until_ready(timeout, expiry, "select")?;
        }
        Ok(0)
    }
}
