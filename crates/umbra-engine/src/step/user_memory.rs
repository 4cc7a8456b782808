//! The program's memory as system calls see it.
//!
//! A kernel answers `EFAULT` to an address where nothing is, and so does ours. An access that
//! starts in an object and leaves it, or comes after the object's end, would go unnoticed by a
//! kernel; it is kept here, and is the error of the program that it would be anywhere else.

use crate::environment::{BadAddress, UserMemory};
use crate::memory::{Contents, Fault, FaultKind, Memory, ObjectKind, Trace};

/// The memory during one system call, with the place that made it.
pub(super) struct CallMemory<'a> {
    pub memory: &'a mut Memory,
    pub trace: Trace,
    /// The first access that is an error.
    pub fault: Option<Fault>,
}

impl CallMemory<'_> {
    fn refuse(&mut self, fault: Fault) -> BadAddress {
        let nothing_there =
            matches!(fault.kind, FaultKind::Null | FaultKind::Wild | FaultKind::Function);
        if !nothing_there {
            self.fault.get_or_insert(fault);
        }
        BadAddress(fault.access.address)
    }
}

impl UserMemory for CallMemory<'_> {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        self.memory.read(address, buffer).map_err(|fault| self.refuse(*fault))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        self.memory.write(address, bytes).map_err(|fault| self.refuse(*fault))
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        self.memory.allocate(ObjectKind::Mapped, length, 4096, Contents::Zero, self.trace)
    }

    fn unmap(&mut self, address: u64, length: u64) -> Result<(), BadAddress> {
        match self.memory.object(address) {
            // Part of a mapping stays until the rest is unmapped too: nobody can tell.
            Some(object) if length < object.size => Ok(()),
            _ => self.memory.unmap(address, self.trace).map_err(|_| BadAddress(address)),
        }
    }
}
