//! The program's memory: objects in an address space of our own.
//!
//! An address leads to a slot by arithmetic ([`layout`]), the slot to its object. There is room between
//! objects, so an access that misses its object by a few kilobytes hits no other one; a pointer to a
//! local variable of a function that has returned misses the variable that took its slot, and equal
//! runs see equal addresses.
//!
//! Objects sit in pages behind two levels of `Arc` ([`table`]): sharing the memory with another state
//! copies a few pointers, a write afterwards copies a page and the object. Each byte has a shadow byte (see
//! [`buffer`]), so that one test tells plain bytes from all others.

mod access;
mod buffer;
mod join;
mod layout;
mod limit;
mod lookaside;
mod object;
mod plan;
mod protection;
mod quarantine;
mod symbolic;
mod table;
mod watch;

use triomphe::Arc;

use access::judge;
pub use access::{Access, AccessKind, Age, Fault, FaultKind};
pub(crate) use join::Written;
pub use layout::{FUNCTIONS, Span, room};
pub use object::{Life, Object, ObjectKind, Trace};
pub use protection::Alias;
pub use symbolic::Cell;

use crate::environment::MemoryLimit;
use limit::Claims;

use buffer::{Buffer, CONCRETE, UNINITIALISED};
use layout::{Class, Slot};
use lookaside::Lookaside;
use plan::Plan;
use quarantine::Quarantine;
use table::Table;
pub(crate) use watch::Watch;

/// Objects of more bytes than this do not exist.
pub const MAX_OBJECT: u64 = 1 << 31;

/// Bytes that no process can have.
const ADDRESS_SPACE: u64 = 1 << 47;

/// Stack objects of at most this many bytes keep their buffer for the next user of the slot.
const KEPT_BUFFER: usize = 64 << 10;

/// A buffer that is made anew for a slot has at least as many bytes.
const SMALLEST_RENEWED: usize = 64;
/// A slot keeps its buffer for objects of any size if that has at most as many bytes.
const LARGEST_RENEWED: usize = 16 << 10;

/// Whether reading a byte that was never written is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UninitialisedReads {
    /// They read as zero.
    Zero,
    /// They are an error.
    Error,
}

/// The memory of a state that does not run.
#[derive(Clone)]
pub struct RestingMemory {
    stack: Table,
    /// Slots of the stack in use: from this one on, all are free.
    depth: u32,
    /// Tiny and small slots.
    small: [Table; 2],
    /// Larger slots, by class.
    large: Arc<[Table; Class::HEAP - 2]>,
    quarantine: Quarantine,
    used: u64,
    limit: u64,
    /// See [`Memory::refused`].
    refused: Option<u64>,
    uninitialised: UninitialisedReads,
    /// Slots of objects that are, or were, not the same in both versions; sorted.
    twins: Arc<Vec<Slot>>,
    /// Both versions run: an access has to be allowed in both.
    together: bool,
    /// Addresses of objects whose bytes processes share.
    shared: Arc<Vec<u64>>,
    /// What the process has got for itself, and how much of that it may have.
    claims: Claims,
    process_limit: Option<MemoryLimit>,
    /// See [`Memory::is_unsure`].
    unsure: bool,
    /// The slots that allocations get while the new version runs after the old one.
    plan: Option<Arc<Plan>>,
    /// There is more than one thread.
    watch: Option<Arc<Watch>>,
}

impl RestingMemory {
    #[inline]
    fn table(&self, class: Class) -> &Table {
        match class {
            Class::Stack => &self.stack,
            Class::Heap(bits) => match Class::number(bits) {
                number @ ..2 => &self.small[number],
                number => &self.large[number - 2],
            },
        }
    }

    #[inline]
    fn table_mut(&mut self, class: Class) -> &mut Table {
        match class {
            Class::Stack => &mut self.stack,
            Class::Heap(bits) => match Class::number(bits) {
                number @ ..2 => &mut self.small[number],
                number => &mut Arc::make_mut(&mut self.large)[number - 2],
            },
        }
    }

