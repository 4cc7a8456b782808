//! The bytes of an object and, for each of them, a shadow byte.
//!
//! One allocation holds the data and behind it the shadow, so that the look-aside table can reach
//! both through plain pointers. A buffer is owned by one object (behind an `Arc` that makes it
//! copy-on-write); its address is stable until it is dropped.
//!
//! A program often has a large buffer of which it uses little, and after a fork the other state copies
//! it. So a large buffer knows which of its windows were ever written, and a copy takes only those;
//! the rest of it is memory that the host has not even provided yet.
#![allow(unsafe_code, reason = "raw storage that the look-aside table points into")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Nothing was written to the byte yet; it reads as zero. (Zero, so that a new buffer is that.)
pub const UNINITIALISED: u8 = 0;
/// The byte is concrete and initialised.
pub const CONCRETE: u8 = 1;
/// The byte is an expression, not a number.
pub const SYMBOLIC: u8 = 2;

/// Bytes of a window of a large buffer.
pub const WINDOW: usize = 4096;
/// Buffers of more bytes have windows.
const LARGE: usize = 8 * WINDOW;

/// Larger allocations are mapped: an allocator may reuse memory that it then has to clear, and a
/// buffer of which little is used would cost all of its size.
const MAPPED: usize = 128 << 10;

fn map_zeroed(size: usize) -> Option<NonNull<u8>> {
    let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: a new mapping at a place of the kernel's choice touches nothing that exists.
    let data = unsafe { mmap_anonymous(std::ptr::null_mut(), size, protection, flags) };
    data.ok().and_then(|data| NonNull::new(data.cast()))
}

fn unmap(data: NonNull<u8>, size: usize) {
    // SAFETY: the only caller is the owner of the mapping, which is gone afterwards.
    let unmapped = unsafe { munmap(data.as_ptr().cast(), size) };
    debug_assert!(unmapped.is_ok(), "a mapping can be unmapped");
}

/// Data and shadow of one object.
///
/// Invariant: `data` points to an allocation of `2 * capacity` bytes (dangling if that is zero),
/// all of them initialised, the first half being data and the second half shadow.
///
/// Invariant: in a large buffer, the data of a window that is not marked in `written` is zero and its
/// shadow is `shadow`.
pub struct Buffer {
    data: NonNull<u8>,
    capacity: usize,
    /// The allocation is a mapping of its own.
    mapped: bool,
    /// The shadow that all bytes had at first.
    shadow: u8,
    /// The windows that may have been written, a bit each; empty unless the buffer is large.
    written: Vec<u64>,
}

