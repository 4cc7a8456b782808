//! From paths to inodes: `namei` of Linux.
//!
//! A symbolic link is followed by putting its text in front of what is left of the path. That is
//! how Linux does it too, so trailing slashes inside link texts mean what they mean there.

use super::inode::{Data, InodeId, Magic};
use super::permission::EXECUTE;
use crate::errno::Errno;
use crate::identity::Credentials;
use crate::system::{Stop, System};
use std::sync::Arc;

/// Links followed in one walk before `ELOOP`.
const MAX_LINKS: u32 = 40;

/// What to do with a symbolic link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    Yes,
    No,
}

/// The last component of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Name(Vec<u8>),
    Dot,
    DotDot,
    /// The path was nothing but slashes.
    Root,
}

/// Where a path ends: a directory and what is left of the path.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) dir: InodeId,
    pub(crate) last: Last,
    /// There was a slash behind the last component.
    pub(crate) slash: bool,
}

/// A place to start from, and whose permissions count.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    start: InodeId,
    who: Credentials,
    links: u32,
}

impl System {
    /// A walk that starts at `dirfd` unless the path is absolute.
    pub(crate) fn walk_from(&self, dirfd: i32, path: &[u8]) -> Result<Walk, Stop> {
        let start = if path.first() == Some(&b'/') {
            self.process.root
        } else if dirfd == libc::AT_FDCWD {
            self.process.cwd
        } else {
            let start = self.fds.get(dirfd)?.inode;
            if !self.fs.node(start).is_directory() && !path.is_empty() {
                return Err(Errno::ENOTDIR.into());
            }
            start
        };
        Ok(Walk { start, who: self.process.credentials.clone(), links: 0 })
    }

    /// The inode that a path leads to.
    pub(crate) fn resolve(
        &mut self,
        dirfd: i32,
        path: &[u8],
        follow: Follow,
    ) -> Result<InodeId, Stop> {
        let mut walk = self.walk_from(dirfd, path)?;
        self.resolve_walk(&mut walk, path, follow)
    }

    /// As [`System::resolve`], with the real instead of the effective user.
    pub(crate) fn resolve_as(
        &mut self,
        who: Credentials,
        dirfd: i32,
        path: &[u8],
        follow: Follow,
    ) -> Result<InodeId, Stop> {
        let mut walk = Walk { who, ..self.walk_from(dirfd, path)? };
        self.resolve_walk(&mut walk, path, follow)
    }

    fn resolve_walk(
        &mut self,
        walk: &mut Walk,
        path: &[u8],
        follow: Follow,
    ) -> Result<InodeId, Stop> {
        let mut path = path.to_vec();
        loop {
            let parent = self.walk_parent(walk, &path)?;
            let mut inode = self.last_inode(&parent)?.ok_or(Errno::ENOENT)?;
            if self.fs.node(inode).is_symlink() && (follow == Follow::Yes || parent.slash) {
                match self.follow(walk, inode)? {
                    Target::Inode(target) => inode = target,
                    Target::Text(text) => {
                        path = continue_with(&text, b"", parent.slash);
                        walk.start = parent.dir;
                        continue;
                    }
                }
            }
            if parent.slash && !self.fs.node(inode).is_directory() {
                return Err(Errno::ENOTDIR.into());
            }
            return Ok(inode);
        }
    }

    /// The directory that a path's last component is in.
    pub(crate) fn parent(&mut self, dirfd: i32, path: &[u8]) -> Result<Parent, Stop> {
        let mut walk = self.walk_from(dirfd, path)?;
        self.walk_parent(&mut walk, path)
    }

    /// As [`System::parent`], for another user.
    pub(crate) fn parent_as(
        &mut self,
        who: Credentials,
        dirfd: i32,
        path: &[u8],
    ) -> Result<Parent, Stop> {
        let mut walk = Walk { who, ..self.walk_from(dirfd, path)? };
        self.walk_parent(&mut walk, path)
    }

    /// What the last component is now; `None` if there is no such name.
    pub(crate) fn last_inode(&mut self, parent: &Parent) -> Result<Option<InodeId>, Stop> {
        match &parent.last {
            Last::Dot | Last::Root => Ok(Some(parent.dir)),
            Last::DotDot => Ok(Some(self.up(parent.dir))),
            Last::Name(name) => self.lookup(parent.dir, name),
        }
    }