    /// How many slots have been used.
    fn slots(&self) -> u64 {
        Class::heap().chain([Class::Stack]).map(|class| u64::from(self.table(class).len())).sum()
    }

    fn object(&self, address: u64) -> Option<&Object> {
        self.get(Slot::at(address)?.0)
    }

    fn get(&self, slot: Slot) -> Option<&Object> {
        self.table(slot.class).get(slot.index)
    }

    /// The object of a slot that has one.
    fn get_mut(&mut self, slot: Slot) -> &mut Object {
        let object = self.table_mut(slot.class).get_mut(slot.index);
        object.expect("a slot that was used has an object")
    }
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
            stack: Table::default(),
            depth: 0,
            small: Default::default(),
            large: Arc::default(),
            quarantine: Quarantine::default(),
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
            plan: None,
            watch: None,
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

    /// From here on there is more than one thread: who accesses what is watched.
    pub fn begin_watch(&mut self) {
        self.lookaside.forget_all();
        self.objects.watch = Some(Arc::new(Watch::new()));
    }

    /// There is one thread left. Says whether it knows all that the others have done, so that nobody needs to watch any more.
    pub fn end_watch(&mut self) -> bool {
        let over = self.objects.watch.as_ref().is_none_or(|watch| watch.knows_all());
        if over {
            self.objects.watch = None;
        }
        over
    }

    /// What watches the threads, if there is more than one.
    pub(crate) fn watch(&mut self) -> Option<&mut Watch> {
        self.objects.watch.as_mut().map(Arc::make_mut)
    }

    /// Bytes in live objects.
    pub fn used(&self) -> u64 {
        self.objects.used
    }

    /// About how many bytes of the host's memory that takes, were nothing of it shared.
    pub fn weight(&self) -> u64 {
        // Behind each object there are its buffer, which has a shadow, and what the host's allocator
        // and the pages need.
        let each = (size_of::<Object>() + size_of::<Buffer>() + 64) as u64;
        2 * self.objects.used + each * self.objects.slots()
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
        let planned = match kind {
            ObjectKind::Heap if self.objects.plan.is_some() => {
                Class::of_heap(size, align).and_then(|class| self.planned_slot(class, size, made))
            }
            _ => None,
        };
        let slot = match planned {
            Some((slot, _)) => slot,
            None => self.free_slot(kind, size, align)?,
        };
        let shadow = match contents {
            Contents::Zero => CONCRETE,
            Contents::Uninitialised => UNINITIALISED,
        };
        self.objects.used += size;
        let generation = match planned {
            Some((_, generation)) => generation,
            None => self.next_generation(slot),
        };
        let base = slot.place(generation, size, align);
        let fresh = contents == Contents::Uninitialised;
        match self.objects.table_mut(slot.class).get_mut(slot.index) {
            Some(object) => {
                object.generation = generation;
                object.base = base;
                object.size = size;
                object.kind = kind;
                object.life = Life::Alive;
                object.writable = true;
                object.fresh = fresh;
                object.made = made;
                object.symbolic = None;
                object.twin = None;
                object.protection = None;
                object.alias = None;
                renew(&mut object.buffer, size as usize, shadow);
            }
            None => {
                self.fill_up_to(slot);
                let buffer = Arc::new(Buffer::new(size as usize, shadow));
                let new = Object::new(base, size, kind, buffer);
                let object = Object { fresh, made, generation, ..new };
                self.objects.table_mut(slot.class).push(object);
            }
        }
        if slot.class == Class::Stack {
            self.objects.depth = slot.index + 1;
        }
        if let Some(watch) = self.watch() {
            watch.forget(base, size);
        }
        Some(base)
    }

