//! The bytes of a regular file.
//!
//! A file is a run of pages over an optional base in the lower layer. A page that was never written
//! is read from the base, or is a hole; so a large host file costs nothing until it is written, and
//! then only the pages that are. Bytes that are expressions lie in a map on top of the pages, which
//! a file without any does not have.

use crate::bytes::Chunk;
use crate::errno::Errno;
use crate::lower::Lower;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use umbra_expr::ExprId;

/// Bytes in a page: the block of the usual file systems, so that holes are where Linux has them.
pub(crate) const PAGE: u64 = 4096;

/// The largest offset a file may have: that of ext4 with blocks of 4 KiB.
pub(crate) const MAX_BYTES: u64 = ((1 << 32) - 1) * PAGE;

/// The part of a lower file that still shows through.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Base {
    path: Arc<Path>,
    /// Bytes at the start of the lower file that are visible; truncation lowers it.
    visible: u64,
    /// The lower file's own size; `None` for files that do not know it, as in `/proc`.
    size: Option<u64>,
    /// Units of 512 bytes that the lower file occupies.
    blocks: u64,
}

/// The bytes of a regular file: sparse, copy-on-write, lazily read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    base: Option<Base>,
    /// Written pages; `None` is a hole that hides the base. A page may be shorter than [`PAGE`]:
    /// the rest is zero.
    pages: Arc<BTreeMap<u64, Option<Arc<Vec<u8>>>>>,
    /// How many of them are none of these holes.
    held: u64,
    /// Expressions by offset. Invariant: they lie in written pages, which have zeros there.
    expressions: Option<Arc<BTreeMap<u64, ExprId>>>,
    size: u64,
}

