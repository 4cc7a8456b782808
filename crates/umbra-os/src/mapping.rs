//! What `mmap` has made: regions of addresses, and what lies behind them.
//!
//! The bytes are the machine's. A region lies in one of its objects; `munmap` and `mprotect` cut
//! regions, and the object's pages follow. Shared regions show an object that they have in common
//! (a [`Shared`]), so that all of them, and child processes, see each other's stores. If it is a
//! file's, the file takes over what was stored before each system call, and what a call changes in
//! the file is put into the object after it: so neither can tell that there are two copies.

use crate::bytes::Chunk;
use crate::content::Content;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::system::{Reply, Stop, System};
use std::collections::BTreeMap;
use std::sync::Arc;
use umbra_engine::{PageState, UserMemory};

pub(crate) const PAGE: u64 = 4096;
/// Bytes moved at a time.
const CHUNK: u64 = 1 << 16;

/// A run of pages of one mapping that have the same protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) length: u64,
    /// The machine's object that it lies in.
    pub(crate) object: u64,
    /// `PROT_*`.
    pub(crate) protection: i32,
    pub(crate) source: Source,
}

/// What the bytes of a region are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Zeros at first.
    Anonymous,
    /// Those of a file at first.
    Private { inode: InodeId, offset: u64 },
    /// Those of a descriptor that the process was started with, at first.
    Stream,
    /// Those of a shared object, which may be a file's.
    Shared { object: u64, inode: Option<InodeId>, offset: u64, may_write: bool },
}

impl Source {
    /// That of a region which starts so much later.
    fn advanced(self, by: u64) -> Source {
        match self {
            Source::Anonymous | Source::Stream => self,
            Source::Private { inode, offset } => Source::Private { inode, offset: offset + by },
            Source::Shared { object, inode, offset, may_write } => {
                Source::Shared { object, inode, offset: offset + by, may_write }
            }
        }
    }

    /// The file, and where in it the region starts.
    fn file(self) -> Option<(InodeId, u64)> {
        match self {
            Source::Private { inode, offset } => Some((inode, offset)),
            Source::Shared { inode, offset, .. } => Some((inode?, offset)),
            Source::Anonymous | Source::Stream => None,
        }
    }
}

/// The object that shared regions of one file show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shared {
    object: u64,
    length: u64,
}

/// The mappings of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mappings {
    regions: BTreeMap<u64, Region>,
    files: BTreeMap<InodeId, Shared>,
}

impl Mappings {
    pub(crate) fn insert(&mut self, address: u64, region: Region) {
        self.regions.insert(address, region);
    }

    /// The region that an address lies in, with its start.
    pub(crate) fn find(&self, address: u64) -> Option<(u64, Region)> {
        let (&start, &region) = self.regions.range(..=address).next_back()?;
        (address - start < region.length).then_some((start, region))
    }

    /// Cuts regions at an address.
    fn cut(&mut self, at: u64) {
        let Some((start, region)) = self.find(at) else { return };
        if start == at {
            return;
        }
        let by = at - start;
        self.regions.insert(start, Region { length: by, ..region });
        let source = region.source.advanced(by);
        self.regions.insert(at, Region { length: region.length - by, source, ..region });
    }

    /// The regions of a range, cut so that they lie in it.
    pub(crate) fn within(&mut self, start: u64, end: u64) -> Vec<(u64, Region)> {
        self.cut(start);
        self.cut(end);
        self.regions.range(start..end).map(|(start, region)| (*start, *region)).collect()
    }

    /// Whether the whole of a range is mapped.
    pub(crate) fn covers(&self, start: u64, end: u64) -> bool {
        let mut at = start;
        while at < end {
            match self.find(at) {
                Some((from, region)) => at = from + region.length,
                None => return false,
            }
        }
        true
    }

    pub(crate) fn remove(&mut self, address: u64) {
        self.regions.remove(&address);
    }

    /// The last region that starts at or before an address.
    pub(crate) fn before(&self, address: u64) -> Option<(u64, Region)> {
        self.regions.range(..=address).next_back().map(|(start, region)| (*start, *region))
    }

    /// The first region in an object of the machine.
    pub(crate) fn first_in(&self, object: u64) -> Option<(u64, Region)> {
        let mut regions = self.regions.range(object..);
        let (start, region) = regions.find(|(_, region)| region.object == object)?;
        Some((*start, *region))
    }

    /// The last region in an object of the machine.
    pub(crate) fn last_in(&self, object: u64) -> Option<(u64, Region)> {
        let regions = self.regions.range(object..);
        let (start, region) = regions.take_while(|(_, region)| region.object == object).last()?;
        Some((*start, *region))
    }

