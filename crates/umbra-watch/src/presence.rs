//! Which watchers of a recording are there: the file `watchers` in its folder.
//!
//! A watcher has a number of its own. It locks the byte at this number, adds the number to the file when
//! it begins, and the odd number after it when it has written all. One that has begun and not ended was
//! killed if its lock is gone. A file for each watcher would cost more than all else that it does: a
//! file system may have to search for a place.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::system;

const NAME: &str = "watchers";

/// A watcher that is there.
pub struct Presence {
    file: File,
    number: u64,
}

/// Watchers that have begun and not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// They run.
    pub running: u64,
    /// They do not.
    pub killed: u64,
}

impl Presence {
    /// A watcher begins.
    pub fn begin(run: &Path) -> io::Result<Self> {
        let mut file = File::options().append(true).open(run.join(NAME))?;
        // A positive offset in a file.
        let number = RandomState::new().build_hasher().finish() >> 2 << 1;
        system::lock_byte(&file, number)?;
        file.write_all(&number.to_le_bytes())?;
        Ok(Self { file, number })
    }

    /// It has written all.
    pub fn end(mut self) {
        // If this fails, something may be missing, and the watcher counts as killed.
        let _ = self.file.write_all(&(self.number | 1).to_le_bytes());
    }
}

/// Makes the file in the folder of a new recording, for watchers of all users or this one's.
pub fn make(run: &Path, for_all: bool) -> io::Result<()> {
    let path = run.join(NAME);
    fs::write(&path, "")?;
    fs::set_permissions(&path, Permissions::from_mode(if for_all { 0o666 } else { 0o644 }))
}

/// Counts the watchers of a recording.
pub fn count(run: &Path) -> io::Result<Present> {
    let path = run.join(NAME);
    let bytes = fs::read(&path)?;
    let file = File::open(&path)?;
    let numbers = bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
    let (ended, begun): (BTreeSet<u64>, BTreeSet<u64>) =
        numbers.partition(|number| number & 1 == 1);
    let mut present = Present::default();
    for number in begun.into_iter().filter(|number| !ended.contains(&(number | 1))) {
        match system::is_byte_locked(&file, number)? {
            true => present.running += 1,
            false => present.killed += 1,
        }
    }
    Ok(present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watchers_run_or_were_killed_or_have_ended() {
        let run = std::env::temp_dir().join(format!("umbra-watchers-{}", std::process::id()));
        fs::create_dir(&run).unwrap();
        make(&run, false).unwrap();
        let [ends, killed, runs] = [(); 3].map(|()| Presence::begin(&run).unwrap());
        assert_eq!(count(&run).unwrap(), Present { running: 3, killed: 0 });
        ends.end();
        drop(killed);
        assert_eq!(count(&run).unwrap(), Present { running: 1, killed: 1 });
        runs.end();
        assert_eq!(count(&run).unwrap(), Present { running: 0, killed: 1 });
        fs::remove_dir_all(&run).unwrap();
    }
}
