//! Loads and stores: of expressions, and at addresses that are expressions.

use umbra_expr::ExprId;

use crate::code::{Op, Slot};
use crate::environment::Byte;
use crate::memory::{AccessKind, Cell, FaultKind};
use crate::step::{Machine, Step};

use super::resolve::Place;

impl Machine<'_> {
    pub(super) fn symbolic_access(&mut self, op: Op) -> Step {
        match op {
            Op::Load8 { d, a, offset } => self.load_offset(1, d, a, offset),
            Op::Load16 { d, a, offset } => self.load_offset(2, d, a, offset),
            Op::Load32 { d, a, offset } => self.load_offset(4, d, a, offset),
            Op::Load64 { d, a, offset } => self.load_offset(8, d, a, offset),
            Op::LoadIndex8 { d, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.load(1, d, address)
            }
            Op::LoadIndex16 { d, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.load(2, d, address)
            }
            Op::LoadIndex32 { d, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.load(4, d, address)
            }
            Op::LoadIndex64 { d, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.load(8, d, address)
            }
            Op::Store8 { v, a, offset } => self.store_offset(1, v, a, offset),
            Op::Store16 { v, a, offset } => self.store_offset(2, v, a, offset),
            Op::Store32 { v, a, offset } => self.store_offset(4, v, a, offset),
            Op::Store64 { v, a, offset } => self.store_offset(8, v, a, offset),
            Op::StoreIndex8 { v, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.store(1, v, address)
            }
            Op::StoreIndex16 { v, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.store(2, v, address)
            }
            Op::StoreIndex32 { v, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.store(4, v, address)
            }
            Op::StoreIndex64 { v, a, index, scale, offset } => {
                let address = self.index(a, index, scale, offset);
                self.store(8, v, address)
            }
            _ => self.step_words(),
        }
    }

    fn plus(&mut self, a: Slot, offset: i64) -> ExprId {
        let a = self.expression(a, 64);
        let offset = self.shared.expressions.constant(64, offset as u64);
        self.shared.expressions.add(a, offset)
    }

    fn load_offset(&mut self, bytes: u64, d: Slot, a: Slot, offset: i64) -> Step {
        let address = self.plus(a, offset);
        self.load(bytes, d, address)
    }

    fn store_offset(&mut self, bytes: u64, v: Slot, a: Slot, offset: i64) -> Step {
        let address = self.plus(a, offset);
        self.store(bytes, v, address)
    }

    fn load(&mut self, bytes: u64, d: Slot, address: ExprId) -> Step {
        let bytes = self.read_at(address, bytes)?;
        let value = self.join(&bytes);
        self.put(d, value);
        self.next()
    }

    fn store(&mut self, bytes: u64, v: Slot, address: ExprId) -> Step {
        let value = self.expression(v, 8 * bytes as u32);
        let bytes = self.split(value);
        self.write_at(address, &bytes)?;
        self.next()
    }

    /// The bytes at an address that may be an expression.
    pub(super) fn read_at(&mut self, address: ExprId, length: u64) -> Step<Vec<Byte>> {
        if let Some(addresses) = self.numbers_of_both(address) {
            return self.read_of_both(addresses, length);
        }
        match self.resolve(address, length, AccessKind::Read)? {
            Place::Fixed(address) => self.read_bytes(address, length),
            Place::Within { base, offset } => {
                let noted = self.state.memory.note_whole(base, AccessKind::Read);
                noted.map_err(|fault| self.fault(*fault))?;
                let array = self.array_of(base);
                let expressions = &mut self.shared.expressions;
                let bytes = (0..length).map(|index| {
                    let index = expressions.constant(64, index);
                    let index = expressions.add(offset, index);
                    Byte::Symbolic(expressions.read(array, index))
                });
                Ok(bytes.collect())
            }
        }
    }

    /// Stores bytes at an address that may be an expression.
    pub(super) fn write_at(&mut self, address: ExprId, bytes: &[Byte]) -> Step {
        match self.resolve(address, bytes.len() as u64, AccessKind::Write)? {
            Place::Fixed(address) => {
                let written = self.state.memory.write_bytes(address, bytes);
                written.map_err(|fault| self.fault(*fault))
            }
            Place::Within { base, offset } => {
                let mut array = self.array_of(base);
                for (index, &byte) in (0..).zip(bytes) {
                    let value = self.byte_expression(byte);
                    let expressions = &mut self.shared.expressions;
                    let index = expressions.constant(64, index);
                    let index = expressions.add(offset, index);
                    array = expressions.update(array, index, value);
                }
                let set = self.state.memory.set_array(base, array);
                set.map_err(|fault| self.fault(*fault))
            }
        }
    }

    /// The bytes at an address.
    pub(in crate::step) fn read_bytes(&mut self, address: u64, length: u64) -> Step<Vec<Byte>> {
        let cells = self.state.memory.cells(address, length);
        let cells = cells.map_err(|fault| self.fault(*fault))?;
        Ok(self.shared.bytes(cells))
    }

    /// The whole object as an array.
    fn array_of(&mut self, base: u64) -> ExprId {
        let Some(view) = self.state.memory.array_view(base) else {
            return self.table(&[]);
        };
        let mut array = match view.array {
            Some(array) => array,
            None => self.table(&view.plain),
        };
        for (offset, byte) in view.changes {
            let value = self.byte_expression(byte);
            let index = self.shared.expressions.constant(64, offset.into());
            array = self.shared.expressions.update(array, index, value);
        }
        self.shared.seen(array)
    }

    fn table(&mut self, bytes: &[u8]) -> ExprId {
        let table = self.shared.expressions.table(bytes);
        self.shared.expressions.array_start(table)
    }

    pub(super) fn byte_expression(&mut self, byte: Byte) -> ExprId {
        match byte {
            Byte::Concrete(value) => self.shared.expressions.constant(8, value.into()),
            Byte::Symbolic(value) => value,
        }
    }

    /// Bytes, the lowest first, as one value.
    pub(in crate::step) fn join(&mut self, bytes: &[Byte]) -> ExprId {
        let mut parts = bytes.iter();
        let mut whole = match parts.next() {
            Some(&byte) => self.byte_expression(byte),
            None => return self.shared.expressions.false_(),
        };
        for &byte in parts {
            let byte = self.byte_expression(byte);
            whole = self.shared.expressions.concat(byte, whole);
        }
        whole
    }

    /// The bytes of a value, the lowest first.
    pub(super) fn split(&mut self, value: ExprId) -> Vec<Byte> {
        let expressions = &mut self.shared.expressions;
        let count = expressions.width(value) / 8;
        let bytes = (0..count).map(|index| {
            let byte = expressions.extract(value, 8 * index, 8);
            match expressions.constant_u64(byte) {
                Some(number) => Byte::Concrete(number as u8),
                None => Byte::Symbolic(byte),
            }
        });
        bytes.collect()
    }

    /// The eight bytes of what is in a slot.
    pub(in crate::step) fn word_bytes(&mut self, value: ExprId) -> Vec<Byte> {
        let value = self.fit(value, 64);
        self.split(value)
    }

    /// Copies `length` bytes, expressions among them; the ranges may overlap.
    pub(in crate::step) fn copy_piece(&mut self, to: u64, from: u64, length: u64) -> Step {
        match self.state.memory.copy(to, from, length) {
            Ok(()) => Ok(()),
            Err(fault) if fault.kind == FaultKind::Symbolic => {
                let bytes = self.read_bytes(from, length)?;
                let written = self.state.memory.write_bytes(to, &bytes);
                written.map_err(|fault| self.fault(*fault))
            }
            Err(fault) => Err(self.fault(*fault)),
        }
    }
}

