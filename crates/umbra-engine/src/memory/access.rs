//! Checked accesses: the fast path through the look-aside table, and the slow one with all checks.

use triomphe::Arc;

use super::buffer::{Buffer, CONCRETE, SYMBOLIC, UNINITIALISED};
use super::layout::{self, Slot, Span};
use super::watch::{Noted, Watch};
use super::{FUNCTIONS, Life, Memory, Object, ObjectKind, UninitialisedReads};

/// What the program tried to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An end of life.
    Free,
}

/// An access that went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What was tried.
    pub kind: AccessKind,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
}

impl Access {
    /// Freeing the object at `address`.
    pub fn free(address: u64) -> Self {
        Self { kind: AccessKind::Free, address, size: 0 }
    }
}

/// Why an access is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Through a null pointer, or one near it.
    Null,
    /// No object was ever there.
    Wild,
    /// Outside the object.
    OutOfBounds,
    /// The object was freed.
    UseAfterFree,
    /// The variable's function has returned.
    UseAfterReturn,
    /// The variable's scope has ended.
    UseAfterScope,
    /// The object may not be written.
    Constant,
    /// The bytes are those of a function.
    Function,
    /// The bytes were never written.
    Uninitialised,
    /// The protection of the page forbids it.
    Protected,
    /// The page lies beyond the end of the file that is mapped there.
    BeyondFile,
    /// Freed before.
    DoubleFree,
    /// Not the start of a heap object.
    InvalidFree,
    /// Not an error of the program: the bytes are expressions.
    Symbolic,
    /// Not an error of the program: what the access meets is not the same in both versions.
    Apart,
    /// Another thread has accessed the same bytes, and nothing orders the two accesses.
    Race,
    /// Threads have accessed more bytes than can be kept track of.
    Unwatched,
}

/// An access that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// What was tried.
    pub access: Access,
}

impl Memory {
    /// Loads `N` (1, 2, 4 or 8) bytes, little endian.
    #[inline(always)]
    pub fn load<const N: usize>(&mut self, address: u64) -> Result<u64, Box<Fault>> {
        match self.lookaside.load::<N>(address) {
            Some(value) => Ok(value),
            None => self.load_slow(address, N),
        }
    }

