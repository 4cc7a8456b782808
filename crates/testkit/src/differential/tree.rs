//! A file tree as a value: what is there, of which kind, with which modes, owners and contents.
//!
//! Inode numbers, access and change times are left out. Modification times are kept, except those
//! of the run itself: two runs of a program do the same at different times, but what they leave
//! alone, copy or set must be equal.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use rustix::fs::{AtFlags, Timespec, Timestamps};

/// The files below a folder, by path; the folder itself is `.`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
}

/// What is to know of one file.
#[derive(Debug, PartialEq, Eq)]
struct Node {
    kind: Kind,
    mode: u32,
    owner: (u32, u32),
    /// The first path of the same file, if it has several below the folder.
    linked_to: Option<PathBuf>,
    /// When it was modified; `None` while the run went on.
    modified: Option<(i64, i64)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
    Fifo,
    Socket,
    /// A device: whether it is a block device, and its number.
    Device(bool, u64),
}

impl Tree {
    /// Reads the tree below a folder, with all its times.
    pub fn read(root: &Path) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.add(root, Path::new("."), None, &mut HashMap::new())?;
        Ok(tree)
    }

    /// Reads the tree that a run left which started then.
    pub fn read_after(root: &Path, start: SystemTime) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.add(root, Path::new("."), Some(start), &mut HashMap::new())?;
        Ok(tree)
    }

    fn add(
        &mut self,
        root: &Path,
        relative: &Path,
        start: Option<SystemTime>,
        seen: &mut HashMap<(u64, u64), PathBuf>,
    ) -> Result<()> {
        let path = root.join(relative);
        let metadata =
            path.symlink_metadata().with_context(|| format!("cannot stat {}", path.display()))?;
        let kind = read_kind(&path, &metadata)?;
        let linked_to = match kind {
            Kind::Folder => None,
            _ => {
                let key = (metadata.dev(), metadata.ino());
                let known = seen.get(&key).cloned();
                seen.entry(key).or_insert_with(|| relative.into());
                known
            }
        };
        let is_folder = kind == Kind::Folder;
        let recent = match start {
            Some(start) => is_recent(metadata.modified()?, start),
            None => false,
        };
        let node = Node {
            kind,
            mode: metadata.mode() & 0o7777,
            owner: (metadata.uid(), metadata.gid()),
            linked_to,
            modified: (!recent).then(|| (metadata.mtime(), metadata.mtime_nsec())),
        };
        self.nodes.insert(relative.into(), node);
        if is_folder {
            opened(&path, &metadata, || self.add_entries(root, relative, start, seen))?;
        }
        Ok(())
    }

    fn add_entries(
        &mut self,
        root: &Path,
        folder: &Path,
        start: Option<SystemTime>,
        seen: &mut HashMap<(u64, u64), PathBuf>,
    ) -> Result<()> {
        let entries = fs::read_dir(root.join(folder))?;
        let mut names: Vec<_> =
            entries.map(|entry| Ok(entry?.file_name())).collect::<Result<_>>()?;
        // In order, so that the first path of a linked file is the same everywhere.
        names.sort();
        for name in names {
            let relative = match folder == Path::new(".") {
                true => PathBuf::from(name),
                false => folder.join(name),
            };
            self.add(root, &relative, start, seen)?;
        }
        Ok(())
    }

    /// How this tree differs from an expected one, a line for each difference.
    pub fn differences(&self, expected: &Tree) -> Vec<String> {
        let mut lines = Vec::new();
        for (path, node) in &expected.nodes {
            let mut add = |text: String| lines.push(format!("{}: {text}", path.display()));
            match self.nodes.get(path) {
                Some(other) => node.differences(other, &mut add),
                None => add("missing".into()),
            }
        }
        for path in self.nodes.keys().filter(|path| !expected.nodes.contains_key(*path)) {
            lines.push(format!("{}: should not be there", path.display()));
        }
        lines
    }
}

impl Node {
    fn differences(&self, other: &Node, add: &mut dyn FnMut(String)) {
        match (&self.kind, &other.kind) {
            (Kind::File(expected), Kind::File(found)) if expected != found => add(format!(
                "contents, {} bytes and {}: {}",
                expected.len(),
                found.len(),
                super::outcome::first_difference(expected, found)
            )),
            (expected, found) if expected != found => add(format!("{expected:?}, found {found:?}")),
            _ => {}
        }
        if self.mode != other.mode {
            add(format!("mode {:04o}, found {:04o}", self.mode, other.mode));
        }
        if self.owner != other.owner {
            add(format!("owner {:?}, found {:?}", self.owner, other.owner));
        }
        if self.modified != other.modified {
            add(format!("modified {:?}, found {:?}", self.modified, other.modified));
        }
        if self.linked_to != other.linked_to {
            add(format!("linked to {:?}, found {:?}", self.linked_to, other.linked_to));
        }
    }
}

fn read_kind(path: &Path, metadata: &fs::Metadata) -> Result<Kind> {
    let kind = metadata.file_type();
    Ok(if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link(fs::read_link(path)?)
    } else if kind.is_file() {
        Kind::File(opened(path, metadata, || Ok(read_file(path)?))?)
    } else if kind.is_fifo() {
        Kind::Fifo
    } else if kind.is_socket() {
        Kind::Socket
    } else {
        Kind::Device(kind.is_block_device(), metadata.rdev())
    })
}

/// Reads a file without leaving an access time behind, which the program under test could see.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let quietly = rustix::fs::OFlags::NOATIME.bits() as i32;
    let mut bytes = Vec::new();
    fs::File::options().read(true).custom_flags(quietly).open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads something of a file or folder, with permission: users other than root need it even for what is theirs.
