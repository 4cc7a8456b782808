//! Names in directories: adding, removing, listing.

use super::inode::{Data, Directory, FIRST_COOKIE, InodeId, Place, Role, Slot};
use super::undecided::Field;
use super::{Fs, TMPFS, TMPFS_ENTRY};
use crate::errno::Errno;
use crate::lower::LowerEntry;
use crate::system::Stop;
use crate::time::Timestamp;
use std::sync::Arc;

/// An entry as `getdents64` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedEntry {
    pub(crate) name: Arc<[u8]>,
    pub(crate) ino: u64,
    pub(crate) kind: u8,
    /// The position behind this entry: what `d_off` says, and where the next read starts.
    pub(crate) next: u64,
}

/// Where entries stand in a listing. A position holds as long as its entry does, whatever is made or
/// removed meanwhile.
struct Order {
    newest_first: bool,
}

/// Entries of the lower layer that stand before everything: `.` and `..`.
const DOTS: u64 = 2;
/// Where the others begin if new entries come first.
const BEHIND_NEW: u64 = 1 << 40;

impl Order {
    fn lower(&self, index: u64) -> u64 {
        if self.newest_first && index >= DOTS { BEHIND_NEW + index } else { index }
    }

    fn added(&self, cookie: u64) -> u64 {
        if self.newest_first {
            (BEHIND_NEW + FIRST_COOKIE).saturating_sub(cookie).max(DOTS)
        } else {
            cookie
        }
    }
}

impl Fs {
    /// Puts `name` into `dir`, in place of what it stood for. Link counts are the caller's.
    pub(crate) fn set_name(&mut self, dir: InodeId, name: &[u8], inode: InodeId, now: Timestamp) {
        let tmpfs = self.file_system(dir).magic == TMPFS;
        let node = self.node_mut(dir);
        node.set_modified(now);
        let Some(directory) = node.directory_mut() else {
            return;
        };
        let place = match directory.slots.get(name) {
            Some(Some(Slot { place: Place::New(cookie), .. })) => Place::New(*cookie),
            // Hidden or present, the name is one that the lower layer has.
            Some(_) => Place::Replaced,
            None => {
                directory.next_cookie += 1;
                Place::New(directory.next_cookie - 1)
            }
        };
        let before =
            Arc::make_mut(&mut directory.slots).insert(name.into(), Some(Slot { inode, place }));
        if tmpfs && !matches!(before, Some(Some(_))) {
            directory.size += TMPFS_ENTRY;
        }
        if let Some(child) = self.node_mut(inode).directory_mut() {
            child.parent = dir;
            child.name = name.into();
        }
    }

    /// Takes `name` out of `dir`.
    pub(crate) fn remove_name(&mut self, dir: InodeId, name: &[u8], now: Timestamp) {
        let tmpfs = self.file_system(dir).magic == TMPFS;
        let node = self.node_mut(dir);
        node.set_modified(now);
        let Some(directory) = node.directory_mut() else {
            return;
        };
        if tmpfs {
            directory.size = directory.size.saturating_sub(TMPFS_ENTRY);
        }
        match directory.slots.get(name) {
            Some(Some(Slot { place: Place::New(_), .. })) => {
                Arc::make_mut(&mut directory.slots).remove(name);
            }
            _ => {
                Arc::make_mut(&mut directory.slots).insert(name.into(), None);
            }
        }
    }

    /// Reads the lower entries of a directory, once.
    pub(crate) fn load_listing(&mut self, dir: InodeId) -> Result<Arc<Vec<LowerEntry>>, Errno> {
        let directory = self.node(dir).directory().ok_or(Errno::ENOTDIR)?;
        if let Some(listing) = &directory.listing {
            return Ok(Arc::clone(listing));
        }
        let listing = match &directory.lower {
            Some(path) => self.lower.read_dir(path)?,
            None => [b".".as_slice(), b".."]
                .map(|name| LowerEntry { name: name.to_vec(), ino: 0, kind: libc::DT_DIR })
                .to_vec(),
        };
        let listing = Arc::new(listing);
        if let Some(directory) = self.node_mut(dir).directory_mut() {
            directory.listing = Some(Arc::clone(&listing));
        }
        Ok(listing)
    }

    /// Has the directory no names but `.` and `..`?
    pub(crate) fn is_empty(&mut self, dir: InodeId) -> Result<bool, Stop> {
        let listing = self.load_listing(dir)?;
        let Some(directory) = self.node(dir).directory() else {
            return Err(Errno::ENOTDIR.into());
        };
        let open = |slot: &Slot| self.node(slot.inode).undecided(Field::Exists).is_some();
        if directory.slots.values().flatten().any(|slot| !open(slot)) {
            return Ok(false);
        }
        self.known_entries(dir)?;
        let dots = |name: &[u8]| name == b"." || name == b"..";
        Ok(listing
            .iter()
            .all(|entry| dots(&entry.name) || directory.slots.contains_key(&*entry.name)))
    }

