//! The bytes of an object and, for each of them, a shadow byte.
//!
//! One allocation holds the data and behind it the shadow, so that the look-aside table can reach
//! both through plain pointers. A buffer is owned by one object (behind an `Arc` that makes it
//! copy-on-write); its address is stable until it is dropped.
#![allow(unsafe_code, reason = "raw storage that the look-aside table points into")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// The byte is concrete and initialised.
pub const CONCRETE: u8 = 0;
/// Nothing was written to the byte yet; it reads as zero.
pub const UNINITIALISED: u8 = 1;
/// The byte is an expression, not a number.
pub const SYMBOLIC: u8 = 2;

/// Data and shadow of one object.
///
/// Invariant: `data` points to an allocation of `2 * capacity` bytes (dangling if that is zero),
/// all of them initialised, the first half being data and the second half shadow.
pub struct Buffer {
    data: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a buffer owns its allocation; nothing in it is tied to a thread.
unsafe impl Send for Buffer {}
// SAFETY: through a shared reference a buffer can only be read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of zero bytes, all with this shadow.
    pub fn new(capacity: usize, shadow: u8) -> Self {
        if capacity == 0 {
            return Self { data: NonNull::dangling(), capacity };
        }
        let layout = Self::layout(capacity);
        // SAFETY: the layout is not empty.
        let Some(data) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout)
        };
        let mut buffer = Self { data, capacity };
        if shadow != 0 {
            buffer.shadow_mut().fill(shadow);
        }
        buffer
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

    /// The data, to write.
    pub fn data_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `data`; `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.capacity) }
    }

    /// The shadow, to write.
    pub fn shadow_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `shadow`; `&mut self` makes the access exclusive.
        unsafe {
            std::slice::from_raw_parts_mut(self.data.as_ptr().add(self.capacity), self.capacity)
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = Self::new(self.capacity, CONCRETE);
        copy.data_mut().copy_from_slice(self.data());
        copy.shadow_mut().copy_from_slice(self.shadow());
        copy
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.capacity != 0 {
            // SAFETY: allocated in `new` with this very layout, and not freed before.
            unsafe { dealloc(self.data.as_ptr(), Self::layout(self.capacity)) };
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}
