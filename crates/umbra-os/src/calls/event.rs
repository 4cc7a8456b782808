//! `eventfd`, `timerfd` and `memfd_create`: files that are made by a call of their own.

use super::clock::put_itimer;
use super::open::LARGEFILE;
use crate::content::Content;
use crate::errno::Errno;
use crate::event::{Event, MOST, TimerFile};
use crate::fd::Description;
use crate::fs::TMPFS;
use crate::fs::inode::{Data, InodeId};
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// The longest name of a file in memory.
const NAME: usize = 249;
const MFD_NOEXEC_SEAL: u32 = 8;
const MFD_EXEC: u32 = 16;
/// Bits of `MFD_*` that give the size of huge pages.
const MFD_HUGE: u32 = 0x3f << 26;

impl System {
    pub(crate) fn eventfd(&mut self, count: u32, flags: i32) -> Reply {
        let known = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK | libc::EFD_SEMAPHORE;
        if flags & !known != 0 {
            return Err(Errno::EINVAL.into());
        }
        let event = Event { count: count.into(), semaphore: flags & libc::EFD_SEMAPHORE != 0 };
        self.install_counter(Data::Event(event), flags)
    }

    /// An inode of what has no type: the system's, whoever has made it.
    pub(super) fn new_untyped(&mut self, data: Data) -> InodeId {
        let inode = self.new_anonymous(data, 0o600);
        let node = self.fs.node_mut(inode);
        (node.uid, node.gid) = (0, 0);
        inode
    }

    fn install_counter(&mut self, data: Data, flags: i32) -> Reply {
        self.lowest_descriptor(0)?;
        let inode = self.new_untyped(data);
        let status = libc::O_RDWR | (flags & libc::O_NONBLOCK);
        let close_on_exec = flags & libc::O_CLOEXEC != 0;
        Ok(self.install(Description::new(inode, status, 0), close_on_exec)?.into())
    }

    /// Reads a counter; 8 bytes at least.
    pub(crate) fn read_counter(
        &mut self,
        inode: InodeId,
        want: usize,
        nonblocking: bool,
    ) -> Result<[u8; 8], Stop> {
        if want < 8 {
            return Err(Errno::EINVAL.into());
        }
        let clock = self.clock.clone();
        let (count, due) = match &mut self.fs.node_mut(inode).data {
            Data::Event(event) => {
                let count = if event.semaphore { event.count.min(1) } else { event.count };
                event.count -= count;
                (count, None)
            }
            Data::Timer(timer) => (timer.take(&clock), timer.deadline),
            _ => return Err(Errno::EINVAL.into()),
        };
        match (count, due) {
            (0, _) if nonblocking => Err(Errno::EAGAIN.into()),
            (0, None) => Err(Stop::endless("reading a counter")),
            (0, Some(due)) => {
                if self.sleep_until(due) {
                    return Err(Errno::EINTR.into());
                }
                self.read_counter(inode, want, true)
            }
            (count, _) => Ok(count.to_le_bytes()),
        }
    }

    /// Adds to the counter of an `eventfd`.
    pub(crate) fn write_event(
        &mut self,
        inode: InodeId,
        added: u64,
        nonblocking: bool,
    ) -> Result<usize, Stop> {
        let Data::Event(event) = &mut self.fs.node_mut(inode).data else {
            return Err(Errno::EINVAL.into());
        };
        if added == u64::MAX {
            return Err(Errno::EINVAL.into());
        }
        if MOST - event.count < added {
            return Err(match nonblocking {
                true => Errno::EAGAIN.into(),
                false => Stop::endless("writing to a full counter"),
            });
        }
        event.count += added;
        Ok(8)
    }

