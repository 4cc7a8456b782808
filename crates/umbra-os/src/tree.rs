//! Looking at the tree that a program left behind, from outside.

use crate::config::Error;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Follow;
use crate::kernel::Kernel;
use crate::lower::LowerStat;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Identifies a file within one kernel: hard links to a file share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(InodeId);

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

impl Kernel {
    /// All objects at and below `root` as the program would see them: parents first, names in order
    /// of bytes.
    pub fn walk_tree(&mut self, root: &Path) -> Result<Vec<TreeEntry>, Error> {
        let at = |path: &Path| root.join(path);
        let start = self.find(root).map_err(|errno| Error::Tree(root.to_owned(), errno))?;
        let mut entries = Vec::new();
        let mut waiting = vec![(PathBuf::new(), start)];
        while let Some((path, inode)) = waiting.pop() {
            let target = match &self.fs.node(inode).data {
                Data::Symlink(text) => Some(text.to_vec()),
                _ => None,
            };
            let stat = self.fs.stat(inode);
            if self.fs.node(inode).is_directory() {
                let mut children =
                    self.children(inode).map_err(|errno| Error::Tree(at(&path), errno))?;
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

    fn find(&mut self, path: &Path) -> Result<InodeId, Errno> {
        self.resolve(libc::AT_FDCWD, path.as_os_str().as_bytes(), Follow::Yes)
    }

    fn children(&mut self, dir: InodeId) -> Result<Vec<(Vec<u8>, InodeId)>, Errno> {
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

    /// Reads from a regular file of the tree; 0 at its end.
    pub fn read_file(&self, id: TreeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        match &self.fs.node(id.0).data {
            Data::Regular(content) => content.read(&*self.fs.lower, offset, buffer),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The next stretch of data in a file from `offset` on; `None` if only a hole is left.
    pub fn next_data(&self, id: TreeId, offset: u64) -> Option<(u64, u64)> {
        use crate::content::Sought;
        let Data::Regular(content) = &self.fs.node(id.0).data else {
            return None;
        };
        let data = content.seek(&*self.fs.lower, offset, Sought::Data).ok()?;
        let hole = content.seek(&*self.fs.lower, data, Sought::Hole).ok()?;
        Some((data, hole))
    }
}
