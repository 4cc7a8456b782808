//! Directories: making, removing, listing, and being in one.

use crate::encode;
use crate::errno::Errno;
use crate::fs::inode::{InodeId, Role};
use crate::fs::path::{Follow, Last};
use crate::fs::permission::EXECUTE;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// The most bytes that one `getdents64` fills.
const MAX_LISTING: u64 = 1 << 20;

impl System {
    pub(crate) fn mkdirat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        mode: u32,
    ) -> Reply {
        let path = self.path(memory, path)?;
        let (dir, name) = self.creatable(dirfd, &path, true)?;
        self.check_creatable(dir, true)?;
        self.fs.may_create(&self.process.credentials, dir)?;
        let mode = mode & 0o1777 & !self.process.umask;
        let (mode, owner) = self.creation_attributes(dir, mode, true)?;
        let now = self.clock.now();
        self.fs.create_directory(dir, &name, mode, owner, now);
        Ok(0)
    }

    /// `filename_create` of Linux: the directory and the free name that a path stands for.
    pub(crate) fn creatable(
        &mut self,
        dirfd: i32,
        path: &[u8],
        wants_directory: bool,
    ) -> Result<(InodeId, Vec<u8>), Stop> {
        let parent = self.parent(dirfd, path)?;
        let Last::Name(name) = &parent.last else {
            return Err(Errno::EEXIST.into());
        };
        if self.lookup(parent.dir, name)?.is_some() {
            return Err(Errno::EEXIST.into());
        }
        if parent.slash && !wants_directory {
            return Err(Errno::ENOENT.into());
        }
        Ok((parent.dir, name.clone()))
    }

    pub(crate) fn rmdir(&mut self, memory: &mut dyn UserMemory, dirfd: i32, path: u64) -> Reply {
        let path = self.path(memory, path)?;
        let parent = self.parent(dirfd, &path)?;
        let name = match &parent.last {
            Last::Name(name) => name.clone(),
            Last::Dot => return Err(Errno::EINVAL.into()),
            Last::DotDot => return Err(Errno::ENOTEMPTY.into()),
            Last::Root => return Err(Errno::EBUSY.into()),
        };
        let victim = self.lookup(parent.dir, &name)?.ok_or(Errno::ENOENT)?;
        if self.fs.is_read_only(parent.dir) {
            return Err(Errno::EROFS.into());
        }
        self.fs.may_delete(&self.process.credentials, parent.dir, victim, true)?;
        if self.fs.is_mount_point(victim) || victim == self.process.root {
            return Err(Errno::EBUSY.into());
        }
        if !self.fs.is_empty(victim)? {
            return Err(Errno::ENOTEMPTY.into());
        }
        self.drop_directory(parent.dir, victim);
        let now = self.clock.now();
        self.fs.remove_name(parent.dir, &name, now);
        Ok(0)
    }

    /// An empty directory loses its links, its parent the one of `..`.
    pub(crate) fn drop_directory(&mut self, dir: InodeId, victim: InodeId) {
        let now = self.clock.now();
        let node = self.fs.node_mut(victim);
        node.nlink = 0;
        node.set_ctime(now);
        if let Some(directory) = node.directory_mut() {
            directory.size = 0;
        }
        self.fs.count_subdirectory(dir, -1);
    }

    pub(crate) fn getdents64(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        buffer: u64,
        size: u64,
    ) -> Reply {
        let description = self.file(fd)?;
        let (dir, from) = (description.inode, description.offset);
        let Some(directory) = self.fs.node(dir).directory() else {
            return Err(Errno::ENOTDIR.into());
        };
        let role = directory.role;
        if self.fs.node(dir).is_dead() {
            return Err(Errno::ENOENT.into());
        }
        let size = (size & 0xffff_ffff).min(MAX_LISTING) as usize;
        let mut bytes = Vec::new();
        let mut position = from;
        let mut full = false;
        let mut accept = |ino: u64, next: u64, kind: u8, name: &[u8]| {
            let entry = encode::dirent(ino, next, kind, name);
            if bytes.len() + entry.len() > size {
                full = true;
                return false;
            }
            bytes.extend_from_slice(&entry);
            position = next;
            true
        };
        if role == Role::Descriptors {
            for (next, (name, kind)) in
                self.descriptor_names().into_iter().enumerate().skip(from as usize)
            {
                if !accept(next as u64 + 1, next as u64 + 1, kind, &name) {
                    break;
                }
            }
        } else {
            self.fs
                .list(dir, from, |entry| accept(entry.ino, entry.next, entry.kind, &entry.name))?;
        }
        if bytes.is_empty() && full {
            return Err(Errno::EINVAL.into());
        }
        user::put(memory, buffer, &bytes)?;
        self.fds.get_mut(fd)?.offset = position;
        self.touch_access(dir);
        Ok(bytes.len() as i64)
    }

    /// The names in `/proc/self/fd`.
    fn descriptor_names(&self) -> Vec<(Vec<u8>, u8)> {
        let dots = [".", ".."].map(|name| (name.as_bytes().to_vec(), libc::DT_DIR));
        let numbers = self.fds.numbers().map(|fd| (fd.to_string().into_bytes(), libc::DT_LNK));
        dots.into_iter().chain(numbers).collect()
    }

    pub(crate) fn chdir(&mut self, memory: &mut dyn UserMemory, path: u64) -> Reply {
        let path = self.path(memory, path)?;
        let dir = self.resolve(libc::AT_FDCWD, &path, Follow::Yes)?;
        self.enter(dir)
    }

    pub(crate) fn fchdir(&mut self, fd: i32) -> Reply {
        let dir = self.fds.get(fd)?.inode;
        self.enter(dir)
    }

    fn enter(&mut self, dir: InodeId) -> Reply {
        if !self.fs.node(dir).is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        self.fs.permit(&self.process.credentials, dir, EXECUTE)?;
        self.process.cwd = dir;
        Ok(0)
    }

    pub(crate) fn chroot(&mut self, memory: &mut dyn UserMemory, path: u64) -> Reply {
        let path = self.path(memory, path)?;
        let dir = self.resolve(libc::AT_FDCWD, &path, Follow::Yes)?;
        if !self.fs.node(dir).is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        self.fs.permit(&self.process.credentials, dir, EXECUTE)?;
        if !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        self.process.root = dir;
        Ok(0)
    }

    pub(crate) fn getcwd(&mut self, memory: &mut dyn UserMemory, buffer: u64, size: u64) -> Reply {
        let mut path = self.path_of_directory(self.process.cwd).ok_or(Errno::ENOENT)?;
        path.push(0);
        if path.len() > user::PATH_MAX {
            return Err(Errno::ENAMETOOLONG.into());
        }
        if path.len() as u64 > size {
            return Err(Errno::ERANGE.into());
        }
        user::put(memory, buffer, &path)?;
        Ok(path.len() as i64)
    }
}