    /// Stores the low `N` (1, 2, 4 or 8) bytes of `value`, little endian.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, address: u64, value: u64) -> Result<(), Box<Fault>> {
        if self.lookaside.store::<N>(address, value) {
            return Ok(());
        }
        self.store_slow(address, &value.to_le_bytes()[..N])
    }

    #[cold]
    #[inline(never)]
    fn load_slow(&mut self, address: u64, length: usize) -> Result<u64, Box<Fault>> {
        let mut bytes = [0u8; 8];
        self.read(address, &mut bytes[..length])?;
        Ok(u64::from_le_bytes(bytes))
    }

    #[cold]
    #[inline(never)]
    fn store_slow(&mut self, address: u64, bytes: &[u8]) -> Result<(), Box<Fault>> {
        self.write(address, bytes)
    }

    /// Copies bytes out of the program's memory; they must lie in one object.
    pub fn read(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Box<Fault>> {
        let access = Access { kind: AccessKind::Read, address, size: bytes.len() as u64 };
        if bytes.is_empty() {
            return Ok(());
        }
        let uninitialised = self.objects.uninitialised;
        let (buffer, start) = self.readable(access)?;
        let end = start + bytes.len();
        bytes.copy_from_slice(&buffer.data()[start..end]);
        let shadow = &buffer.shadow()[start..end];
        if shadow.iter().any(|&flag| flag != CONCRETE) {
            if shadow.contains(&SYMBOLIC) {
                return Err(Box::new(Fault { kind: FaultKind::Symbolic, access }));
            }
            if uninitialised == UninitialisedReads::Error {
                return Err(Box::new(Fault { kind: FaultKind::Uninitialised, access }));
            }
            for (byte, &flag) in bytes.iter_mut().zip(shadow) {
                if flag == UNINITIALISED {
                    *byte = 0;
                }
            }
        }
        Ok(())
    }

    /// Copies bytes into the program's memory; they must lie in one object.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Box<Fault>> {
        if bytes.is_empty() {
            return Ok(());
        }
        let access = Access { kind: AccessKind::Write, address, size: bytes.len() as u64 };
        let (buffer, start) = self.writable(access)?;
        let (data, shadow) = buffer.range_mut(start, bytes.len());
        data.copy_from_slice(bytes);
        shadow.fill(CONCRETE);
        Ok(())
    }

    /// Sets `length` bytes to one value.
    pub fn fill(&mut self, address: u64, byte: u8, length: u64) -> Result<(), Box<Fault>> {
        if length == 0 || self.lookaside.fill(address, byte, length) {
            return Ok(());
        }
        let access = Access { kind: AccessKind::Write, address, size: length };
        let (buffer, start) = self.writable(access)?;
        let (data, shadow) = buffer.range_mut(start, length as usize);
        data.fill(byte);
        shadow.fill(CONCRETE);
        Ok(())
    }

    /// Copies `length` bytes, with what is known of them; the ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<(), Box<Fault>> {
        if length == 0 || self.lookaside.copy(to, from, length) {
            return Ok(());
        }
        let read = Access { kind: AccessKind::Read, address: from, size: length };
        let write = Access { kind: AccessKind::Write, address: to, size: length };
        let (source, start) = self.readable(read)?;
        if source.shadow()[start..start + length as usize].contains(&SYMBOLIC) {
            return Err(Box::new(Fault { kind: FaultKind::Symbolic, access: read }));
        }
        let source = Arc::clone(source);
        if self.place(write)?.0 == self.place(read)?.0 {
            // One object: the buffer must be its own before the bytes move within it.
            drop(source);
            let (buffer, target) = self.writable(write)?;
            buffer.copy_within(start, target, length as usize);
        } else {
            let (buffer, target) = self.writable(write)?;
            let range = start..start + length as usize;
            let (data, shadow) = buffer.range_mut(target, length as usize);
            data.copy_from_slice(&source.data()[range.clone()]);
            shadow.copy_from_slice(&source.shadow()[range]);
        }
        Ok(())
    }

    /// Checks a read and enters the object into the look-aside table.
    fn readable(&mut self, access: Access) -> Result<(&Arc<Buffer>, usize), Box<Fault>> {
        let (slot, offset) = self.place(access)?;
        self.note(access)?;
        let watched = self.objects.watch.is_some();
        let object = self.objects.get(slot).expect("an access that is allowed has an object");
        let size = object.common_size(self.objects.together);
        if !object.is_guarded() && !watched {
            self.lookaside.fill_read(object.base, size, &object.buffer, offset);
        }
        Ok((&object.buffer, offset))
    }

    /// Checks a write, makes the object the state's own and enters it into the look-aside table.
    pub(super) fn writable(&mut self, access: Access) -> Result<(&mut Buffer, usize), Box<Fault>> {
        let (slot, offset) = self.place(access)?;
        self.note(access)?;
        let watched = self.objects.watch.is_some();
        let together = self.objects.together;
        let object = self.objects.get_mut(slot);
        object.fresh = false;
        object.note_written(offset as u64, access.size);
        if !object.buffer.is_unique() {
            // No entry may lead to the old copy.
            self.lookaside.forget(object.base, object.size);
            object.buffer = Arc::new(object.buffer.copy(object.extent()));
        }
        let size = object.common_size(together);
        let guarded = object.is_guarded() || watched;
        let buffer = Arc::make_mut(&mut object.buffer);
        if !guarded {
            self.lookaside.fill_write(object.base, size, buffer, offset);
        }
        Ok((buffer, offset))
    }

    /// Notes an access that is allowed, while threads are watched.
    #[inline(always)]
    pub(super) fn note(&mut self, access: Access) -> Result<(), Box<Fault>> {
        match &mut self.objects.watch {
            None => Ok(()),
            Some(watch) => note(Arc::make_mut(watch), access),
        }
    }

    /// Notes an access to any bytes of an object: those of one at an unknown offset.
    pub fn note_whole(&mut self, base: u64, kind: AccessKind) -> Result<(), Box<Fault>> {
        let size = self.object(base).map_or(0, |object| object.size);
        self.note(Access { kind, address: base, size })
    }

    /// The offset in its object of an access that is allowed.
    pub fn check(&self, access: Access) -> Result<usize, Box<Fault>> {
        self.checked(access).map(|(_, _, offset)| offset)
    }

    /// The slot of the object whose bytes an access is to, if it is allowed, and the offset in that object.
    pub(super) fn place(&self, access: Access) -> Result<(Slot, usize), Box<Fault>> {
        let (slot, object, offset) = self.checked(access)?;
        let Some(alias) = object.alias else { return Ok((slot, offset)) };
        let behind = Access { address: alias.base + alias.offset + offset as u64, ..access };
        self.checked(behind).map(|(slot, _, offset)| (slot, offset))
    }

    /// The object of an access that is allowed, its slot, and the offset in it.
    fn checked(&self, access: Access) -> Result<(Slot, &Object, usize), Box<Fault>> {
        let Access { kind, address, size } = access;
        let fault = |kind| Err(Box::new(Fault { kind, access }));
        let Some((slot, object)) = self.slot_and_object(address) else {
            return fault(match address {
                _ if address < FUNCTIONS.start => FaultKind::Null,
                _ if FUNCTIONS.contains(&address) => FaultKind::Function,
                _ => FaultKind::Wild,
            });
        };
        if self.objects.together && object.denies_old(access) {
            return fault(FaultKind::Apart);
        }
        let offset = match object.offset(address, size) {
            // Allowed in the old version, which was looked at first.
            None if self.objects.together && object.twin.is_some() => {
                return fault(FaultKind::Apart);
            }
            Some(_) if self.objects.together && object.is_only_old(kind) => {
                return fault(FaultKind::Apart);
            }
            Some(offset) if object.life == Life::Alive => offset,
            _ => return fault(self.missed(address)),
        };
        if kind == AccessKind::Write && !object.writable {
            let mapped = object.kind == ObjectKind::Mapped;
            return fault(if mapped { FaultKind::Protected } else { FaultKind::Constant });
        }
        if let Some(kind) = object.page_denies(access) {
            return fault(kind);
        }
        Ok((slot, object, offset))
    }

    fn slot_and_object(&self, address: u64) -> Option<(Slot, &Object)> {
        let (slot, _) = Slot::at(address)?;
        Some((slot, self.objects.get(slot)?))
    }
}

