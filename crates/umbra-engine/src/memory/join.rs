//! One memory for two versions that ran one after the other.
//!
//! Pages and objects that neither version has written since are the same allocation in both, so
//! only what was written is looked at. Bytes that differ become pairs; what an object is (its size,
//! whether it is alive) is kept twice where it differs ([`Twin`]).

use triomphe::Arc;
use umbra_expr::{ExprId, Expressions, IdMap};

use super::access::{Access, AccessKind};
use super::buffer::{Buffer, CONCRETE, SYMBOLIC};
use super::layout::{Class, Slot};
use super::object::{Life, Object, Twin};
use super::protection::Protection;
use super::symbolic::SymbolicBytes;
use super::{Memory, RestingMemory};
use crate::code::OldGlobal;
use crate::environment::Byte;
use crate::lockstep::global_change;
use crate::state::Shared;

/// What versions that ran alone have done to a memory.
pub(crate) struct Written {
    /// The objects that one of them has written.
    pub objects: Vec<Slot>,
    /// Whether there are objects now that are not the same in both, in another way than before.
    pub twins: bool,
}

impl Twin {
    fn of(object: &Object) -> Self {
        Self {
            base: object.base,
            size: object.size,
            kind: object.kind,
            life: object.life,
            writable: object.writable,
            generation: object.generation,
            protection: object.protection.clone(),
            alias: object.alias,
        }
    }

    /// Whether the version may make this access.
    fn allows(&self, access: Access) -> bool {
        let offset = access.address.wrapping_sub(self.base);
        let inside = offset <= self.size && self.size - offset >= access.size;
        let writes = access.kind == AccessKind::Write;
        let denied = |pages: &Arc<Protection>| inside && pages.denies(self.base, access).is_some();
        self.life == Life::Alive
            && inside
            && (self.writable || !writes)
            && !self.protection.as_ref().is_some_and(denied)
    }
}

impl Object {
    /// The size that an access by whoever runs may rely on.
    pub(super) fn common_size(&self, together: bool) -> u64 {
        match &self.twin {
            Some(twin) if together => self.size.min(twin.size),
            _ => self.size,
        }
    }

    /// Whether the old version may not make an access, or finds other bytes there.
    pub(super) fn denies_old(&self, access: Access) -> bool {
        let twin = self.twin.as_ref();
        twin.is_some_and(|twin| {
            twin.base != self.base || twin.alias != self.alias || !twin.allows(access)
        })
    }

    /// Whether only the old version may use the object, in which both run.
    pub(super) fn is_only_old(&self, kind: AccessKind) -> bool {
        let usable = self.life == Life::Alive && (self.writable || kind != AccessKind::Write);
        self.twin.is_some() && !usable
    }

    fn set(&mut self, twin: Twin) {
        self.base = twin.base;
        self.size = twin.size;
        self.kind = twin.kind;
        self.life = twin.life;
        self.writable = twin.writable;
        self.generation = twin.generation;
        self.protection = twin.protection;
        self.alias = twin.alias;
    }

    /// The old version never had the object, or the new one never had it.
    fn never(&self) -> Twin {
        let life = if self.life == Life::Alive { Life::Freed } else { self.life };
        Twin { life, ..Twin::of(self) }
    }
}

impl Memory {
    /// Whether both versions run from here on.
    pub fn set_together(&mut self, together: bool) {
        if self.objects.together != together && !self.objects.twins.is_empty() {
            self.lookaside.forget_all();
        }
        self.objects.together = together;
    }

    /// Whether there may be objects that are not the same in both versions.
    pub fn has_twins(&self) -> bool {
        !self.objects.twins.is_empty()
    }

    /// Shows objects as the old version has them, or back.
    pub fn exchange_twins(&mut self) {
        let twins = Arc::clone(&self.objects.twins);
        if twins.is_empty() {
            return;
        }
        self.lookaside.forget_all();
        for &slot in twins.iter() {
            let object = self.objects.get_mut(slot);
            if let Some(old) = object.twin.take() {
                let new = Twin::of(object);
                object.set(*old);
                object.twin = Some(Box::new(new));
            }
        }
    }

    /// A global is another in the old version, and both are to run: bytes that differ become pairs.
    pub(crate) fn join_global(&mut self, old: &OldGlobal, shared: &mut Shared) {
        let Some((slot, _)) = Slot::at(old.address) else { return };
        let Some(new) = self.objects.get(slot).cloned() else { return };
        let before = as_old(&new, old);
        let joined = join_objects(Some(&new), Some(&before), shared, &[global_change(old.global)]);
        self.lookaside.forget_all();
        if let Some(object) = joined {
            self.put(slot, object);
        }
    }

