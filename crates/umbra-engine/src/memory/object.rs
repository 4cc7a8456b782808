//! Objects: what the program's memory is made of.

use triomphe::Arc;

use umbra_ir::{FunctionId, GlobalId};

use super::buffer::{Buffer, CONCRETE};
use super::protection::{Alias, Protection};
use super::symbolic::SymbolicBytes;

/// The place in the code where an object was made or ended: the innermost call first.
///
/// Entries are code addresses; zero means "no more". It is cut to what fits, since every
/// allocation stores one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace(pub [u32; Trace::LENGTH]);

impl Trace {
    /// How many calls are kept.
    pub const LENGTH: usize = 6;
}

/// What an object is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A global variable.
    Global(GlobalId),
    /// A local variable; the index is that of the machine's table of local variables.
    Local(u32),
    /// From malloc and its kin.
    Heap,
    /// From mmap.
    Mapped,
    /// The arguments behind the `...` of a function.
    Variadic(FunctionId),
    /// What stands for the address of a call's frame.
    Frame(FunctionId),
    /// The copy of an argument passed by value.
    ByValue(FunctionId),
    /// Arguments and environment, made before the program starts.
    Startup,
    /// Behind a pointer of unknown origin, made when it was first used. Its size is a guess.
    Lazy,
}

impl ObjectKind {
    /// Whether it ends with the call that made it.
    pub fn is_on_stack(self) -> bool {
        matches!(self, Self::Local(_) | Self::Variadic(_) | Self::ByValue(_) | Self::Frame(_))
    }
}

/// Where an object is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// May be used.
    Alive,
    /// A local variable whose scope has ended; the function has not returned.
    OutOfScope,
    /// A local variable of a function that has returned.
    Returned,
    /// Freed or unmapped.
    Freed,
}

/// A piece of the program's memory with an address of its own.
#[derive(Clone, Debug)]
pub struct Object {
    /// The address of its first byte.
    pub base: u64,
    /// Its bytes.
    pub size: u64,
    /// What it is to the program.
    pub kind: ObjectKind,
    /// Where it is in its life.
    pub life: Life,
    /// May be written.
    pub writable: bool,
    /// Nothing was written to it since it came to be uninitialised.
    pub fresh: bool,
    /// How often the slot was used before; see [`layout`](super::layout).
    pub generation: u8,
    /// Where it was made.
    pub made: Trace,
    /// Where it was freed.
    pub ended: Trace,
    /// At least `size` bytes while alive.
    pub buffer: Arc<Buffer>,
    /// The bytes that are expressions.
    pub symbolic: Option<Arc<SymbolicBytes>>,
    /// What it is in the old version, where that is not the same. The bytes are one for both: a
    /// byte that differs is a pair.
    pub twin: Option<Box<Twin>>,
    /// What may be done with its pages, where that is not the same for all bytes or somebody wants
    /// to know which were written.
    pub protection: Option<Arc<Protection>>,
    /// The bytes are those of another object.
    pub alias: Option<Alias>,
}

/// What an object is in one version of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// As in [`Object`].
    pub base: u64,
    /// As in [`Object`].
    pub size: u64,
    /// As in [`Object`].
    pub kind: ObjectKind,
    /// As in [`Object`].
    pub life: Life,
    /// As in [`Object`].
    pub writable: bool,
    /// As in [`Object`].
    pub generation: u8,
    /// As in [`Object`].
    pub protection: Option<Arc<Protection>>,
    /// As in [`Object`].
    pub alias: Option<Alias>,
}

impl Life {
    /// Whether an object has ended for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Returned | Self::Freed)
    }
}

impl Object {
    /// Its bytes from `start` up to `end`, or to the first one that is no number.
    pub fn plain_bytes(&self, start: usize, end: usize) -> &[u8] {
        let shadow = &self.buffer.shadow()[start..end];
        let plain = shadow.iter().take_while(|&&flag| flag == CONCRETE).count();
        &self.buffer.data()[start..start + plain]
    }

    /// Whether it may be used.
    pub fn is_alive(&self) -> bool {
        self.life == Life::Alive
    }

    /// An object that has just been made, outside of the program.
    pub(super) fn new(base: u64, size: u64, kind: ObjectKind, buffer: Arc<Buffer>) -> Self {
        Self {
            base,
            size,
            kind,
            life: Life::Alive,
            writable: true,
            fresh: false,
            generation: 0,
            made: Trace::default(),
            ended: Trace::default(),
            buffer,
            symbolic: None,
            twin: None,
            protection: None,
            alias: None,
        }
    }

    /// Whether it has ended in both versions, so that its slot can be used again.
    pub fn is_gone(&self) -> bool {
        self.life.is_over() && self.twin.as_ref().is_none_or(|twin| twin.life.is_over())
    }

    /// Bytes of the buffer that are in use, in one version at least.
    pub(super) fn extent(&self) -> usize {
        self.twin.as_ref().map_or(0, |twin| twin.size).max(self.size) as usize
    }

    /// The offset of `address` if `length` bytes from there lie inside.
    pub fn offset(&self, address: u64, length: u64) -> Option<usize> {
        let offset = address.wrapping_sub(self.base);
        (offset <= self.size && self.size - offset >= length).then_some(offset as usize)
    }
}
