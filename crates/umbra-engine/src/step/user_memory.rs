//! The program's memory as system calls see it.
//!
//! A kernel answers `EFAULT` to an address where nothing is, and so does ours. An access that
//! starts in an object and leaves it, or comes after the object's end, would go unnoticed by a
//! kernel; it is kept here, and is the error of the program that it would be anywhere else.

use umbra_expr::{ExprId, Expressions};

use crate::code::Image;
use crate::environment::{BadAddress, Byte, MemoryLimit, PageState, UserMemory};
use crate::memory::{Access, Alias, Contents, Fault, FaultKind, Memory, ObjectKind, Trace};
use crate::path::Path;
use crate::state::Shared;

/// The memory during one system call, with the place that made it.
pub(super) struct CallMemory<'a> {
    pub memory: &'a mut Memory,
    pub shared: &'a mut Shared,
    pub path: &'a Path,
    pub trace: Trace,
    pub image: &'a Image,
    /// The first access that is an error.
    pub fault: Option<Fault>,
    /// An access of which only a part is allowed.
    pub partial: bool,
    /// The first expression whose value the call needs.
    pub undecided: Option<ExprId>,
    /// Whether the call takes bytes that are not the same in both versions, on the input of the state.
    pub differs: bool,
}

impl CallMemory<'_> {
    fn refuse(&mut self, fault: Fault) -> BadAddress {
        let guarded = matches!(fault.kind, FaultKind::Protected | FaultKind::BeyondFile);
        let nothing_there =
            matches!(fault.kind, FaultKind::Null | FaultKind::Wild | FaultKind::Function);
        let nothing_there = nothing_there || guarded;
        if !nothing_there {
            self.fault.get_or_insert(fault);
        }
        let first = Access { size: 1, ..fault.access };
        self.partial |= guarded && self.memory.check(first).is_ok();
        BadAddress(fault.access.address)
    }
}

impl UserMemory for CallMemory<'_> {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        match self.memory.read(address, buffer) {
            Ok(()) => Ok(()),
            Err(fault) if fault.kind == FaultKind::Symbolic => {
                let bytes = self.read_bytes(address, buffer.len())?;
                for (place, byte) in buffer.iter_mut().zip(bytes) {
                    *place = match byte {
                        Byte::Concrete(value) => value,
                        Byte::Symbolic(value) => self.decide(value)? as u8,
                    };
                }
                Ok(())
            }
            Err(fault) => Err(self.refuse(*fault)),
        }
    }

    fn read_bytes(&mut self, address: u64, length: usize) -> Result<Vec<Byte>, BadAddress> {
        let cells = self.memory.cells(address, length as u64);
        let cells = cells.map_err(|fault| self.refuse(*fault))?;
        let bytes = self.shared.bytes(cells);
        self.differs = self.differs || self.shared.differ(&bytes, self.path.assignment());
        Ok(bytes)
    }

    fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Result<(), BadAddress> {
        self.memory.write_bytes(address, bytes).map_err(|fault| self.refuse(*fault))
    }

    fn read_plain(&mut self, address: u64, buffer: &mut [u8]) -> Result<bool, BadAddress> {
        match self.memory.read(address, buffer) {
            Ok(()) => Ok(true),
            // For both, nothing that is an expression is a number.
            Err(fault) if fault.kind == FaultKind::Symbolic && self.shared.side.is_none() => {
                Ok(false)
            }
            Err(fault) if fault.kind == FaultKind::Symbolic => {
                let bytes = self.read_bytes(address, buffer.len())?;
                let numbers: Option<Vec<u8>> = bytes.into_iter().map(Byte::concrete).collect();
                Ok(numbers.inspect(|numbers| buffer.copy_from_slice(numbers)).is_some())
            }
            Err(fault) => Err(self.refuse(*fault)),
        }
    }

    fn sample(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        let assignment = self.path.assignment();
        let mut run = self.shared.evaluator.resume(&self.shared.expressions, assignment);
        Ok(run.value_u64(expression))
    }

    fn must_fork(&self) -> bool {
        let apart = self.fault.is_some_and(|fault| fault.kind == FaultKind::Apart);
        self.undecided.is_some() || apart
    }

    fn decide(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        if let Some(number) = self.shared.expressions.constant_u64(expression) {
            return Ok(number);
        }
        let (number, equal) = self.shared.sample(self.path.assignment(), expression);
        if self.path.implies(&self.shared.expressions, equal) {
            return Ok(number);
        }
        self.undecided.get_or_insert(expression);
        Err(BadAddress(0))
    }

    fn expressions(&mut self) -> Option<&mut Expressions> {
        Some(&mut self.shared.expressions)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        self.memory.write(address, bytes).map_err(|fault| self.refuse(*fault))
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        self.memory.allocate(ObjectKind::Mapped, length, 4096, Contents::Zero, self.trace)
    }

    fn unmap(&mut self, address: u64) -> Result<(), BadAddress> {
        self.memory.unmap(address, self.trace).map_err(|_| BadAddress(address))
    }

    fn share(&mut self, length: u64) -> Option<u64> {
        self.memory.allocate_shared(length, self.trace)
    }

    fn map_shared(&mut self, shared: u64, offset: u64, length: u64) -> Option<u64> {
        self.memory.allocate_alias(Alias { base: shared, offset }, length, self.trace)
    }

    fn take_written(&mut self, shared: u64) -> Vec<u64> {
        self.memory.take_written(shared)
    }

    fn set_pages(&mut self, address: u64, length: u64, state: PageState) -> Result<(), BadAddress> {
        let set = self.memory.set_pages(address, length, state);
        set.then_some(()).ok_or(BadAddress(address))
    }

    fn limit_memory(&mut self, address_space: u64, data: u64) {
        let limit = MemoryLimit { address_space, data, image: self.image.native_bytes() };
        self.memory.set_process_limit(limit);
    }

    fn page_state(&self, address: u64) -> Option<PageState> {
        self.memory.page_state(address)
    }
}
