//! Objects that come to be when a pointer of unknown origin is used.
//!
//! A function that is run on its own gets pointers that nobody made. When one is used as an address
//! for the first time, it is either null or points to a new object, whose bytes are inputs and may be
//! such pointers in turn. Two pointers never point to the same object.

use std::sync::Arc;

use umbra_expr::{ArrayId, ExprId, Kind};

use crate::fork::ForkReason;
use crate::memory::ObjectKind;
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

/// Bytes of an object behind a pointer.
pub(super) const OBJECT_BYTES: u64 = 64;
/// Objects on one path; a pointer after that is not followed.
const MAX_OBJECTS: usize = 8;

impl Machine<'_> {
    /// Makes the object that an address points into, if the address comes from such a pointer and
    /// was not used before. The address is returned in terms of the object, where there is one.
    pub(super) fn make_lazy_object(&mut self, address: ExprId) -> Step<ExprId> {
        if self.state.path.lazy.is_empty() {
            return Ok(address);
        }
        let Some((pointer, array, offset)) = self.lazy_pointer(address) else {
            return Ok(address);
        };
        let value = self.evaluate(pointer);
        let known = self.state.memory.object(value);
        if known.is_some_and(|object| object.kind == ObjectKind::Lazy && object.base == value) {
            return Ok(self.relative_to(address, pointer, value));
        }
        let is_null = self.is_null(pointer);
        if self.decide(is_null, ForkReason::Pointer)? {
            return Ok(address);
        }
        if self.state.path.lazy.len() > MAX_OBJECTS {
            return Err(Stop::end(Termination::Limit("objects behind arguments")));
        }
        let name = self.object_name(array, offset);
        let object = self.lazy_object(OBJECT_BYTES, &name)?;
        let mut assignment = self.state.path.assignment().clone();
        for (index, byte) in object.to_le_bytes().into_iter().enumerate() {
            assignment.set(array, offset + index as u32, byte);
        }
        let shared = &mut *self.shared;
        let mut run = shared.evaluator.run(&shared.expressions, &assignment);
        let constraints = self.state.path.constraints();
        let possible = constraints.newest_first().all(|&condition| run.is_true(condition));
        // It is not null, but the program has asked something of it that the address does not meet. The path
        // ends with the input it has, which does meet it.
        if !possible {
            return Err(Stop::end(Termination::Limit(match self.state.shadow.asked_alone() {
                // It is where the other version has it, which is not where it came to be here.
                Some(_) => "objects behind arguments, in one version",
                None => "pointer that was tested before its use",
            })));
        }
        let constant = self.shared.expressions.constant(64, object);
        let points_there = self.shared.expressions.eq(pointer, constant);
        self.state.path.assume(&self.shared.expressions, points_there);
        self.state.path.set_assignment(assignment);
        Ok(self.relative_to(address, pointer, object))
    }

    /// The inputs that are the bytes of the object behind a pointer, if there is such an object on this path.
    pub(super) fn known_object(&mut self, pointer: ExprId) -> Option<ArrayId> {
        let (_, array, offset) = self.lazy_pointer(pointer)?;
        let name = self.object_name(array, offset);
        let mut inputs = self.state.path.inputs().newest_first();
        inputs.find(|input| *input.name == *name).map(|input| input.array)
    }

    fn object_name(&self, array: ArrayId, offset: u32) -> String {
        format!("*({} + {offset})", self.input_name(array))
    }

    /// The address with a number in place of the pointer in it.
    fn relative_to(&mut self, address: ExprId, pointer: ExprId, object: u64) -> ExprId {
        let expressions = &mut self.shared.expressions;
        let distance = expressions.sub(address, pointer);
        let object = expressions.constant(64, object);
        expressions.add(object, distance)
    }

    fn is_null(&mut self, pointer: ExprId) -> ExprId {
        let zero = self.shared.expressions.constant(64, 0);
        self.shared.expressions.eq(pointer, zero)
    }

    /// A call of a function of unknown origin ends the path, unless there is none.
    pub(super) fn check_lazy_call(&mut self, address: ExprId) -> Step {
        let Some((pointer, ..)) = self.lazy_pointer(address) else {
            return Ok(());
        };
        let is_null = self.is_null(pointer);
        match self.decide(is_null, ForkReason::Check)? {
            true => Ok(()),
            false => Err(Stop::end(Termination::Limit("call of a function behind an argument"))),
        }
    }

    fn input_name(&self, array: ArrayId) -> Arc<str> {
        let mut inputs = self.state.path.inputs().newest_first();
        let input = inputs.find(|input| input.array == array);
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
