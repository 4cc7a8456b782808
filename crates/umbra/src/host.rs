//! The world as the host shows it: what a program that is run here starts with.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use anyhow::Context;
use rustix::fs::{FileType, Mode, OFlags, SeekFrom};
use umbra_os::{
    Config, Descriptor, HostLower, Input, LowerStat, OutputAction, OutputEvent, ReaderInput,
    SinkId, StreamKind, SystemNames, Timestamp,
};

/// The configuration of a kernel that looks like the host, with our own descriptors 0 to 2.
pub fn config() -> anyhow::Result<Config> {
    let cwd = std::env::current_dir().context("finding the working directory")?;
    // The mask can only be read by setting it.
    let umask = rustix::process::umask(Mode::empty());
    rustix::process::umask(umask);
    let groups = rustix::process::getgroups().context("reading the groups of the process")?;
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    let uptime = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Ok(Config {
        lower: Arc::new(HostLower::new("/")),
        cwd,
        umask: umask.bits(),
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        groups: groups.iter().map(|group| group.as_raw()).collect(),
        names: SystemNames::host(),
        clock: Timestamp::new(now.tv_sec, now.tv_nsec as u32),
        uptime: Timestamp::new(uptime.tv_sec, uptime.tv_nsec as u32),
        descriptors: descriptors(),
        ..Config::default()
    })
}

fn descriptors() -> Vec<Descriptor> {
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let hosts = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let mut descriptors: Vec<Descriptor> = (0..)
        .zip(hosts)
        .map(|(number, host)| descriptor(number, host))
        .collect();
    if same_file(hosts[1], hosts[2]) {
        descriptors[2] = Descriptor::Same(1);
    }
    descriptors
}

/// Whether two descriptors are one, as after `2>&1`, so that they share a position.
fn same_file(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let position = |fd| rustix::fs::seek(fd, SeekFrom::Current(0)).ok();
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(a), Ok(b)) => {
            (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
                && FileType::from_raw_mode(a.st_mode) == FileType::RegularFile
                && position(one) == position(other)
        }
        _ => false,
    }
}

fn descriptor(number: u32, host: BorrowedFd<'_>) -> Descriptor {
    let Ok(stat) = rustix::fs::fstat(host) else {
        return Descriptor::Closed;
    };
    let mut kind = StreamKind::Pipe;
    let mut offset = 0;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            kind = StreamKind::File(lower_stat(&stat));
            offset = rustix::fs::seek(host, SeekFrom::Current(0)).unwrap_or(0);
        }
        FileType::CharacterDevice if stat.st_rdev == rustix::fs::makedev(1, 3) => {
            return Descriptor::Null;
        }
        FileType::CharacterDevice if rustix::termios::isatty(host) => {
            let (rows, columns) = rustix::termios::tcgetwinsize(host)
                .map_or((24, 80), |size| (size.ws_row, size.ws_col));
            kind = StreamKind::Terminal { rows, columns };
        }
        _ => {}
    }
    let flags = rustix::fs::fcntl_getfl(host).unwrap_or(OFlags::RDWR);
    let kept = OFlags::RWMODE | OFlags::APPEND | OFlags::NONBLOCK;
    let input: Option<Arc<dyn Input>> = match (number, host.try_clone_to_owned()) {
        (0, Ok(own)) if matches!(kind, StreamKind::File(_)) => {
            Some(Arc::new(FileInput(File::from(own))))
        }
        (0, Ok(own)) => Some(Arc::new(ReaderInput::new(File::from(own)))),
        _ => None,
    };
    Descriptor::Stream {
        kind,
        flags: (flags & kept).bits() as i32,
        input,
        sink: Some(SinkId(number)),
        offset,
    }
}

fn lower_stat(stat: &rustix::fs::Stat) -> LowerStat {
    let time = |seconds, nanoseconds| Timestamp::new(seconds, nanoseconds);
    LowerStat {
        dev: stat.st_dev,
        ino: stat.st_ino,
        mode: stat.st_mode,
        nlink: stat.st_nlink,
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: stat.st_rdev,
        size: stat.st_size as u64,
        blksize: stat.st_blksize as u64,
        blocks: stat.st_blocks as u64,
        atime: time(stat.st_atime, stat.st_atime_nsec as u32),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec as u32),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec as u32),
        btime: None,
    }
}

/// A file that was opened for us, read without moving its position.
struct FileInput(File);

impl Input for FileInput {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        FileExt::read_at(&self.0, buffer, offset)
    }
}

/// Does to our own descriptors what the program did to its own.
pub fn forward(events: &[OutputEvent]) -> Result<(), (SinkId, io::Error)> {
    for event in events {
        let done = match event.sink.0 {
            1 => apply(&mut io::stdout().lock(), &event.action),
            _ => apply(&mut io::stderr().lock(), &event.action),
        };
        done.map_err(|error| (event.sink, error))?;
    }
    Ok(())
}

fn apply(stream: &mut (impl Write + AsFd), action: &OutputAction) -> io::Result<()> {
    match action {
        OutputAction::Write { offset, bytes } => {
            stream.flush()?;
            if let Some(offset) = offset {
                rustix::fs::seek(stream.as_fd(), SeekFrom::Start(*offset))?;
            }
            stream.write_all(bytes)?;
            stream.flush()
        }
        OutputAction::Truncate(length) => {
            rustix::fs::ftruncate(stream.as_fd(), *length).map_err(io::Error::from)
        }
    }
}