    fn shows(&self, shared: u64) -> bool {
        let is = |region: &Region| matches!(region.source, Source::Shared { object, .. } if object == shared);
        self.regions.values().any(is)
    }
}

impl System {
    pub(crate) fn mappings_mut(&mut self) -> &mut Mappings {
        Arc::make_mut(&mut self.mappings)
    }

    /// What may be done with a page of a region.
    fn page_state(&self, region: &Region, offset: u64) -> PageState {
        let allowed = region.protection & (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC);
        let beyond = region.source.file().is_some_and(|(inode, start)| {
            let size = match &self.fs.node(inode).data {
                Data::Regular(content) => content.size(),
                _ => u64::MAX,
            };
            start + offset >= size.next_multiple_of(PAGE)
        });
        // No processor can forbid reads of what may be written.
        PageState {
            mapped: true,
            read: allowed != 0,
            write: allowed & libc::PROT_WRITE != 0,
            beyond,
        }
    }

    /// Tells the machine what may be done with the pages of a region.
    pub(crate) fn show_pages(
        &self,
        memory: &mut dyn UserMemory,
        start: u64,
        region: &Region,
    ) -> Result<(), Stop> {
        let mut at = 0;
        while at < region.length {
            let state = self.page_state(region, at);
            let mut end = at + PAGE;
            while end < region.length && self.page_state(region, end) == state {
                end += PAGE;
            }
            memory.set_pages(start + at, end - at, state)?;
            at = end;
        }
        Ok(())
    }

    /// Ends the regions of a range. Pages of objects that are still used are gone; objects that are
    /// not end.
    pub(crate) fn end_regions(
        &mut self,
        memory: &mut dyn UserMemory,
        start: u64,
        end: u64,
    ) -> Result<(), Stop> {
        for (address, region) in self.mappings_mut().within(start, end) {
            self.mappings_mut().regions.remove(&address);
            let in_object = |other: &Region| other.object == region.object;
            if self.mappings.regions.values().any(in_object) {
                memory.set_pages(address, region.length, PageState::GONE)?;
            } else {
                memory.unmap(region.object)?;
            }
            if let Source::Shared { object, inode, .. } = region.source
                && !self.mappings.shows(object)
            {
                self.end_shared(memory, object, inode)?;
            }
        }
        Ok(())
    }

    /// Nothing in this process shows a shared object any more. A parent may still do.
    fn end_shared(
        &mut self,
        memory: &mut dyn UserMemory,
        object: u64,
        inode: Option<InodeId>,
    ) -> Result<(), Stop> {
        if let Some(inode) = inode {
            self.mappings_mut().files.remove(&inode);
        }
        if self.family.has_parent() {
            return Ok(());
        }
        memory.unmap(object)?;
        if let Some(inode) = inode {
            self.fs.node_mut(inode).opens -= 1;
            self.fs.reclaim(inode);
        }
        Ok(())
    }

    /// The object that shared mappings of a file show, which has at least `length` bytes.
    pub(crate) fn shared_file(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        length: u64,
    ) -> Result<u64, Stop> {
        if let Some(shared) = self.mappings.files.get(&inode) {
            if shared.length < length {
                let what = "mmap of more of a file than is mapped and shared already";
                return Err(Stop::unsupported(what));
            }
            return Ok(shared.object);
        }
        let size = self.fs.stat(inode).size.next_multiple_of(PAGE);
        let length = length.max(size);
        let object = memory.share(length).ok_or(Errno::ENOMEM)?;
        self.mappings_mut().files.insert(inode, Shared { object, length });
        self.fs.node_mut(inode).opens += 1;
        self.fill_shared(memory, inode)?;
        Ok(object)
    }

    /// Puts the contents of a file into the object that shared mappings of it show.
    fn fill_shared(&mut self, memory: &mut dyn UserMemory, inode: InodeId) -> Result<(), Stop> {
        let Some(shared) = self.mappings.files.get(&inode).copied() else { return Ok(()) };
        let Data::Regular(content) = &self.fs.node(inode).data else { return Ok(()) };
        let content = content.clone();
        let end = self.copy_content(memory, &content, 0, shared.object, shared.length)?;
        let rest = vec![0; (end.next_multiple_of(PAGE) - end) as usize];
        if !rest.is_empty() && end < shared.length {
            memory.write(shared.object + end, &rest)?;
        }
        memory.take_written(shared.object);
        Ok(())
    }

