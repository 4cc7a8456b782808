//! How far address arithmetic moves a pointer.

use umbra_ir::{Body, ConstantValue, Id, Operand, Operation, Program, RegisterId};

use super::memory::{POINTER, Shift, gcd, index, step_of};
use crate::components::components;

/// What is known of the moves in one function.
pub(super) struct Shifts<'a> {
    program: &'a Program,
    /// For each register its component among values that become each other.
    components: Vec<u32>,
}

impl<'a> Shifts<'a> {
    /// A pointer that is moved around a loop, as by `p++`, moves any number of times.
    pub fn of(program: &'a Program, body: &Body) -> Self {
        let mut successors = vec![Vec::new(); body.registers.len()];
        let mut add = |from: Operand, to: RegisterId| {
            if let Operand::Register(from) = from {
                successors[from.index()].push(index(to));
            }
        };
        for block in body.blocks.values() {
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Copy { destination, operand }
                    | Operation::Cast { destination, operand, .. } => add(*operand, *destination),
                    Operation::Select { destination, left, right, .. } => {
                        add(*left, *destination);
                        add(*right, *destination);
                    }
                    Operation::Offset { destination, base, .. } => add(*base, *destination),
                    _ => {}
                }
            }
            for edge in block.terminator.edges() {
                let parameters = &body.blocks[edge.block].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    add(argument, parameter);
                }
            }
        }
        Self { program, components: components(&successors) }
    }

    pub fn of_offset(&self, operation: &Operation) -> Shift {
        let Operation::Offset { destination, base, constant, indices, field } = operation else {
            return Shift::ANYWHERE;
        };
        let mut shift = Shift { constant: *constant, step: 0 };
        for scaled in indices {
            match self.number(scaled.index) {
                Some(number) => {
                    let offset = number.wrapping_mul(scaled.scale);
                    shift.constant = shift.constant.wrapping_add(offset);
                }
                None => shift.step = gcd(shift.step, step_of(scaled.scale)),
            }
        }
        if let Operand::Register(base) = base
            && self.components[base.index()] == self.components[destination.index()]
        {
            shift.step = gcd(shift.step, step_of(shift.constant));
            shift.constant = 0;
        }
        // In text, a pointer soon moves to every byte.
        let fine = field.is_none() && !step_of(shift.constant).is_multiple_of(POINTER);
        if fine { Shift::ANYWHERE } else { shift }
    }

    fn number(&self, operand: Operand) -> Option<i64> {
        let Operand::Constant(constant) = operand else { return None };
        let constant = &self.program.constants[constant];
        match constant.value {
            ConstantValue::Word(word) => {
                let unused = 64 - constant.ty.bits().min(64);
                Some((word << unused) as i64 >> unused)
            }
            _ => None,
        }
    }
}