    pub(crate) fn timerfd_create(&mut self, clock: i32, flags: i32) -> Reply {
        let alarm = matches!(clock, libc::CLOCK_REALTIME_ALARM | libc::CLOCK_BOOTTIME_ALARM);
        let plain =
            matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC | libc::CLOCK_BOOTTIME);
        if flags & !(libc::TFD_CLOEXEC | libc::TFD_NONBLOCK) != 0 || !(plain || alarm) {
            return Err(Errno::EINVAL.into());
        }
        if alarm && !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        if alarm {
            return Err(Stop::unsupported("timerfd_create with an alarm clock"));
        }
        let timer = TimerFile { clock, deadline: None, interval: 0 };
        self.install_counter(Data::Timer(timer), flags)
    }

    fn timer_file(&self, fd: i32) -> Result<(InodeId, TimerFile), Errno> {
        let inode = self.file(fd)?.inode;
        match self.fs.node(inode).data {
            Data::Timer(timer) => Ok((inode, timer)),
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) fn timerfd_settime(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        flags: i32,
        [new, old]: [u64; 2],
    ) -> Reply {
        let interval = user::timespec(memory, new)?;
        let first = user::timespec(memory, new.wrapping_add(16))?;
        if flags & !(libc::TFD_TIMER_ABSTIME | libc::TFD_TIMER_CANCEL_ON_SET) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let interval = user::nanoseconds_of(interval.0, interval.1)?;
        let first = user::nanoseconds_of(first.0, first.1)?;
        let (inode, timer) = self.timer_file(fd)?;
        if flags & libc::TFD_TIMER_CANCEL_ON_SET != 0 {
            return Err(Stop::unsupported("timerfd_settime with TFD_TIMER_CANCEL_ON_SET"));
        }
        let now = match timer.clock {
            libc::CLOCK_REALTIME => self.clock.now(),
            _ => self.clock.monotonic(),
        };
        let now = user::nanoseconds_of(now.seconds.max(0), i64::from(now.nanoseconds))?;
        let wait = match flags & libc::TFD_TIMER_ABSTIME {
            0 => first,
            _ => first.saturating_sub(now),
        };
        let deadline = (first > 0).then(|| self.clock.elapsed.saturating_add(wait));
        put_itimer(memory, old, timer.value(&self.clock), 1)?;
        self.fs.node_mut(inode).data = Data::Timer(TimerFile { deadline, interval, ..timer });
        Ok(0)
    }

    pub(crate) fn timerfd_gettime(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        result: u64,
    ) -> Reply {
        let (_, timer) = self.timer_file(fd)?;
        if result == 0 {
            return Err(Errno::EFAULT.into());
        }
        put_itimer(memory, result, timer.value(&self.clock), 1)?;
        Ok(0)
    }

    pub(crate) fn memfd_create(
        &mut self,
        memory: &mut dyn UserMemory,
        name: u64,
        flags: u32,
    ) -> Reply {
        let plain = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL | MFD_EXEC;
        let huge = libc::MFD_HUGETLB | MFD_HUGE;
        let known = if flags & libc::MFD_HUGETLB != 0 { plain | huge } else { plain };
        let executable = MFD_EXEC | MFD_NOEXEC_SEAL;
        if flags & !known != 0 || flags & executable == executable {
            return Err(Errno::EINVAL.into());
        }
        if flags & (libc::MFD_HUGETLB | libc::MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL) != 0 {
            let what = "memfd_create with huge pages or seals";
            return Err(Stop::unsupported(what));
        }
        let found = memory.read_c_string(name, NAME + 1)?;
        let text = found.ok_or(Errno::EINVAL)?;
        self.lowest_descriptor(0)?;
        let inode = self.new_anonymous(Data::Regular(Content::default()), 0o777);
        self.fs.node_mut(inode).nlink = 0;
        let mut description = Description::new(inode, libc::O_RDWR | LARGEFILE, 0);
        let shown = [b"memfd:".as_slice(), &text].concat();
        description.place = Some((self.process.root, shown.into()));
        let close_on_exec = flags & libc::MFD_CLOEXEC != 0;
        Ok(self.install(description, close_on_exec)?.into())
    }

    /// Files in memory that may not be sealed say so; other files know no seals.
    pub(crate) fn seals(&self, fd: i32, command: i32, seals: u64) -> Reply {
        const ALL: u64 = 0x3f;
        let description = self.file(fd)?;
        let inode = description.inode;
        let adds = command == libc::F_ADD_SEALS;
        if adds && !description.writable() {
            return Err(Errno::EPERM.into());
        }
        if adds && seals & !ALL != 0 {
            return Err(Errno::EINVAL.into());
        }
        let node = self.fs.node(inode);
        let nameless = node.nlink == 0 && self.fs.is_anonymous(inode);
        let in_memory = nameless || self.fs.file_system(inode).magic == TMPFS;
        match command {
            _ if !node.is_regular() || !in_memory => Err(Errno::EINVAL.into()),
            libc::F_GET_SEALS => Ok(libc::F_SEAL_SEAL.into()),
            _ => Err(Errno::EPERM.into()),
        }
    }
}