fn opened<T>(path: &Path, metadata: &fs::Metadata, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let needed = if metadata.is_dir() { 0o500 } else { 0o400 };
    let closed = metadata.mode() & needed != needed && !rustix::process::geteuid().is_root();
    if closed {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    let result = read();
    if closed {
        fs::set_permissions(path, metadata.permissions())?;
    }
    result.with_context(|| format!("cannot read {}", path.display()))
}

/// Removes a tree, folders without permissions included.
pub fn remove(root: &Path) -> Result<()> {
    if fs::remove_dir_all(root).is_ok() || root.symlink_metadata().is_err() {
        return Ok(());
    }
    open_folders(root)?;
    fs::remove_dir_all(root).with_context(|| format!("cannot remove {}", root.display()))
}

fn open_folders(folder: &Path) -> Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}

/// Whether a time lies between a start and now; the file system's clock may be some milliseconds
/// off.
fn is_recent(time: SystemTime, start: SystemTime) -> bool {
    const SLACK: Duration = Duration::from_secs(1);
    (start - SLACK..=SystemTime::now() + SLACK).contains(&time)
}

/// Gives everything modified since `start` a fixed time, so that programs that print times print
/// the same.
///
/// Folders as well; what has a time of its own, by `touch -d`, keeps it.
pub fn settle_times(path: &Path, start: SystemTime) -> Result<()> {
    // 2022-02-02 02:02:02 UTC
    const FIXED: Timespec = Timespec { tv_sec: 1_643_767_322, tv_nsec: 0 };
    let metadata = path.symlink_metadata()?;
    if metadata.is_dir() {
        opened(path, &metadata, || {
            for entry in fs::read_dir(path)? {
                settle_times(&entry?.path(), start)?;
            }
            Ok(())
        })?;
    }
    let settled = |time: std::io::Result<SystemTime>| -> Result<Timespec> {
        Ok(if is_recent(time?, start) {
            FIXED
        } else {
            Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT }
        })
    };
    let times = Timestamps {
        last_access: settled(metadata.accessed())?,
        last_modification: settled(metadata.modified())?,
    };
    rustix::fs::utimensat(rustix::fs::CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
        .with_context(|| format!("cannot set the times of {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(dir: &Path, shell: &str) -> Tree {
        fs::create_dir(dir).unwrap();
        let status =
            std::process::Command::new("sh").arg("-c").arg(shell).current_dir(dir).status();
        assert!(status.unwrap().success());
        Tree::read(dir).unwrap()
    }

    fn check(left: &str, right: &str, expected: &[&str]) {
        let start = SystemTime::now();
        let make = |dir: &Path, shell| {
            make(dir, shell);
            Tree::read_after(dir, start).unwrap()
        };
        let dir = tempfile::tempdir().unwrap();
        let left = make(&dir.path().join("left"), left);
        let right = make(&dir.path().join("right"), right);
        assert_eq!(right.differences(&left), expected);
    }

    #[test]
    fn equal_trees() {
        let shell =
            "mkdir d; echo a >d/f; ln d/f d/g; ln -s f d/s; mkfifo p; touch -d 2001-01-01 p";
        check(shell, &format!("{shell}; touch d/f"), &[]);
    }

    #[test]
    fn differences() {
        check(
            "echo a >f",
            "echo b >f",
            &["f: contents, 2 bytes and 2: at byte 0: \"a\\n\" and \"b\\n\""],
        );
        check("umask 022; >f", "umask 022; >f; chmod 600 f", &["f: mode 0644, found 0600"]);
        check(">f; ln f g", ">f; >g", &["g: linked to Some(\"f\"), found None"]);
        check(">f", ">g", &["f: missing", "g: should not be there"]);
        let touch = "TZ=UTC0 touch -d 2001-01-01 f";
        check(touch, ">f", &["f: modified Some((978307200, 0)), found None"]);
        check("ln -s a f", "ln -s b f", &["f: Link(\"a\"), found Link(\"b\")"]);
    }

    #[test]
    fn times() {
        let dir = tempfile::tempdir().unwrap();
        let before = make(&dir.path().join("t"), ">f");
        assert_eq!(Tree::read(&dir.path().join("t")).unwrap(), before);
        fs::File::open(dir.path().join("t/f"))
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        assert_ne!(Tree::read(&dir.path().join("t")).unwrap(), before);
    }

    #[test]
    fn without_permission() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("t");
        let tree = make(&root, "mkdir -p d/e; echo a >d/e/f; chmod 0 d/e/f d/e d");
        assert_eq!(tree.nodes[Path::new("d/e/f")].kind, Kind::File(b"a\n".into()));
        assert_eq!(root.join("d").metadata().unwrap().mode() & 0o777, 0);
        remove(&root).unwrap();
    }

    #[test]
    fn settled_times() {
        let dir = tempfile::tempdir().unwrap();
        let (start, root) = (SystemTime::now(), dir.path().join("t"));
        make(&root, "mkdir d; echo a >d/f; ln -s x d/l; touch -d 2001-09-09T01:46:40Z d/old");
        settle_times(&root, start).unwrap();
        for (name, time) in [
            ("d", 1_643_767_322),
            ("d/f", 1_643_767_322),
            ("d/l", 1_643_767_322),
            ("d/old", 1_000_000_000),
        ] {
            assert_eq!(root.join(name).symlink_metadata().unwrap().mtime(), time, "{name}");
        }
    }

    #[test]
    fn removal() {
        let dir = tempfile::tempdir().unwrap();
        make(&dir.path().join("t"), "mkdir -p a/b; chmod 0 a/b");
        remove(&dir.path().join("t")).unwrap();
        assert!(!dir.path().join("t").exists());
    }
}
