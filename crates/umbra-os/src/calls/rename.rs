//! `rename`: the order of its checks is that of `do_renameat2` and `vfs_rename`.

use crate::errno::Errno;
use crate::fs::inode::InodeId;
use crate::fs::path::{Last, Parent};
use crate::fs::permission::WRITE;
use crate::fs::undecided::Field;
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

/// One side of a renaming.
struct Side {
    dir: InodeId,
    name: Vec<u8>,
    slash: bool,
}

impl System {
    pub(crate) fn renameat2(
        &mut self,
        memory: &mut dyn UserMemory,
        old_dirfd: i32,
        old_path: u64,
        new_dirfd: i32,
        new_path: u64,
        flags: u32,
    ) -> Reply {
        let noreplace = flags & libc::RENAME_NOREPLACE != 0;
        let exchange = flags & libc::RENAME_EXCHANGE != 0;
        let whiteout = flags & libc::RENAME_WHITEOUT != 0;
        let known = libc::RENAME_NOREPLACE | libc::RENAME_EXCHANGE | libc::RENAME_WHITEOUT;
        if flags & !known != 0 || (exchange && (noreplace || whiteout)) {
            return Err(Errno::EINVAL.into());
        }
        if whiteout {
            return Err(Stop::unsupported("renameat2 with RENAME_WHITEOUT"));
        }
        let old_path = self.path(memory, old_path)?;
        let new_path = self.path(memory, new_path)?;
        let old = self.parent(old_dirfd, &old_path)?;
        let new = self.parent(new_dirfd, &new_path)?;
        if self.fs.node(old.dir).dev != self.fs.node(new.dir).dev {
            return Err(Errno::EXDEV.into());
        }
        let old = named(old).ok_or(Errno::EBUSY)?;
        let new = named(new).ok_or(if noreplace { Errno::EEXIST } else { Errno::EBUSY })?;
        if self.fs.is_read_only(old.dir) {
            return Err(Errno::EROFS.into());
        }
        self.rename(&old, &new, noreplace, exchange)
    }

    fn rename(&mut self, old: &Side, new: &Side, noreplace: bool, exchange: bool) -> Reply {
        let source = self.lookup(old.dir, &old.name)?.ok_or(Errno::ENOENT)?;
        let target = self.lookup(new.dir, &new.name)?;
        let is_directory = self.fs.node(source).is_directory();
        match target {
            Some(_) if noreplace => return Err(Errno::EEXIST.into()),
            None if exchange => return Err(Errno::ENOENT.into()),
            Some(target) if exchange && new.slash && !self.fs.node(target).is_directory() => {
                return Err(Errno::ENOTDIR.into());
            }
            _ => {}
        }
        if !is_directory && (old.slash || (!exchange && new.slash)) {
            return Err(Errno::ENOTDIR.into());
        }
        if is_directory && self.fs.is_within(new.dir, source) {
            return Err(Errno::EINVAL.into());
        }
        if let Some(target) = target {
            if self.fs.node(target).is_directory() && self.fs.is_within(old.dir, target) {
                return Err(if exchange { Errno::EINVAL } else { Errno::ENOTEMPTY }.into());
            }
            if target == source {
                return Ok(0);
            }
        }
        self.check_rename(old, new, source, target, exchange)?;
        match target {
            Some(target) if exchange => self.exchange(old, new, source, target),
            _ => self.move_name(old, new, source, target)?,
        }
        Ok(0)
    }

    fn check_rename(
        &mut self,
        old: &Side,
        new: &Side,
        source: InodeId,
        target: Option<InodeId>,
        exchange: bool,
    ) -> Result<(), Stop> {
        let who = &self.process.credentials;
        let is_directory = self.fs.node(source).is_directory();
        self.fs.may_delete(who, old.dir, source, is_directory)?;
        let target_is_directory = target.is_some_and(|target| self.fs.node(target).is_directory());
        match target {
            None => self.fs.may_create(who, new.dir)?,
            Some(target) => {
                let wanted = if exchange { target_is_directory } else { is_directory };
                self.fs.may_delete(who, new.dir, target, wanted)?;
                if !exchange {
                    self.fs.known(target, &[Field::Links])?;
                }
            }
        }
        // Moving a directory changes its "..", which is a write to it.
        if new.dir != old.dir {
            if is_directory {
                self.fs.permit(who, source, WRITE)?;
            }
            if let Some(target) = target.filter(|_| exchange && target_is_directory) {
                self.fs.permit(who, target, WRITE)?;
            }
        }
        for inode in [Some(source), target].into_iter().flatten() {
            if self.fs.is_mount_point(inode) {
                return Err(Errno::EBUSY.into());
            }
        }
        if let Some(target) = target.filter(|_| target_is_directory && !exchange)
            && !self.fs.is_empty(target)?
        {
            return Err(Errno::ENOTEMPTY.into());
        }
        Ok(())
    }

    fn move_name(
        &mut self,
        old: &Side,
        new: &Side,
        source: InodeId,
        target: Option<InodeId>,
    ) -> Result<(), Errno> {
        let now = self.clock.now();
        if let Some(target) = target {
            if self.fs.node(target).is_directory() {
                self.drop_directory(new.dir, target);
            } else {
                self.fs.drop_link(target, now);
            }
        }
        if self.fs.node(source).is_directory() && old.dir != new.dir {
            self.fs.count_subdirectory(old.dir, -1);
            self.fs.count_subdirectory(new.dir, 1);
        }
        self.fs.remove_name(old.dir, &old.name, now);
        self.fs.set_name(new.dir, &new.name, source, now);
        self.fs.node_mut(source).set_ctime(now);
        Ok(())
    }

    fn exchange(&mut self, old: &Side, new: &Side, source: InodeId, target: InodeId) {
        let now = self.clock.now();
        let counts = |kernel: &System, inode| i64::from(kernel.fs.node(inode).is_directory());
        let difference = counts(self, target) - counts(self, source);
        if old.dir != new.dir && difference != 0 {
            self.fs.count_subdirectory(old.dir, difference);
            self.fs.count_subdirectory(new.dir, -difference);
        }
        self.fs.set_name(old.dir, &old.name, target, now);
        self.fs.set_name(new.dir, &new.name, source, now);
        self.fs.node_mut(source).set_ctime(now);
        self.fs.node_mut(target).set_ctime(now);
    }
}

fn named(parent: Parent) -> Option<Side> {
    match parent.last {
        Last::Name(name) => Some(Side { dir: parent.dir, name, slash: parent.slash }),
        _ => None,
    }
}
