//! What may be done with the pages of an object, and objects that show the bytes of others.
//!
//! Most objects are readable and writable as a whole and have none of this. One that has never
//! enters the look-aside table: every access to it takes the slow path, which looks here. So what
//! `mprotect`, a partial `munmap` and shared mappings need costs nothing where they are not used.

use triomphe::Arc;

use super::access::{Access, AccessKind, FaultKind};
use super::layout::TINY;
use super::{Contents, Memory, Object, ObjectKind, RestingMemory, Trace};
use crate::environment::PageState;

/// Bytes of a page of the modelled machine.
pub const PAGE_BYTES: u64 = 4096;

/// The states of the pages that an object lies in, the first one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    pages: Vec<PageState>,
    /// The pages that were written, where somebody wants to know.
    written: Option<Vec<bool>>,
}

/// The object whose bytes another one shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Its address.
    pub base: u64,
    /// Where in it the bytes of this object start.
    pub offset: u64,
}

impl Protection {
    fn uniform(object: &Object, state: PageState) -> Self {
        let (first, last) = (object.base / PAGE_BYTES, last_page(object.base, object.size));
        Self { pages: vec![state; (last - first + 1) as usize], written: None }
    }

    /// Bytes of pages that are unmapped.
    fn gone(&self) -> u64 {
        self.pages.iter().filter(|page| !page.mapped).count() as u64 * PAGE_BYTES
    }

    /// The indices of the pages that `size` bytes at `address` of an object lie in.
    fn range(base: u64, address: u64, size: u64) -> std::ops::Range<usize> {
        let first = base / PAGE_BYTES;
        let start = (address / PAGE_BYTES - first) as usize;
        start..(last_page(address, size) - first) as usize + 1
    }

    /// The first of two with what was written noted from both, if it is the same otherwise.
    pub(super) fn joined(one: &Option<Arc<Self>>, two: &Option<Arc<Self>>) -> Option<Arc<Self>> {
        let (Some(first), Some(second)) = (one, two) else { return one.clone() };
        let (Some(theirs), true) = (&second.written, first.pages == second.pages) else {
            return one.clone();
        };
        let mut joined = Arc::clone(first);
        if first.written.as_ref().is_some_and(|written| written != theirs)
            && let Some(written) = &mut Arc::make_mut(&mut joined).written
        {
            written.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
        }
        Some(joined)
    }

    pub(super) fn denies(&self, base: u64, access: Access) -> Option<FaultKind> {
        if access.size == 0 {
            return None;
        }
        let pages = &self.pages[Self::range(base, access.address, access.size)];
        pages.iter().find_map(|page| page.denies(access.kind == AccessKind::Write))
    }
}

fn last_page(address: u64, size: u64) -> u64 {
    (address + size.max(1) - 1) / PAGE_BYTES
}

impl PageState {
    fn denies(self, write: bool) -> Option<FaultKind> {
        if !self.mapped {
            return Some(FaultKind::UseAfterFree);
        }
        let allowed = if write { self.write } else { self.read };
        match (allowed, self.beyond) {
            (false, _) => Some(FaultKind::Protected),
            (true, true) => Some(FaultKind::BeyondFile),
            (true, false) => None,
        }
    }
}

impl Object {
    /// Why the pages of an access, which lies inside, forbid it.
    pub(super) fn page_denies(&self, access: Access) -> Option<FaultKind> {
        self.protection.as_ref().and_then(|protection| protection.denies(self.base, access))
    }

    /// Bytes of its pages that are unmapped.
    pub(super) fn gone(&self) -> u64 {
        self.protection.as_ref().map_or(0, |protection| protection.gone())
    }

    /// Whether all accesses have to be looked at one by one.
    pub(super) fn is_guarded(&self) -> bool {
        self.protection.is_some() || self.alias.is_some()
    }

    /// The bytes around an address, which lies inside, on which the same accesses are allowed:
    /// their start and how many there are.
    pub fn stretch(&self, address: u64) -> (u64, u64) {
        let Some(protection) = &self.protection else {
            return (self.base, self.size);
        };
        let first = self.base / PAGE_BYTES;
        let at = (address / PAGE_BYTES - first) as usize;
        let state = protection.pages[at];
        let differs = |page: &PageState| *page != state;
        let start = protection.pages[..at].iter().rposition(differs).map_or(0, |page| page + 1);
        let end = protection.pages[at..].iter().position(differs);
        let end = end.map_or(protection.pages.len(), |page| at + page);
        let from = ((first + start as u64) * PAGE_BYTES).max(self.base);
        let to = ((first + end as u64) * PAGE_BYTES).min(self.base + self.size);
        (from, to - from)
    }

    /// Whether an address has to be known before anything is done at it: the bytes are those of
    /// another object, or may not be used in the same way everywhere.
    pub fn needs_address(&self, address: u64) -> bool {
        self.alias.is_some() || self.stretch(address) != (self.base, self.size)
    }
}

