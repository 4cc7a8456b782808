//! Objects that come to be when a pointer of unknown origin is used.
//!
//! A function that is run on its own gets pointers that nobody made. When one is used as an address
//! for the first time, it is either null or points to a new object, whose bytes are inputs and may be
//! such pointers in turn. Two pointers never point to the same object.

use std::sync::Arc;

use umbra_expr::{ArrayId, ExprId, Kind};

use crate::fork::ForkReason;
use crate::memory::ObjectKind;
use crate::step::{Machine, Step};

/// Bytes of an object behind a pointer.
const OBJECT_BYTES: u64 = 64;
/// Objects on one path; a pointer after that is not followed.
const MAX_OBJECTS: usize = 8;

impl Machine<'_> {
    /// Makes the object that an address points into, if the address comes from such a pointer and
    /// was not used before.
    pub(super) fn make_lazy_object(&mut self, address: ExprId) -> Step {
        if self.state.path.lazy.is_empty() {
            return Ok(());
        }
        let Some((pointer, array, offset)) = self.lazy_pointer(address) else {
            return Ok(());
        };
        let value = self.evaluate(pointer);
        let known = self.state.memory.object(value);
        let zero = self.shared.expressions.constant(64, 0);
        let is_null = self.shared.expressions.eq(pointer, zero);
        if known.is_some_and(|object| object.kind == ObjectKind::Lazy && object.base == value)
            || self.state.path.implies(&self.shared.expressions, is_null)
        {
            return Ok(());
        }
        if self.state.path.lazy.len() > MAX_OBJECTS {
            let limit = crate::termination::Termination::Limit("objects behind arguments");
            return Err(Box::new(limit));
        }
        // The other side is the null pointer.
        self.fork(ForkReason::Pointer, is_null, None);
        let name = format!("*({} + {offset})", self.input_name(array));
        let object = self.lazy_object(OBJECT_BYTES, &name)?;
        let mut assignment = self.state.path.assignment().clone();
        for (index, byte) in object.to_le_bytes().into_iter().enumerate() {
            assignment.set(array, offset + index as u32, byte);
        }
        let constant = self.shared.expressions.constant(64, object);
        let points_there = self.shared.expressions.eq(pointer, constant);
        self.state.path.assume(&self.shared.expressions, points_there);
        self.state.path.set_assignment(assignment);
        let shared = &mut *self.shared;
        let mut run = shared.evaluator.run(&shared.expressions, self.state.path.assignment());
        let possible =
            self.state.path.constraints().iter().all(|&condition| run.is_true(condition));
        // What the program asked of the pointer before may leave null only.
        if possible { Ok(()) } else { Err(Box::new(crate::termination::Termination::Excluded)) }
    }

    fn input_name(&self, array: ArrayId) -> Arc<str> {
        let input = self.state.path.inputs().iter().find(|input| input.array == array);
        input.map_or_else(|| "input".into(), |input| Arc::clone(&input.name))
    }

    /// The pointer of unknown origin in an address, and where it is among the inputs.
    fn lazy_pointer(&mut self, address: ExprId) -> Option<(ExprId, ArrayId, u32)> {
        let mut pointer = address;
        while matches!(self.shared.expressions.kind(pointer), Kind::Add | Kind::Sub) {
            pointer = self.shared.expressions.operand(pointer, 0);
        }
        let expressions = &mut self.shared.expressions;
        let first = expressions.extract(pointer, 0, 8);
        let (array, offset) = expressions.as_symbol(first)?;
        for index in 1..8 {
            let byte = expressions.extract(pointer, 8 * index, 8);
            if expressions.as_symbol(byte) != Some((array, offset + index)) {
                return None;
            }
        }
        self.state.path.lazy.contains(&array).then_some((pointer, array, offset))
    }
}