impl Memory {
    /// The object that a bad address was made from, as far as one can tell, and whether that object
    /// had its slot before the one that has it now.
    pub fn origin(&self, address: u64) -> Option<(&Object, Age)> {
        let (slot, object) = self.slot_and_object(address)?;
        let past = slot.is_past(address, object.generation, object.size);
        Some((object, if past { Age::Past } else { Age::Present }))
    }

    /// The addresses around a bad one at which an access is bad for the same reason, but for those of a live
    /// object among them.
    pub fn span(&self, address: u64) -> Span {
        layout::span(address, |class| self.objects.table(class).len())
    }

    /// Why an access is not allowed that was made from this address and is not inside a live object.
    pub fn missed(&self, address: u64) -> FaultKind {
        let Some((object, age)) = self.origin(address) else {
            return FaultKind::Wild;
        };
        let ended = match object.kind {
            ObjectKind::Heap | ObjectKind::Mapped => FaultKind::UseAfterFree,
            _ => FaultKind::UseAfterReturn,
        };
        match object.life {
            _ if age == Age::Past => ended,
            Life::Alive => FaultKind::OutOfBounds,
            Life::OutOfScope => FaultKind::UseAfterScope,
            Life::Returned | Life::Freed => ended,
        }
    }
}

/// Apart from its callers, so that they stay small where there is one thread.
#[cold]
#[inline(never)]
fn note(watch: &mut Watch, access: Access) -> Result<(), Box<Fault>> {
    judge(watch.note(access), access)
}

/// The fault that an access which threads race for is.
pub(super) fn judge(noted: Noted, access: Access) -> Result<(), Box<Fault>> {
    let kind = match noted {
        Noted::Ordered => return Ok(()),
        Noted::Race => FaultKind::Race,
        Noted::TooMany => FaultKind::Unwatched,
    };
    Err(Box::new(Fault { kind, access }))
}

/// Whether an address was made from the object that has its slot now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It was.
    Present,
    /// It was made from one that had the slot before and is gone.
    Past,
}
