//! The few entries of `/proc` that must be those of the modelled process and not those of ours.

use super::Fs;
use super::inode::{Data, Directory, InodeId, Magic, Role};
use crate::content::Content;
use crate::errno::Errno;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Files of `/proc/PID` that say the same of our process as of the modelled one.
const SHARED: [&[u8]; 5] = [b"mountinfo", b"mounts", b"mountstats", b"limits", b"cgroup"];

impl Fs {
    /// Looks up a name that the kernel makes up; `None` leaves it to the lower layer.
    pub(super) fn lookup_proc(
        &mut self,
        dir: InodeId,
        name: &[u8],
    ) -> Result<Option<InodeId>, Errno> {
        let role = self.node(dir).directory().map_or(Role::Plain, |directory| directory.role);
        let pid = self.pid.to_string();
        let made = match (role, name) {
            (Role::Processes, b"self") => Data::Symlink(pid.into_bytes().into()),
            (Role::Processes, b"thread-self") => {
                Data::Symlink(format!("{pid}/task/{pid}").into_bytes().into())
            }
            (Role::Processes, name) if name == pid.as_bytes() => {
                self.made_directory(dir, name, Role::Process)
            }
            (Role::Process, b"fd") => self.made_directory(dir, name, Role::Descriptors),
            (Role::Process, b"status") => Data::Regular(self.status()?),
            (Role::Process, b"cwd") => Data::Magic(Magic::Cwd),
            (Role::Process, b"root") => Data::Magic(Magic::Root),
            (Role::Process, name) if SHARED.contains(&name) => return self.shared_file(dir, name),
            (Role::Descriptors, name) => match parse_number(name) {
                Some(fd) => Data::Magic(Magic::Descriptor(fd)),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let mode = match (&made, role) {
            (Data::Directory(_), Role::Process) => 0o500,
            (Data::Directory(_), _) => 0o555,
            (Data::Magic(_), Role::Descriptors) => 0o700,
            (Data::Regular(_), _) => 0o444,
            _ => 0o777,
        };
        let times = self.node(dir).mtime;
        let directory = matches!(made, Data::Directory(_));
        let owner = if role == Role::Processes && !directory { (0, 0) } else { self.owner };
        let id = self.create(dir, mode, owner, made, times);
        self.node_mut(id).nlink = if directory { 2 } else { 1 };
        // Descriptors come and go, so only what stays is remembered under its name.
        if role != Role::Descriptors {
            let (mtime, ctime) = (self.node(dir).mtime, self.node(dir).ctime);
            self.set_name(dir, name, id, mtime);
            self.node_mut(dir).ctime = ctime;
        }
        Ok(Some(id))
    }

    /// What the kernel knows of the process here: who it is.
    fn status(&self) -> Result<Content, Errno> {
        let (pid, (uid, gid)) = (self.pid, self.owner);
        let text = format!(
            "State:\tR (running)\nTgid:\t{pid}\nPid:\t{pid}\n\
             Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\n"
        );
        let mut content = Content::default();
        content.store(&*self.lower, 0, &text.into_bytes().into())?;
        Ok(content)
    }

    fn made_directory(&self, parent: InodeId, name: &[u8], role: Role) -> Data {
        Data::Directory(Directory { role, size: 0, blocks: 0, ..Directory::new(parent, name) })
    }

    fn shared_file(&mut self, dir: InodeId, name: &[u8]) -> Result<Option<InodeId>, Errno> {
        let Some(ours) = self.lower.process_directory() else {
            return Ok(None);
        };
        let path: Arc<Path> = ours.join(OsStr::from_bytes(name)).into();
        let stat = self.lower.stat(&path)?;
        let id = self.adopt(dir, name, path, stat)?;
        let times = self.node(dir).mtime;
        self.set_name(dir, name, id, times);
        Ok(Some(id))
    }
}

fn parse_number(name: &[u8]) -> Option<i32> {
    let plain = name == b"0" || name.first().is_some_and(|first| (b'1'..=b'9').contains(first));
    let digits = name.len() <= 9 && name.iter().all(u8::is_ascii_digit);
    if !plain || !digits {
        return None;
    }
    std::str::from_utf8(name).ok()?.parse().ok()
}
