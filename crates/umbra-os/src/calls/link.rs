//! Names of files: link, symlink, unlink, mknod.

use crate::content::Content;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::{Follow, Last};
use crate::fs::undecided::Field;
use crate::pipe::Pipe;
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

/// Links that ext4 allows to one file.
const MAX_LINKS: u64 = 65_000;

impl System {
    pub(crate) fn unlinkat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        flags: i32,
    ) -> Reply {
        if flags & !libc::AT_REMOVEDIR != 0 {
            return Err(Errno::EINVAL.into());
        }
        if flags & libc::AT_REMOVEDIR != 0 {
            return self.rmdir(memory, dirfd, path);
        }
        let path = self.existing_path(memory, dirfd, path)?;
        let parent = self.parent(dirfd, &path)?;
        let Last::Name(name) = &parent.last else {
            return Err(Errno::EISDIR.into());
        };
        let victim = self.lookup(parent.dir, name)?.ok_or(Errno::ENOENT)?;
        if parent.slash {
            let directory = self.fs.node(victim).is_directory();
            return Err(if directory { Errno::EISDIR } else { Errno::ENOTDIR }.into());
        }
        if self.fs.is_read_only(parent.dir) {
            return Err(Errno::EROFS.into());
        }
        self.fs.may_delete(&self.process.credentials, parent.dir, victim, false)?;
        self.fs.known(victim, &[Field::Links])?;
        if matches!(self.fs.file_system(parent.dir).magic, crate::fs::PROC | crate::fs::SYSFS) {
            return Err(Errno::EPERM.into());
        }
        let now = self.clock.now();
        self.fs.remove_name(parent.dir, name, now);
        self.fs.drop_link(victim, now);
        Ok(0)
    }

    pub(crate) fn linkat(
        &mut self,
        memory: &mut dyn UserMemory,
        old_dirfd: i32,
        old_path: u64,
        new_dirfd: i32,
        new_path: u64,
        flags: i32,
    ) -> Reply {
        if flags & !(libc::AT_SYMLINK_FOLLOW | libc::AT_EMPTY_PATH) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let mut lookup = flags & libc::AT_EMPTY_PATH;
        if flags & libc::AT_SYMLINK_FOLLOW == 0 {
            lookup |= libc::AT_SYMLINK_NOFOLLOW;
        }
        let source = self.at_inode(memory, old_dirfd, old_path, lookup)?;
        let path = self.path(memory, new_path)?;
        let (dir, name) = self.creatable(new_dirfd, &path, false)?;
        if self.fs.node(source).dev != self.fs.node(dir).dev {
            return Err(Errno::EXDEV.into());
        }
        self.check_creatable(dir, false)?;
        if !self.may_link(source)? {
            return Err(Errno::EPERM.into());
        }
        self.fs.may_create(&self.process.credentials, dir)?;
        self.fs.known(source, &[Field::Links])?;
        let node = self.fs.node(source);
        if node.is_directory() {
            return Err(Errno::EPERM.into());
        }
        if node.nlink == 0 && !node.linkable {
            return Err(Errno::ENOENT.into());
        }
        if node.nlink >= MAX_LINKS {
            return Err(Errno::EMLINK.into());
        }
        let now = self.clock.now();
        let node = self.fs.node_mut(source);
        node.nlink += 1;
        node.set_ctime(now);
        self.fs.set_name(dir, &name, source, now);
        Ok(0)
    }

    /// The rule of `protected_hardlinks`: link what you own, or a plain file that you may read and
    /// write.
    fn may_link(&self, source: InodeId) -> Result<bool, Stop> {
        use crate::fs::permission::{READ, WRITE};
        let who = &self.process.credentials;
        if self.fs.is_owned(who, source)? {
            return Ok(true);
        }
        let permissions = self.fs.permissions(source)?;
        if !self.fs.node(source).is_regular()
            || permissions & libc::S_ISUID != 0
            || permissions & 0o2010 == 0o2010
        {
            return Ok(false);
        }
        match self.fs.permit(who, source, READ | WRITE) {
            Err(Stop::Errno(_)) => Ok(false),
            permitted => permitted.map(|()| true),
        }
    }

    pub(crate) fn symlinkat(
        &mut self,
        memory: &mut dyn UserMemory,
        target: u64,
        dirfd: i32,
        path: u64,
    ) -> Reply {
        let target = self.path(memory, target)?;
        if target.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let path = self.path(memory, path)?;
        let (dir, name) = self.creatable(dirfd, &path, false)?;
        self.check_creatable(dir, false)?;
        self.fs.may_create(&self.process.credentials, dir)?;
        self.make_node(dir, &name, 0o777, Data::Symlink(target.into()))?;
        Ok(0)
    }

    pub(crate) fn mknodat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        mode: u32,
        device: u64,
    ) -> Reply {
        let kind = mode & libc::S_IFMT;
        let data = match kind {
            0 | libc::S_IFREG => Data::Regular(Content::default()),
            libc::S_IFIFO => Data::Pipe(Pipe::default()),
            libc::S_IFSOCK => Data::Socket,
            libc::S_IFCHR => Data::Character,
            libc::S_IFBLK => Data::Block,
            libc::S_IFDIR => return Err(Errno::EPERM.into()),
            _ => return Err(Errno::EINVAL.into()),
        };
        let path = self.path(memory, path)?;
        let (dir, name) = self.creatable(dirfd, &path, false)?;
        self.check_creatable(dir, false)?;
        self.fs.may_create(&self.process.credentials, dir)?;
        let special = matches!(kind, libc::S_IFCHR | libc::S_IFBLK);
        // Character device 0:0 is the whiteout of union file systems, which everybody may make.
        let whiteout = kind == libc::S_IFCHR && device == 0;
        if special && !whiteout && !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        let inode = self.make_node(dir, &name, mode & 0o7777 & !self.process.umask, data)?;
        if special {
            self.fs.node_mut(inode).rdev = device & 0xffff_ffff;
        }
        Ok(0)
    }

    /// The inode of a path, its last link followed.
    pub(crate) fn path_inode(
        &mut self,
        memory: &mut dyn UserMemory,
        path: u64,
    ) -> Result<InodeId, Stop> {
        let path = self.path(memory, path)?;
        self.resolve(libc::AT_FDCWD, &path, Follow::Yes)
    }
}
