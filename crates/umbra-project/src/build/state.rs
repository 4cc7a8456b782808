//! What a finished build left in its work tree.
//!
//! The file is there only between builds. It lists every file with size, time and inode:
//! a tree that differs from its list (a test suite ran in it, or was killed in it) can be
//! told from one that is as the build left it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::setting::SOURCE_TIME;
use crate::git::{TreeId, bytes_path};
use crate::{Error, files};

const MAGIC: &[u8] = b"umbra work tree 2";

/// The state of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The source it holds.
    pub tree: TreeId,
    /// The hash of everything else that went into the build.
    pub configuration: String,
    /// Every file and folder.
    pub stamps: BTreeMap<PathBuf, Stamp>,
    /// Files of the source that nobody has read while it was built.
    pub unread: BTreeSet<PathBuf>,
}

/// What tells a file from its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    size: u64,
    seconds: i64,
    nanoseconds: i64,
    inode: u64,
}

impl Stamp {
    /// Whether the file is one of the source that was not written since it was checked out.
    pub fn is_source(&self) -> bool {
        self.seconds == SOURCE_TIME && self.inode != 0
    }
}

/// How a tree compares with its list.
#[derive(Debug, Default)]
pub struct Drift {
    /// Files and folders that are not in the list, folders first.
    pub extra: Vec<PathBuf>,
    /// A file that is gone or is another one now.
    pub changed: Option<PathBuf>,
}

/// The files of a folder as they are now.
pub fn stamps(root: &Path) -> Result<BTreeMap<PathBuf, Stamp>, Error> {
    let found = files::walk(root)?.into_iter();
    // Of a folder only that it is there.
    let folder = Stamp { size: 0, seconds: 0, nanoseconds: 0, inode: 0 };
    let stamp = |metadata: &fs::Metadata| match metadata.is_dir() {
        true => folder,
        false => Stamp {
            size: metadata.size(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec(),
            inode: metadata.ino(),
        },
    };
    Ok(found.map(|found| (found.path, stamp(&found.metadata))).collect())
}

/// The files of the source that nobody has read since they were checked out: the time of their last access is
/// the one that they were given then. A file system that does not keep these times tells nothing.
pub fn unread(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let is_unread = |metadata: &fs::Metadata| {
        !metadata.is_dir() && metadata.mtime() == SOURCE_TIME && metadata.atime() == SOURCE_TIME
    };
    let found = files::walk(root)?.into_iter();
    Ok(found.filter(|found| is_unread(&found.metadata)).map(|found| found.path).collect())
}

impl State {
    /// What has become of the tree since.
    pub fn drift(&self, root: &Path) -> Result<Drift, Error> {
        let now = stamps(root)?;
        let differs = |(path, stamp): &(&PathBuf, &Stamp)| {
            now.get(*path) != Some(*stamp) && !is_bookkeeping(path)
        };
        Ok(Drift {
            changed: self.stamps.iter().find(differs).map(|(path, _)| path.clone()),
            extra: now.into_keys().filter(|path| !self.stamps.contains_key(path)).collect(),
        })
    }

    /// Reads a state; none if there is none, or not a whole one.
    pub fn load(file: &Path) -> Result<Option<State>, Error> {
        match fs::read(file) {
            Ok(bytes) => Ok(parse(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", file)(error)),
        }
    }

    /// Writes the state, whole or not at all.
    pub fn save(&self, file: &Path) -> Result<(), Error> {
        let mut text = Vec::new();
        for part in [MAGIC, self.tree.as_str().as_bytes(), self.configuration.as_bytes()] {
            text.extend_from_slice(part);
            text.push(0);
        }
        for (path, stamp) in &self.stamps {
            let Stamp { size, seconds, nanoseconds, inode } = stamp;
            let read = u8::from(!self.unread.contains(path));
            let line = format!("{size} {seconds} {nanoseconds} {inode} {read} ");
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(path.as_os_str().as_bytes());
            text.push(0);
        }
        text.extend_from_slice(b"end");
        files::write_whole(file, &text)
    }
}

/// Files in which build systems take notes while tests are built. They are consulted only
/// together with the files they are about.
fn is_bookkeeping(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    path.parent().is_some_and(|folder| folder.ends_with(".deps"))
        || [".ninja_log", ".ninja_deps", "config.log"].iter().any(|known| name == *known)
}

fn parse(bytes: &[u8]) -> Option<State> {
    let mut records = bytes.split(|&byte| byte == 0);
    (records.next()? == MAGIC).then_some(())?;
    let mut text = || records.next().and_then(|text| std::str::from_utf8(text).ok());
    let (tree, configuration) = (TreeId(text()?.into()), text()?.into());
    let (mut stamps, mut unread) = (BTreeMap::new(), BTreeSet::new());
    let mut last = None;
    for record in records {
        last = Some(record);
        if let Some((path, stamp, read)) = parse_stamp(record) {
            if !read {
                unread.insert(path.clone());
            }
            stamps.insert(path, stamp);
        }
    }
    (last == Some(b"end")).then_some(State { tree, configuration, stamps, unread })
}

fn parse_stamp(record: &[u8]) -> Option<(PathBuf, Stamp, bool)> {
    let mut parts = record.splitn(6, |&byte| byte == b' ');
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse::<i128>().ok();
    let stamp = Stamp {
        size: number()?.try_into().ok()?,
        seconds: number()?.try_into().ok()?,
        nanoseconds: number()?.try_into().ok()?,
        inode: number()?.try_into().ok()?,
    };
    let read = number()? != 0;
    Some((bytes_path(parts.next()?), stamp, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_whole_or_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("tree");
        fs::create_dir_all(root.join("a/.deps")).unwrap();
        for name in ["a/x y", "b", "a/.deps/b.Po"] {
            fs::write(root.join(name), name).unwrap();
        }
        let state = State {
            tree: TreeId("12".into()),
            configuration: "34".into(),
            stamps: stamps(&root).unwrap(),
            unread: BTreeSet::from(["b".into()]),
        };
        assert_eq!(state.stamps.len(), 5);
        let file = dir.path().join("state");
        assert_eq!(State::load(&file).unwrap(), None);
        state.save(&file).unwrap();
        assert_eq!(State::load(&file).unwrap().as_ref(), Some(&state));
        let bytes = fs::read(&file).unwrap();
        for length in 0..bytes.len() {
            assert_eq!(parse(&bytes[..length]), None, "{length} bytes");
        }

        let drift = state.drift(&root).unwrap();
        assert!(drift.extra.is_empty() && drift.changed.is_none(), "{drift:?}");
        fs::write(root.join("a/new"), "").unwrap();
        fs::write(root.join("a/.deps/b.Po"), "other").unwrap();
        let drift = state.drift(&root).unwrap();
        assert_eq!((drift.extra, drift.changed), (vec!["a/new".into()], None));
        fs::write(root.join("b"), "longer").unwrap();
        assert_eq!(state.drift(&root).unwrap().changed, Some("b".into()));
        fs::remove_file(root.join("b")).unwrap();
        assert_eq!(state.drift(&root).unwrap().changed, Some("b".into()));
    }
}
