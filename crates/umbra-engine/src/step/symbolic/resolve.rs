//! Which object an access at an unknown address goes to.
//!
//! The state goes on with what its own assignment leads to; where else the address may lead is for the
//! other side to find out, which comes to the same access again. Nothing is lost on the way: a state
//! either takes all addresses inside one object, or all bad ones that are bad for the same reason.
//!
//! `table[i]`, the address of an object plus something that is no address, is of that object: where
//! else the sum may lead, it is out of bounds. An address that was itself read from memory or chosen
//! can be of any object that the state knows.

use umbra_expr::{ExprId, Kind};

use crate::fork::ForkReason;
use crate::memory::{Access, AccessKind, FUNCTIONS, Fault, Object};
use crate::step::{Machine, Step, Stop};

/// Objects of more bytes are not made arrays for the solver: the state forks on the address.
const MAX_ARRAY: u64 = 4096;

/// The same for constants, of which no store makes another array.
const MAX_CONSTANT_ARRAY: u64 = 64 << 10;

/// Larger expressions are not looked into for an address.
const MAX_LOOKS: usize = 256;

/// Where an access goes.
pub(super) enum Place {
    /// To this address.
    Fixed(u64),
    /// Into the object at `base`, at an unknown offset.
    Within { base: u64, offset: ExprId },
}

/// The addresses of an object.
#[derive(Clone, Copy)]
struct Extent {
    base: u64,
    size: u64,
}

/// Where an access with a known address goes: into an object, or nowhere.
type LeadsTo = Result<Extent, Box<Fault>>;

impl Extent {
    fn of(object: &Object) -> Self {
        Self { base: object.base, size: object.size }
    }

    /// The bytes of an object on which the same accesses are allowed, if the access lies in them.
    fn around(object: &Object, access: Access) -> Self {
        if object.offset(access.address, access.size).is_none() {
            return Self::of(object);
        }
        let (base, size) = object.stretch(access.address);
        match access.address + access.size <= base + size {
            true => Self { base, size },
            // It is between two such stretches: where exactly must be known.
            false => Self { base: access.address, size: access.size },
        }
    }
}

