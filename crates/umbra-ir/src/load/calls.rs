//! Calls of functions.

use super::Unsupported;
use super::functions::{FunctionLoader, Leaves};
use crate::constant::{ConstantValue, Symbol};
use crate::id::{FunctionId, RegisterId};
use crate::instruction::{Argument, Callee, Operand, Operation};
use crate::llvm::{Kind, Type as LlvmType, TypeKind, Value};

fn malformed() -> Unsupported {
    Unsupported("a malformed call".into())
}

impl<'m> FunctionLoader<'_, 'm> {
    pub(super) fn call(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let called = value.called_value().ok_or_else(malformed)?;
        if called.kind() == Kind::InlineAssembly {
            return self.inline_assembly(value, called);
        }
        if let Some(name) = self.context.intrinsics.get(&called) {
            let name = name.clone();
            return self.intrinsic(value, &name);
        }
        let callee = match self.constant(called)? {
            Some((_, ConstantValue::Address { symbol: Symbol::Function(function), offset: 0 })) => {
                Callee::Direct(function)
            }
            _ => Callee::Indirect(self.scalar(called)?),
        };
        let mut arguments = Vec::new();
        for (index, argument) in value.arguments().into_iter().enumerate() {
            if let Some((ty, align)) = value.argument_by_value(index as u32) {
                arguments.push(Argument {
                    operand: self.scalar(argument)?,
                    by_value: Some(self.context.by_value(ty, align)?),
                });
                continue;
            }
            let vector = argument.ty().is_some_and(|ty| matches!(ty.kind(), TypeKind::Vector(..)));
            if vector && value.called_type().is_some_and(LlvmType::variadic) {
                return Err(Unsupported("vector type as a variable argument".into()));
            }
            let leaves = self.leaves(argument)?;
            arguments.extend(
                leaves.as_slice().iter().map(|&operand| Argument { operand, by_value: None }),
            );
        }
        // The result is what the call says it is, whatever the callee's definition says.
        let destinations = self.results(value)?;
        self.emit(Operation::Call { destinations: destinations.clone(), callee, arguments });
        Ok(operands(destinations))
    }

    /// Appends a call of a function with scalar arguments, such as an intrinsic stands for.
    pub(super) fn call_function(
        &mut self,
        value: Value<'m>,
        function: FunctionId,
        arguments: Vec<Operand>,
    ) -> Result<Leaves, Unsupported> {
        let destinations = self.results(value)?;
        let arguments = arguments.into_iter().map(|operand| Argument { operand, by_value: None });
        self.emit(Operation::Call {
            destinations: destinations.clone(),
            callee: Callee::Direct(function),
            arguments: arguments.collect(),
        });
        Ok(operands(destinations))
    }

    /// New registers for what a call returns.
    pub(super) fn results(&mut self, value: Value<'m>) -> Result<Vec<RegisterId>, Unsupported> {
        let ty = value.ty().ok_or_else(malformed)?;
        let leaves = self.context.layout.leaves(ty)?;
        Ok(leaves.iter().map(|leaf| self.define(leaf.ty)).collect())
    }
}

fn operands(registers: Vec<RegisterId>) -> Leaves {
    let operands: Vec<Operand> = registers.into_iter().map(Operand::Register).collect();
    operands.into()
}
