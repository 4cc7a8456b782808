//! The program's memory: objects in an address space of our own.
//!
//! An address is an object's id in the upper 32 bits, then, for objects of up to 8 MiB, eight bits
//! that count how often the id was used, then the offset, which starts at a small base. So an
//! access that misses its object by less than 4 GiB hits no other one, a pointer to a local
//! variable of a function that has returned misses the variable that took its id, and equal runs
//! see equal addresses. Id 0 is the null page, id 1 holds the functions.
//!
//! Objects sit in pages behind two levels of `Arc`: sharing the memory with another state copies
//! one pointer, a write afterwards copies a page and the object. Each byte has a shadow byte (see
//! [`buffer`]), so that one test tells plain bytes from all others.

mod access;
mod buffer;
mod join;
mod limit;
mod lookaside;
mod object;
mod protection;
mod symbolic;

use std::collections::VecDeque;
use std::sync::Arc;

pub use access::{Access, AccessKind, Age, Fault, FaultKind};
pub use object::{Life, Object, ObjectKind, Trace};
pub use protection::Alias;
pub use symbolic::Cell;

use crate::environment::MemoryLimit;
use limit::Claims;

use buffer::{Buffer, CONCRETE, UNINITIALISED};
use lookaside::Lookaside;

/// The id under which functions have their addresses.
pub const FUNCTION_WINDOW: u64 = 1;

/// Objects of more bytes than this do not exist: an object must fit the window of its id.
pub const MAX_OBJECT: u64 = 1 << 31;

/// Bytes that no process can have.
const ADDRESS_SPACE: u64 = 1 << 47;

/// Objects of at most this many bytes have a counter in their address, so their id can be reused.
const MAX_RECYCLED: u64 = 8 << 20;

const FIRST_ID: u32 = 2;
const PAGE: usize = 32;

/// Freed heap objects wait until this many others were freed before their id is used again.
const QUARANTINE: usize = 1 << 10;

/// Stack objects of at most this many bytes keep their buffer for the next user of the id.
const KEPT_BUFFER: usize = 64 << 10;

/// Whether reading a byte that was never written is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UninitialisedReads {
    /// They read as zero.
    Zero,
    /// They are an error.
    Error,
}

type Page = Vec<Object>;

/// The memory of a state that does not run.
#[derive(Clone)]
pub struct RestingMemory {
    pages: Arc<Vec<Arc<Page>>>,
    next_id: u32,
    /// Ids of ended stack objects, the last one on top.
    free_stack: Vec<u32>,
    /// Ids of ended heap objects, the oldest first.
    quarantine: Arc<VecDeque<u32>>,
    used: u64,
    limit: u64,
    /// See [`Memory::refused`].
    refused: Option<u64>,
    uninitialised: UninitialisedReads,
    /// Ids of objects that are, or were, not the same in both versions.
    twins: Arc<Vec<u32>>,
    /// Both versions run: an access has to be allowed in both.
    together: bool,
    /// Addresses of objects whose bytes processes share.
    shared: Arc<Vec<u64>>,
    /// What the process has got for itself, and how much of that it may have.
    claims: Claims,
    process_limit: Option<MemoryLimit>,
    /// See [`Memory::is_unsure`].
    unsure: bool,
}

/// The memory of one state.
pub struct Memory {
    objects: RestingMemory,
    lookaside: Lookaside,
}

impl Memory {
    /// Empty memory that holds at most `limit` bytes.
    pub fn new(limit: u64, uninitialised: UninitialisedReads) -> Self {
        let objects = RestingMemory {
            pages: Arc::new(Vec::new()),
            next_id: FIRST_ID,
            free_stack: Vec::new(),
            quarantine: Arc::default(),
            used: 0,
            limit,
            refused: None,
            uninitialised,
            twins: Arc::default(),
            together: false,
            shared: Arc::default(),
            claims: Claims::default(),
            process_limit: None,
            unsure: false,
        };
        Self { objects, lookaside: Lookaside::new() }
    }

    /// A second memory with the same contents; the two share what neither writes.
    pub fn fork(&mut self) -> RestingMemory {
        self.lookaside.forget_writes();
        self.objects.clone()
    }

    /// Takes over the contents of another memory.
    pub fn resume(&mut self, objects: RestingMemory) {
        self.lookaside.forget_all();
        self.objects = objects;
    }

    /// Bytes in live objects.
    pub fn used(&self) -> u64 {
        self.objects.used
    }

    /// The address space, in bytes, with which a process were refused memory as this one was;
    /// `None` if nothing was refused that a process with enough of it can have.
    pub fn refused(&self) -> Option<u64> {
        self.objects.refused
    }

