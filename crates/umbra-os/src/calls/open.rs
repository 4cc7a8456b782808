//! `open` and its relatives.

use crate::content::Content;
use crate::errno::Errno;
use crate::fd::Description;
use crate::fs::device::Device;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::{Follow, Last, Parent, Target};
use crate::fs::permission::{EXECUTE, READ, WRITE};
use crate::fs::{PROC, SYSFS};
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// The bit of `O_TMPFILE` that is its own.
const TMPFILE: i32 = libc::O_TMPFILE & !libc::O_DIRECTORY;
/// Flags that an `O_PATH` descriptor may have.
const PATH_FLAGS: i32 = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH | libc::O_CLOEXEC;
/// All flags that Linux knows; `open` ignores others, `openat2` refuses them.
const KNOWN: i32 = libc::O_ACCMODE
    | OPENING
    | PATH_FLAGS
    | TMPFILE
    | LARGEFILE
    | libc::O_APPEND
    | libc::O_NONBLOCK
    | libc::O_SYNC
    | libc::O_ASYNC
    | libc::O_DIRECT
    | libc::O_NOATIME;
/// The bit of `O_SYNC` that is its own.
const SYNC: i32 = libc::O_SYNC & !libc::O_DSYNC;
/// Flags that only mean something while opening.
const OPENING: i32 = libc::O_CREAT | libc::O_EXCL | libc::O_NOCTTY | libc::O_TRUNC;
/// `O_LARGEFILE` of the kernel: always set for 64-bit programs. (The C library's constant is 0.)
pub(super) const LARGEFILE: i32 = 0o100_000;

impl System {
    pub(crate) fn openat(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        flags: i32,
        mode: u32,
    ) -> Reply {
        // The flags are judged before the path is read.
        let flags = check_flags(flags)?;
        let path = match flags & libc::O_CREAT {
            0 => self.existing_path(memory, dirfd, path)?,
            _ => self.path(memory, path)?,
        };
        if path.is_empty() {
            return Err(Errno::ENOENT.into());
        }
        self.lowest_descriptor(0)?;
        let description = self.open_path(dirfd, &path, flags, mode)?;
        let place = description.place.clone();
        let fd = self.install(description, flags & libc::O_CLOEXEC != 0)?;
        self.fds.get_mut(fd)?.place = place;
        Ok(i64::from(fd))
    }

    pub(crate) fn openat2(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        path: u64,
        how: u64,
        size: u64,
    ) -> Reply {
        if size < 24 {
            return Err(Errno::EINVAL.into());
        }
        let flags = user::u64_at(memory, how)?;
        let mode = user::u64_at(memory, how.wrapping_add(8))?;
        let resolve = user::u64_at(memory, how.wrapping_add(16))?;
        if resolve != 0 {
            return Err(Stop::unsupported("openat2 with resolve flags"));
        }
        let creates = flags & (libc::O_CREAT | TMPFILE) as u64 != 0;
        let lone_path = flags & libc::O_PATH as u64 == 0 || flags & !(PATH_FLAGS as u64) == 0;
        let allowed = if creates { 0o7777 } else { 0 };
        if flags & !(KNOWN as u64) != 0 || mode & !allowed != 0 || !lone_path {
            return Err(Errno::EINVAL.into());
        }
        self.openat(memory, dirfd, path, flags as i32, mode as u32)
    }

    /// Opens a path; the description is not yet in the table.
    pub(crate) fn open_path(
        &mut self,
        dirfd: i32,
        path: &[u8],
        flags: i32,
        mode: u32,
    ) -> Result<Description, Stop> {
        let flags = check_flags(flags)?;
        if flags & TMPFILE != 0 {
            return self.open_temporary(dirfd, path, flags, mode);
        }
        let exclusive = flags & libc::O_CREAT != 0 && flags & libc::O_EXCL != 0;
        let nofollow = flags & libc::O_NOFOLLOW != 0 || exclusive;
        let mut walk = self.walk_from(dirfd, path)?;
        let mut path = path.to_vec();
        loop {
            let parent = self.walk_parent(&mut walk, &path)?;
            let creating = flags & libc::O_CREAT != 0;
            let named = matches!(parent.last, Last::Name(_));
            if creating && named && parent.slash {
                return Err(Errno::EISDIR.into());
            }
            let Some(mut inode) = self.last_inode(&parent)? else {
                if !creating {
                    return Err(Errno::ENOENT.into());
                }
                let inode = self.create_file(&parent, mode)?;
                check_direct(flags)?;
                return Ok(describe(inode, flags, &parent));
            };
            if self.fs.node(inode).is_symlink() && (!nofollow || (parent.slash && !creating)) {
                match self.follow(&mut walk, inode)? {
                    Target::Inode(target) => inode = target,
                    Target::Text(text) => {
                        path = System::continue_from(&mut walk, parent.dir, &text);
                        if parent.slash {
                            path.push(b'/');
                        }
                        continue;
                    }
                }
            }
            if creating && exclusive {
                return Err(Errno::EEXIST.into());
            }
            let node = self.fs.node(inode);
            if creating && node.is_directory() {
                return Err(Errno::EISDIR.into());
            }
            let wants_directory = flags & libc::O_DIRECTORY != 0 || parent.slash;
            if wants_directory && !node.is_directory() {
                return Err(Errno::ENOTDIR.into());
            }
            self.open_existing(inode, flags)?;
            check_direct(flags)?;
            return Ok(describe(inode, flags, &parent));
        }
    }

