//! What `stat` shows of an inode.

use super::inode::{Data, InodeId};
use super::undecided::Field;
use super::{EXT4, Fs};
use crate::lower::LowerStat;
use crate::system::Stop;

/// The longest text of a symbolic link that ext4 keeps in the inode itself.
const FAST_SYMLINK: usize = 60;

impl Fs {
    /// The size of a file, or of whatever has one.
    pub(crate) fn size(&self, id: InodeId) -> Result<u64, Stop> {
        self.known(id, &[Field::Length])?;
        Ok(self.stat(id).size)
    }

    /// The attributes of an inode. What is undecided has some number.
    pub(crate) fn stat(&self, id: InodeId) -> LowerStat {
        let node = self.node(id);
        let (size, blocks) = match &node.data {
            Data::Regular(content) => (content.size(), content.blocks(&*self.lower)),
            Data::Directory(directory) => (directory.size, directory.blocks),
            Data::Symlink(text) => {
                let slow = text.len() >= FAST_SYMLINK && self.file_system(id).magic == EXT4;
                (text.len() as u64, if slow { 8 } else { 0 })
            }
            Data::Magic(_) => (64, 0),
            Data::Stream(stream) => match &stream.kind {
                crate::stream::StreamKind::File(stat) if stream.size == stat.size => {
                    (stat.size, stat.blocks)
                }
                _ => (stream.size, stream.size.div_ceil(4096) * 8),
            },
            Data::Pipe(_) | Data::Character | Data::Block | Data::Socket => (0, 0),
            Data::Pair(_) | Data::Event(_) | Data::Timer(_) => (0, 0),
        };
        LowerStat {
            dev: node.dev,
            ino: node.ino,
            mode: node.mode(),
            nlink: node.nlink,
            uid: node.uid,
            gid: node.gid,
            rdev: node.rdev,
            size,
            blksize: node.blksize,
            blocks,
            atime: node.atime,
            mtime: node.mtime,
            ctime: node.ctime,
            btime: node.btime,
        }
    }
}