    /// Up to `limit` names in `dir`, those that the process has used already first. Some of them may
    /// turn out not to exist.
    pub(crate) fn some_names(&mut self, dir: InodeId, limit: usize) -> Vec<Vec<u8>> {
        let listing = self.load_listing(dir).unwrap_or_default();
        let Some(directory) = self.node(dir).directory() else {
            return Vec::new();
        };
        let used = directory.slots.iter().filter(|(_, slot)| slot.is_some());
        let used = used.map(|(name, _)| name.to_vec());
        let unused = listing.iter().map(|entry| &entry.name).filter(|name| {
            *name != b"." && *name != b".." && !directory.slots.contains_key(name.as_slice())
        });
        used.chain(unused.cloned()).take(limit).collect()
    }

    /// The entries of `dir` from position `from` on, until `enough` says so.
    pub(crate) fn list(
        &mut self,
        dir: InodeId,
        from: u64,
        mut accept: impl FnMut(&ListedEntry) -> bool,
    ) -> Result<(), Stop> {
        let listing = self.load_listing(dir)?;
        self.known_entries(dir)?;
        let Some(directory) = self.node(dir).directory() else {
            return Err(Errno::ENOTDIR.into());
        };
        if directory.role == Role::Descriptors {
            return Err(Errno::EINVAL.into());
        }
        let order = Order { newest_first: self.lower.newest_first() };
        let mut entries: Vec<(u64, &[u8], u64, u8)> = Vec::new();
        for (index, entry) in listing.iter().enumerate() {
            let (ino, kind) = match (&*entry.name, directory.slots.get(&*entry.name)) {
                (b".", _) => (self.node(dir).ino, libc::DT_DIR),
                (b"..", _) => (self.node(directory.parent).ino, libc::DT_DIR),
                (_, None) => (entry.ino, entry.kind),
                (_, Some(Some(Slot { inode, place: Place::Lower }))) => {
                    // The entry of a mount point has the number of what is covered, so the lower
                    // one counts.
                    (entry.ino, self.directory_type(*inode))
                }
                (_, Some(Some(Slot { inode, place: Place::Replaced }))) => {
                    (self.node(*inode).ino, self.directory_type(*inode))
                }
                (_, Some(None | Some(Slot { place: Place::New(_), .. }))) => continue,
            };
            entries.push((order.lower(index as u64), &entry.name, ino, kind));
        }
        for (name, slot) in directory.slots.iter() {
            if let Some(Slot { inode, place: Place::New(cookie) }) = slot {
                let (ino, kind) = (self.node(*inode).ino, self.directory_type(*inode));
                entries.push((order.added(*cookie), name, ino, kind));
            }
        }
        entries.retain(|(position, ..)| *position >= from);
        entries.sort_unstable_by_key(|(position, ..)| *position);
        for (position, name, ino, kind) in entries {
            if !accept(&ListedEntry { name: name.into(), ino, kind, next: position + 1 }) {
                break;
            }
        }
        Ok(())
    }

    fn directory_type(&self, id: InodeId) -> u8 {
        (self.node(id).type_bits() >> 12) as u8
    }

    /// Makes an empty directory named `name` in `parent`; its link counts are set.
    pub(crate) fn create_directory(
        &mut self,
        parent: InodeId,
        name: &[u8],
        mode: u32,
        owner: (u32, u32),
        now: Timestamp,
    ) -> InodeId {
        let mut directory = Directory::new(parent, name);
        if self.file_system(parent).magic == TMPFS {
            (directory.size, directory.blocks) = (2 * TMPFS_ENTRY, 0);
        }
        let id = self.create(parent, mode, owner, Data::Directory(directory), now);
        // Some file systems do not count subdirectories; theirs all have one link.
        let counted = self.node(parent).nlink != 1;
        self.node_mut(id).nlink = if counted { 2 } else { 1 };
        self.set_name(parent, name, id, now);
        self.count_subdirectory(parent, 1);
        id
    }

    /// A subdirectory came (1) or went (-1).
    pub(crate) fn count_subdirectory(&mut self, dir: InodeId, change: i64) {
        let node = self.node_mut(dir);
        if node.nlink > 1 {
            node.nlink = node.nlink.saturating_add_signed(change);
        }
    }

    /// Is `ancestor` the directory `dir` itself or above it?
    pub(crate) fn is_within(&self, dir: InodeId, ancestor: InodeId) -> bool {
        let mut at = dir;
        loop {
            if at == ancestor {
                return true;
            }
            match self.node(at).directory() {
                Some(directory) if directory.parent != at => at = directory.parent,
                _ => return false,
            }
        }
    }

    /// Is something mounted on this directory? Then it can be neither removed nor renamed.
    pub(crate) fn is_mount_point(&self, dir: InodeId) -> bool {
        match self.node(dir).directory() {
            Some(directory) => {
                directory.parent == dir || self.node(directory.parent).dev != self.node(dir).dev
            }
            None => false,
        }
    }
}