impl Content {
    pub(crate) fn from_lower(path: Arc<Path>, size: u64, blocks: u64) -> Content {
        // A size of zero with readable bytes is what /proc and /sys have: let reads through.
        let known = if size == 0 { None } else { Some(size) };
        let base = Base { path, visible: u64::MAX, size: known, blocks };
        Content { base: Some(base), size, ..Content::default() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Pages held in memory, for the limit on the upper layer.
    pub(crate) fn resident(&self) -> u64 {
        self.held
    }

    /// Units of 512 bytes, as `st_blocks` shows them.
    pub(crate) fn blocks(&self, lower: &dyn Lower) -> u64 {
        let Some(base) = &self.base else {
            return self.resident() * (PAGE / 512);
        };
        if self.pages.is_empty() && base.visible >= base.size.unwrap_or(0) {
            return base.blocks;
        }
        let end = base.visible.min(base.size.unwrap_or(0)).div_ceil(PAGE);
        let dense = base.blocks * 512 >= base.size.unwrap_or(0);
        let below = |page: u64| page < end && (dense || base_has_data(base, lower, page));
        let mut count = 0;
        if dense {
            count = end;
        } else {
            let mut offset = 0;
            while let Ok(data) = lower.seek_data(&base.path, offset) {
                let Ok(hole) = lower.seek_hole(&base.path, data) else {
                    break;
                };
                let hole = hole.min(end * PAGE);
                if data >= hole {
                    break;
                }
                count += hole.div_ceil(PAGE) - data / PAGE;
                offset = hole;
            }
        }
        for (&page, bytes) in self.pages.iter() {
            match (bytes.is_some(), below(page)) {
                (true, false) => count += 1,
                (false, true) => count -= 1,
                _ => {}
            }
        }
        count * (PAGE / 512)
    }

    /// Reads up to `length` bytes, expressions included; short only at the end of the file.
    pub(crate) fn load(
        &self,
        lower: &dyn Lower,
        offset: u64,
        length: usize,
    ) -> Result<Chunk, Errno> {
        let mut plain = vec![0; length];
        let n = self.read(lower, offset, &mut plain)?;
        plain.truncate(n);
        let mut chunk = Chunk::from(plain);
        if let Some(expressions) = &self.expressions {
            let found = expressions.range(offset..offset.saturating_add(n as u64));
            chunk.expressions =
                found.map(|(&at, &expression)| ((at - offset) as usize, expression)).collect();
        }
        Ok(chunk)
    }

    pub(crate) fn has_expressions(&self) -> bool {
        self.expressions.is_some()
    }

    pub(crate) fn expressions(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.expressions.iter().flat_map(|expressions| expressions.values().copied())
    }

    /// Reads up to `buffer.len()` bytes, with zeros for expressions; short only at the end of the
    /// file.
    pub(crate) fn read(
        &self,
        lower: &dyn Lower,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<usize, Errno> {
        if let Some(base) = &self.base
            && base.size.is_none()
            && self.pages.is_empty()
            && base.visible == u64::MAX
        {
            return lower.read(&base.path, offset, buffer);
        }
        let end = self.size.min(offset.saturating_add(buffer.len() as u64));
        if offset >= end {
            return Ok(0);
        }
        let mut at = offset;
        while at < end {
            let page = at / PAGE;
            let within = (at % PAGE) as usize;
            // Runs of untouched pages are read from the lower layer in one go.
            let stop = match self.pages.range(page..).next() {
                Some((&next, _)) if next == page => end.min((page + 1) * PAGE),
                Some((&next, _)) => end.min(next * PAGE),
                None => end,
            };
            let slice = &mut buffer[(at - offset) as usize..(stop - offset) as usize];
            match self.pages.get(&page) {
                Some(Some(bytes)) => {
                    let have = bytes.get(within..).unwrap_or(&[]);
                    let n = have.len().min(slice.len());
                    slice[..n].copy_from_slice(&have[..n]);
                    slice[n..].fill(0);
                }
                Some(None) => slice.fill(0),
                None => self.read_base(lower, at, slice)?,
            }
            at = stop;
        }
        Ok((end - offset) as usize)
    }

    fn read_base(&self, lower: &dyn Lower, offset: u64, slice: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        if let Some(base) = &self.base {
            let want = base.visible.saturating_sub(offset).min(slice.len() as u64) as usize;
            while done < want {
                let n = lower.read(&base.path, offset + done as u64, &mut slice[done..want])?;
                if n == 0 {
                    break;
                }
                done += n;
            }
        }
        slice[done..].fill(0);
        Ok(())
    }

    /// Pages that a write of `length` bytes at `offset` would add to memory.
    pub(crate) fn pages_needed(&self, offset: u64, length: u64) -> u64 {
        if length == 0 {
            return 0;
        }
        let first = offset / PAGE;
        let last = (offset + length - 1) / PAGE;
        last - first + 1 - held(self.pages.range(first..=last).map(|(_, page)| page))
    }

    /// Writes bytes, expressions included.
    pub(crate) fn store(
        &mut self,
        lower: &dyn Lower,
        offset: u64,
        chunk: &Chunk,
    ) -> Result<(), Errno> {
        self.write(lower, offset, &chunk.plain)?;
        if !chunk.expressions.is_empty() {
            let expressions = Arc::make_mut(self.expressions.get_or_insert_default());
            expressions.extend(
                chunk.expressions.iter().map(|&(at, expression)| (offset + at as u64, expression)),
            );
        }
        Ok(())
    }

    /// The bytes of a range are numbers from now on.
    fn forget_expressions(&mut self, range: Range<u64>) {
        let Some(expressions) = &mut self.expressions else {
            return;
        };
        if range.is_empty() || expressions.range(range.clone()).next().is_none() {
            return;
        }
        let expressions = Arc::make_mut(expressions);
        let mut rest = expressions.split_off(&range.start);
        expressions.append(&mut rest.split_off(&range.end));
        if expressions.is_empty() {
            self.expressions = None;
        }
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Some(expressions) = &mut self.expressions {
            for expression in Arc::make_mut(expressions).values_mut() {
                *expression = translation(*expression);
            }
        }
    }

    /// Puts numbers in place of all expressions.
    pub(crate) fn evaluate(
        &mut self,
        lower: &dyn Lower,
        value: &mut dyn FnMut(ExprId) -> u64,
    ) -> Result<(), Errno> {
        for (&at, &expression) in self.expressions.take().iter().flat_map(|map| map.iter()) {
            self.write(lower, at, &[value(expression) as u8])?;
        }
        Ok(())
    }

    fn write(&mut self, lower: &dyn Lower, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.forget_expressions(offset..offset + bytes.len() as u64);
        let mut done = 0usize;
        while done < bytes.len() {
            let at = offset + done as u64;
            let page = at / PAGE;
            let within = (at % PAGE) as usize;
            let n = bytes.len().min(done + PAGE as usize - within) - done;
            if !matches!(self.pages.get(&page), Some(Some(_))) {
                let whole = within == 0 && n == PAGE as usize;
                let fresh = match self.pages.contains_key(&page) {
                    true => Vec::new(),
                    false => self.base_page(lower, page, whole)?,
                };
                Arc::make_mut(&mut self.pages).insert(page, Some(Arc::new(fresh)));
                self.held += 1;
            }
            let Some(Some(data)) = Arc::make_mut(&mut self.pages).get_mut(&page) else {
                return Err(Errno::EIO);
            };
            let target = Arc::make_mut(data);
            if target.len() < within + n {
                target.resize(within + n, 0);
            }
            target[within..within + n].copy_from_slice(&bytes[done..done + n]);
            done += n;
        }
        self.size = self.size.max(offset + bytes.len() as u64);
        Ok(())
    }

    fn base_page(&self, lower: &dyn Lower, page: u64, overwritten: bool) -> Result<Vec<u8>, Errno> {
        let start = page * PAGE;
        if self.base.is_none() || overwritten || start >= self.size {
            return Ok(Vec::new());
        }
        let mut data = vec![0; (self.size - start).min(PAGE) as usize];
        self.read_base(lower, start, &mut data)?;
        Ok(data)
    }

    /// Sets the size; bytes beyond the old end are a hole.
    pub(crate) fn truncate(&mut self, size: u64) {
        if size == 0 {
            *self = Content::default();
            return;
        }
        if size < self.size {
            self.forget_expressions(size..self.size);
            if let Some(base) = &mut self.base {
                base.visible = base.visible.min(size);
            }
            let pages = Arc::make_mut(&mut self.pages);
            self.held -= held(pages.split_off(&size.div_ceil(PAGE)).values());
            if let Some(Some(last)) = pages.get_mut(&(size / PAGE)) {
                let keep = (size % PAGE) as usize;
                if last.len() > keep {
                    Arc::make_mut(last).truncate(keep);
                }
            }
        } else if let Some(base) = &mut self.base {
            base.visible = base.visible.min(self.size);
        }
        self.size = size;
    }

    /// Makes a hole of whole pages and zeroes the partial ones at both ends.
    pub(crate) fn punch(
        &mut self,
        lower: &dyn Lower,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        let end = offset.saturating_add(length).min(self.size);
        if offset >= end {
            return Ok(());
        }
        // The page of the end of the file counts as whole: what follows is zero anyway.
        let first = offset.div_ceil(PAGE);
        let last = if end == self.size { end.div_ceil(PAGE) } else { end / PAGE };
        for (from, to) in [(offset, end.min(first * PAGE)), (offset.max(last * PAGE), end)] {
            if from < to && to - from < PAGE && self.page_has_data(lower, from / PAGE) {
                self.write(lower, from, &vec![0; (to - from) as usize])?;
            }
        }
        if first >= last {
            return Ok(());
        }
        self.forget_expressions(offset..end);
        let hidden = self.base_pages().min(last);
        let pages = Arc::make_mut(&mut self.pages);
        let mut rest = pages.split_off(&first);
        pages.append(&mut rest.split_off(&last));
        self.held -= held(rest.values());
        pages.extend((first..hidden).map(|page| (page, None)));
        Ok(())
    }

    /// Pages at the start of the file that the base may have data for.
    fn base_pages(&self) -> u64 {
        self.base.as_ref().map_or(0, |base| base.visible.min(base.size.unwrap_or(0)).div_ceil(PAGE))
    }

    /// Gives every page of the range storage, as `fallocate` does.
    pub(crate) fn allocate(
        &mut self,
        lower: &dyn Lower,
        offset: u64,
        length: u64,
    ) -> Result<(), Errno> {
        for page in offset / PAGE..(offset + length).div_ceil(PAGE) {
            if !self.page_is_allocated(lower, page) {
                Arc::make_mut(&mut self.pages).insert(page, Some(Arc::default()));
                self.held += 1;
            }
        }
        Ok(())
    }

    /// Has the page storage? Storage that was never written is allocated, but still a hole to
    /// `lseek`.
    fn page_is_allocated(&self, lower: &dyn Lower, page: u64) -> bool {
        match self.pages.get(&page) {
            Some(bytes) => bytes.is_some(),
            None => self.page_has_data(lower, page),
        }
    }

    fn page_has_data(&self, lower: &dyn Lower, page: u64) -> bool {
        match self.pages.get(&page) {
            Some(bytes) => bytes.as_ref().is_some_and(|bytes| !bytes.is_empty()),
            None => match &self.base {
                Some(base) => page < self.base_pages() && base_has_data(base, lower, page),
                None => false,
            },
        }
    }

    /// The first offset from `offset` on that is data (`want`) or hole (`!want`); the end counts as
    /// a hole.
    pub(crate) fn seek(&self, lower: &dyn Lower, offset: u64, want: Sought) -> Result<u64, Errno> {
        if offset >= self.size {
            return Err(Errno::ENXIO);
        }
        if let Some(base) = &self.base {
            // Nothing written: the lower layer knows best.
            if self.pages.is_empty()
                && base.visible >= base.size.unwrap_or(0)
                && base.size == Some(self.size)
            {
                return match want {
                    Sought::Data => lower.seek_data(&base.path, offset),
                    Sought::Hole => lower.seek_hole(&base.path, offset),
                };
            }
        }
        let mut page = offset / PAGE;
        let last = (self.size - 1) / PAGE;
        while page <= last {
            let found = self.page_has_data(lower, page) == matches!(want, Sought::Data);
            if found {
                return Ok(offset.max(page * PAGE));
            }
            page += 1;
            // A sparse file may be terabytes of nothing: go to the next page there is.
            if want == Sought::Data && page >= self.base_pages() {
                match self.pages.range(page..).next() {
                    Some((&next, _)) => page = next,
                    None => break,
                }
            }
        }
        match want {
            Sought::Data => Err(Errno::ENXIO),
            Sought::Hole => Ok(self.size),
        }
    }
}

/// How many of these pages are no holes.
fn held<'a>(pages: impl Iterator<Item = &'a Option<Arc<Vec<u8>>>>) -> u64 {
    pages.filter(|page| page.is_some()).count() as u64
}

fn base_has_data(base: &Base, lower: &dyn Lower, page: u64) -> bool {
    match lower.seek_data(&base.path, page * PAGE) {
        Ok(data) => data / PAGE == page,
        Err(_) => false,
    }
}

/// What [`Content::seek`] looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// The next byte that is stored.
    Data,
    /// The next byte that is not.
    Hole,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::MemoryLower;

    /// The count goes with the pages, whatever is done to them and to a copy.
    #[test]
    fn pages_are_counted_as_they_come_and_go() {
        let lower = MemoryLower::default();
        let mut content = Content::default();
        let mut numbers = fastrand::Rng::with_seed(1);
        let mut random = |below: u64| numbers.u64(..below);
        let mut copy = content.clone();
        for _ in 0..2000 {
            let (offset, length) = (random(40 * PAGE), random(5 * PAGE) + 1);
            match random(5) {
                0 => content.truncate(offset),
                1 => content.punch(&lower, offset, length).unwrap(),
                2 => content.allocate(&lower, offset, length).unwrap(),
                3 => std::mem::swap(&mut content, &mut copy),
                _ => content.write(&lower, offset, &vec![1; length as usize]).unwrap(),
            }
            if random(10) == 0 {
                copy = content.clone();
            }
            assert_eq!(content.resident(), held(content.pages.values()));
        }
        assert!(content.resident() > 0);
    }
}
