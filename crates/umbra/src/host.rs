//! What a program that runs here does to our own streams.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::SeekFrom;
use umbra_jobs::{Host, StreamAction};

/// Our own standard input, output and error, which a program that runs here is given.
pub fn descriptors() -> [BorrowedFd<'static>; 3] {
    [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()]
}

/// Our own standard output and standard error.
pub struct HostStreams;

impl Host for HostStreams {
    fn apply(&mut self, stream: u32, action: StreamAction<'_>) -> io::Result<()> {
        match stream {
            1 => apply(&mut io::stdout().lock(), action),
            _ => apply(&mut io::stderr().lock(), action),
        }
    }
}

fn apply(stream: &mut (impl Write + AsFd), action: StreamAction<'_>) -> io::Result<()> {
    match action {
        StreamAction::Write(offset, bytes) => {
            stream.flush()?;
            if let Some(offset) = offset {
                rustix::fs::seek(stream.as_fd(), SeekFrom::Start(offset))?;
            }
            stream.write_all(bytes)?;
            stream.flush()
        }
        StreamAction::Truncate(length) => {
            rustix::fs::ftruncate(stream.as_fd(), length).map_err(io::Error::from)
        }
    }
}
