//! The recordings of a run: files that tracers add to, each one tracer at a time.
//!
//! A journal begins with how many of its bytes are whole; what a killed tracer has left behind them is
//! written over. An entry is a time, a length and so many bytes.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::{shared, system};

const KIND: &str = "journal";
const HEADER: u64 = 8;
const ENTRY_HEADER: u64 = 16;

/// All journals of a run.
pub struct Journals {
    files: Vec<File>,
    entries: Vec<Entry>,
    damaged: u64,
}

/// An entry of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    time: u64,
    file: usize,
    offset: u64,
    length: u64,
}

/// Adds an entry to a journal that nobody else writes to.
pub fn add(folder: &Path, time: u64, bytes: &[u8]) -> io::Result<()> {
    shared::write(folder, KIND, |file| {
        system::lock_byte(&file, 0)?;
        append(&file, time, bytes)
    })
}

fn append(file: &File, time: u64, bytes: &[u8]) -> io::Result<()> {
    let end = whole(file)?;
    let length = bytes.len() as u64;
    file.write_all_at(&time.to_le_bytes(), end)?;
    file.write_all_at(&length.to_le_bytes(), end + 8)?;
    file.write_all_at(bytes, end + ENTRY_HEADER)?;
    file.write_all_at(&(end + ENTRY_HEADER + length).to_le_bytes(), 0)
}

/// How many bytes of a journal are whole.
fn whole(file: &File) -> io::Result<u64> {
    shared::number_at(file, 0).or_else(|error| match error.kind() {
        ErrorKind::UnexpectedEof => Ok(HEADER),
        _ => Err(error),
    })
}

impl Journals {
    /// Opens those in a folder.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut journals = Self { files: Vec::new(), entries: Vec::new(), damaged: 0 };
        for path in shared::all(folder, KIND)? {
            journals.files.push(File::open(path)?);
            journals.list_last()?;
        }
        journals.entries.sort_unstable();
        Ok(journals)
    }

    /// Lists the entries of the file that was opened last.
    fn list_last(&mut self) -> io::Result<()> {
        let Some(file) = self.files.last() else { return Ok(()) };
        let end = whole(file)?;
        let mut offset = HEADER;
        while offset < end {
            let header = shared::number_at(file, offset)
                .and_then(|time| Ok((time, shared::number_at(file, offset + 8)?)));
            match header {
                Ok((time, length)) if length <= end - offset => {
                    offset += ENTRY_HEADER;
                    self.entries.push(Entry { time, file: self.files.len() - 1, offset, length });
                    offset += length;
                }
                _ => {
                    self.damaged += 1;
                    break;
                }
            }
        }
        Ok(())
    }

    /// All entries by time.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Journals whose end cannot be read.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// The bytes of an entry.
    pub fn read(&self, entry: Entry) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(entry.length).map_err(io::Error::other)?];
        self.files[entry.file].read_exact_at(&mut bytes, entry.offset)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn entries_are_read_by_time_and_torn_ones_are_written_over() {
        let folder = std::env::temp_dir().join(format!("umbra-journal-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let texts = |journals: &Journals| {
            let read = |entry: &Entry| String::from_utf8(journals.read(*entry).unwrap()).unwrap();
            journals.entries().iter().map(read).collect::<Vec<_>>()
        };
        let mut options = File::options();
        options.read(true).write(true);
        add(&folder, 2, b"two").unwrap();
        let first = options.open(folder.join("0.journal")).unwrap();
        system::lock_byte(&first, 0).unwrap();
        add(&folder, 1, b"one").unwrap();
        first.write_all_at(b"torn by a kill, and longer", whole(&first).unwrap()).unwrap();
        drop(first);
        assert_eq!(texts(&Journals::open(&folder).unwrap()), ["one", "two"]);
        add(&folder, 3, b"three").unwrap();
        add(&folder, 4, b"").unwrap();
        assert_eq!(texts(&Journals::open(&folder).unwrap()), ["one", "two", "three", ""]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        let damaged = options.open(folder.join("1.journal")).unwrap();
        damaged.write_all_at(&u64::MAX.to_le_bytes(), HEADER + 8).unwrap();
        let journals = Journals::open(&folder).unwrap();
        assert_eq!((texts(&journals).len(), journals.damaged()), (3, 1));
        fs::remove_dir_all(&folder).unwrap();
    }
}