    /// Makes an object; `None` if it is too large or the limit is reached.
    pub fn allocate(
        &mut self,
        kind: ObjectKind,
        size: u64,
        align: u64,
        contents: Contents,
        made: Trace,
    ) -> Option<u64> {
        if size > MAX_OBJECT || size + self.objects.used > self.objects.limit {
            if matches!(kind, ObjectKind::Heap | ObjectKind::Mapped) && size < ADDRESS_SPACE {
                let room = if size > MAX_OBJECT { size } else { self.objects.limit };
                self.objects.refused = Some(self.objects.refused.map_or(room, |old| old.min(room)));
            }
            return None;
        }
        if matches!(kind, ObjectKind::Heap | ObjectKind::Mapped) && !self.claim(kind, size) {
            return None;
        }
        let shadow = match contents {
            Contents::Zero => CONCRETE,
            Contents::Uninitialised => UNINITIALISED,
        };
        self.objects.used += size;
        let recycled = match kind {
            _ if size > MAX_RECYCLED => None,
            ObjectKind::Heap if self.objects.quarantine.len() > QUARANTINE => {
                Arc::make_mut(&mut self.objects.quarantine).pop_front()
            }
            ObjectKind::Heap | ObjectKind::Mapped => None,
            _ => self.objects.free_stack.pop(),
        };
        match recycled {
            Some(id) => {
                let object = self.object_mut(id);
                object.generation = object.generation.wrapping_add(1);
                object.base = address_of(id, object.generation, align);
                object.size = size;
                object.kind = kind;
                object.life = Life::Alive;
                object.writable = true;
                object.fresh = contents == Contents::Uninitialised;
                object.made = made;
                object.symbolic = None;
                object.twin = None;
                object.protection = None;
                object.alias = None;
                renew(&mut object.buffer, size as usize, shadow);
                Some(object.base)
            }
            None => {
                let id = self.objects.next_id;
                let base = address_of(id, 0, align);
                let buffer = Arc::new(Buffer::new(size as usize, shadow));
                self.push(Object {
                    base,
                    size,
                    kind,
                    life: Life::Alive,
                    writable: true,
                    fresh: contents == Contents::Uninitialised,
                    generation: 0,
                    made,
                    ended: Trace::default(),
                    buffer,
                    symbolic: None,
                    twin: None,
                    protection: None,
                    alias: None,
                });
                Some(base)
            }
        }
    }

    /// Makes a global with these contents.
    pub fn add_global(&mut self, kind: ObjectKind, align: u64, size: u64) -> u64 {
        let base = address_of(self.objects.next_id, 0, align);
        self.objects.used += size;
        self.push(Object {
            base,
            size,
            kind,
            life: Life::Alive,
            writable: true,
            fresh: false,
            generation: 0,
            made: Trace::default(),
            ended: Trace::default(),
            buffer: Arc::new(Buffer::new(size as usize, CONCRETE)),
            symbolic: None,
            twin: None,
            protection: None,
            alias: None,
        });
        base
    }

    /// From now on the object may only be read.
    pub fn make_constant(&mut self, address: u64) {
        self.lookaside.forget(address);
        self.object_mut((address >> 32) as u32).writable = false;
    }

    fn push(&mut self, object: Object) {
        self.objects.next_id += 1;
        let pages = Arc::make_mut(&mut self.objects.pages);
        match pages.last_mut() {
            Some(page) if page.len() < PAGE => Arc::make_mut(page).push(object),
            _ => {
                let mut page = Vec::with_capacity(PAGE);
                page.push(object);
                pages.push(Arc::new(page));
            }
        }
    }

    fn object_mut(&mut self, id: u32) -> &mut Object {
        let index = (id - FIRST_ID) as usize;
        let page = &mut Arc::make_mut(&mut self.objects.pages)[index / PAGE];
        &mut Arc::make_mut(page)[index % PAGE]
    }

    /// The object at an address at which there is one.
    fn object_at_mut(&mut self, address: u64) -> &mut Object {
        self.object_mut((address >> 32) as u32)
    }

    fn forget_object(&mut self, address: u64) {
        self.lookaside.forget(address);
    }

    /// The object that has, or last had, the id in this address.
    pub fn object(&self, address: u64) -> Option<&Object> {
        self.objects.object(address)
    }

