//! `lseek`.

use crate::content::{MAX_BYTES, Sought};
use crate::errno::Errno;
use crate::fs::device::Device;
use crate::fs::inode::Data;
use crate::fs::undecided::Field;
use crate::fs::{EXT4, TMPFS};
use crate::system::{Reply, Stop, System};

impl System {
    pub(crate) fn lseek(&mut self, fd: i32, offset: i64, whence: i32) -> Reply {
        let description = self.file(fd)?;
        let (inode, current) = (description.inode, description.offset);
        if !(0..=4).contains(&whence) {
            return Err(Errno::EINVAL.into());
        }
        if matches!(self.fs.node(inode).data, Data::Event(_) | Data::Timer(_)) {
            return Err(Stop::unsupported("lseek of a counter"));
        }
        if !self.is_seekable(inode) {
            return Err(Errno::ESPIPE.into());
        }
        let node = self.fs.node(inode);
        let target = match (&node.data, whence) {
            // The memory devices keep their position at zero.
            (Data::Character, _) if Device::from_rdev(node.rdev) != Some(Device::Random) => 0,
            (Data::Character, _) => current as i64,
            (_, libc::SEEK_SET) => offset,
            (_, libc::SEEK_CUR) => (current as i64).checked_add(offset).ok_or(Errno::EOVERFLOW)?,
            // ext4 orders by hash: the end of a directory is behind the largest one.
            (Data::Directory(_), _) if self.fs.file_system(inode).magic == EXT4 => match whence {
                libc::SEEK_END => i64::MAX.checked_add(offset).ok_or(Errno::EINVAL)?,
                _ if !(0..i64::MAX).contains(&offset) => return Err(Errno::ENXIO.into()),
                libc::SEEK_DATA => offset,
                _ => i64::MAX,
            },
            // tmpfs knows no end of a directory.
            (Data::Directory(_), libc::SEEK_END) if self.fs.file_system(inode).magic == TMPFS => {
                return Err(Errno::EINVAL.into());
            }
            (_, libc::SEEK_END) => {
                let size = self.fs.size(inode)? as i64;
                size.checked_add(offset).ok_or(Errno::EOVERFLOW)?
            }
            (Data::Regular(content), libc::SEEK_DATA | libc::SEEK_HOLE) => {
                let want = if whence == libc::SEEK_DATA { Sought::Data } else { Sought::Hole };
                let from = u64::try_from(offset).map_err(|_| Errno::ENXIO)?;
                self.fs.known(inode, &[Field::Length])?;
                content.seek(&*self.fs.lower, from, want)? as i64
            }
            (Data::Stream(_), libc::SEEK_DATA | libc::SEEK_HOLE) => {
                let size = self.fs.size(inode)?;
                if offset < 0 || offset as u64 >= size {
                    return Err(Errno::ENXIO.into());
                }
                if whence == libc::SEEK_DATA { offset } else { size as i64 }
            }
            _ => return Err(Errno::EINVAL.into()),
        };
        let directory = matches!(node.data, Data::Directory(_));
        if target < 0 || (!directory && target as u64 > MAX_BYTES) {
            return Err(Errno::EINVAL.into());
        }
        self.fds.get_mut(fd)?.offset = target as u64;
        Ok(target)
    }
}