    /// Checks and effects of opening what is there already.
    fn open_existing(&mut self, inode: InodeId, flags: i32) -> Result<(), Stop> {
        if flags & libc::O_PATH != 0 {
            return Ok(());
        }
        let truncate = flags & libc::O_TRUNC != 0;
        let node = self.fs.node(inode);
        let mut wanted = match flags & libc::O_ACCMODE {
            libc::O_RDONLY => READ,
            libc::O_WRONLY => WRITE,
            _ => READ | WRITE,
        };
        if truncate {
            wanted |= WRITE;
        }
        if node.is_symlink() {
            return Err(Errno::ELOOP.into());
        }
        if node.is_directory() && wanted & WRITE != 0 {
            return Err(Errno::EISDIR.into());
        }
        self.fs.permit(&self.process.credentials, inode, wanted)?;
        if flags & libc::O_NOATIME != 0 && !self.fs.is_owned(&self.process.credentials, inode)? {
            return Err(Errno::EPERM.into());
        }
        self.open_special(inode, flags)?;
        if truncate && matches!(self.fs.node(inode).data, Data::Regular(_)) {
            self.truncate_inode(inode, 0)?;
        }
        Ok(())
    }

    /// Devices, pipes and sockets have their own ideas of being opened.
    fn open_special(&mut self, inode: InodeId, flags: i32) -> Result<(), Stop> {
        let node = self.fs.node(inode);
        match &node.data {
            Data::Socket | Data::Pair(_) => Err(Errno::ENXIO.into()),
            Data::Block => Err(Stop::unsupported("open of a block device")),
            Data::Character => match Device::from_rdev(node.rdev) {
                Some(Device::Terminal) if !self.has_terminal() => Err(Errno::ENXIO.into()),
                Some(_) => Ok(()),
                None => Err(Stop::unsupported("open of a device that is not modelled")),
            },
            Data::Pipe(pipe) => {
                let nonblocking = flags & libc::O_NONBLOCK != 0;
                match flags & libc::O_ACCMODE {
                    libc::O_ACCMODE => Err(Errno::EINVAL.into()),
                    libc::O_WRONLY if pipe.readers == 0 && nonblocking => Err(Errno::ENXIO.into()),
                    libc::O_WRONLY if pipe.readers == 0 => {
                        Err(Stop::endless("opening a FIFO for writing"))
                    }
                    libc::O_RDONLY if pipe.writers == 0 && !nonblocking => {
                        Err(Stop::endless("opening a FIFO for reading"))
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Is any inherited descriptor a terminal? Then that one is the controlling terminal.
    fn has_terminal(&self) -> bool {
        use crate::config::Descriptor;
        use crate::stream::StreamKind;
        self.config.descriptors.iter().any(|descriptor| {
            matches!(descriptor, Descriptor::Stream { kind: StreamKind::Terminal { .. }, .. })
        })
    }

    fn create_file(&mut self, parent: &Parent, mode: u32) -> Result<InodeId, Stop> {
        let Last::Name(name) = &parent.last else {
            return Err(Errno::EISDIR.into());
        };
        self.check_creatable(parent.dir, false)?;
        self.fs.may_create(&self.process.credentials, parent.dir)?;
        let mode = mode & !self.process.umask;
        self.make_node(parent.dir, name, mode, Data::Regular(Content::default()))
    }

    /// Read-only and made-up file systems take no new names.
    pub(crate) fn check_creatable(&self, dir: InodeId, directory: bool) -> Result<(), Errno> {
        match self.fs.file_system(dir).magic {
            PROC => Err(Errno::ENOENT),
            SYSFS => Err(if directory { Errno::EPERM } else { Errno::EACCES }),
            _ if self.fs.is_read_only(dir) => Err(Errno::EROFS),
            _ => Ok(()),
        }
    }

    /// Makes an inode with one name.
    pub(crate) fn make_node(
        &mut self,
        dir: InodeId,
        name: &[u8],
        mode: u32,
        data: Data,
    ) -> Result<InodeId, Stop> {
        let now = self.clock.now();
        let (mode, owner) = self.creation_attributes(dir, mode, false)?;
        let inode = self.fs.create(dir, mode, owner, data, now);
        self.fs.node_mut(inode).nlink = 1;
        self.fs.set_name(dir, name, inode, now);
        Ok(inode)
    }

    /// Mode and owner of something new in `dir`: a setgid directory passes on its group.
    pub(crate) fn creation_attributes(
        &self,
        dir: InodeId,
        mode: u32,
        directory: bool,
    ) -> Result<(u32, (u32, u32)), Stop> {
        let who = &self.process.credentials;
        if self.fs.permissions(dir)? & libc::S_ISGID == 0 {
            return Ok((mode, (who.fsuid, who.fsgid)));
        }
        let gid = self.fs.gid(dir)?;
        let mut mode = mode;
        if directory {
            mode |= libc::S_ISGID;
        } else if mode & 0o2010 == 0o2010 && !who.in_group(gid) && !who.is_privileged() {
            mode &= !libc::S_ISGID;
        }
        Ok((mode, (who.fsuid, gid)))
    }

    /// `O_TMPFILE`: a file without a name in the directory at `path`.
    fn open_temporary(
        &mut self,
        dirfd: i32,
        path: &[u8],
        flags: i32,
        mode: u32,
    ) -> Result<Description, Stop> {
        let nofollow = flags & libc::O_NOFOLLOW != 0;
        let follow = if nofollow { Follow::No } else { Follow::Yes };
        let dir = self.resolve(dirfd, path, follow)?;
        if !self.fs.node(dir).is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        self.fs.permit(&self.process.credentials, dir, WRITE | EXECUTE)?;
        self.check_creatable(dir, false)?;
        let now = self.clock.now();
        let (mode, owner) = self.creation_attributes(dir, mode & !self.process.umask, false)?;
        let inode = self.fs.create(dir, mode, owner, Data::Regular(Content::default()), now);
        self.fs.node_mut(inode).linkable = flags & libc::O_EXCL == 0;
        check_direct(flags)?;
        Ok(Description::new(inode, status_flags(flags), 0))
    }
}

/// `build_open_flags` of Linux: refuses combinations and drops what has no meaning.
fn check_flags(flags: i32) -> Result<i32, Errno> {
    let mut flags = flags & KNOWN;
    if flags & SYNC != 0 {
        flags |= libc::O_DSYNC;
    }
    if flags & libc::O_PATH != 0 {
        return Ok(flags & PATH_FLAGS);
    }
    if flags & TMPFILE != 0 {
        let complete = flags & libc::O_DIRECTORY != 0 && flags & libc::O_CREAT == 0;
        if !complete || flags & libc::O_ACCMODE == libc::O_RDONLY {
            return Err(Errno::EINVAL);
        }
    } else if flags & (libc::O_CREAT | libc::O_DIRECTORY) == libc::O_CREAT | libc::O_DIRECTORY {
        return Err(Errno::EINVAL);
    }
    Ok(flags)
}

/// What may be read and written then depends on the file system and the disk.
fn check_direct(flags: i32) -> Result<(), Stop> {
    match flags & libc::O_DIRECT {
        0 => Ok(()),
        _ => Err(Stop::unsupported("open with O_DIRECT")),
    }
}

fn status_flags(flags: i32) -> i32 {
    if flags & libc::O_PATH != 0 {
        return flags & !libc::O_CLOEXEC;
    }
    (flags & !(OPENING | libc::O_CLOEXEC)) | LARGEFILE
}

fn describe(inode: InodeId, flags: i32, parent: &Parent) -> Description {
    let mut description = Description::new(inode, status_flags(flags), 0);
    if let Last::Name(name) = &parent.last {
        description.place = Some((parent.dir, name.as_slice().into()));
    }
    description
}
