//! The overlay file system: an upper layer in memory over a read-only lower one.
//!
//! There is one table of inodes for both layers. An object of the lower layer gets its inode when
//! its name is first looked up, and from then on the table is the truth; what a program changes is
//! changed there. So renaming a lower directory moves one name, and its contents still come from
//! where they were.

pub(crate) mod device;
mod directory;
pub(crate) mod inode;
pub(crate) mod path;
pub(crate) mod permission;
mod proc;
pub(crate) mod stat;
pub(crate) mod undecided;

use crate::config::Config;
use crate::content::{Content, PAGE};
use crate::errno::Errno;
use crate::lower::{Lower, LowerFileSystem, LowerStat};
use crate::pipe::Pipe;
use crate::system::Stop;
use crate::table::Table;
use crate::time::Timestamp;
use inode::{Data, Directory, Inode, InodeId, Place, Role, Slot};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The longest name of a file.
pub(crate) const NAME_MAX: usize = 255;

/// The device of what has no name.
pub(crate) const ANONYMOUS: u64 = 0xf;

pub(crate) const EXT4: i64 = 0xef53;
pub(crate) const TMPFS: i64 = 0x0102_1994;
/// What tmpfs adds to the size of a directory for each name, `.` and `..` among them.
pub(crate) const TMPFS_ENTRY: u64 = 20;
pub(crate) const PROC: i64 = 0x9fa0;
pub(crate) const SYSFS: i64 = 0x6265_6572;

/// Both layers of the file system.
#[derive(Clone)]
pub(crate) struct Fs {
    table: Table<Inode>,
    pub(crate) lower: Arc<dyn Lower>,
    /// Lower files with several names, by device and number, so that the names share one inode.
    linked: Arc<BTreeMap<(u64, u64), InodeId>>,
    file_systems: Arc<BTreeMap<u64, LowerFileSystem>>,
    pub(crate) root: InodeId,
    /// There are, or were, names that may not exist or files of an open kind; without any, nobody
    /// needs to look for them.
    pub(crate) has_open_names: bool,
    next_ino: u64,
    /// Pages of file contents in memory, and how many there may be.
    pub(crate) pages: u64,
    pub(crate) page_limit: u64,
    pub(crate) pid: i32,
    /// Files that are mapped, in order, and the contents before this call of those that it changed.
    pub(crate) watched: Arc<[InodeId]>,
    pub(crate) edited: Vec<(InodeId, Content)>,
    /// The user and group that the process started with: theirs is its directory in `/proc`.
    owner: (u32, u32),
}

impl Fs {
    pub(crate) fn new(config: &Config) -> Result<Fs, Errno> {
        let mut fs = Fs {
            table: Table::new(),
            lower: Arc::clone(&config.lower),
            linked: Arc::default(),
            file_systems: Arc::default(),
            root: InodeId(0),
            has_open_names: false,
            // Far above what file systems hand out, so that a new file is never mistaken for an old
            // one.
            next_ino: 0x4000_0000,
            pages: 0,
            page_limit: config.upper_limit / PAGE,
            pid: config.pid,
            watched: Arc::default(),
            edited: Vec::new(),
            owner: (config.uid, config.gid),
        };
        let path: Arc<Path> = Path::new("/").into();
        let stat = fs.lower.stat(&path)?;
        fs.root = fs.adopt(InodeId(0), b"/", path, stat)?;
        Ok(fs)
    }

    /// How many inodes somebody has looked at.
    pub(crate) fn inodes(&self) -> u32 {
        self.table.len()
    }

    /// The directories among them.
    pub(crate) fn directories(&self) -> impl Iterator<Item = (InodeId, &Directory)> {
        let nodes = self.table.iter().map(|(index, node)| (InodeId(index), node));
        nodes.filter_map(|(id, node)| Some((id, node.directory()?)))
    }

