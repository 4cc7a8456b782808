//! The bytes of an object that are expressions.
//!
//! The shadow says which bytes those are; what they are is kept here. A byte has an expression of
//! its own, or it is what the array of the object holds at its offset: the object has one after a
//! store at an unknown offset, which may have hit any byte.

use std::hash::{Hash, Hasher};

use triomphe::Arc;

use umbra_expr::ExprId;

use super::access::{Access, AccessKind, Fault};
use super::buffer::{CONCRETE, SYMBOLIC};
use super::{Memory, Object, RestingMemory, UninitialisedReads};
use crate::environment::Byte;
use crate::memory::FaultKind;
use crate::state::Shared;

/// Bytes whose expressions are copied together.
const GROUP: usize = 64;

type Group = [Option<ExprId>; GROUP];

/// The expressions of one object.
#[derive(Clone, Debug, Default)]
pub struct SymbolicBytes {
    array: Option<ExprId>,
    groups: Vec<Option<Arc<Group>>>,
}

impl SymbolicBytes {
    fn get(&self, offset: usize) -> Option<ExprId> {
        self.groups.get(offset / GROUP)?.as_ref()?[offset % GROUP]
    }

    /// The bytes that have an expression of their own.
    pub(super) fn held(&self) -> impl Iterator<Item = (usize, ExprId)> + '_ {
        let groups = self
            .groups
            .iter()
            .enumerate()
            .filter_map(|(index, group)| group.as_deref().map(|group| (index * GROUP, group)));
        groups.flat_map(|(start, group)| {
            let values = group.iter().enumerate();
            values.filter_map(move |(offset, value)| Some((start + offset, (*value)?)))
        })
    }

    pub(super) fn set(&mut self, offset: usize, value: ExprId) {
        let index = offset / GROUP;
        if self.groups.len() <= index {
            self.groups.resize(index + 1, None);
        }
        let group = self.groups[index].get_or_insert_with(|| Arc::new([None; GROUP]));
        Arc::make_mut(group)[offset % GROUP] = Some(value);
    }

    /// The expression of a byte that is one.
    pub(super) fn value(&self, offset: usize, shared: &mut Shared) -> ExprId {
        self.get(offset).unwrap_or_else(|| {
            let array = self.array.expect("a byte without an expression is in the array");
            let index = shared.expressions.constant(64, offset as u64);
            shared.expressions.read(array, index)
        })
    }

    fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Some(array) = &mut self.array {
            *array = translation(*array);
        }
        for group in self.groups.iter_mut().flatten() {
            for value in Arc::make_mut(group).iter_mut().flatten() {
                *value = translation(*value);
            }
        }
    }
}

/// What a byte of memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A number.
    Concrete(u8),
    /// An expression.
    Symbolic(ExprId),
    /// What this array holds at the byte's offset in its object.
    InArray(ExprId, u32),
}

/// An object as an array of expressions: what is known of it as a whole, and what was written since.
pub struct ArrayView {
    /// The array before; `None` if the object was never written at an unknown offset.
    pub array: Option<ExprId>,
    /// Bytes that differ from the array, or, if there is none, expressions among plain bytes.
    pub changes: Vec<(u32, Byte)>,
    /// The plain bytes, if there is no array.
    pub plain: Vec<u8>,
}

