//! Writing the folder of a case.
//!
//! Everything is written to a temporary folder beside the final one, which then gets its name: a
//! folder with that name is a whole case.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Timespec, Timestamps, UTIME_OMIT};

use crate::json::CaseFile;
use crate::ktest::KTest;
use crate::script::script;
use crate::{Case, Descriptor, Entry, EntryKind, Error};

impl Case {
    /// Writes the case to a folder, which must not exist or must be empty; its parent must exist.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        self.check().map_err(|source| Error::Invalid { path: folder.to_owned(), source })?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let temporary = tempfile::Builder::new()
            .prefix(".case-")
            .permissions(Permissions::from_mode(0o777))
            .tempdir_in(parent)
            .map_err(Error::io("make a folder in", parent))?;
        Writer { root: temporary.path(), shown: folder }.case(self)?;
        match fs::rename(temporary.path(), folder) {
            Ok(()) => {
                // It has moved: there is nothing left to remove.
                let _ = temporary.keep();
                Ok(())
            }
            Err(error) if is_taken(&error) => Err(Error::Exists { path: folder.to_owned() }),
            Err(error) => Err(Error::io("make", folder)(error)),
        }
    }
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

struct Writer<'a> {
    /// Where the case is written to.
    root: &'a Path,
    /// Where it will be; what errors name.
    shown: &'a Path,
}

impl Writer<'_> {
    fn case(&self, case: &Case) -> Result<(), Error> {
        let mut json = serde_json::to_string_pretty(&CaseFile::of(case))
            .map_err(|source| Error::Json { path: self.shown.join("case.json"), source })?;
        json.push('\n');
        self.file("case.json", json.as_bytes(), 0o666)?;
        self.file("run.sh", script(case).as_bytes(), 0o777)?;
        if let Some(bytes) = case.stdin.bytes() {
            self.file("stdin", bytes, 0o666)?;
        }
        for (number, descriptor) in &case.descriptors {
            if let Descriptor::Pipe(bytes) = descriptor {
                self.directory(Path::new("descriptors"))?;
                self.file(Path::new("descriptors").join(number.to_string()), bytes, 0o666)?;
            }
        }
        if !case.objects.is_empty() {
            let path = "objects.ktest";
            let bytes = KTest::of_objects(case)
                .encode()
                .map_err(|source| Error::KTest { path: self.shown.join(path), source })?;
            self.file(path, &bytes, 0o666)?;
        }
        let expected = &case.expected;
        let files =
            [("stdout", &expected.stdout), ("stderr", &expected.stderr), ("tree", &expected.tree)];
        for (name, bytes) in files {
            if let Some(bytes) = bytes {
                self.directory(Path::new("expected"))?;
                self.file(Path::new("expected").join(name), bytes, 0o666)?;
            }
        }
        self.tree(&case.tree)
    }

    fn tree(&self, tree: &[Entry]) -> Result<(), Error> {
        for entry in tree {
            self.entry(entry)?;
        }
        // Writing into a folder changes its time, so folders come after what is in them.
        let mut sorted: Vec<&Entry> = tree.iter().collect();
        sorted.sort_by(|one, other| other.path.cmp(&one.path));
        sorted.into_iter().try_for_each(|entry| self.attributes(entry))
    }

    fn entry(&self, entry: &Entry) -> Result<(), Error> {
        let path = tree_path(entry);
        if let Some(parent) = path.parent() {
            self.directory(parent)?;
        }
        let real = self.root.join(&path);
        let made = match &entry.kind {
            EntryKind::File(content) => return self.file(&path, content, 0o666),
            EntryKind::Directory => return self.directory(&path),
            EntryKind::Symlink(target) => {
                std::os::unix::fs::symlink(OsStr::from_bytes(target), real)
            }
            EntryKind::Fifo => {
                let mode = Mode::from_raw_mode(0o666);
                rustix::fs::mknodat(CWD, real, FileType::Fifo, mode, 0).map_err(io::Error::from)
            }
        };
        made.map_err(Error::io("make", &self.shown.join(path)))
    }

    /// Sets mode and time. Whatever the case says, the owner can read and write, and nothing is
    /// run with the rights of others.
    fn attributes(&self, entry: &Entry) -> Result<(), Error> {
        let path = tree_path(entry);
        let real = self.root.join(&path);
        let mode = match entry.kind {
            EntryKind::Symlink(_) => None,
            EntryKind::Directory => Some(entry.mode & 0o777 | 0o700),
            EntryKind::File(_) | EntryKind::Fifo => Some(entry.mode & 0o777 | 0o600),
        };
        if let Some(mode) = mode {
            fs::set_permissions(&real, Permissions::from_mode(mode))
                .map_err(Error::io("set the mode of", &self.shown.join(&path)))?;
        }
        if let Some(time) = entry.modified {
            let times = Timestamps {
                last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
                last_modification: Timespec {
                    tv_sec: time.seconds,
                    tv_nsec: time.nanoseconds.into(),
                },
            };
            rustix::fs::utimensat(CWD, &real, &times, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(Error::io("set the time of", &self.shown.join(&path)))?;
        }
        Ok(())
    }

    fn directory(&self, path: &Path) -> Result<(), Error> {
        fs::create_dir_all(self.root.join(path)).map_err(Error::io("make", &self.shown.join(path)))
    }

    fn file(&self, path: impl AsRef<Path>, content: &[u8], mode: u32) -> Result<(), Error> {
        let path = path.as_ref();
        let write = || {
            let mut options = fs::OpenOptions::new();
            let mut file =
                options.write(true).create_new(true).mode(mode).open(self.root.join(path))?;
            file.write_all(content)
        };
        write().map_err(Error::io("write", &self.shown.join(path)))
    }
}

/// Where an entry lies in the folder of its case.
fn tree_path(entry: &Entry) -> PathBuf {
    match &*entry.path {
        b"." => PathBuf::from("files"),
        path => Path::new("files").join(OsStr::from_bytes(path)),
    }
}
