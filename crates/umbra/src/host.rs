//! The world as the host shows it: what a program that is run here starts with, and where what it
//! writes goes.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FileType, SeekFrom};
use umbra_os::{Config, Descriptor, OutputAction, OutputEvent, SinkId};

/// The configuration of a kernel that looks like the host, with our own descriptors 0 to 2.
pub fn config() -> Config {
    let mut config = Config::of_host();
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    let hosts = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()];
    config.descriptors =
        (0..).zip(hosts).map(|(number, host)| Descriptor::of_host(host, number)).collect();
    if is_same_file(hosts[1], hosts[2]) {
        config.descriptors[2] = Descriptor::Same(1);
    }
    config
}

/// Whether two descriptors are one file at one position, as after `2>&1`.
fn is_same_file(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
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
            // A program that runs on the host's own input has no expressions to print.
            stream.write_all(bytes.plain().ok_or(io::ErrorKind::InvalidData)?)?;
            stream.flush()
        }
        OutputAction::Truncate(length) => {
            rustix::fs::ftruncate(stream.as_fd(), *length).map_err(io::Error::from)
        }
    }
}
