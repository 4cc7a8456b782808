//! Locks on files, between processes.
//!
//! `flock` locks belong to the open file, not to the process: a child that inherits the
//! descriptor keeps the lock when its parent is gone. [`Lock::share`] makes use of that.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::Error;

/// A held lock. It is released when the value and all its shares are gone.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

/// Who else may hold a lock at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Other holders in the same mode.
    Shared,
    /// Nobody.
    Exclusive,
}

impl Lock {
    /// Takes the lock. If somebody has it, `waiting` is called and the lock awaited.
    pub fn take(path: &Path, mode: Mode, waiting: impl FnOnce(PathBuf)) -> Result<Lock, Error> {
        if let Some(lock) = Lock::try_take(path, mode)? {
            return Ok(lock);
        }
        waiting(path.into());
        loop {
            let file = open(path)?;
            match flock(&file, mode.blocking()) {
                Ok(()) if is_at(&file, path) => return Ok(Lock { file }),
                // Removed while we waited, or a signal: once more.
                Ok(()) | Err(Errno::INTR) => {}
                Err(errno) => return Err(Error::io("lock", path)(errno.into())),
            }
        }
    }

    /// Takes the lock unless somebody has it.
    pub fn try_take(path: &Path, mode: Mode) -> Result<Option<Lock>, Error> {
        loop {
            let file = open(path)?;
            match flock(&file, mode.non_blocking()) {
                Ok(()) if is_at(&file, path) => return Ok(Some(Lock { file })),
                Ok(()) | Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(errno) => return Err(Error::io("lock", path)(errno.into())),
            }
        }
    }

    /// Notes that the thing behind the lock was used now.
    pub fn touch(&self, path: &Path) -> Result<(), Error> {
        let now = std::time::SystemTime::now();
        self.file.set_modified(now).map_err(Error::io("set the time of", path))
    }

    /// The open file, to be given to a child: the lock lasts as long as the child has it.
    /// The file is empty, so it serves as a standard input with nothing in it.
    pub fn share(&self, path: &Path) -> Result<File, Error> {
        self.file.try_clone().map_err(Error::io("share the lock", path))
    }
}

impl Mode {
    fn blocking(self) -> FlockOperation {
        match self {
            Mode::Shared => FlockOperation::LockShared,
            Mode::Exclusive => FlockOperation::LockExclusive,
        }
    }

    fn non_blocking(self) -> FlockOperation {
        match self {
            Mode::Shared => FlockOperation::NonBlockingLockShared,
            Mode::Exclusive => FlockOperation::NonBlockingLockExclusive,
        }
    }
}

fn open(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
        .map_err(Error::io("open", path))
}

/// Whether the file is still the one that the path names: a collector may have removed
/// it between the opening and the locking.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}