    /// Ends a local variable because its function returns.
    pub fn end_local(&mut self, address: u64) {
        self.lookaside.forget(address);
        let id = (address >> 32) as u32;
        let object = self.object_mut(id);
        object.life = Life::Returned;
        object.symbolic = None;
        object.twin = None;
        let size = object.size;
        if object.buffer.capacity() > KEPT_BUFFER {
            object.buffer = Arc::new(Buffer::new(0, CONCRETE));
        }
        if size <= MAX_RECYCLED {
            self.objects.free_stack.push(id);
        }
        self.objects.used = self.objects.used.saturating_sub(size);
    }

    /// A local variable comes into scope (again): it is alive and uninitialised.
    pub fn enter_scope(&mut self, address: u64) {
        let object = self.object_mut((address >> 32) as u32);
        if object.fresh && object.life == Life::Alive {
            return;
        }
        object.life = Life::Alive;
        object.fresh = true;
        object.symbolic = None;
        object.twin = None;
        renew(&mut object.buffer, object.size as usize, UNINITIALISED);
        self.lookaside.forget(address);
    }

    /// A local variable goes out of scope.
    pub fn leave_scope(&mut self, address: u64) {
        self.lookaside.forget(address);
        let object = self.object_mut((address >> 32) as u32);
        object.life = Life::OutOfScope;
        object.twin = None;
    }

    /// Frees the heap object at `address` (not null).
    pub fn free(&mut self, address: u64, ended: Trace) -> Result<(), Box<Fault>> {
        let fault = |kind| Box::new(Fault { kind, access: Access::free(address) });
        let object = self.object(address).ok_or_else(|| fault(FaultKind::InvalidFree))?;
        let is_start = object.base == address;
        match (object.kind, object.life) {
            (ObjectKind::Heap, Life::Alive) if is_start => self.end_heap(address, ended),
            (ObjectKind::Heap, Life::Freed) => return Err(fault(FaultKind::DoubleFree)),
            // Its id has gone to another object meanwhile.
            (ObjectKind::Heap, Life::Alive) if self.is_past(address) => {
                return Err(fault(FaultKind::DoubleFree));
            }
            _ => return Err(fault(FaultKind::InvalidFree)),
        }
        Ok(())
    }

    fn is_past(&self, address: u64) -> bool {
        self.origin(address).is_some_and(|(_, age)| age == Age::Past)
    }

    fn end_heap(&mut self, address: u64, ended: Trace) {
        self.lookaside.forget(address);
        let id = (address >> 32) as u32;
        let object = self.object_mut(id);
        object.life = Life::Freed;
        object.symbolic = None;
        object.ended = ended;
        object.buffer = Arc::new(Buffer::new(0, CONCRETE));
        let (size, kind, gone) = (object.size, object.kind, object.gone());
        object.protection = None;
        self.unclaim(kind, size - gone);
        if size <= MAX_RECYCLED {
            Arc::make_mut(&mut self.objects.quarantine).push_back(id);
        }
        self.objects.used = self.objects.used.saturating_sub(size);
    }

    /// Ends the mapping that starts at `address`.
    pub fn unmap(&mut self, address: u64, ended: Trace) -> Result<(), Box<Fault>> {
        match self.object(address) {
            Some(object) if object.kind == ObjectKind::Mapped && object.base == address => {
                self.end_heap(address, ended);
                Ok(())
            }
            _ => {
                Err(Box::new(Fault { kind: FaultKind::InvalidFree, access: Access::free(address) }))
            }
        }
    }
}

impl RestingMemory {
    fn object(&self, address: u64) -> Option<&Object> {
        let index = ((address >> 32) as usize).checked_sub(FIRST_ID as usize)?;
        self.pages.get(index / PAGE)?.get(index % PAGE)
    }
}

/// What a new object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros.
    Zero,
    /// Nothing yet.
    Uninitialised,
}

/// Objects start a little above the start of their window, at places that differ in the bits that
/// hash tables of pointers look at.
fn address_of(id: u32, generation: u8, align: u64) -> u64 {
    let spread = 0x1000 + (u64::from(id).wrapping_mul(0x50) & 0xff0);
    let align = align.clamp(16, 1 << 16);
    (u64::from(id) << 32) | (u64::from(generation) << 24) | spread.next_multiple_of(align)
}

/// Makes the buffer as good as new, in place where nobody else has it and the room suffices.
fn renew(buffer: &mut Arc<Buffer>, size: usize, shadow: u8) {
    match Arc::get_mut(buffer) {
        Some(own) if own.capacity() >= size && size * 4 + 256 >= own.capacity() => {
            let (old_data, old_shadow) = own.parts_mut();
            old_shadow[..size].fill(shadow);
            if shadow == CONCRETE {
                old_data[..size].fill(0);
            }
        }
        _ => *buffer = Arc::new(Buffer::new(size, shadow)),
    }
}

#[cfg(test)]
mod tests;
