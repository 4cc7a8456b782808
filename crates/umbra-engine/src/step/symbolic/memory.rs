//! Loads and stores: of expressions, and at addresses that are expressions.

use umbra_expr::ExprId;

use crate::code::{Op, Slot};
use crate::environment::Byte;
use crate::fork::ForkReason;
use crate::memory::{Access, AccessKind, Cell, FaultKind, Life};
use crate::step::{Machine, Step, Stop};

/// Objects of more bytes are not made arrays for the solver: the state forks on the address.
const MAX_ARRAY: u64 = 4096;

/// Where an access goes.
pub(super) enum Place {
    /// To this address.
    Fixed(u64),
    /// Into the object at `base`, at an unknown offset.
    Within { base: u64, offset: ExprId },
}

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
        match self.resolve(address, length, AccessKind::Read)? {
            Place::Fixed(address) => self.read_bytes(address, length),
            Place::Within { base, offset } => {
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

    /// Which object an access goes to. The state goes on with the object that its own assignment
    /// leads to; where else the address may lead is for the other side to find out.
    fn resolve(&mut self, address: ExprId, size: u64, kind: AccessKind) -> Step<Place> {
        if let Some(address) = self.shared.expressions.constant_u64(address) {
            return Ok(Place::Fixed(address));
        }
        let address = self.make_lazy_object(address)?;
        if let Some(address) = self.shared.expressions.constant_u64(address) {
            return Ok(Place::Fixed(address));
        }
        self.check_common(address)?;
        let number = self.evaluate(address);
        let access = Access { kind, address: number, size };
        if let Err(fault) = self.state.memory.check(access) {
            if let Some(forbidden) = self.in_same_stretch(address, access) {
                // All of these inputs meet the same error, and the others another page.
                let elsewhere = self.shared.expressions.not(forbidden);
                self.fork(ForkReason::Pointer, elsewhere, None);
                self.state.path.assume(&self.shared.expressions, forbidden);
                return Err(self.fault(*fault));
            }
            self.offer_good_side(address, number, size);
            // The report is about this input, so the path is too.
            let constant = self.shared.expressions.constant(64, number);
            let equal = self.shared.expressions.eq(address, constant);
            self.state.path.assume(&self.shared.expressions, equal);
            return Err(self.fault(*fault));
        }
        let object = self.state.memory.object(number);
        if object.is_some_and(|object| object.twin.is_some()) && self.both_run() {
            return Err(Stop::Apart);
        }
        let (base, object_size) = object.map_or((0, 0), |object| object.stretch(number));
        let guarded = object.is_some_and(|object| object.needs_address(number));
        if guarded && number + size > base + object_size {
            return Ok(Place::Fixed(self.fix_expression(address)?));
        }
        let inside = self.inside(address, base, object_size, size);
        self.decide(inside, ForkReason::Pointer)?;
        if guarded || object_size > MAX_ARRAY {
            return Ok(Place::Fixed(self.fix_expression(address)?));
        }
        let expressions = &mut self.shared.expressions;
        let base_constant = expressions.constant(64, base);
        let offset = expressions.sub(address, base_constant);
        Ok(match expressions.constant_u64(offset) {
            Some(offset) => Place::Fixed(base.wrapping_add(offset)),
            None => Place::Within { base, offset },
        })
    }

    /// Whether an access lies on pages of an object that forbid it as the running one is forbidden;
    /// `None` if that is forbidden for another reason.
    fn in_same_stretch(&mut self, address: ExprId, access: Access) -> Option<ExprId> {
        let object = self.state.memory.object(access.address)?;
        let inside = object.life == Life::Alive && object.protection.is_some();
        inside.then_some(()).and(object.offset(access.address, access.size))?;
        let (base, length) = object.stretch(access.address);
        let within = access.address + access.size <= base + length;
        within.then(|| self.inside(address, base, length, access.size))
    }

    /// Whether `size` bytes from the address on lie in an object.
    fn inside(&mut self, address: ExprId, base: u64, object_size: u64, size: u64) -> ExprId {
        let expressions = &mut self.shared.expressions;
        let Some(last) = object_size.checked_sub(size) else {
            return expressions.false_();
        };
        let base = expressions.constant(64, base);
        let offset = expressions.sub(address, base);
        let last = expressions.constant(64, last);
        expressions.ule(offset, last)
    }

    /// This path's own input leads outside of every object: others may lead into one.
    fn offer_good_side(&mut self, address: ExprId, number: u64, size: u64) {
        let origin = self.state.memory.origin(number).map(|(object, _)| object);
        let candidate = origin.or_else(|| self.state.memory.object(self.constant_part(address)));
        let alive = candidate.filter(|object| object.life == Life::Alive);
        // Inside of an object that may not be used in the same way everywhere, elsewhere may be good.
        let good = alive.filter(|object| object.offset(number, size).is_none());
        let condition = match good.map(|object| (object.base, object.size)) {
            Some((base, object_size)) => self.inside(address, base, object_size, size),
            None => {
                let expressions = &mut self.shared.expressions;
                let number = expressions.constant(64, number);
                expressions.ne(address, number)
            }
        };
        self.fork(ForkReason::Pointer, condition, None);
    }

    /// The constant that a sum contains: usually the address of the object that is indexed.
    fn constant_part(&self, address: ExprId) -> u64 {
        let expressions = &self.shared.expressions;
        let mut sum = address;
        loop {
            if let Some(constant) = expressions.constant_u64(sum) {
                return constant;
            }
            match expressions.kind(sum) {
                umbra_expr::Kind::Add | umbra_expr::Kind::Sub => {
                    let second = expressions.operand(sum, 1);
                    match expressions.constant_u64(second) {
                        Some(constant) => return constant,
                        None => sum = expressions.operand(sum, 0),
                    }
                }
                _ => return 0,
            }
        }
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
    pub(super) fn join(&mut self, bytes: &[Byte]) -> ExprId {
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
    pub(in crate::step) fn copy_memory(&mut self, to: u64, from: u64, length: u64) -> Step {
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