    /// Copies contents from an offset on to an address; says how many bytes there were.
    pub(crate) fn copy_content(
        &self,
        memory: &mut dyn UserMemory,
        content: &Content,
        offset: u64,
        address: u64,
        length: u64,
    ) -> Result<u64, Stop> {
        let mut done = 0;
        while done < length {
            let want = (length - done).min(CHUNK) as usize;
            let bytes = content.load(&*self.fs.lower, offset.saturating_add(done), want)?;
            if bytes.is_empty() {
                break;
            }
            bytes.store(memory, address + done)?;
            done += bytes.len() as u64;
        }
        Ok(done)
    }

    /// Files take over what was stored to their shared mappings.
    pub(crate) fn collect_stores(&mut self, memory: &mut dyn UserMemory) -> Result<(), Stop> {
        let files: Vec<(InodeId, u64)> =
            self.mappings.files.iter().map(|(inode, shared)| (*inode, shared.object)).collect();
        for (inode, object) in files {
            let size = self.fs.stat(inode).size;
            let mut changed = false;
            for page in memory.take_written(object) {
                let offset = page * PAGE;
                let length = size.saturating_sub(offset).min(PAGE);
                if length == 0 {
                    continue;
                }
                let bytes = Chunk::load(memory, object + offset, length as usize)?;
                self.fs.edit(
                    inode,
                    |content| content.pages_needed(offset, length),
                    |content, lower| content.store(lower, offset, &bytes),
                )?;
                changed = true;
            }
            if changed {
                self.mark_modified(inode);
            }
        }
        self.fs.edited.clear();
        Ok(())
    }

    /// Mappings take over what a call has changed in their files.
    pub(crate) fn refresh_mappings(&mut self, memory: &mut dyn UserMemory) -> Result<(), Stop> {
        for (inode, before) in std::mem::take(&mut self.fs.edited) {
            let Data::Regular(after) = &self.fs.node(inode).data else { continue };
            let after = after.clone();
            self.fill_shared(memory, inode)?;
            let is_shown =
                |region: &Region| region.source.file().is_some_and(|(id, _)| id == inode);
            let regions: Vec<(u64, Region)> =
                self.mappings.regions.iter().map(|(start, region)| (*start, *region)).collect();
            for (start, region) in regions.iter().filter(|(_, region)| is_shown(region)) {
                if let Source::Private { offset, .. } = region.source {
                    self.refresh_private(memory, (*start, region, offset), &before, &after)?;
                }
                self.show_pages(memory, *start, region)?;
            }
        }
        Ok(())
    }

    /// What is in the pages of a private mapping when its file is written depends on which of them
    /// were stored to. So only what leaves them alone, or adds pages, is modelled.
    fn refresh_private(
        &self,
        memory: &mut dyn UserMemory,
        (start, region, offset): (u64, &Region, u64),
        before: &Content,
        after: &Content,
    ) -> Result<(), Stop> {
        let end = |content: &Content| {
            let size = content.size().next_multiple_of(PAGE);
            size.saturating_sub(offset).min(region.length)
        };
        let (had, has) = (end(before), end(after));
        let lower = &*self.fs.lower;
        let common = |content: &Content| content.load(lower, offset, had.min(has) as usize);
        let (mut one, mut two) = (common(before)?, common(after)?);
        let length = one.len().max(two.len());
        one.extend_with_zeros(length);
        two.extend_with_zeros(length);
        if one != two {
            return Err(Stop::unsupported("a change of a file that is mapped privately"));
        }
        if has > had {
            self.show_pages(memory, start, &Region { protection: libc::PROT_WRITE, ..*region })?;
            self.copy_content(memory, after, offset + had, start + had, has - had)?;
        }
        Ok(())
    }

    /// Whether anything is mapped that a system call may have to look at.
    pub(crate) fn has_file_mappings(&self) -> bool {
        !self.fs.watched.is_empty()
    }

    /// Watches the files of the regions that there are.
    pub(crate) fn watch_mapped_files(&mut self) {
        let files = self.mappings.regions.values().filter_map(|region| region.source.file());
        let mut watched: Vec<InodeId> = files.map(|(inode, _)| inode).collect();
        watched.sort_unstable();
        watched.dedup();
        if *self.fs.watched != watched {
            self.fs.watched = watched.into();
        }
    }

    /// Carries out a system call in a world in which files and their mappings agree, and makes them
    /// agree again after it.
    pub(crate) fn with_mappings(
        &mut self,
        memory: &mut dyn UserMemory,
        call: impl FnOnce(&mut System, &mut dyn UserMemory) -> Reply,
    ) -> Reply {
        if !self.has_file_mappings() {
            return call(self, memory);
        }
        self.collect_stores(memory)?;
        let reply = call(self, memory);
        if !memory.must_fork() {
            self.refresh_mappings(memory)?;
        }
        self.fs.edited.clear();
        reply
    }
}