// SAFETY: a buffer owns its allocation; nothing in it is tied to a thread.
unsafe impl Send for Buffer {}
// SAFETY: through a shared reference a buffer can only be read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of zero bytes, all with this shadow.
    pub fn new(capacity: usize, shadow: u8) -> Self {
        if capacity == 0 {
            let written = Vec::new();
            return Self { data: NonNull::dangling(), capacity, mapped: false, shadow, written };
        }
        let layout = Self::layout(capacity);
        let mapping = if layout.size() > MAPPED { map_zeroed(layout.size()) } else { None };
        let mapped = mapping.is_some();
        // A host allows only so many mappings; then memory is memory.
        // SAFETY: the layout is not empty.
        let data = mapping.or_else(|| NonNull::new(unsafe { alloc_zeroed(layout) }));
        let Some(data) = data else { handle_alloc_error(layout) };
        let windows = if capacity > LARGE { capacity.div_ceil(WINDOW) } else { 0 };
        let written = vec![0; windows.div_ceil(64)];
        let mut buffer = Self { data, capacity, mapped, shadow, written };
        if shadow != 0 {
            buffer.plain_shadow().fill(shadow);
        }
        buffer
    }

    /// Says that bytes of this range are going to be written.
    pub fn mark(&mut self, start: usize, length: usize) {
        if self.written.is_empty() || length == 0 {
            return;
        }
        for window in start / WINDOW..=(start + length - 1) / WINDOW {
            self.written[window / 64] |= 1 << (window % 64);
        }
    }

    /// The range around `start` that is marked with it: all of a buffer that is not large.
    pub fn window(&self, start: usize) -> Range<usize> {
        if self.written.is_empty() {
            return 0..self.capacity;
        }
        let first = start / WINDOW * WINDOW;
        first..(first + WINDOW).min(self.capacity)
    }

    fn layout(capacity: usize) -> Layout {
        let size =
            capacity.checked_mul(2).expect("objects are smaller than half the host's memory");
        Layout::from_size_align(size, 16).expect("object sizes fit a layout")
    }

    /// How many bytes of data there are.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The first byte of the data; the shadow is `capacity` bytes further on.
    ///
    /// Writing through it needs the buffer to be owned by one object only.
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// The data.
    pub fn data(&self) -> &[u8] {
        // SAFETY: by the invariant these bytes are allocated and initialised; `&self` keeps them.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.capacity) }
    }

    /// The shadow.
    pub fn shadow(&self) -> &[u8] {
        // SAFETY: as in `data`; the second half starts at `capacity`.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().add(self.capacity), self.capacity) }
    }

    /// Data and shadow of a range, to write.
    pub fn range_mut(&mut self, start: usize, length: usize) -> (&mut [u8], &mut [u8]) {
        self.mark(start, length);
        let (data, shadow) = self.plain_parts();
        (&mut data[start..start + length], &mut shadow[start..start + length])
    }

    /// Copies `length` bytes with their shadow from `start` to `target`; the ranges may overlap.
    pub fn copy_within(&mut self, start: usize, target: usize, length: usize) {
        self.mark(target, length);
        let (data, shadow) = self.plain_parts();
        data.copy_within(start..start + length, target);
        shadow.copy_within(start..start + length, target);
    }

    /// All data and shadow, to write.
    pub fn parts_mut(&mut self) -> (&mut [u8], &mut [u8]) {
        self.mark(0, self.capacity);
        self.plain_parts()
    }

    fn plain_parts(&mut self) -> (&mut [u8], &mut [u8]) {
        // SAFETY: by the invariant both halves are allocated and initialised, and they do not
        // overlap; `&mut self` makes the access exclusive.
        unsafe {
            let data = std::slice::from_raw_parts_mut(self.data.as_ptr(), self.capacity);
            let shadow = self.data.as_ptr().add(self.capacity);
            (data, std::slice::from_raw_parts_mut(shadow, self.capacity))
        }
    }

    fn plain_shadow(&mut self) -> &mut [u8] {
        // SAFETY: as in `shadow`; `&mut self` makes the access exclusive.
        unsafe {
            std::slice::from_raw_parts_mut(self.data.as_ptr().add(self.capacity), self.capacity)
        }
    }
}

impl Buffer {
    /// A buffer with the same first bytes, `size` of them at least.
    pub fn copy(&self, size: usize) -> Self {
        if self.written.is_empty() {
            let mut copy = Self::new(size, UNINITIALISED);
            copy.shadow = self.shadow;
            let (data, shadow) = copy.plain_parts();
            data.copy_from_slice(&self.data()[..size]);
            shadow.copy_from_slice(&self.shadow()[..size]);
            return copy;
        }
        let mut copy = Self::new(self.capacity, self.shadow);
        copy.written.clone_from(&self.written);
        let (data, shadow) = copy.plain_parts();
        for (index, &bits) in self.written.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let window = 64 * index + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let range = window * WINDOW..((window + 1) * WINDOW).min(self.capacity);
                data[range.clone()].copy_from_slice(&self.data()[range.clone()]);
                shadow[range.clone()].copy_from_slice(&self.shadow()[range]);
            }
        }
        copy
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        self.copy(self.capacity)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.capacity == 0 {
            return;
        }
        let layout = Self::layout(self.capacity);
        match self.mapped {
            true => unmap(self.data, layout.size()),
            // SAFETY: allocated in `new` with this very layout, and not freed before.
            false => unsafe { dealloc(self.data.as_ptr(), layout) },
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}
