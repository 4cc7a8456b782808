//! The program's memory as system calls see it.

use crate::environment::{BadAddress, UserMemory};
use crate::memory::{Contents, Memory, ObjectKind, Trace};

/// The memory during one system call, with the place that made it.
pub(super) struct CallMemory<'a> {
    pub memory: &'a mut Memory,
    pub trace: Trace,
}

impl UserMemory for CallMemory<'_> {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        self.memory
            .read(address, buffer)
            .map_err(|fault| BadAddress(fault.access.address))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        self.memory
            .write(address, bytes)
            .map_err(|fault| BadAddress(fault.access.address))
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        self.memory
            .allocate(ObjectKind::Mapped, length, 4096, Contents::Zero, self.trace)
    }

    fn unmap(&mut self, address: u64, length: u64) -> Result<(), BadAddress> {
        match self.memory.object(address) {
            // Part of a mapping stays until the rest is unmapped too: nobody can tell.
            Some(object) if length < object.size => Ok(()),
            _ => self
                .memory
                .unmap(address, self.trace)
                .map_err(|_| BadAddress(address)),
        }
    }
}
