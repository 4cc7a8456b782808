//! A lower layer that is made, not found: for tests and for cases that must mean the same on every
//! host. It is a tmpfs, as what a case runs in natively.

use super::{Lower, LowerEntry, LowerFileSystem, LowerStat};
use crate::errno::Errno;
use crate::fs::{TMPFS, TMPFS_ENTRY};
use crate::time::Timestamp;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use umbra_case::root;

/// The device number of a synthetic root: a minor that no real device has.
const DEV: u64 = 0x2a;

#[derive(Clone, Debug)]
struct Node {
    mode: u32,
    rdev: u64,
    uid: u32,
    gid: u32,
    ino: u64,
    mtime: Timestamp,
    /// When its attributes were changed, if not at `mtime`.
    ctime: Option<Timestamp>,
    /// Its place in the listing of its folder; the same ones go by name.
    place: usize,
    /// The contents of a file, the text of a link.
    bytes: Vec<u8>,
}

/// A small synthetic file system, built before the run.
#[derive(Clone, Debug)]
pub struct MemoryLower {
    nodes: BTreeMap<PathBuf, Node>,
    next_ino: u64,
}

impl Default for MemoryLower {
    fn default() -> MemoryLower {
        MemoryLower::empty()
    }
}

impl MemoryLower {
    /// A root directory with nothing in it.
    pub fn empty() -> MemoryLower {
        let mut lower = MemoryLower { nodes: BTreeMap::new(), next_ino: 2 };
        lower.add("/", libc::S_IFDIR | 0o755, 0, Vec::new());
        lower
    }

    /// The root that a test case sees when it brings no files: devices, `/tmp`, a few users.
    pub fn minimal() -> MemoryLower {
        let mut lower = MemoryLower::empty();
        for (path, mode) in root::FOLDERS {
            lower.directory(path, *mode);
        }
        for (path, major, minor) in root::DEVICES {
            lower.add(path, libc::S_IFCHR | 0o666, major << 8 | minor, Vec::new());
        }
        // Natively the last one is procfs's own.
        for (path, target) in root::LINKS.iter().chain(&[("/proc/mounts", "self/mounts")]) {
            lower.symlink(path, *target);
        }
        for (path, content) in root::FILES {
            lower.file(path, 0o644, *content);
        }
        lower
    }

    /// Adds a directory.
    pub fn directory(&mut self, path: impl Into<PathBuf>, mode: u32) -> &mut MemoryLower {
        self.add(path, libc::S_IFDIR | mode, 0, Vec::new())
    }

    /// Adds a regular file.
    pub fn file(
        &mut self,
        path: impl Into<PathBuf>,
        mode: u32,
        bytes: impl Into<Vec<u8>>,
    ) -> &mut MemoryLower {
        self.add(path, libc::S_IFREG | mode, 0, bytes.into())
    }

    /// Adds a symbolic link.
    pub fn symlink(
        &mut self,
        path: impl Into<PathBuf>,
        target: impl Into<Vec<u8>>,
    ) -> &mut MemoryLower {
        self.add(path, libc::S_IFLNK | 0o777, 0, target.into())
    }

    /// Whether there is something at `path`.
    pub fn contains(&self, path: impl AsRef<Path>) -> bool {
        self.nodes.contains_key(path.as_ref())
    }

    /// Sets owner and group of what is already at `path`.
    pub fn owner(&mut self, path: impl AsRef<Path>, uid: u32, gid: u32) -> &mut MemoryLower {
        if let Some(node) = self.nodes.get_mut(path.as_ref()) {
            (node.uid, node.gid) = (uid, gid);
        }
        self
    }

    /// Sets the time at which the attributes of what is already at `path` were changed. Nobody can
    /// choose it: to a program, files that were made for it have just been changed.
    pub fn changed(&mut self, path: impl AsRef<Path>, time: Timestamp) -> &mut MemoryLower {
        if let Some(node) = self.nodes.get_mut(path.as_ref()) {
            node.ctime = Some(time);
        }
        self
    }

    /// Sets the times of what is already at `path`.
    pub fn time(&mut self, path: impl AsRef<Path>, time: Timestamp) -> &mut MemoryLower {
        if let Some(node) = self.nodes.get_mut(path.as_ref()) {
            node.mtime = time;
        }
        self
    }

