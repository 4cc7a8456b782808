//! Pointers that are ordered or subtracted: what has a meaning within one object only.

use umbra_ir::{BinaryOp, CastOp, ConstantValue, Id, Operand, Operation, Predicate, Symbol, Type};

use super::{Lowered, Lowering};
use crate::code::op::Op;
use crate::undefined::Relation;

/// For each register whether it is a pointer made into a number.
pub(super) fn addresses(program: &umbra_ir::Program, body: &umbra_ir::Body) -> Vec<bool> {
    let mut addresses = vec![false; body.registers.len()];
    for block in body.blocks.values() {
        for instruction in &block.instructions {
            if let Operation::Cast { destination, op: CastOp::Bitcast | CastOp::Trunc, operand } =
                &instruction.operation
                && program.type_of(body, *operand) == Type::Pointer
            {
                addresses[destination.index()] = body.registers[*destination].bits() == 64;
            }
        }
    }
    addresses
}

impl Lowering<'_> {
    /// Emits the check that goes before an operation on two pointers, if it is one.
    pub(super) fn lower_relation(&mut self, operation: &Operation) -> Lowered {
        if self.image.functions[self.function.index()].library {
            return Ok(());
        }
        let (relation, left, right) = match operation {
            Operation::Compare { predicate: Predicate::Eq | Predicate::Ne, .. } => return Ok(()),
            Operation::Compare { left, right, .. } if self.type_of(*left) == Type::Pointer => {
                (Relation::Order, *left, *right)
            }
            Operation::Binary { op: BinaryOp::Sub, left, right, .. }
                if self.is_address(*left) && self.is_address(*right) =>
            {
                (Relation::Difference, *left, *right)
            }
            _ => return Ok(()),
        };
        self.slots.release_scratch();
        let (a, b) = (self.read(left)?, self.read(right)?);
        self.emit(Op::Relate { relation, a, b });
        Ok(())
    }

    /// Whether a number was a pointer.
    fn is_address(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(register) => self.addresses[register.index()],
            Operand::Constant(id) => matches!(
                self.program.constants[id].value,
                ConstantValue::Address { symbol: Symbol::Global(_), .. }
            ),
        }
    }
}