impl Memory {
    /// Says what may be done with the pages of a range, which must lie in one live object and
    /// cover what it has of them. Says whether that was so.
    pub fn set_pages(&mut self, address: u64, length: u64, state: PageState) -> bool {
        let Some(object) = self.object(address) else { return false };
        let base = object.base;
        let (start, end) = (address.max(base), address.saturating_add(length));
        let pages_end = (base + object.size).next_multiple_of(PAGE_BYTES);
        let covers = address >= base / PAGE_BYTES * PAGE_BYTES && end <= pages_end;
        // What shares a page with the object is not known to the caller.
        let whole = start % PAGE_BYTES == 0 && (end <= base + object.size || end == pages_end);
        if !covers || !whole || !object.is_alive() {
            return false;
        }
        let object = self.object_at_mut(address);
        let mut protection = match object.protection.take() {
            Some(protection) => protection,
            None => Arc::new(Protection::uniform(object, PageState::usable(object.writable))),
        };
        let range = Protection::range(base, start, end - start);
        let gone = protection.gone();
        Arc::make_mut(&mut protection).pages[range].fill(state);
        let (gone, kind) = (protection.gone() as i64 - gone as i64, object.kind);
        object.writable = true;
        let plain = protection.written.is_none()
            && protection.pages.iter().all(|page| *page == PageState::usable(true));
        object.protection = (!plain).then_some(protection);
        if kind == ObjectKind::Mapped && gone > 0 {
            self.unclaim(kind, gone as u64);
        } else if kind == ObjectKind::Mapped {
            self.objects.claims.mapped += gone.unsigned_abs();
        }
        true
    }

    /// The state of the page at an address, if a live object has bytes there.
    pub fn page_state(&self, address: u64) -> Option<PageState> {
        let page = address / PAGE_BYTES * PAGE_BYTES;
        let has_bytes = |object: &&Object| {
            let end = object.base + object.size.max(1);
            object.is_alive() && object.base < page + PAGE_BYTES && page < end
        };
        // Several slots may be on one page.
        let mut slots = (page..page + PAGE_BYTES).step_by(1 << TINY);
        let object = slots.find_map(|address| self.object(address).filter(has_bytes))?;
        let Some(protection) = &object.protection else {
            return Some(PageState::usable(object.writable));
        };
        let index = page / PAGE_BYTES - object.base / PAGE_BYTES;
        protection.pages.get(index as usize).copied()
    }

    /// Makes an object whose bytes others may show, and that knows which of its pages were written.
    pub fn allocate_shared(&mut self, size: u64, made: Trace) -> Option<u64> {
        let base = self.allocate(ObjectKind::Mapped, size, PAGE_BYTES, Contents::Zero, made)?;
        let object = self.object_at_mut(base);
        let mut protection = Protection::uniform(object, PageState::usable(true));
        protection.written = Some(vec![false; protection.pages.len()]);
        object.protection = Some(Arc::new(protection));
        Arc::make_mut(&mut self.objects.shared).push(base);
        // It is the mappings that count.
        self.unclaim(ObjectKind::Mapped, size);
        Some(base)
    }

    /// Makes an object that shows bytes of a shared one.
    pub fn allocate_alias(&mut self, alias: Alias, size: u64, made: Trace) -> Option<u64> {
        // Its own buffer is never looked at, and untouched memory costs nothing.
        let base = self.allocate(ObjectKind::Mapped, size, PAGE_BYTES, Contents::Zero, made)?;
        self.object_at_mut(base).alias = Some(alias);
        Some(base)
    }

    /// The pages of a shared object that were written since this was asked last.
    pub fn take_written(&mut self, address: u64) -> Vec<u64> {
        let Some(object) = self.object(address) else { return Vec::new() };
        let written = object.protection.as_ref().and_then(|pages| pages.written.as_ref());
        if !written.is_some_and(|written| written.contains(&true)) {
            return Vec::new();
        }
        let object = self.object_at_mut(address);
        let Some(protection) = &mut object.protection else { return Vec::new() };
        let Some(written) = &mut Arc::make_mut(protection).written else { return Vec::new() };
        let pages = (0..).zip(&*written).filter(|(_, written)| **written);
        let pages = pages.map(|(page, _)| page).collect();
        written.fill(false);
        pages
    }

    /// Takes over the bytes of shared objects from a process that has ended and had them too.
    pub fn take_shared(&mut self, other: &RestingMemory) {
        for &base in Arc::clone(&self.objects.shared).iter() {
            if !other.shared.contains(&base) {
                continue;
            }
            let Some(theirs) = other.object(base).filter(|object| object.base == base) else {
                continue;
            };
            let (buffer, symbolic) = (Arc::clone(&theirs.buffer), theirs.symbolic.clone());
            let protection = theirs.protection.clone();
            let object = self.object_at_mut(base);
            object.buffer = buffer;
            object.symbolic = symbolic;
            object.protection = protection;
        }
    }
}

impl Object {
    /// Notes that bytes were written, where somebody wants to know.
    pub(super) fn note_written(&mut self, offset: u64, size: u64) {
        let Some(protection) = &mut self.protection else { return };
        let range = Protection::range(self.base, self.base + offset, size);
        let is_news = |written: &Vec<bool>| written[range.clone()].contains(&false);
        if size > 0
            && protection.written.as_ref().is_some_and(is_news)
            && let Some(written) = &mut Arc::make_mut(protection).written
        {
            written[range].fill(true);
        }
    }
}