    /// Sets the place of what is already at `path` among the entries of its folder: the lowest is
    /// listed first. Without one it is 0, and the same ones go by name.
    pub fn place(&mut self, path: impl AsRef<Path>, place: usize) -> &mut MemoryLower {
        if let Some(node) = self.nodes.get_mut(path.as_ref()) {
            node.place = place;
        }
        self
    }

    /// Adds an object of any type, or makes this of the one that is there; `mode` as in `st_mode`,
    /// `bytes` its contents or its target.
    pub fn add(
        &mut self,
        path: impl Into<PathBuf>,
        mode: u32,
        rdev: u64,
        bytes: Vec<u8>,
    ) -> &mut MemoryLower {
        let path = path.into();
        let ino = match self.nodes.get(&path) {
            Some(node) => node.ino,
            None => {
                self.next_ino += 1;
                self.next_ino - 1
            }
        };
        let node = Node {
            mode,
            rdev,
            uid: 0,
            gid: 0,
            ino,
            mtime: Timestamp::default(),
            ctime: None,
            place: 0,
            bytes,
        };
        self.nodes.insert(path, node);
        self
    }

    fn node(&self, path: &Path) -> Result<&Node, Errno> {
        self.nodes.get(path).ok_or(Errno::ENOENT)
    }

    fn children<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Node)> {
        self.nodes
            .range(path.to_owned()..)
            .take_while(move |(at, _)| at.starts_with(path))
            .filter(move |(at, _)| at.parent() == Some(path))
    }
}

impl Lower for MemoryLower {
    fn stat(&self, path: &Path) -> Result<LowerStat, Errno> {
        let node = self.node(path)?;
        let kind = node.mode & libc::S_IFMT;
        let mut links = 1;
        let mut size = node.bytes.len() as u64;
        if kind == libc::S_IFDIR {
            (links, size) = (2, 2 * TMPFS_ENTRY);
            for (_, child) in self.children(path) {
                links += u64::from(child.mode & libc::S_IFMT == libc::S_IFDIR);
                size += TMPFS_ENTRY;
            }
        }
        Ok(LowerStat {
            dev: DEV,
            ino: node.ino,
            mode: node.mode,
            nlink: links,
            uid: node.uid,
            gid: node.gid,
            rdev: node.rdev,
            size,
            blksize: 4096,
            blocks: if kind == libc::S_IFREG { size.div_ceil(4096) * 8 } else { 0 },
            atime: node.mtime,
            mtime: node.mtime,
            ctime: node.ctime.unwrap_or(node.mtime),
            btime: Some(node.mtime),
        })
    }

    fn read_dir(&self, path: &Path) -> Result<Vec<LowerEntry>, Errno> {
        let node = self.node(path)?;
        let parent = path.parent().and_then(|parent| self.nodes.get(parent)).unwrap_or(node);
        let mut entries = vec![
            LowerEntry { name: b".".to_vec(), ino: node.ino, kind: libc::DT_DIR },
            LowerEntry { name: b"..".to_vec(), ino: parent.ino, kind: libc::DT_DIR },
        ];
        let mut children: Vec<(&PathBuf, &Node)> = self.children(path).collect();
        children.sort_by_key(|(_, node)| node.place);
        for (at, node) in children {
            if let Some(name) = at.file_name() {
                let kind = ((node.mode & libc::S_IFMT) >> 12) as u8;
                entries.push(LowerEntry { name: name.as_bytes().to_vec(), ino: node.ino, kind });
            }
        }
        Ok(entries)
    }

    fn newest_first(&self) -> bool {
        true
    }

    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        Ok(self.node(path)?.bytes.clone())
    }

    fn read(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let bytes = &self.node(path)?.bytes;
        let rest =
            usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn seek_data(&self, path: &Path, offset: u64) -> Result<u64, Errno> {
        if offset < self.node(path)?.bytes.len() as u64 { Ok(offset) } else { Err(Errno::ENXIO) }
    }

    fn seek_hole(&self, path: &Path, offset: u64) -> Result<u64, Errno> {
        let size = self.node(path)?.bytes.len() as u64;
        if offset < size { Ok(size) } else { Err(Errno::ENXIO) }
    }

    fn file_system(&self, _path: &Path) -> Result<LowerFileSystem, Errno> {
        Ok(LowerFileSystem {
            magic: TMPFS,
            bsize: 4096,
            blocks: 1 << 20,
            bfree: 1 << 19,
            bavail: 1 << 19,
            files: 1 << 20,
            ffree: 1 << 19,
            fsid: [1, 2],
            namelen: 255,
            frsize: 4096,
            flags: 0x20,
        })
    }
}
