//! Where the registers of a function are in its frame.
//!
//! Each register has words of its own, the parameters first. No two registers share a word: a
//! value stays readable until the function returns, which the return through `longjmp` needs.

use umbra_ir::{Body, Id, RegisterId};

use super::op::Slot;

/// More words than a slot can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTooLarge;

/// The frame layout of a function.
pub struct Slots {
    first: Vec<Slot>,
    registers: u32,
    scratch: u32,
    size: u32,
}

/// Words kept free for the scratch space of one instruction.
const RESERVE: u32 = 4096;

impl Slots {
    /// Lays out the frame of `body`.
    pub fn assign(body: &Body) -> Result<Self, FrameTooLarge> {
        let mut first = vec![0; body.registers.len()];
        let mut next = 0u32;
        let parameters = body
            .blocks
            .values()
            .next()
            .map_or(&[][..], |entry| &entry.parameters);
        let mut place = |register: RegisterId| {
            let slot = Slot::try_from(next + RESERVE).map_err(|_| FrameTooLarge)?;
            first[register.index()] = slot - RESERVE as Slot;
            next += body.registers[register].words() as u32;
            Ok(())
        };
        for &parameter in parameters {
            place(parameter)?;
        }
        let is_parameter = |register: &RegisterId| parameters.contains(register);
        for register in body
            .registers
            .ids()
            .filter(|register| !is_parameter(register))
        {
            place(register)?;
        }
        Ok(Self {
            first,
            registers: next,
            scratch: next,
            size: next,
        })
    }

    /// The first word of a register.
    pub fn of(&self, register: RegisterId) -> Slot {
        self.first[register.index()]
    }

    /// Scratch words for the current instruction.
    pub fn scratch(&mut self, words: usize) -> Result<Slot, FrameTooLarge> {
        let slot = Slot::try_from(self.scratch).map_err(|_| FrameTooLarge)?;
        self.scratch += words as u32;
        self.size = self.size.max(self.scratch);
        Slot::try_from(self.scratch).map_err(|_| FrameTooLarge)?;
        Ok(slot)
    }

    /// The scratch words may be used again.
    pub fn release_scratch(&mut self) {
        self.scratch = self.registers;
    }

    /// Words of the whole frame.
    pub fn size(&self) -> u32 {
        self.size
    }
}