impl Machine<'_> {
    /// Which object an access goes to.
    pub(super) fn resolve(&mut self, address: ExprId, size: u64, kind: AccessKind) -> Step<Place> {
        if let Some(address) = self.shared.expressions.constant_u64(address) {
            return Ok(Place::Fixed(address));
        }
        let address = self.make_lazy_object(address)?;
        if let Some(address) = self.shared.expressions.constant_u64(address) {
            return Ok(Place::Fixed(address));
        }
        self.check_common(address)?;
        let access = Access { kind, address: self.evaluate(address), size };
        let extent = match self.indexed_object(address) {
            Some(base) => self.resolve_index(address, access, base)?,
            None => self.resolve_any(address, access)?,
        };
        let object = self.state.memory.object(extent.base);
        let guarded = object.is_some_and(|object| object.needs_address(extent.base));
        let constant = object.is_some_and(|object| !object.writable);
        let most = if constant { MAX_CONSTANT_ARRAY } else { MAX_ARRAY };
        if guarded || extent.size > most {
            return Ok(Place::Fixed(self.fix_expression(address)?));
        }
        let expressions = &mut self.shared.expressions;
        let base = expressions.constant(64, extent.base);
        let offset = expressions.sub(address, base);
        Ok(match expressions.constant_u64(offset) {
            Some(offset) => Place::Fixed(extent.base.wrapping_add(offset)),
            None => Place::Within { base: extent.base, offset },
        })
    }

    /// Asks whether a copy or a fill stays within the objects that its ends are in, where somebody wants to know. The operation is
    /// done on numbers afterwards, and fails by itself where it does not.
    pub(super) fn check_ranges(&mut self, addresses: &[ExprId], length: ExprId) -> Step {
        if !self.shared.checks_ranges || self.both_run() {
            return Ok(());
        }
        for &address in addresses {
            let number = self.evaluate(address);
            let object = self.state.memory.object(number).filter(|object| object.is_alive());
            let Some(Extent { base, size }) = object.map(Extent::of) else { continue };
            let expressions = &mut self.shared.expressions;
            let (base, size) = (expressions.constant(64, base), expressions.constant(64, size));
            let (offset, room) = (expressions.sub(address, base), expressions.sub(size, length));
            let fits = expressions.ule(length, size);
            let starts = expressions.ule(offset, room);
            let inside = expressions.and(fits, starts);
            self.decide(inside, ForkReason::Pointer)?;
        }
        Ok(())
    }

    /// An access somewhere from the object around `base` on.
    fn resolve_index(&mut self, address: ExprId, access: Access, base: u64) -> Step<Extent> {
        let object = self.state.memory.object(base).expect("an indexed object exists");
        let (extent, alive) = (Extent::of(object), object.is_alive());
        self.check_same_object(base)?;
        let inside = match alive {
            true => self.inside(address, extent, access.size),
            false => self.shared.expressions.false_(),
        };
        if !self.decide(inside, ForkReason::Pointer)? {
            return Err(self.fault_of(access, base));
        }
        let checked = self.state.memory.check(access);
        checked.map_err(|fault| self.fault(*fault))?;
        Ok(extent)
    }

    /// An access at an address that may be that of any object.
    fn resolve_any(&mut self, address: ExprId, access: Access) -> Step<Extent> {
        let (mut condition, mut leads_to) = self.where_to(address, access)?;
        let mut number = access.address;
        if let Some(scripted) = self.scripted_number(condition)? {
            number = scripted;
            let access = Access { address: number, ..access };
            (condition, leads_to) = self.where_to(address, access)?;
        }
        self.decide_number(condition, ForkReason::Pointer, number)?;
        leads_to.map_err(|fault| self.fault(*fault))
    }

    /// The object that an access goes to, or why it is bad, and when an address is of the same object or is
    /// bad for the same reason.
    fn where_to(&mut self, address: ExprId, access: Access) -> Step<(ExprId, LeadsTo)> {
        self.check_same_object(access.address)?;
        let object = self.state.memory.object(access.address);
        let alive = object.filter(|object| object.is_alive());
        let alive = alive.map(|object| Extent::around(object, access));
        match (self.state.memory.check(access), alive) {
            (Ok(_), Some(extent)) => Ok((self.inside(address, extent, access.size), Ok(extent))),
            (checked, _) => {
                let Some(fault) = checked.err() else {
                    return Err(self.stop_unsupported("access to no object".to_owned()));
                };
                Ok((self.bad_for_the_same_reason(address, &fault, alive), Err(fault)))
            }
        }
    }

    /// The addresses at which the access fails as it does at the one of `fault`, which is in the slot of
    /// a live object or not.
    fn bad_for_the_same_reason(
        &mut self,
        address: ExprId,
        fault: &Fault,
        alive: Option<Extent>,
    ) -> ExprId {
        let Access { address: number, size, .. } = fault.access;
        let is_inside = |extent: Extent| {
            let offset = number.wrapping_sub(extent.base);
            offset <= extent.size && extent.size - offset >= size
        };
        if let Some(extent) = alive.filter(|&extent| is_inside(extent)) {
            return self.inside(address, extent, size);
        }
        let span = self.state.memory.span(number);
        let expressions = &mut self.shared.expressions;
        let start = expressions.constant(64, span.start);
        let length = expressions.constant(64, span.length);
        let distance = expressions.sub(address, start);
        let around = expressions.ult(distance, length);
        match alive {
            Some(extent) => {
                let inside = self.inside(address, extent, size);
                let outside = self.shared.expressions.not(inside);
                self.shared.expressions.and(around, outside)
            }
            None => around,
        }
    }

    /// An object that is not the same in both versions is accessed in each version alone.
    fn check_same_object(&self, address: u64) -> Step {
        let object = self.state.memory.object(address);
        match object.is_some_and(|object| object.twin.is_some()) && self.both_run() {
            true => Err(Stop::Apart),
            false => Ok(()),
        }
    }

    /// Whether `size` bytes from the address on lie in an object.
    fn inside(&mut self, address: ExprId, extent: Extent, size: u64) -> ExprId {
        let expressions = &mut self.shared.expressions;
        let Some(last) = extent.size.checked_sub(size) else {
            return expressions.false_();
        };
        let base = expressions.constant(64, extent.base);
        let offset = expressions.sub(address, base);
        let last = expressions.constant(64, last);
        expressions.ule(offset, last)
    }

    /// An address in the object that an address is of, if it is the sum of one and an index.
    fn indexed_object(&self, address: ExprId) -> Option<u64> {
        let expressions = &self.shared.expressions;
        // The constant of a sum is its last term.
        if expressions.kind(address) != Kind::Add {
            return None;
        }
        let constant = expressions.constant_u64(expressions.operand(address, 1))?;
        let object = self.state.memory.object(constant)?;
        let plain = object.stretch(object.base) == (object.base, object.size);
        let within = plain && constant.wrapping_sub(object.base) <= object.size;
        (within && self.is_index(expressions.operand(address, 0))).then_some(constant)
    }

    /// Whether an expression is computed without addresses: it has no constant that may be one, and
    /// nothing of the size of one that was read from memory.
    fn is_index(&self, value: ExprId) -> bool {
        let expressions = &self.shared.expressions;
        let mut waiting = vec![value];
        for _ in 0..MAX_LOOKS {
            let Some(value) = waiting.pop() else { return true };
            if let Some(constant) = expressions.constant_u64(value) {
                if (constant as i64).unsigned_abs() >= FUNCTIONS.start {
                    return false;
                }
                continue;
            }
            let operands = expressions.operands(value);
            match expressions.kind(value) {
                Kind::Read => {
                    if expressions.as_symbol(value).is_none() {
                        return false;
                    }
                }
                Kind::Concat => waiting.extend(operands.iter()),
                _ if expressions.width(value) <= 32 => {}
                Kind::Ite => waiting.extend(&operands[1..]),
                Kind::ZExt | Kind::SExt if expressions.width(operands[0]) <= 32 => {}
                _ => waiting.extend(operands.iter()),
            }
        }
        false
    }
}