    /// Whether all files are the same, and what will be made of the next one.
    pub(crate) fn is_like(&self, other: &Fs) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.lower), Arc::as_ptr(&other.lower))
            && self.table == other.table
            && self.linked == other.linked
            && self.root == other.root
            && self.has_open_names == other.has_open_names
            && self.next_ino == other.next_ino
            && self.pages == other.pages
            && self.pid == other.pid
            && self.watched == other.watched
    }

    /// Whether an inode is on no file system that has names.
    pub(crate) fn is_anonymous(&self, id: InodeId) -> bool {
        self.node(id).dev == ANONYMOUS
    }

    /// Whether anybody has looked at the inode yet.
    pub(crate) fn knows(&self, id: InodeId) -> bool {
        self.table.has(id.0)
    }

    pub(crate) fn node(&self, id: InodeId) -> &Inode {
        self.table.get(id.0)
    }

    pub(crate) fn node_mut(&mut self, id: InodeId) -> &mut Inode {
        self.table.get_mut(id.0)
    }

    /// The file system that an inode is on.
    pub(crate) fn file_system(&self, id: InodeId) -> LowerFileSystem {
        self.file_systems.get(&self.node(id).dev).copied().unwrap_or_default()
    }

    pub(crate) fn is_read_only(&self, id: InodeId) -> bool {
        self.file_system(id).flags & libc::ST_RDONLY as i64 != 0
    }

    /// Makes the inode of a lower object.
    fn adopt(
        &mut self,
        parent: InodeId,
        name: &[u8],
        path: Arc<Path>,
        stat: LowerStat,
    ) -> Result<InodeId, Errno> {
        let kind = stat.mode & libc::S_IFMT;
        let shared = kind != libc::S_IFDIR && stat.nlink > 1;
        if shared && let Some(&id) = self.linked.get(&(stat.dev, stat.ino)) {
            return Ok(id);
        }
        if !self.file_systems.contains_key(&stat.dev) {
            let found = self.lower.file_system(&path).unwrap_or_default();
            Arc::make_mut(&mut self.file_systems).insert(stat.dev, found);
        }
        let data = match kind {
            libc::S_IFREG => Data::Regular(Content::from_lower(path, stat.size, stat.blocks)),
            libc::S_IFDIR => {
                let role = if &*path == Path::new("/proc") { Role::Processes } else { Role::Plain };
                let (size, blocks) = (stat.size, stat.blocks);
                Data::Directory(Directory {
                    lower: Some(path),
                    role,
                    size,
                    blocks,
                    ..Directory::new(parent, name)
                })
            }
            libc::S_IFLNK => Data::Symlink(self.lower.read_link(&path)?.into()),
            libc::S_IFIFO => Data::Pipe(Pipe::default()),
            libc::S_IFCHR => Data::Character,
            libc::S_IFBLK => Data::Block,
            _ => Data::Socket,
        };
        let id = self.push(Inode {
            dev: stat.dev,
            ino: stat.ino,
            permissions: stat.mode & 0o7777,
            uid: stat.uid,
            gid: stat.gid,
            nlink: stat.nlink,
            rdev: stat.rdev,
            blksize: stat.blksize,
            atime: stat.atime,
            mtime: stat.mtime,
            ctime: stat.ctime,
            btime: stat.btime,
            opens: 0,
            linkable: false,
            xattrs: None,
            data,
            undecided: None,
        });
        if shared {
            Arc::make_mut(&mut self.linked).insert((stat.dev, stat.ino), id);
        }
        Ok(id)
    }

    fn push(&mut self, inode: Inode) -> InodeId {
        InodeId(self.table.push(inode))
    }

    /// A fresh inode number.
    pub(crate) fn fresh_ino(&mut self) -> u64 {
        self.next_ino += 1;
        self.next_ino
    }

    /// Adds an inode that no directory has, such as a pipe.
    pub(crate) fn add_anonymous(&mut self, inode: Inode) -> InodeId {
        self.push(inode)
    }

    /// Makes an inode on the file system of `parent`, without a name and with no link.
    pub(crate) fn create(
        &mut self,
        parent: InodeId,
        mode: u32,
        owner: (u32, u32),
        data: Data,
        now: Timestamp,
    ) -> InodeId {
        let ino = self.fresh_ino();
        let parent = self.node(parent);
        let (dev, blksize) = (parent.dev, parent.blksize);
        self.push(Inode {
            dev,
            ino,
            permissions: mode & 0o7777,
            uid: owner.0,
            gid: owner.1,
            nlink: 0,
            rdev: 0,
            blksize,
            atime: now,
            mtime: now,
            ctime: now,
            btime: Some(now),
            opens: 0,
            linkable: false,
            xattrs: None,
            data,
            undecided: None,
        })
    }

    /// What `name` stands for in directory `dir`; `.` and `..` are not names.
    pub(crate) fn lookup(&mut self, dir: InodeId, name: &[u8]) -> Result<Option<InodeId>, Stop> {
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG.into());
        }
        let directory = self.node(dir).directory().ok_or(Errno::ENOTDIR)?;
        if let Some(slot) = directory.slots.get(name) {
            if let Some(slot) = slot {
                self.known_to_exist(dir, name, slot.inode)?;
            }
            return Ok(slot.map(|slot| slot.inode));
        }
        if directory.role != Role::Plain
            && let Some(found) = self.lookup_proc(dir, name)?
        {
            return Ok(Some(found));
        }
        let Some(directory) = self.node(dir).directory() else {
            return Ok(None);
        };
        let Some(lower) = &directory.lower else {
            return Ok(None);
        };
        let path: Arc<Path> = lower.join(OsStr::from_bytes(name)).into();
        let stat = match self.lower.stat(&path) {
            Ok(stat) => stat,
            Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        let inode = self.adopt(dir, name, path, stat)?;
        if let Some(directory) = self.node_mut(dir).directory_mut() {
            let slot = Slot { inode, place: Place::Lower };
            Arc::make_mut(&mut directory.slots).insert(name.into(), Some(slot));
        }
        Ok(Some(inode))
    }

    /// One link less; the contents go with the last link and the last descriptor.
    pub(crate) fn drop_link(&mut self, id: InodeId, now: Timestamp) {
        let node = self.node_mut(id);
        node.nlink = node.nlink.saturating_sub(1);
        node.set_ctime(now);
        self.reclaim(id);
    }

    /// Frees the contents of a file that nothing refers to any more.
    pub(crate) fn reclaim(&mut self, id: InodeId) {
        let node = self.node(id);
        if node.nlink == 0
            && node.opens == 0
            && let Data::Regular(content) = &node.data
        {
            self.pages = self.pages.saturating_sub(content.resident());
            self.node_mut(id).data = Data::Regular(Content::default());
        }
    }

    /// Changes the contents of a regular file, keeping count of memory.
    pub(crate) fn edit<R>(
        &mut self,
        id: InodeId,
        needed: impl FnOnce(&Content) -> u64,
        change: impl FnOnce(&mut Content, &dyn Lower) -> Result<R, Errno>,
    ) -> Result<R, Stop> {
        let Data::Regular(content) = &self.node(id).data else {
            return Err(Errno::EINVAL.into());
        };
        let before = content.resident();
        if self.pages + needed(content) > self.page_limit {
            let bytes = self.page_limit * PAGE;
            return Err(Stop::unsupported(format!("more than {bytes} bytes of files in memory")));
        }
        if self.watched.binary_search(&id).is_ok() && self.edited.iter().all(|(old, _)| *old != id)
        {
            self.edited.push((id, content.clone()));
        }
        let lower = Arc::clone(&self.lower);
        let Data::Regular(content) = &mut self.node_mut(id).data else {
            return Err(Errno::EINVAL.into());
        };
        let result = change(content, &*lower);
        let after = content.resident();
        self.pages = (self.pages + after).saturating_sub(before);
        Ok(result?)
    }
}
