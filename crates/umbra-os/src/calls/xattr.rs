//! Extended attributes: what the program sets it can read back; the lower layer shows none.

use crate::errno::Errno;
use crate::fs::inode::InodeId;
use crate::fs::{EXT4, TMPFS};
use crate::system::{Reply, System};
use crate::user;
use std::sync::Arc;
use umbra_engine::UserMemory;

const NAME_MAX: usize = 255;
const SIZE_MAX: u64 = 65_536;
const CREATE: i32 = 1;
const REPLACE: i32 = 2;

impl System {
    fn attribute_name(&self, memory: &mut dyn UserMemory, name: u64) -> Result<Vec<u8>, Errno> {
        match memory.read_c_string(name, NAME_MAX + 1)? {
            Some(name) if !name.is_empty() => Ok(name),
            _ => Err(Errno::ERANGE),
        }
    }

    /// Does the file system have attributes of this name's class?
    fn check_namespace(&self, inode: InodeId, name: &[u8], write: bool) -> Result<(), Errno> {
        let node = self.fs.node(inode);
        let magic = self.fs.file_system(inode).magic;
        if magic != EXT4 && magic != TMPFS {
            return Err(Errno::EOPNOTSUPP);
        }
        if name.starts_with(b"user.") {
            // Only files and directories have user attributes.
            if !node.is_regular() && !node.is_directory() {
                return Err(if write { Errno::EPERM } else { Errno::ENODATA });
            }
            return Ok(());
        }
        if name.starts_with(b"trusted.") {
            return match (self.process.credentials.is_privileged(), write) {
                (true, _) => Ok(()),
                (false, true) => Err(Errno::EPERM),
                (false, false) => Err(Errno::ENODATA),
            };
        }
        if name.starts_with(b"security.") && (!write || self.process.credentials.is_privileged()) {
            return Ok(());
        }
        if name.starts_with(b"system.posix_acl_") && !write {
            return Ok(());
        }
        Err(Errno::EOPNOTSUPP)
    }

    pub(crate) fn getxattr(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        name: u64,
        value: u64,
        size: u64,
    ) -> Reply {
        let name = self.attribute_name(memory, name)?;
        self.check_namespace(inode, &name, false)?;
        let xattrs = self.fs.node(inode).xattrs.clone().unwrap_or_default();
        let found = xattrs.get(&name).ok_or(Errno::ENODATA)?;
        if size > 0 {
            if (found.len() as u64) > size {
                return Err(Errno::ERANGE.into());
            }
            user::put(memory, value, found)?;
        }
        Ok(found.len() as i64)
    }

    pub(crate) fn listxattr(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        list: u64,
        size: u64,
    ) -> Reply {
        let xattrs = self.fs.node(inode).xattrs.clone().unwrap_or_default();
        let mut bytes = Vec::new();
        for name in xattrs.keys() {
            bytes.extend_from_slice(name);
            bytes.push(0);
        }
        if size > 0 {
            if (bytes.len() as u64) > size {
                return Err(Errno::ERANGE.into());
            }
            user::put(memory, list, &bytes)?;
        }
        Ok(bytes.len() as i64)
    }

    pub(crate) fn setxattr(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        name: u64,
        value: (u64, u64),
        flags: i32,
    ) -> Reply {
        if flags & !(CREATE | REPLACE) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let name = self.attribute_name(memory, name)?;
        if value.1 > SIZE_MAX {
            return Err(Errno::E2BIG.into());
        }
        let mut bytes = vec![0; value.1 as usize];
        memory.read(value.0, &mut bytes)?;
        self.check_namespace(inode, &name, true)?;
        // ext4 keeps attributes in the inode and at most one block.
        if bytes.len() > 4000 {
            return Err(Errno::ENOSPC.into());
        }
        let mut xattrs = self.fs.node(inode).xattrs.clone().unwrap_or_default();
        match xattrs.contains_key(&name) {
            true if flags & CREATE != 0 => return Err(Errno::EEXIST.into()),
            false if flags & REPLACE != 0 => return Err(Errno::ENODATA.into()),
            _ => {}
        }
        Arc::make_mut(&mut xattrs).insert(name, bytes);
        let now = self.clock.now();
        let node = self.fs.node_mut(inode);
        node.xattrs = Some(xattrs);
        node.set_ctime(now);
        Ok(0)
    }

    pub(crate) fn removexattr(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        name: u64,
    ) -> Reply {
        let name = self.attribute_name(memory, name)?;
        self.check_namespace(inode, &name, true)?;
        let mut xattrs = self.fs.node(inode).xattrs.clone().unwrap_or_default();
        if Arc::make_mut(&mut xattrs).remove(&name).is_none() {
            return Err(Errno::ENODATA.into());
        }
        self.fs.node_mut(inode).xattrs = Some(xattrs);
        Ok(0)
    }
}