impl Memory {
    /// What the bytes of an access hold.
    pub fn cells(&mut self, address: u64, length: u64) -> Result<Vec<Cell>, Box<Fault>> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let access = Access { kind: AccessKind::Read, address, size: length };
        let uninitialised = self.objects.uninitialised;
        let (slot, start) = self.place(access)?;
        self.note(access)?;
        let object = self.objects.get(slot).expect("an access that is allowed has an object");
        let mut cells = Vec::with_capacity(length as usize);
        for offset in start..start + length as usize {
            cells.push(match object.buffer.shadow()[offset] {
                CONCRETE => Cell::Concrete(object.buffer.data()[offset]),
                SYMBOLIC => {
                    let symbolic = object.symbolic.as_ref();
                    let symbolic = symbolic.expect("a symbolic byte has an expression");
                    match symbolic.get(offset) {
                        Some(value) => Cell::Symbolic(value),
                        None => {
                            let array = symbolic.array.expect("a byte without one is in the array");
                            Cell::InArray(array, offset as u32)
                        }
                    }
                }
                _ if uninitialised == UninitialisedReads::Error => {
                    return Err(Box::new(Fault { kind: FaultKind::Uninitialised, access }));
                }
                _ => Cell::Concrete(0),
            });
        }
        Ok(cells)
    }

    /// Stores bytes, expressions among them; they must lie in one object.
    pub fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Box<Fault>> {
        if bytes.is_empty() {
            return Ok(());
        }
        let access = Access { kind: AccessKind::Write, address, size: bytes.len() as u64 };
        let (buffer, start) = self.writable(access)?;
        let (data, shadow) = buffer.range_mut(start, bytes.len());
        for ((data, shadow), byte) in data.iter_mut().zip(shadow).zip(bytes) {
            match byte {
                Byte::Concrete(value) => (*data, *shadow) = (*value, CONCRETE),
                Byte::Symbolic(_) => *shadow = SYMBOLIC,
            }
        }
        if bytes.iter().any(|byte| byte.concrete().is_none()) {
            let (slot, _) = self.place(access)?;
            let object = self.objects.get_mut(slot);
            let symbolic = Arc::make_mut(object.symbolic.get_or_insert_default());
            for (offset, byte) in (start..).zip(bytes) {
                if let Byte::Symbolic(value) = byte {
                    symbolic.set(offset, *value);
                }
            }
        }
        Ok(())
    }

    /// The object with this address, whole, as an array.
    pub fn array_view(&self, address: u64) -> Option<ArrayView> {
        let object = self.object(address)?;
        let array = object.symbolic.as_ref().and_then(|symbolic| symbolic.array);
        let mut view = ArrayView { array, changes: Vec::new(), plain: Vec::new() };
        let size = object.size as usize;
        let (data, shadow) = (&object.buffer.data()[..size], &object.buffer.shadow()[..size]);
        if array.is_none() {
            view.plain = data.iter().zip(shadow).map(|(&byte, &flag)| plain(byte, flag)).collect();
        }
        for (offset, (&byte, &flag)) in data.iter().zip(shadow).enumerate() {
            match (flag, &object.symbolic) {
                (SYMBOLIC, Some(symbolic)) => {
                    if let Some(value) = symbolic.get(offset) {
                        view.changes.push((offset as u32, Byte::Symbolic(value)));
                    }
                }
                _ if array.is_some() => {
                    view.changes.push((offset as u32, Byte::Concrete(plain(byte, flag))));
                }
                _ => {}
            }
        }
        Some(view)
    }

    /// From now on all bytes of the object are those of the array.
    pub fn set_array(&mut self, address: u64, array: ExprId) -> Result<(), Box<Fault>> {
        let access = Access { kind: AccessKind::Write, address, size: 1 };
        let (buffer, _) = self.writable(access)?;
        buffer.parts_mut().1.fill(SYMBOLIC);
        let (slot, _) = self.place(access)?;
        let object = self.objects.get_mut(slot);
        object.symbolic = Some(Arc::new(SymbolicBytes { array: Some(array), groups: Vec::new() }));
        Ok(())
    }
}

/// A byte that is no expression; one that was never written reads as zero.
fn plain(byte: u8, flag: u8) -> u8 {
    if flag == CONCRETE { byte } else { 0 }
}

impl Object {
    /// Hashes what its bytes hold; what was never written counts as zero.
    pub(crate) fn digest(&self, hasher: &mut impl Hasher, value: &mut dyn FnMut(ExprId) -> u64) {
        let size = self.size as usize;
        let (data, shadow) = (&self.buffer.data()[..size], &self.buffer.shadow()[..size]);
        if let Some(array) = self.symbolic.as_ref().and_then(|symbolic| symbolic.array) {
            value(array).hash(hasher);
        }
        for (offset, (&byte, &flag)) in data.iter().zip(shadow).enumerate() {
            match (flag, &self.symbolic) {
                (SYMBOLIC, Some(symbolic)) => symbolic.get(offset).map(&mut *value).hash(hasher),
                _ => plain(byte, flag).hash(hasher),
            }
        }
    }
}

impl RestingMemory {
    /// Calls `look` with every object there is, or was.
    pub(crate) fn for_each(&self, look: &mut dyn FnMut(&Object)) {
        self.stack.for_each(look);
        for table in self.small.iter().chain(&*self.large) {
            table.for_each(look);
        }
    }

    /// Replaces all expressions: the state goes to another table.
    pub fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        let mut change = |object: &mut Object| {
            if let Some(symbolic) = &mut object.symbolic {
                Arc::make_mut(symbolic).translate(translation);
            }
        };
        let wanted = |object: &Object| object.symbolic.is_some();
        self.stack.for_each_mut(wanted, &mut change);
        for table in self.small.iter_mut().chain(Arc::make_mut(&mut self.large)) {
            table.for_each_mut(wanted, &mut change);
        }
    }
}
