//! A configuration that shows the host as it is: for running a program in the model where it
//! stands.

use crate::config::{Config, Descriptor, SystemNames};
use crate::lower::{HostLower, LowerStat};
use crate::stream::{ReaderInput, SinkId, StreamKind};
use crate::time::Timestamp;
use rustix::fd::BorrowedFd;
use rustix::process::{Resource, getegid, geteuid, getgroups, getrlimit};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::path::PathBuf;
use std::sync::Arc;

/// The resources whose limits are taken over, with the numbers of the kernel.
const RESOURCES: [(Resource, u32); 16] = [
    (Resource::Cpu, libc::RLIMIT_CPU),
    (Resource::Fsize, libc::RLIMIT_FSIZE),
    (Resource::Data, libc::RLIMIT_DATA),
    (Resource::Stack, libc::RLIMIT_STACK),
    (Resource::Core, libc::RLIMIT_CORE),
    (Resource::Rss, libc::RLIMIT_RSS),
    (Resource::Nproc, libc::RLIMIT_NPROC),
    (Resource::Nofile, libc::RLIMIT_NOFILE),
    (Resource::Memlock, libc::RLIMIT_MEMLOCK),
    (Resource::As, libc::RLIMIT_AS),
    (Resource::Locks, libc::RLIMIT_LOCKS),
    (Resource::Sigpending, libc::RLIMIT_SIGPENDING),
    (Resource::Msgqueue, libc::RLIMIT_MSGQUEUE),
    (Resource::Nice, libc::RLIMIT_NICE),
    (Resource::Rtprio, libc::RLIMIT_RTPRIO),
    (Resource::Rttime, libc::RLIMIT_RTTIME),
];

/// Descriptors beyond this are not worth a table in every state.
const MAX_DESCRIPTORS: u64 = 1 << 20;

impl Config {
    /// The world that this process itself is in: files, user, names, limits and time of the host.
    ///
    /// The descriptors are left at their defaults; see [`Descriptor::of_host`].
    pub fn of_host() -> Config {
        let default = Config::default();
        let system = rustix::system::sysinfo();
        Config {
            lower: Arc::new(HostLower::new("/")),
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            umask: umask().unwrap_or(default.umask),
            uid: geteuid().as_raw(),
            gid: getegid().as_raw(),
            groups: getgroups().unwrap_or_default().iter().map(|gid| gid.as_raw()).collect(),
            names: SystemNames::host(),
            clock: timestamp(clock_gettime(ClockId::Realtime)),
            uptime: timestamp(clock_gettime(ClockId::Monotonic)),
            limits: limits(),
            ignored_signals: ignored_signals(),
            processors: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
            memory: system.totalram.saturating_mul(u64::from(system.mem_unit)),
            ..default
        }
    }
}

impl Descriptor {
    /// One of our own standard descriptors as the program is to see it: its kind from the host, its
    /// bytes read when the program reads, its output reported to the sink of the same number.
    pub fn of_host(fd: BorrowedFd<'_>, number: u32) -> Descriptor {
        let (Ok(stat), Ok(status)) = (LowerStat::of_descriptor(fd), rustix::fs::fcntl_getfl(fd))
        else {
            return Descriptor::Closed;
        };
        let flags = status.bits() as i32;
        let kind = match rustix::termios::tcgetwinsize(fd) {
            Ok(size) => StreamKind::Terminal { rows: size.ws_row, columns: size.ws_col },
            Err(_) => match stat.mode & libc::S_IFMT {
                libc::S_IFIFO => StreamKind::Pipe,
                libc::S_IFCHR if stat.rdev == libc::makedev(1, 3) => return Descriptor::Null,
                libc::S_IFCHR if stat.rdev == libc::makedev(1, 5) => {
                    return Descriptor::device("/dev/zero", flags);
                }
                libc::S_IFCHR if stat.rdev == libc::makedev(1, 7) => {
                    return Descriptor::device("/dev/full", flags);
                }
                _ => StreamKind::File(stat),
            },
        };
        let offset = rustix::fs::tell(fd).unwrap_or(0);
        let file =
            matches!(kind, StreamKind::File(stat) if stat.mode & libc::S_IFMT == libc::S_IFREG);
        let input = rustix::io::dup(fd).ok().map(|own| -> Arc<dyn crate::stream::Input> {
            if file {
                Arc::new(FileInput(own.into()))
            } else {
                Arc::new(ReaderInput::new(std::fs::File::from(own)))
            }
        });
        let access = flags & libc::O_ACCMODE;
        Descriptor::Stream {
            kind,
            flags,
            input: input.filter(|_| access != libc::O_WRONLY),
            sink: (access != libc::O_RDONLY).then_some(SinkId(number)),
            offset,
        }
    }
}

impl Descriptor {
    /// A device that the model has too.
    fn device(path: &str, flags: i32) -> Descriptor {
        let flags = flags & libc::O_ACCMODE;
        Descriptor::Path { path: path.into(), flags, offset: 0 }
    }
}

/// A regular file of the host, read at any offset without moving its position.
struct FileInput(std::fs::File);

impl crate::stream::Input for FileInput {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, buffer, offset)
    }
}

fn timestamp(time: Timespec) -> Timestamp {
    Timestamp::new(time.tv_sec, time.tv_nsec as u32)
}

/// The mask, without the race of setting it to read it.
fn umask() -> Option<u32> {
    u32::from_str_radix(&status("Umask:")?, 8).ok()
}

/// The signals that this process was told to ignore. Rust itself ignores `SIGPIPE`, so of that one
/// nothing is known.
fn ignored_signals() -> Vec<i32> {
    let mask = status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok()).unwrap_or(0);
    (1..=64).filter(|&signal| signal != libc::SIGPIPE && mask >> (signal - 1) & 1 == 1).collect()
}

/// What the kernel says of this process under a name.
fn status(name: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

fn limits() -> Vec<(u32, u64, u64)> {
    let infinity = libc::RLIM_INFINITY;
    RESOURCES
        .into_iter()
        .map(|(resource, number)| {
            let limit = getrlimit(resource);
            let (mut soft, hard) =
                (limit.current.unwrap_or(infinity), limit.maximum.unwrap_or(infinity));
            if number == libc::RLIMIT_NOFILE {
                soft = soft.min(MAX_DESCRIPTORS);
            }
            (number, soft, hard)
        })
        .collect()
}
