//! Walks over what an instruction reads and writes.

use crate::id::RegisterId;
use crate::instruction::{Callee, Operand, Operation, Terminator};

impl Operation {
    /// Calls `visit` with every operand, in order.
    pub fn visit_operands(&self, visit: &mut dyn FnMut(Operand)) {
        match self {
            Self::Binary { left, right, .. }
            | Self::Compare { left, right, .. }
            | Self::FloatBinary { left, right, .. }
            | Self::FloatCompare { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::FloatNegate { operand, .. }
            | Self::Cast { operand, .. }
            | Self::Copy { operand, .. } => visit(*operand),
            Self::Select { condition, left, right, .. } => {
                visit(*condition);
                visit(*left);
                visit(*right);
            }
            Self::Change { old, new, .. } => {
                visit(*old);
                visit(*new);
            }
            Self::Offset { base, indices, .. } => {
                visit(*base);
                indices.iter().for_each(|scaled| visit(scaled.index));
            }
            Self::Load { address, .. } => visit(*address),
            Self::Store { value, address } => {
                visit(*value);
                visit(*address);
            }
            Self::Alloca { count, .. } => count.iter().for_each(|count| visit(*count)),
            Self::Call { callee, arguments, .. } => {
                if let Callee::Indirect(address) = callee {
                    visit(*address);
                }
                arguments.iter().for_each(|argument| visit(argument.operand));
            }
            Self::Intrinsic { arguments, .. } => {
                arguments.iter().for_each(|argument| visit(*argument));
            }
        }
    }

    /// The registers that it assigns.
    pub fn destinations(&self) -> &[RegisterId] {
        match self {
            Self::Binary { destination, .. }
            | Self::Compare { destination, .. }
            | Self::FloatBinary { destination, .. }
            | Self::FloatNegate { destination, .. }
            | Self::FloatCompare { destination, .. }
            | Self::Cast { destination, .. }
            | Self::Select { destination, .. }
            | Self::Copy { destination, .. }
            | Self::Change { destination, .. }
            | Self::Offset { destination, .. }
            | Self::Load { destination, .. }
            | Self::Alloca { destination, .. } => std::slice::from_ref(destination),
            Self::Call { destinations, .. } | Self::Intrinsic { destinations, .. } => destinations,
            Self::Store { .. } => &[],
        }
    }

    /// Calls `visit` with every register that is assigned, in order.
    pub fn visit_destinations(&self, visit: &mut dyn FnMut(RegisterId)) {
        self.destinations().iter().for_each(|destination| visit(*destination));
    }
}

impl Terminator {
    /// Calls `visit` with every operand, those of the edges included.
    pub fn visit_operands(&self, visit: &mut dyn FnMut(Operand)) {
        match self {
            Self::Branch { condition, .. } => visit(*condition),
            Self::Switch { value, .. } => visit(*value),
            Self::Return(operands) => operands.iter().for_each(|operand| visit(*operand)),
            Self::Jump(_) | Self::Version { .. } | Self::Unreachable | Self::Unsupported(_) => {}
        }
        for edge in self.edges() {
            edge.arguments.iter().for_each(|argument| visit(*argument));
        }
    }
}
