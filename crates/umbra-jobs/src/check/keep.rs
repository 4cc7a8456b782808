//! The folder of a check, and what its stages leave there for the next one.
//!
//! The folder is named by what is checked, so whoever checks the same patch again finds it. A stage keeps its result under
//! a key of all that it depends on: with another key it is done again. A file is there whole or not at all.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use umbra_case::{ObjectId, make_own_folder, own_folder};

use crate::{Error, JournalError};

/// Where checks are, in the folder for results.
const CHECKS: &str = "checks";

/// Digits in the name of a folder.
const DIGITS: usize = 12;

/// The version of what is kept.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder of a check. As long as it is there, no other process checks the same.
pub struct Keep {
    path: PathBuf,
    _lock: File,
}

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    version: String,
    key: String,
    value: T,
}

impl Keep {
    /// The folder, below that of the project, for what these words say.
    pub fn open(project: &Path, words: &impl Serialize) -> Result<Self, Error> {
        let checks = own_folder(project, CHECKS)?;
        make_own_folder(&checks)?;
        let path = checks.join(&digest(words)[..DIGITS]);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(Error::file("making the folder", &path)(error));
            }
            _ => {}
        }
        let lock = File::open(&path).map_err(Error::file("opening", &path))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(JournalError::Locked(path).into()),
            Err(error) => Err(Error::file("locking", &path)(error.into())),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was kept under this name, if its key is the same.
    pub fn get<T: DeserializeOwned>(&self, name: &str, key: &str) -> Option<T> {
        let bytes = fs::read(self.file(name)).ok()?;
        // What is damaged or of another version is done again.
        let kept: Kept<T> = serde_json::from_slice(&bytes).ok()?;
        (kept.key == key && kept.version == VERSION).then_some(kept.value)
    }

    /// Keeps something in place of what was kept under the name.
    pub fn put(&self, name: &str, key: &str, value: &impl Serialize) -> Result<(), Error> {
        let kept = Kept { version: VERSION.to_owned(), key: key.to_owned(), value };
        write_json(&self.file(name), &kept)
    }

    /// A folder in it, which is there and empty.
    pub fn empty_folder(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::file("removing", &path)(error));
            }
            _ => {}
        }
        fs::create_dir_all(&path).map_err(Error::file("making the folder", &path))?;
        Ok(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.json"))
    }
}

/// The checks of a project, the latest last.
pub fn checks(project: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = own_folder(project, CHECKS)?;
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let report = |path: PathBuf| {
        let changed = fs::metadata(path.join(REPORT)).and_then(|report| report.modified()).ok()?;
        Some((changed, path))
    };
    let mut found: Vec<_> = entries.filter_map(|entry| report(entry.ok()?.path())).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The file of a report, in the folder of a check.
pub const REPORT: &str = "report.json";

/// Writes a file as a whole.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let bytes =
        serde_json::to_vec(value).map_err(|error| Error::file("writing", path)(error.into()))?;
    write(path, &bytes)
}

/// Writes a file as a whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Ok(umbra_report::write_file(path, bytes, "it was not written")?)
}

/// A number for a value, in hexadecimal digits.
pub fn digest(value: &impl Serialize) -> String {
    // Values of ours have no keys that JSON cannot have.
    ObjectId::of(&serde_json::to_vec(value).unwrap_or_default()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_for_the_same_key_alone() {
        let dir = tempfile::tempdir().unwrap();
        let keep = Keep::open(dir.path(), &("a", "b")).unwrap();
        keep.put("suite", "one", &vec![1, 2]).unwrap();
        assert_eq!(keep.get("suite", "one"), Some(vec![1, 2]));
        assert_eq!(keep.get::<Vec<u32>>("suite", "two"), None);
        assert_eq!(keep.get::<String>("suite", "one"), None);
        assert_eq!(keep.get::<Vec<u32>>("search", "one"), None);
        fs::write(keep.path().join("suite.json"), "{\"version\":").unwrap();
        assert_eq!(keep.get::<Vec<u32>>("suite", "one"), None);
    }

    #[test]
    fn one_process_checks_a_patch() {
        let dir = tempfile::tempdir().unwrap();
        let keep = Keep::open(dir.path(), &"a").unwrap();
        let second = Keep::open(dir.path(), &"a").err().unwrap();
        assert!(matches!(second, Error::Journal(JournalError::Locked(_))), "{second}");
        assert_ne!(Keep::open(dir.path(), &"b").unwrap().path(), keep.path());
        drop(keep);
        Keep::open(dir.path(), &"a").unwrap();
    }

    #[test]
    fn the_latest_check_is_last() {
        let dir = tempfile::tempdir().unwrap();
        for (name, seconds) in [("a", 20), ("b", 10)] {
            let keep = Keep::open(dir.path(), &name).unwrap();
            assert!(!checks(dir.path()).unwrap().contains(&keep.path().to_owned()));
            let path = keep.path().join(REPORT);
            write(&path, b"{}").unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }
        let first = Keep::open(dir.path(), &"a").unwrap();
        assert_eq!(checks(dir.path()).unwrap().last().unwrap(), first.path());
    }
}
