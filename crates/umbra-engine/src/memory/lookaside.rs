//! The look-aside table: from an address to host memory in a few instructions.
//!
//! Two direct-mapped tables, one for reads and one for writes, indexed by the address in units of the
//! small slot; a larger object has an entry for each unit that was accessed. Tiny objects, many of which
//! are in one such unit, have tables of their own, which are looked at second. An entry says:
//! the object at `base` of `size` bytes is alive and may be read (or written) at `data`. It is
//! filled by the slow path of [`Memory`](super::Memory) after all checks, and dropped before
//! anything happens to the object: its end, its copy, sharing it with another state.
#![allow(unsafe_code, reason = "the hot path of every load and store")]

use super::buffer::{Buffer, CONCRETE, SYMBOLIC};
use super::layout::{SMALL, TINY, is_tiny};

const ENTRIES: usize = 128;

/// Invariant: `size` is zero, or `data..data + size` and `shadow..shadow + size` lie in a live
/// buffer; in the table of writes that buffer is also owned by one object of one state only.
#[derive(Clone, Copy)]
struct Entry {
    base: u64,
    size: u64,
    data: *mut u8,
    shadow: *mut u8,
}

const EMPTY: Entry =
    Entry { base: 0, size: 0, data: std::ptr::null_mut(), shadow: std::ptr::null_mut() };

impl Entry {
    /// The offset of `address` if `length` bytes from there lie inside the object.
    #[inline(always)]
    fn offset(&self, address: u64, length: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.size && self.size - offset >= length).then_some(offset as usize)
    }
}

/// The shadow of `N` concrete bytes.
#[inline(always)]
const fn concrete<const N: usize>() -> u64 {
    u64::from_le_bytes([CONCRETE; 8]) >> (64 - 8 * N)
}

/// One of the tables. It knows which slots it has filled, since it is emptied at every fork and most
/// of it is empty then.
struct Table {
    entries: Box<[Entry; ENTRIES]>,
    /// A bit for each slot; invariant: a slot without its bit is empty.
    filled: u128,
}

const _: () = assert!(ENTRIES <= u128::BITS as usize, "a bit for each slot");

impl Table {
    fn new() -> Self {
        Self { entries: Box::new([EMPTY; ENTRIES]), filled: 0 }
    }

    #[inline(always)]
    fn get(&self, slot: usize) -> &Entry {
        &self.entries[slot]
    }

    fn set(&mut self, slot: usize, entry: Entry) {
        self.entries[slot] = entry;
        self.filled |= 1 << slot;
    }

    fn clear(&mut self) {
        while self.filled != 0 {
            self.entries[self.filled.trailing_zeros() as usize] = EMPTY;
            self.filled &= self.filled - 1;
        }
    }
}

/// Data and shadow of `length` bytes, if one of the two tables knows all of them.
#[inline]
fn find(small: &Table, tiny: &Table, address: u64, length: u64) -> Option<(*mut u8, *mut u8)> {
    let mut entry = small.get(Lookaside::slot(address));
    let offset = entry.offset(address, length).or_else(|| {
        entry = tiny.get(Lookaside::tiny_slot(address));
        entry.offset(address, length)
    })?;
    // SAFETY: the offset lies inside the object, whose data and shadow these point to.
    Some(unsafe { (entry.data.add(offset), entry.shadow.add(offset)) })
}

/// The tables of one state's memory.
pub struct Lookaside {
    reads: Table,
    writes: Table,
    tiny_reads: Table,
    tiny_writes: Table,
}

// SAFETY: the pointers lead into buffers owned by the same `Memory`, which moves between threads
// as a whole; an entry never outlives its buffer.
unsafe impl Send for Lookaside {}

impl Lookaside {
    pub fn new() -> Self {
        Self {
            reads: Table::new(),
            writes: Table::new(),
            tiny_reads: Table::new(),
            tiny_writes: Table::new(),
        }
    }

    #[inline(always)]
    fn slot(address: u64) -> usize {
        (address >> SMALL) as usize % ENTRIES
    }

    #[inline(always)]
    fn tiny_slot(address: u64) -> usize {
        (address >> TINY) as usize % ENTRIES
    }

    /// Reads `N` (1, 2, 4 or 8) bytes, little endian, if they are known to be plain.
    #[inline(always)]
    pub fn load<const N: usize>(&self, address: u64) -> Option<u64> {
        let mut entry = self.reads.get(Self::slot(address));
        let offset = match entry.offset(address, N as u64) {
            Some(offset) => offset,
            None => {
                entry = self.tiny_reads.get(Self::tiny_slot(address));
                entry.offset(address, N as u64)?
            }
        };
        let mut shadow = [0u8; 8];
        let mut data = [0u8; 8];
        // SAFETY: `offset + N <= size`, and by the invariant both ranges are readable.
        unsafe {
            std::ptr::copy_nonoverlapping(entry.shadow.add(offset), shadow.as_mut_ptr(), N);
            std::ptr::copy_nonoverlapping(entry.data.add(offset), data.as_mut_ptr(), N);
        }
        (u64::from_le_bytes(shadow) == concrete::<N>()).then_some(u64::from_le_bytes(data))
    }

