//! Looking at the tree that a program left behind, from outside.

use crate::bytes::OutputBytes;
use crate::config::Error;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Follow;
use crate::fs::undecided::Field;
use crate::lower::LowerStat;
use crate::system::{Stop, System};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Identifies a file within one kernel: hard links to a file share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(InodeId);

impl TreeId {
    pub(crate) fn new(inode: InodeId) -> Self {
        Self(inode)
    }
}

/// One object of the merged tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path below the directory that was walked; empty for that directory itself.
    pub path: PathBuf,
    /// Which file it is.
    pub id: TreeId,
    /// Its attributes; the type is in `mode`.
    pub stat: LowerStat,
    /// The text of a symbolic link.
    pub target: Option<Vec<u8>>,
}

impl System {
    /// All objects at and below `root` as the program would see them: parents first, names in order
    /// of bytes.
    pub(crate) fn walk_tree(&mut self, root: &Path) -> Result<Vec<TreeEntry>, Error> {
        let failed = |path: &Path, stop: Stop| match stop {
            Stop::Undecided(..) => Error::Undecided(root.join(path)),
            stop => Error::Tree(root.join(path), stop.errno()),
        };
        let start = self.find(root).map_err(|stop| failed(Path::new(""), stop))?;
        let mut entries = Vec::new();
        let mut waiting = vec![(PathBuf::new(), start)];
        while let Some((path, inode)) = waiting.pop() {
            let target = match &self.fs.node(inode).data {
                Data::Symlink(text) => Some(text.to_vec()),
                _ => None,
            };
            self.fs.known(inode, &Field::ALL).map_err(|stop| failed(&path, stop))?;
            let stat = self.fs.stat(inode);
            if self.fs.node(inode).is_directory() {
                let mut children = self.children(inode).map_err(|stop| failed(&path, stop))?;
                children.sort();
                // The last one pushed is visited first.
                for (name, child) in children.into_iter().rev() {
                    waiting.push((path.join(OsStr::from_bytes(&name)), child));
                }
            }
            entries.push(TreeEntry { path, id: TreeId(inode), stat, target });
        }
        Ok(entries)
    }

    fn find(&mut self, path: &Path) -> Result<InodeId, Stop> {
        self.resolve(libc::AT_FDCWD, path.as_os_str().as_bytes(), Follow::Yes)
    }

    fn children(&mut self, dir: InodeId) -> Result<Vec<(Vec<u8>, InodeId)>, Stop> {
        let mut names = Vec::new();
        self.fs.list(dir, 0, |entry| {
            if &*entry.name != b"." && &*entry.name != b".." {
                names.push(entry.name.to_vec());
            }
            true
        })?;
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            if let Some(child) = self.fs.lookup(dir, &name)? {
                children.push((name, child));
            }
        }
        Ok(children)
    }

    /// Reads from a regular file of the tree; fails where bytes are expressions.
    pub(crate) fn read_file(
        &self,
        id: TreeId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<usize, Errno> {
        match &self.fs.node(id.0).data {
            Data::Regular(content) if content.has_expressions() => {
                let chunk = content.load(&*self.fs.lower, offset, buffer.len())?;
                if !chunk.expressions.is_empty() {
                    return Err(Errno::EOPNOTSUPP);
                }
                buffer[..chunk.len()].copy_from_slice(&chunk.plain);
                Ok(chunk.len())
            }
            Data::Regular(content) => content.read(&*self.fs.lower, offset, buffer),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Reads up to `length` bytes from a regular file of the tree, expressions included. A file that
    /// nobody has looked at here, but in a copy, is `ENOENT`: it is as it was in the lower layer.
    pub(crate) fn read_file_bytes(
        &self,
        id: TreeId,
        offset: u64,
        length: usize,
    ) -> Result<OutputBytes, Errno> {
        if !self.fs.knows(id.0) {
            return Err(Errno::ENOENT);
        }
        match &self.fs.node(id.0).data {
            Data::Regular(content) => {
                Ok(OutputBytes::from(&content.load(&*self.fs.lower, offset, length)?))
            }
            _ => Err(Errno::EINVAL),
        }
    }

    /// The next stretch of data in a file from `offset` on; `None` if only a hole is left.
    pub(crate) fn next_data(&self, id: TreeId, offset: u64) -> Option<(u64, u64)> {
        use crate::content::Sought;
        let Data::Regular(content) = &self.fs.node(id.0).data else {
            return None;
        };
        let data = content.seek(&*self.fs.lower, offset, Sought::Data).ok()?;
        let hole = content.seek(&*self.fs.lower, data, Sought::Hole).ok()?;
        Some((data, hole))
    }
}