    /// A name in a directory. Descriptors under `/proc/self/fd` exist only while they are open.
    pub(crate) fn lookup(&mut self, dir: InodeId, name: &[u8]) -> Result<Option<InodeId>, Stop> {
        let found = self.fs.lookup(dir, name)?;
        if let Some(id) = found
            && let Data::Magic(Magic::Descriptor(fd)) = self.fs.node(id).data
        {
            return Ok(self.fds.get(fd).is_ok().then_some(id));
        }
        Ok(found)
    }

    fn up(&self, dir: InodeId) -> InodeId {
        if dir == self.process.root {
            return dir;
        }
        self.fs.node(dir).directory().map_or(dir, |directory| directory.parent)
    }

    pub(crate) fn walk_parent(&mut self, walk: &mut Walk, path: &[u8]) -> Result<Parent, Stop> {
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        let mut at = if path[0] == b'/' { self.process.root } else { walk.start };
        let mut rest: Vec<u8> = skip_slashes(path).to_vec();
        if rest.is_empty() {
            return Ok(Parent { dir: at, last: Last::Root, slash: true });
        }
        loop {
            if !self.fs.node(at).is_directory() {
                return Err(Errno::ENOTDIR.into());
            }
            self.fs.permit(&walk.who, at, EXECUTE)?;
            let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
            let name = rest[..end].to_vec();
            let slash = end < rest.len();
            let after = skip_slashes(&rest[end..]).to_vec();
            if after.is_empty() {
                let last = match &*name {
                    b"." => Last::Dot,
                    b".." => Last::DotDot,
                    _ => Last::Name(name),
                };
                return Ok(Parent { dir: at, last, slash });
            }
            match &*name {
                b"." => {}
                b".." => at = self.up(at),
                _ => {
                    let inode = self.lookup(at, &name)?.ok_or(Errno::ENOENT)?;
                    if self.fs.node(inode).is_symlink() {
                        match self.follow(walk, inode)? {
                            Target::Inode(target) => at = target,
                            Target::Text(text) => {
                                if text.first() == Some(&b'/') {
                                    at = self.process.root;
                                }
                                rest = skip_slashes(&continue_with(&text, &after, true)).to_vec();
                                continue;
                            }
                        }
                    } else {
                        at = inode;
                    }
                }
            }
            rest = after;
        }
    }

    /// Follows one link, counting it.
    pub(crate) fn follow(&mut self, walk: &mut Walk, link: InodeId) -> Result<Target, Stop> {
        walk.links += 1;
        if walk.links > MAX_LINKS {
            return Err(Errno::ELOOP.into());
        }
        self.touch_access(link);
        match &self.fs.node(link).data {
            Data::Symlink(text) => Ok(Target::Text(Arc::clone(text))),
            Data::Magic(Magic::Cwd) => Ok(Target::Inode(self.process.cwd)),
            Data::Magic(Magic::Root) => Ok(Target::Inode(self.process.root)),
            Data::Magic(Magic::Descriptor(fd)) => {
                Ok(Target::Inode(self.fds.get(*fd).map_err(|_| Errno::ENOENT)?.inode))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// The walk goes on from `dir` with the text of a link found there.
    pub(crate) fn continue_from(walk: &mut Walk, dir: InodeId, text: &[u8]) -> Vec<u8> {
        walk.start = dir;
        text.to_vec()
    }

    /// The absolute path of a directory as the process sees it; `None` when it was removed.
    pub(crate) fn path_of_directory(&self, dir: InodeId) -> Option<Vec<u8>> {
        let mut names: Vec<&[u8]> = Vec::new();
        let mut at = dir;
        let mut reachable = true;
        while at != self.process.root {
            let node = self.fs.node(at);
            let directory = node.directory()?;
            if node.is_dead() {
                return None;
            }
            if directory.parent == at {
                reachable = false;
                break;
            }
            names.push(&directory.name);
            at = directory.parent;
        }
        let mut path = if reachable { Vec::new() } else { b"(unreachable)".to_vec() };
        for name in names.iter().rev() {
            path.push(b'/');
            path.extend_from_slice(name);
        }
        if path.is_empty() || names.is_empty() {
            path.push(b'/');
        }
        Some(path)
    }
}

/// Where a link leads: to an object, or on along a path.
pub(crate) enum Target {
    Inode(InodeId),
    Text(Arc<[u8]>),
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let start = path.iter().position(|&byte| byte != b'/').unwrap_or(path.len());
    &path[start..]
}

fn continue_with(text: &[u8], after: &[u8], slash: bool) -> Vec<u8> {
    let mut path = text.to_vec();
    if slash {
        path.push(b'/');
    }
    path.extend_from_slice(after);
    path
}
