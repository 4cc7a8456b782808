//! What a process says about its memory: advice, locks, when to write it back.

use crate::errno::Errno;
use crate::fs::inode::Data;
use crate::mapping::{PAGE, Region, Source};
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

impl System {
    /// The end of a range of pages that all exist, be they mapped or otherwise the program's.
    fn existing_range(
        &self,
        memory: &dyn UserMemory,
        start: u64,
        length: u64,
    ) -> Result<u64, Stop> {
        let end = length
            .checked_next_multiple_of(PAGE)
            .and_then(|length| start.checked_add(length))
            .ok_or(Errno::ENOMEM)?;
        let mut at = start;
        while at < end {
            match self.mappings.find(at) {
                Some((from, region)) => at = from + region.length,
                None if memory.page_state(at).is_some_and(|page| page.mapped) => at += PAGE,
                // What the machine has near its objects is not what Linux has.
                None if at > start && memory.page_state(at).is_none() => {
                    return Err(Stop::unsupported("advice on memory of several objects"));
                }
                None => return Err(Errno::ENOMEM.into()),
            }
        }
        Ok(end)
    }

    pub(crate) fn madvise(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
        advice: i32,
    ) -> Reply {
        const COLLAPSE: i32 = 25;
        let known =
            matches!(advice, 0..=4 | 8..=25 | libc::MADV_HWPOISON | libc::MADV_SOFT_OFFLINE);
        if !known || !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        if length.checked_next_multiple_of(PAGE).is_none_or(|length| length as i64 <= 0) {
            return if length == 0 { Ok(0) } else { Err(Errno::EINVAL.into()) };
        }
        let end = self.existing_range(memory, address, length)?;
        match advice {
            libc::MADV_NORMAL
            | libc::MADV_RANDOM
            | libc::MADV_SEQUENTIAL
            | libc::MADV_WILLNEED
            | libc::MADV_HUGEPAGE
            | libc::MADV_NOHUGEPAGE
            | libc::MADV_DONTDUMP
            | libc::MADV_DODUMP
            | libc::MADV_COLD
            | libc::MADV_PAGEOUT
            | libc::MADV_MERGEABLE
            | libc::MADV_UNMERGEABLE
            | libc::MADV_DOFORK
            | libc::MADV_KEEPONFORK => Ok(0),
            // Linux keeps the bytes until it needs the memory; only private memory can be freed.
            libc::MADV_FREE => {
                let mut at = address;
                while let Some((start, region)) = self.mappings.find(at).filter(|_| at < end) {
                    if region.source != Source::Anonymous {
                        return Err(Errno::EINVAL.into());
                    }
                    at = start + region.length;
                }
                Ok(0)
            }
            libc::MADV_DONTNEED => self.forget_pages(memory, address, end),
            COLLAPSE => Err(Stop::unsupported("madvise with MADV_COLLAPSE")),
            other => Err(Stop::unsupported(format!("madvise with advice {other}"))),
        }
    }

    /// Private pages are again what they were when they were mapped; shared ones stay.
    fn forget_pages(&mut self, memory: &mut dyn UserMemory, start: u64, end: u64) -> Reply {
        if !self.mappings.covers(start, end) {
            return Err(Stop::unsupported("madvise with MADV_DONTNEED of memory not from mmap"));
        }
        for (address, region) in self.mappings_mut().within(start, end) {
            let writable =
                Region { protection: libc::PROT_WRITE, source: Source::Anonymous, ..region };
            match region.source {
                Source::Shared { .. } => continue,
                Source::Stream => {
                    return Err(Stop::unsupported("madvise with MADV_DONTNEED of standard input"));
                }
                Source::Anonymous | Source::Private { .. } => {
                    self.show_pages(memory, address, &writable)?;
                    super::memory::clear(memory, address, region.length)?;
                }
            }
            if let Source::Private { inode, offset } = region.source
                && let Data::Regular(content) = &self.fs.node(inode).data
            {
                let content = content.clone();
                self.copy_content(memory, &content, offset, address, region.length)?;
            }
            self.show_pages(memory, address, &region)?;
        }
        Ok(0)
    }

    pub(crate) fn msync(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
        flags: i32,
    ) -> Reply {
        let both = libc::MS_ASYNC | libc::MS_SYNC;
        if flags & !(both | libc::MS_INVALIDATE) != 0
            || flags & both == both
            || !address.is_multiple_of(PAGE)
        {
            return Err(Errno::EINVAL.into());
        }
        // Stores have come to the file when the call was made.
        self.existing_range(memory, address, length)?;
        Ok(0)
    }

    pub(crate) fn mlock(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
    ) -> Reply {
        let limit = self.process.limit(libc::RLIMIT_MEMLOCK).0;
        let free = self.process.credentials.is_privileged();
        if !free && limit == 0 {
            return Err(Errno::EPERM.into());
        }
        let length = length.checked_add(address % PAGE).ok_or(Errno::EINVAL)?;
        if !free {
            self.process.locked = self.process.locked.saturating_add(length);
            if self.process.locked > limit {
                return Err(Stop::unsupported("mlock near the limit on locked memory"));
            }
        }
        self.existing_range(memory, address / PAGE * PAGE, length)?;
        Ok(0)
    }

    pub(crate) fn munlock(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
    ) -> Reply {
        let length = length.checked_add(address % PAGE).ok_or(Errno::EINVAL)?;
        self.existing_range(memory, address / PAGE * PAGE, length)?;
        Ok(0)
    }

    pub(crate) fn mlockall(&mut self, flags: i32) -> Reply {
        let known = libc::MCL_CURRENT | libc::MCL_FUTURE | libc::MCL_ONFAULT;
        if flags == 0 || flags & !known != 0 || flags == libc::MCL_ONFAULT {
            return Err(Errno::EINVAL.into());
        }
        if !self.process.credentials.is_privileged() {
            return Err(Stop::unsupported("mlockall with a limit on locked memory"));
        }
        Ok(0)
    }
}

/// Pages that one call may ask for; nobody asks for more of an address space.
const MAX_PAGES: u64 = 1 << 20;

/// Says which pages are in memory: all that are mapped.
pub(crate) fn mincore(
    memory: &mut dyn UserMemory,
    address: u64,
    length: u64,
    result: u64,
) -> Reply {
    if !address.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL.into());
    }
    let pages = length.div_ceil(PAGE);
    if pages > MAX_PAGES {
        return Err(Stop::unsupported("mincore of so many pages"));
    }
    let mapped = |page: u64| memory.page_state(page).is_some_and(|state| state.mapped);
    if !(0..pages).all(|page| mapped(address.wrapping_add(page * PAGE))) {
        return Err(Errno::ENOMEM.into());
    }
    memory.write(result, &vec![1; pages as usize])?;
    Ok(0)
}