    /// A slot that is free in both versions.
    fn free_slot(&mut self, kind: ObjectKind, size: u64, align: u64) -> Option<Slot> {
        let depth = self.objects.depth;
        if kind.is_on_stack() && Class::fits_stack(size, align, depth) {
            return Some(Slot { class: Class::Stack, index: depth });
        }
        let class = match kind {
            ObjectKind::Heap => Class::of_heap(size, align)?,
            _ => Class::of_global(size, align)?,
        };
        let Class::Heap(bits) = class else { return None };
        while let Some(index) = self.objects.quarantine.pop(bits) {
            let slot = Slot { class, index };
            if self.objects.get(slot).is_some_and(Object::is_gone) && !self.is_planned(slot) {
                return Some(slot);
            }
        }
        let mut slot = Slot { class, index: self.objects.table(class).len() };
        while self.is_planned(slot) {
            slot.index += 1;
        }
        Some(slot).filter(|slot| slot.exists())
    }

    /// The generation of the next object in a slot. On the stack, one that comes later has the lower
    /// address.
    fn next_generation(&self, slot: Slot) -> u8 {
        let newest = |object: &Object| {
            object.twin.as_ref().map_or(0, |twin| twin.generation).max(object.generation)
        };
        let last = self.objects.get(slot).map(newest);
        let Class::Stack = slot.class else {
            return last.map_or(0, |last| last.wrapping_add(1));
        };
        let above = slot.index.checked_sub(1).and_then(|index| self.objects.stack.get(index));
        let above = above.map_or(0, newest);
        match last {
            None => above,
            Some(last) => last.checked_add(1).map_or(above, |next| next.max(above)),
        }
    }

    /// Makes a global with these contents.
    pub fn add_global(&mut self, kind: ObjectKind, align: u64, size: u64) -> u64 {
        let class =
            Class::of_global(size, align).expect("a program's globals fit its address space");
        let slot = Slot { class, index: self.objects.table(class).len() };
        let base = slot.place(0, size, align);
        self.objects.used += size;
        let buffer = Arc::new(Buffer::new(size as usize, CONCRETE));
        let object = Object::new(base, size, kind, buffer);
        self.objects.table_mut(class).push(object);
        base
    }

    /// The object of a global with room for two versions has this size in the one that runs.
    pub fn set_global_size(&mut self, address: u64, size: u64) {
        if let Some(object) = self.object_mut(address) {
            object.size = size;
        }
    }

    /// From now on the object may only be read.
    pub fn make_constant(&mut self, address: u64) {
        if let Some(object) = self.object_mut(address) {
            object.writable = false;
        }
    }

    /// The object whose slot an address is in, to change it: the look-aside table forgets it.
    fn object_mut(&mut self, address: u64) -> Option<&mut Object> {
        self.object_in_mut(Slot::at(address)?.0)
    }

    fn object_in_mut(&mut self, slot: Slot) -> Option<&mut Object> {
        let object = self.objects.table_mut(slot.class).get_mut(slot.index)?;
        if object.life != Life::OutOfScope {
            self.lookaside.forget(object.base, object.size);
        }
        Some(object)
    }

    /// The object at an address at which there is one.
    fn object_at_mut(&mut self, address: u64) -> &mut Object {
        self.object_mut(address).expect("there is an object")
    }

    /// The object that has, or last had, the slot that an address is in.
    pub fn object(&self, address: u64) -> Option<&Object> {
        self.objects.object(address)
    }

    /// Ends a local variable because its function returns, in the versions in which it has this address.
    /// Returns the bytes that are free now.
    pub fn end_local(&mut self, address: u64) -> u64 {
        let Some((slot, _)) = Slot::at(address) else { return 0 };
        let together = self.objects.together;
        let Some(object) = self.object_in_mut(slot) else { return 0 };
        let mut freed = 0;
        if let Some(twin) = &mut object.twin
            && together
            && twin.base == address
            && twin.life != Life::Freed
        {
            twin.life = Life::Returned;
        }
        if object.base == address && !object.life.is_over() {
            object.life = Life::Returned;
            freed = object.size;
        }
        if object.is_gone() {
            object.symbolic = None;
            object.twin = None;
            if object.buffer.capacity() > KEPT_BUFFER {
                object.buffer = Arc::new(Buffer::new(0, CONCRETE));
            }
            self.release(slot);
        }
        if let Some(watch) = self.watch() {
            watch.forget(address, freed);
        }
        self.objects.used = self.objects.used.saturating_sub(freed);
        freed
    }

