//! `stat`, `statx`, `statfs`, `access` and `readlink`.

use crate::bytes::{Chunk, resize};
use crate::encode;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId, Magic};
use crate::fs::path::Follow;
use crate::fs::permission::{EXECUTE, READ, WRITE};
use crate::fs::undecided::Field;
use crate::lower::LowerStat;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

impl System {
    /// The inode that a `*at` call names, with the usual flags.
    pub(crate) fn at_inode(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        flags: i32,
    ) -> Result<InodeId, Stop> {
        let empty = flags & libc::AT_EMPTY_PATH != 0;
        // A null pointer counts as an empty path where that is allowed.
        let path = match path {
            0 if empty => Vec::new(),
            _ => self.existing_path(memory, dirfd, path)?,
        };
        if path.is_empty() && empty {
            return match dirfd {
                libc::AT_FDCWD => Ok(self.process.cwd),
                fd => Ok(self.fds.get(fd)?.inode),
            };
        }
        let follow = if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { Follow::No } else { Follow::Yes };
        self.resolve(dirfd, &path, follow)
    }

    pub(crate) fn fstatat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        buffer: u64,
        flags: i32,
    ) -> Reply {
        let known = libc::AT_SYMLINK_NOFOLLOW | libc::AT_NO_AUTOMOUNT | libc::AT_EMPTY_PATH;
        // How fresh the answer is to be: it is always.
        if flags & !(known | libc::AT_STATX_SYNC_TYPE) != 0 {
            return self.unknown_flags(memory, path, flags);
        }
        let inode = self.at_inode(memory, dirfd, path, flags)?;
        self.put_stat(memory, inode, buffer)
    }

    /// The newest Linux does not look at other flags where there is no path.
    fn unknown_flags(&mut self, memory: &mut dyn UserMemory, path: u64, flags: i32) -> Reply {
        if flags & libc::AT_EMPTY_PATH != 0 && self.path(memory, path)?.is_empty() {
            return Err(Stop::unsupported("stat of a descriptor with flags that are not known"));
        }
        Err(Errno::EINVAL.into())
    }

    /// Writes a `struct stat`, in which what is undecided stays so, but for the size.
    fn put_stat(&mut self, memory: &mut dyn UserMemory, inode: InodeId, buffer: u64) -> Reply {
        let bytes = encode::stat(&self.known_stat(inode)?);
        self.put_attributes(memory, inode, buffer, &bytes, &encode::STAT)
    }

    fn known_stat(&self, inode: InodeId) -> Result<LowerStat, Stop> {
        // Whether one of its names exists counts among the links.
        self.fs.known(inode, &[Field::Exists, Field::Length])?;
        self.fs.known_subdirectories(inode)?;
        Ok(self.fs.stat(inode))
    }

    /// Writes a structure with the expressions of an inode at their places.
    fn put_attributes(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        buffer: u64,
        bytes: &[u8],
        places: &[(Field, usize, usize)],
    ) -> Reply {
        let node = self.fs.node(inode);
        if node.undecided.is_none() {
            user::put(memory, buffer, bytes)?;
            return Ok(0);
        }
        let mut bytes = Chunk::from(bytes.to_vec());
        for &(field, at, size) in places {
            let Some(mut value) = node.undecided(field) else {
                continue;
            };
            let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
            if field == Field::Permissions {
                let permissions = resize(exprs, value, 12);
                let kind = exprs.constant(4, u64::from(node.type_bits() >> 12));
                value = exprs.concat(kind, permissions);
            }
            bytes.put(exprs, at, size, value);
        }
        bytes.store(memory, buffer)?;
        Ok(0)
    }

    pub(crate) fn fstat(&mut self, memory: &mut dyn UserMemory, fd: i32, buffer: u64) -> Reply {
        let inode = self.fds.get(fd)?.inode;
        self.put_stat(memory, inode, buffer)
    }

    pub(crate) fn statx(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        flags: i32,
        mask: u32,
        buffer: u64,
    ) -> Reply {
        const SYNC: i32 = libc::AT_STATX_FORCE_SYNC | libc::AT_STATX_DONT_SYNC;
        let known = libc::AT_SYMLINK_NOFOLLOW | libc::AT_NO_AUTOMOUNT | libc::AT_EMPTY_PATH | SYNC;
        if flags & SYNC == SYNC || mask & 0x8000_0000 != 0 {
            return Err(Errno::EINVAL.into());
        }
        if flags & !known != 0 {
            return self.unknown_flags(memory, path, flags);
        }
        let inode = self.at_inode(memory, dirfd, path, flags)?;
        let root = inode == self.fs.root || self.fs.is_mount_point(inode);
        let bytes = encode::statx(&self.known_stat(inode)?, root);
        self.put_attributes(memory, inode, buffer, &bytes, &encode::STATX)
    }

    pub(crate) fn statfs(&mut self, memory: &mut dyn UserMemory, path: u64, buffer: u64) -> Reply {
        let path = self.existing_path(memory, libc::AT_FDCWD, path)?;
        let inode = self.resolve(libc::AT_FDCWD, &path, Follow::Yes)?;
        self.put_statfs(memory, inode, buffer)
    }

    pub(crate) fn fstatfs(&mut self, memory: &mut dyn UserMemory, fd: i32, buffer: u64) -> Reply {
        let inode = self.fds.get(fd)?.inode;
        self.put_statfs(memory, inode, buffer)
    }

    fn put_statfs(&mut self, memory: &mut dyn UserMemory, inode: InodeId, buffer: u64) -> Reply {
        const PIPEFS: i64 = 0x5049_5045;
        let mut fs = self.fs.file_system(inode);
        if fs.magic == 0 {
            fs.magic = PIPEFS;
            (fs.bsize, fs.frsize, fs.namelen, fs.flags) = (4096, 4096, 255, 0x20);
        }
        user::put(memory, buffer, &encode::statfs(&fs))?;
        Ok(0)
    }

    pub(crate) fn faccessat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        mode: i32,
        flags: i32,
    ) -> Reply {
        let known = libc::AT_EACCESS | libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
        if mode & !7 != 0 || flags & !known != 0 {
            return Err(Errno::EINVAL.into());
        }
        let who = match flags & libc::AT_EACCESS {
            0 => self.process.credentials.as_real(),
            _ => self.process.credentials.clone(),
        };
        let empty = flags & libc::AT_EMPTY_PATH != 0;
        let path = self.existing_path(memory, dirfd, path)?;
        let inode = if path.is_empty() && empty && dirfd != libc::AT_FDCWD {
            self.fds.get(dirfd)?.inode
        } else if path.is_empty() && empty {
            self.process.cwd
        } else {
            let follow =
                if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { Follow::No } else { Follow::Yes };
            self.resolve_as(who.clone(), dirfd, &path, follow)?
        };
        let mode = mode as u32 & (READ | WRITE | EXECUTE);
        if mode == 0 {
            return Ok(0);
        }
        // A file system mounted without execution: only regular files feel it.
        let noexec = self.fs.file_system(inode).flags as u64 & libc::ST_NOEXEC != 0;
        if mode & EXECUTE != 0 && noexec && self.fs.node(inode).is_regular() {
            return Err(Errno::EACCES.into());
        }
        // Whether the file system is read-only is asked last here, unlike when writing.
        let relaxed = mode & !WRITE;
        self.fs.permit(&who, inode, relaxed)?;
        self.fs.permit(&who, inode, mode)?;
        Ok(0)
    }

    pub(crate) fn readlinkat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        buffer: u64,
        size: i32,
    ) -> Reply {
        if size <= 0 {
            return Err(Errno::EINVAL.into());
        }
        let path = self.path(memory, path)?;
        // An empty path means the link that an O_PATH descriptor is; without one it is no path at
        // all.
        let empty = path.is_empty();
        let inode = match empty {
            true if dirfd == libc::AT_FDCWD => return Err(Errno::ENOENT.into()),
            true => self.fds.get(dirfd)?.inode,
            false => self.resolve(dirfd, &path, Follow::No)?,
        };
        let text = match &self.fs.node(inode).data {
            Data::Symlink(text) => text.to_vec(),
            Data::Magic(magic) => self.magic_text(*magic)?,
            _ if empty => return Err(Errno::ENOENT.into()),
            _ => return Err(Errno::EINVAL.into()),
        };
        self.touch_access(inode);
        let n = text.len().min(size as usize);
        user::put(memory, buffer, &text[..n])?;
        Ok(n as i64)
    }

    fn magic_text(&self, magic: Magic) -> Result<Vec<u8>, Errno> {
        let directory = |dir| self.path_of_directory(dir).ok_or(Errno::ENOENT);
        match magic {
            Magic::Cwd => directory(self.process.cwd),
            Magic::Root => directory(self.process.root),
            Magic::Descriptor(fd) => self.descriptor_text(fd),
        }
    }

    /// What `/proc/self/fd` says of a descriptor.
    fn descriptor_text(&self, fd: i32) -> Result<Vec<u8>, Errno> {
        let description = self.fds.get(fd).map_err(|_| Errno::ENOENT)?;
        let node = self.fs.node(description.inode);
        if node.is_directory() {
            return self.path_of_directory(description.inode).ok_or(Errno::ENOENT);
        }
        if let Some((dir, name)) = &description.place {
            let mut path = self.path_of_directory(*dir).ok_or(Errno::ENOENT)?;
            if path != b"/" {
                path.push(b'/');
            }
            path.extend_from_slice(name);
            if node.nlink == 0 {
                path.extend_from_slice(b" (deleted)");
            }
            return Ok(path);
        }
        Ok(match &node.data {
            Data::Stream(stream)
                if matches!(stream.kind, crate::stream::StreamKind::Terminal { .. }) =>
            {
                b"/dev/pts/0".to_vec()
            }
            Data::Character => b"/dev/null".to_vec(),
            Data::Event(_) => b"anon_inode:[eventfd]".to_vec(),
            Data::Timer(_) => b"anon_inode:[timerfd]".to_vec(),
            Data::Socket | Data::Pair(_) => format!("socket:[{}]", node.ino).into_bytes(),
            _ => format!("pipe:[{}]", node.ino).into_bytes(),
        })
    }
}