impl crate::state::Shared {
    /// What cells of memory hold, as bytes.
    pub(crate) fn bytes(&mut self, cells: Vec<Cell>) -> Vec<Byte> {
        let bytes = cells.into_iter().map(|cell| match cell {
            Cell::Concrete(value) => Byte::Concrete(value),
            Cell::Symbolic(value) => self.seen_byte(value),
            Cell::InArray(array, offset) => {
                let index = self.expressions.constant(64, offset.into());
                let value = self.expressions.read(array, index);
                let value = self.seen(value);
                match self.expressions.constant_u64(value) {
                    Some(number) => Byte::Concrete(number as u8),
                    None => Byte::Symbolic(value),
                }
            }
        });
        bytes.collect()
    }

    /// What the version that runs sees of an expression; if both run, it is the expression.
    pub(crate) fn seen(&mut self, value: ExprId) -> ExprId {
        self.side.map_or(value, |side| self.expressions.project(value, side))
    }

    fn seen_byte(&mut self, value: ExprId) -> Byte {
        let Some(side) = self.side else { return Byte::Symbolic(value) };
        let value = self.expressions.project(value, side);
        match self.expressions.constant_u64(value) {
            Some(number) => Byte::Concrete(number as u8),
            None => Byte::Symbolic(value),
        }
    }
}