    /// The object of a slot is gone in both versions.
    fn release(&mut self, slot: Slot) {
        match slot.class {
            Class::Heap(bits) => self.objects.quarantine.push(bits, slot.index),
            Class::Stack => self.trim_stack(),
        }
    }

    /// Gives up the slots at the end of the stack whose objects are gone.
    fn trim_stack(&mut self) {
        while let Some(last) = self.objects.depth.checked_sub(1)
            && self.objects.stack.get(last).is_none_or(Object::is_gone)
        {
            self.objects.depth = last;
        }
    }

    /// A local variable comes into scope (again): it is alive and uninitialised. Most programs store to
    /// it next, so the look-aside table learns of it.
    pub fn enter_scope(&mut self, address: u64) {
        let Some((slot, _)) = Slot::at(address) else { return };
        let watched = self.objects.watch.is_some();
        let Some(object) = self.objects.table_mut(slot.class).get_mut(slot.index) else { return };
        if !(object.fresh && object.life == Life::Alive) {
            // Out of scope, it is not in the table.
            if object.life != Life::OutOfScope {
                self.lookaside.forget(object.base, object.size);
            }
            object.life = Life::Alive;
            object.fresh = true;
            object.symbolic = None;
            object.twin = None;
            renew(&mut object.buffer, object.size as usize, UNINITIALISED);
        }
        if object.twin.is_none()
            && !watched
            && !object.is_guarded()
            && let Some(buffer) = Arc::get_mut(&mut object.buffer)
        {
            object.fresh = false;
            self.lookaside.fill_write(object.base, object.size, buffer, 0);
        }
    }

    /// A local variable goes out of scope.
    pub fn leave_scope(&mut self, address: u64) {
        if let Some(object) = self.object_mut(address) {
            object.life = Life::OutOfScope;
            object.twin = None;
        }
    }

    /// Frees the heap object at `address` (not null).
    pub fn free(&mut self, address: u64, ended: Trace) -> Result<(), Box<Fault>> {
        let fault = |kind| Box::new(Fault { kind, access: Access::free(address) });
        let object = self.object(address).ok_or_else(|| fault(FaultKind::InvalidFree))?;
        let (is_start, size) = (object.base == address, object.size);
        match (object.kind, object.life) {
            (ObjectKind::Heap, Life::Alive) if is_start => {
                if let Some(watch) = self.watch() {
                    judge(watch.end(address, size), Access::free(address))?;
                    watch.forget(address, size);
                }
                self.end_heap(address, ended);
            }
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
        let Some((slot, _)) = Slot::at(address) else { return };
        let Some(object) = self.object_in_mut(slot) else { return };
        object.life = Life::Freed;
        object.symbolic = None;
        object.ended = ended;
        object.buffer = Arc::new(Buffer::new(0, CONCRETE));
        let (size, kind, unmapped) = (object.size, object.kind, object.gone());
        object.protection = None;
        let gone = object.is_gone();
        self.unclaim(kind, size - unmapped);
        self.objects.used = self.objects.used.saturating_sub(size);
        if gone {
            self.release(slot);
        }
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

/// What a new object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros.
    Zero,
    /// Nothing yet.
    Uninitialised,
}

/// Makes the buffer as good as new, in place where nobody else has it and the room suffices.
fn renew(buffer: &mut Arc<Buffer>, size: usize, shadow: u8) {
    match Arc::get_mut(buffer) {
        Some(own) if (size..=LARGEST_RENEWED.max(4 * size)).contains(&own.capacity()) => {
            let (old_data, old_shadow) = own.range_mut(0, size);
            old_shadow.fill(shadow);
            if shadow == CONCRETE {
                old_data.fill(0);
            }
        }
        // With some room, so that the next user of the slot finds it large enough.
        _ => *buffer = Arc::new(Buffer::new(size.max(SMALLEST_RENEWED), shadow)),
    }
}

#[cfg(test)]
mod tests;
