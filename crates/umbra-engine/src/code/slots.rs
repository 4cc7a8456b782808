//! Where the registers of a function are in its frame.
//!
//! The parameters come first, in order, since a call copies its arguments there. Registers that
//! never hold values at the same time and would otherwise be copied into each other share words
//! (see [`coalesce`](super::coalesce)).

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
    /// Lays out the frame of `body`; `classes` has the representative of each register's class.
    pub fn assign(body: &Body, classes: &[RegisterId]) -> Result<Self, FrameTooLarge> {
        const UNPLACED: Slot = Slot::MAX;
        let mut of_class = vec![UNPLACED; body.registers.len()];
        let mut next = 0u32;
        let mut place = |register: RegisterId| {
            let class = classes[register.index()];
            if of_class[class.index()] == UNPLACED {
                Slot::try_from(next + RESERVE).map_err(|_| FrameTooLarge)?;
                of_class[class.index()] = next as Slot;
                next += body.registers[register].words() as u32;
            }
            Ok(())
        };
        // Parameters are live together at the entry, so no two of them share.
        let parameters = body.blocks.values().next().map_or(&[][..], |entry| &entry.parameters);
        for register in parameters.iter().copied().chain(body.registers.ids()) {
            place(register)?;
        }
        let first = classes.iter().map(|class| of_class[class.index()]).collect();
        Ok(Self { first, registers: next, scratch: next, size: next })
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
