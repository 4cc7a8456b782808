//! Which tracers of a recording are there.
//!
//! A tracer has a number of its own. When it begins, it locks the byte at this number and adds the number
//! to a file; when it has written all, it writes zero in its place. One whose number is there without its
//! lock was killed.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::{shared, system};

const KIND: &str = "tracers";

/// A tracer that is there.
pub struct Presence {
    file: File,
    /// Where its number is.
    offset: u64,
}

/// Tracers that have begun and not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// They run.
    pub running: u64,
    /// They do not.
    pub killed: u64,
}

impl Presence {
    /// A tracer begins.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        // The offset of a byte in a file, and not that of the first, which is for who adds a number.
        let number = (RandomState::new().build_hasher().finish() >> 1).max(1);
        shared::write(folder, KIND, |file| {
            system::lock_byte(&file, 0)?;
            system::lock_byte(&file, number)?;
            let offset = file.metadata()?.len() / 8 * 8;
            file.write_all_at(&number.to_le_bytes(), offset)?;
            system::unlock_byte(&file, 0)?;
            Ok(Self { file, offset })
        })
    }

    /// It has written all.
    pub fn end(self) {
        // If this fails, the tracer counts as killed.
        let _ = self.file.write_all_at(&[0; 8], self.offset);
    }
}

/// Counts the tracers of a recording.
pub fn count(folder: &Path) -> io::Result<Present> {
    let mut present = Present::default();
    for path in shared::all(folder, KIND)? {
        let file = File::open(&path)?;
        let bytes = fs::read(&path)?;
        let numbers =
            bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
        for (index, number) in numbers.enumerate().filter(|(_, number)| *number != 0) {
            if system::is_byte_locked(&file, number)? {
                present.running += 1;
            } else if shared::number_at(&file, 8 * index as u64)? != 0 {
                // It has not ended just now: its number goes before its lock.
                present.killed += 1;
            }
        }
    }
    Ok(present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracers_run_or_were_killed_or_have_ended() {
        let run = std::env::temp_dir().join(format!("umbra-tracers-{}", std::process::id()));
        fs::create_dir(&run).unwrap();
        let [ends, killed, runs] = [(); 3].map(|()| Presence::begin(&run).unwrap());
        assert_eq!(count(&run).unwrap(), Present { running: 3, killed: 0 });
        ends.end();
        drop(killed);
        assert_eq!(count(&run).unwrap(), Present { running: 1, killed: 1 });
        runs.end();
        assert_eq!(count(&run).unwrap(), Present { running: 0, killed: 1 });
        fs::remove_dir_all(&run).unwrap();
    }

    #[test]
    fn who_ends_while_it_is_counted_was_not_killed() {
        let run = std::env::temp_dir().join(format!("umbra-ending-{}", std::process::id()));
        fs::create_dir(&run).unwrap();
        std::thread::scope(|scope| {
            let many = || (0..2000).for_each(|_| Presence::begin(&run).unwrap().end());
            let ending = scope.spawn(many);
            while !ending.is_finished() {
                assert_eq!(count(&run).unwrap().killed, 0);
            }
        });
        fs::remove_dir_all(&run).unwrap();
    }
}