    /// A global is another in the old version, which is to run alone.
    pub(crate) fn replace_global(&mut self, old: &OldGlobal) {
        let Some((slot, _)) = Slot::at(old.address) else { return };
        let Some(new) = self.objects.get(slot).cloned() else { return };
        self.lookaside.forget_all();
        self.put(slot, as_old(&new, old));
    }

    /// Takes in what the old version did, this being the new one's memory.
    pub(crate) fn join(
        &mut self,
        old: &RestingMemory,
        shared: &mut Shared,
        changes: &[u32],
    ) -> Written {
        self.lookaside.forget_all();
        self.forget_plan();
        let mut joined: Vec<(Slot, Object)> = Vec::new();
        let mut twins = false;
        for class in Class::heap().chain([Class::Stack]) {
            self.objects.table(class).differences(old.table(class), |index, new, old| {
                let Some(object) = join_objects(new, old, shared, changes) else { return };
                twins |= object.twin.is_some() && !were_twins(new, old, &object);
                joined.push((Slot { class, index }, object));
            });
        }
        let objects = joined.iter().map(|&(slot, _)| slot).collect();
        for (slot, object) in joined {
            self.put(slot, object);
        }
        self.objects.used = self.objects.used.max(old.used);
        self.objects.claims = self.objects.claims.max(old.claims);
        self.objects.depth = self.objects.depth.max(old.depth);
        self.trim_stack();
        self.join_quarantines(old);
        Written { objects, twins }
    }

    /// Replaces expressions in the bytes of some objects.
    pub(crate) fn replace(
        &mut self,
        objects: &[Slot],
        by: &IdMap<ExprId, ExprId>,
        expressions: &Expressions,
    ) {
        self.lookaside.forget_all();
        for &slot in objects {
            let Some(symbolic) = self.objects.get(slot).and_then(|object| object.symbolic.clone())
            else {
                continue;
            };
            let held = symbolic.held().filter_map(|(offset, value)| {
                let &same = by.get(&value)?;
                let number = expressions.constant_u64(same).map(|number| number as u8);
                Some((offset, number.map_or(Byte::Symbolic(same), Byte::Concrete)))
            });
            let bytes: Vec<(usize, Byte)> = held.collect();
            write(self.objects.get_mut(slot), &bytes);
        }
    }

    fn put(&mut self, slot: Slot, object: Object) {
        if object.twin.is_some()
            && let Err(place) = self.objects.twins.binary_search(&slot)
        {
            Arc::make_mut(&mut self.objects.twins).insert(place, slot);
        }
        let table = self.objects.table_mut(slot.class);
        match table.get_mut(slot.index) {
            Some(place) => *place = object,
            None => table.push(object),
        }
    }

    /// A slot can be used again when its object is gone in both versions.
    fn join_quarantines(&mut self, old: &RestingMemory) {
        let mut quarantine = self.objects.quarantine.clone();
        quarantine.join(&old.quarantine, |bits, index| {
            let object = self.objects.get(Slot { class: Class::Heap(bits), index });
            object.is_some_and(Object::is_gone)
        });
        self.objects.quarantine = quarantine;
    }
}

/// What an object is in both versions; `None` if it is what it is in the new one.
fn join_objects(
    new: Option<&Object>,
    old: Option<&Object>,
    shared: &mut Shared,
    changes: &[u32],
) -> Option<Object> {
    let (new, old) = match (new, old) {
        (None, None) => return None,
        (Some(new), None) => return with_twin(new.clone(), new.never()),
        (None, Some(old)) => {
            let mut object = old.clone();
            object.set(old.never());
            return with_twin(object, Twin::of(old));
        }
        (Some(new), Some(old)) => (new, old),
    };
    let mut object = new.clone();
    object.fresh &= old.fresh;
    object.generation = new.generation.max(old.generation);
    match (new.life == Life::Alive, old.life == Life::Alive) {
        (true, true) => join_bytes(&mut object, old, shared, changes),
        (false, true) => {
            object.buffer = Arc::clone(&old.buffer);
            object.symbolic.clone_from(&old.symbolic);
        }
        (true, false) => {}
        (false, false) => {
            object.twin = None;
            return Some(object);
        }
    }
    object.generation = new.generation;
    object.twin = None;
    object.protection = Protection::joined(&object.protection, &old.protection);
    let mut twin = Twin::of(old);
    twin.protection = Protection::joined(&old.protection, &object.protection);
    if twin != Twin::of(&object) {
        object.twin = Some(Box::new(twin));
    }
    Some(object)
}