    /// Writes the low `N` (1, 2, 4 or 8) bytes of `value`, little endian, if the place is known to
    /// be writable; says whether it did.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, value: u64) -> bool {
        let mut entry = self.writes.get(Self::slot(address));
        let offset = match entry.offset(address, N as u64) {
            Some(offset) => offset,
            None => {
                entry = self.tiny_writes.get(Self::tiny_slot(address));
                match entry.offset(address, N as u64) {
                    Some(offset) => offset,
                    None => return false,
                }
            }
        };
        let data = value.to_le_bytes();
        let shadow = [CONCRETE; 8];
        // SAFETY: `offset + N <= size`, and by the invariant of the table of writes both ranges
        // are writable and seen by nobody else.
        unsafe {
            std::ptr::copy_nonoverlapping(data.as_ptr(), entry.data.add(offset), N);
            std::ptr::copy_nonoverlapping(shadow.as_ptr(), entry.shadow.add(offset), N);
        }
        true
    }

    /// Sets `length` bytes to one value if the place is known to be writable; says whether it did.
    pub fn fill(&mut self, address: u64, byte: u8, length: u64) -> bool {
        let Some((data, shadow)) = find(&self.writes, &self.tiny_writes, address, length) else {
            return false;
        };
        // SAFETY: by the invariant of the table of writes both ranges are writable and seen by
        // nobody else.
        unsafe {
            std::ptr::write_bytes(data, byte, length as usize);
            std::ptr::write_bytes(shadow, CONCRETE, length as usize);
        }
        true
    }

    /// Copies `length` bytes with their shadow, if both places are known and no byte is an expression;
    /// says whether it did. The ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> bool {
        let source = find(&self.reads, &self.tiny_reads, from, length);
        let target = find(&self.writes, &self.tiny_writes, to, length);
        let (Some((data, shadow)), Some((to_data, to_shadow))) = (source, target) else {
            return false;
        };
        let length = length as usize;
        // SAFETY: by the invariant of the table of reads the range is readable.
        if unsafe { std::slice::from_raw_parts(shadow, length) }.contains(&SYMBOLIC) {
            return false;
        }
        // SAFETY: the ranges of the source are readable, those of the target are writable and seen by
        // nobody else; `copy` allows them to overlap.
        unsafe {
            std::ptr::copy(data, to_data, length);
            std::ptr::copy(shadow, to_shadow, length);
        }
        true
    }

    /// Enters an object for reading around `offset`.
    pub fn fill_read(&mut self, base: u64, size: u64, buffer: &Buffer, offset: usize) {
        let entry = Self::entry(base, size, buffer);
        match is_tiny(base) {
            true => self.tiny_reads.set(Self::tiny_slot(base), entry),
            false => self.reads.set(Self::slot(base + offset as u64), entry),
        }
    }

    /// Enters an object for reading, and what is around `offset` for writing; its buffer must be
    /// exclusively owned.
    pub fn fill_write(&mut self, base: u64, size: u64, buffer: &mut Buffer, offset: usize) {
        self.fill_read(base, size, buffer, offset);
        // Writes come past the buffer, which must know where they go.
        let window = buffer.window(offset);
        let length = window.len().min(size as usize - window.start);
        buffer.mark(window.start, length);
        let whole = Self::entry(base, size, buffer);
        let entry = Entry {
            base: base + window.start as u64,
            size: length as u64,
            // SAFETY: the window lies within the buffer, whose data and shadow these point to.
            data: unsafe { whole.data.add(window.start) },
            // SAFETY: as above.
            shadow: unsafe { whole.shadow.add(window.start) },
        };
        match is_tiny(base) {
            true => self.tiny_writes.set(Self::tiny_slot(base), entry),
            false => self.writes.set(Self::slot(base + offset as u64), entry),
        }
    }

    fn entry(base: u64, size: u64, buffer: &Buffer) -> Entry {
        assert!(size as usize <= buffer.capacity(), "an entry covers its buffer at most");
        let data = buffer.as_ptr();
        // SAFETY: the shadow starts `capacity` bytes into the buffer's allocation.
        let shadow = unsafe { data.add(buffer.capacity()) };
        Entry { base, size, data, shadow }
    }

    /// Forgets the object at `base`.
    #[inline]
    pub fn forget(&mut self, base: u64, size: u64) {
        if is_tiny(base) {
            self.tiny_reads.entries[Self::tiny_slot(base)] = EMPTY;
            self.tiny_writes.entries[Self::tiny_slot(base)] = EMPTY;
            return;
        }
        let (first, last) = (base >> SMALL, (base + size) >> SMALL);
        for unit in first..=last.min(first + ENTRIES as u64 - 1) {
            self.reads.entries[unit as usize % ENTRIES] = EMPTY;
            self.writes.entries[unit as usize % ENTRIES] = EMPTY;
        }
    }

    /// Forgets everything: the memory gets other contents.
    pub fn forget_all(&mut self) {
        self.reads.clear();
        self.tiny_reads.clear();
        self.forget_writes();
    }

    /// Forgets which objects may be written: they are about to be shared.
    pub fn forget_writes(&mut self) {
        self.writes.clear();
        self.tiny_writes.clear();
    }
}
