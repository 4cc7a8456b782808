//! The limits that a process has on its memory.
//!
//! What a native process needs for the same allocations is not known to the byte: there is its image,
//! its stack, and what its allocator adds. So there is a least and a most that it may need. Where
//! the limit lies in between, nobody can tell whether it would get the memory, and the path ends.

use super::{Memory, ObjectKind, RestingMemory};
use crate::environment::MemoryLimit;

/// What every process has at least: its stack, and pages of its image and of the kernel.
const LEAST_BASE: u64 = 128 << 10;
/// What it has at most, besides its image.
const MOST_BASE: u64 = 384 << 10;
/// Small allocations are rounded up to sizes of an allocator's classes.
const LARGE: u64 = 128 << 10;
const PAGE: u64 = 4096;

/// How much the limits leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Enough.
    Enough,
    /// Not enough.
    Short,
    /// It depends on what is not modelled.
    Unsure,
}

/// What the process has claimed, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// On its heap.
    pub(super) heap: u64,
    /// What its allocator may need for that at most.
    pub(super) heap_most: u64,
    /// In mappings.
    pub(super) mapped: u64,
}

/// What an allocator may need at most for one allocation.
pub(super) fn heap_most(size: u64) -> u64 {
    if size < LARGE { size + size / 2 + 64 } else { size.next_multiple_of(PAGE) + PAGE }
}

impl Claims {
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            heap: self.heap.max(other.heap),
            heap_most: self.heap_most.max(other.heap_most),
            mapped: self.mapped.max(other.mapped),
        }
    }
}

impl RestingMemory {
    /// Whether the process may claim this much more.
    pub(super) fn room(&self, heap: u64, mapped: u64) -> Room {
        let Some(limit) = self.process_limit else { return Room::Enough };
        let claims = self.claims;
        let pages = |bytes: u64| bytes.next_multiple_of(PAGE);
        let (heap_least, heap_most) =
            (claims.heap + heap, claims.heap_most + if heap > 0 { heap_most(heap) } else { 0 });
        let mapped = claims.mapped + pages(mapped);
        let fits = |least: u64, most: u64, limit: u64| {
            if most <= limit {
                Room::Enough
            } else if least > limit {
                Room::Short
            } else {
                Room::Unsure
            }
        };
        let most = mapped + pages(heap_most) + limit.image + MOST_BASE;
        let space = fits(mapped + heap_least + LEAST_BASE, most, limit.address_space);
        // Mappings that cannot be written do not count.
        let data = fits(heap_least, most, limit.data);
        match (space, data) {
            (Room::Short, _) | (_, Room::Short) => Room::Short,
            (Room::Unsure, _) | (_, Room::Unsure) => Room::Unsure,
            _ => Room::Enough,
        }
    }
}

impl Memory {
    /// Counts a new object, if the process may have it.
    pub(super) fn claim(&mut self, kind: ObjectKind, size: u64) -> bool {
        let heap = kind == ObjectKind::Heap;
        let room = if heap { self.objects.room(size, 0) } else { self.objects.room(0, size) };
        if room != Room::Enough {
            self.objects.unsure |= room == Room::Unsure;
            return false;
        }
        let claims = &mut self.objects.claims;
        if heap {
            claims.heap += size;
            claims.heap_most += heap_most(size);
        } else {
            claims.mapped += size;
        }
        true
    }

    /// Counts what has ended.
    pub(super) fn unclaim(&mut self, kind: ObjectKind, size: u64) {
        let claims = &mut self.objects.claims;
        if kind == ObjectKind::Heap {
            claims.heap = claims.heap.saturating_sub(size);
            claims.heap_most = claims.heap_most.saturating_sub(heap_most(size));
        } else {
            claims.mapped = claims.mapped.saturating_sub(size);
        }
    }

    /// Sets the limits of the process.
    pub fn set_process_limit(&mut self, limit: MemoryLimit) {
        let infinite = limit.address_space == u64::MAX && limit.data == u64::MAX;
        self.objects.process_limit = (!infinite).then_some(limit);
    }

    /// Whether an allocation failed of which nobody can tell whether the process would have got it.
    pub fn is_unsure(&self) -> bool {
        self.objects.unsure
    }
}