/// Whether the versions left an object what it was in each of them.
fn were_twins(new: Option<&Object>, old: Option<&Object>, joined: &Object) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return false };
    joined.twin == new.twin && old.twin.as_deref() == Some(&Twin::of(new))
}

/// The object of a global as the old version has it.
fn as_old(object: &Object, old: &OldGlobal) -> Object {
    let mut buffer = Buffer::new(old.bytes.len().max(object.buffer.capacity()), CONCRETE);
    buffer.range_mut(0, old.bytes.len()).0.copy_from_slice(&old.bytes);
    let (size, buffer) = (old.bytes.len() as u64, Arc::new(buffer));
    Object { size, writable: old.writable, buffer, ..object.clone() }
}

fn with_twin(mut object: Object, twin: Twin) -> Option<Object> {
    let differs = twin != Twin::of(&object);
    object.twin = differs.then(|| Box::new(twin));
    Some(object)
}

/// Pairs the bytes that differ.
fn join_bytes(object: &mut Object, old: &Object, shared: &mut Shared, changes: &[u32]) {
    let same_symbols = match (&object.symbolic, &old.symbolic) {
        (None, None) => true,
        (Some(new), Some(old)) => Arc::ptr_eq(new, old),
        _ => false,
    };
    if Arc::ptr_eq(&object.buffer, &old.buffer) && same_symbols && object.size == old.size {
        return;
    }
    let common = object.size.min(old.size) as usize;
    let mut bytes: Vec<(usize, Byte)> = Vec::new();
    for offset in 0..common {
        let (before, after) = (flag_and_byte(old, offset), flag_and_byte(object, offset));
        if before == after && before.0 != SYMBOLIC {
            continue;
        }
        let (before, after) = (cell(old, offset, shared), cell(object, offset, shared));
        if before != after {
            bytes.push((offset, shared.pair_bytes(before, after, changes)));
        }
    }
    if old.size > object.size {
        let mut buffer = Buffer::new(old.size as usize, CONCRETE);
        let size = object.size as usize;
        let (data, shadow) = buffer.range_mut(0, size);
        data.copy_from_slice(&object.buffer.data()[..size]);
        shadow.copy_from_slice(&object.buffer.shadow()[..size]);
        object.buffer = Arc::new(buffer);
        bytes.extend((size..old.size as usize).map(|offset| (offset, cell(old, offset, shared))));
    }
    write(object, &bytes);
}

fn flag_and_byte(object: &Object, offset: usize) -> (u8, u8) {
    (object.buffer.shadow()[offset], object.buffer.data()[offset])
}

/// What a byte holds; one that was never written is zero.
fn cell(object: &Object, offset: usize, shared: &mut Shared) -> Byte {
    match (object.buffer.shadow()[offset], &object.symbolic) {
        (CONCRETE, _) => Byte::Concrete(object.buffer.data()[offset]),
        (SYMBOLIC, Some(symbolic)) => Byte::Symbolic(symbolic.value(offset, shared)),
        _ => Byte::Concrete(0),
    }
}

impl Shared {
    /// The pair of two bytes, which these changes have made different.
    pub(crate) fn pair_bytes(&mut self, old: Byte, new: Byte, changes: &[u32]) -> Byte {
        let expressions = &mut self.expressions;
        let [old, new] = [old, new].map(|byte| match byte {
            Byte::Concrete(value) => expressions.constant(8, value.into()),
            Byte::Symbolic(value) => value,
        });
        let pair = expressions.pair(old, new);
        self.note_fresh(pair, changes);
        match self.expressions.constant_u64(pair) {
            Some(number) => Byte::Concrete(number as u8),
            None => Byte::Symbolic(pair),
        }
    }
}

fn write(object: &mut Object, bytes: &[(usize, Byte)]) {
    if bytes.is_empty() {
        return;
    }
    let buffer = Arc::make_mut(&mut object.buffer);
    for &(offset, byte) in bytes {
        let (data, shadow) = buffer.range_mut(offset, 1);
        match byte {
            Byte::Concrete(value) => (data[0], shadow[0]) = (value, CONCRETE),
            Byte::Symbolic(value) => {
                shadow[0] = SYMBOLIC;
                let symbolic: &mut SymbolicBytes =
                    Arc::make_mut(object.symbolic.get_or_insert_default());
                symbolic.set(offset, value);
            }
        }
    }
}
