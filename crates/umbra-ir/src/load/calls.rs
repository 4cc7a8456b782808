//! Calls of functions and of inline assembly that does nothing.

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

    /// Inline assembly without text does nothing, but may move operands to results: compilers' and
    /// programs' way to hide a value from the optimiser. Of real instructions only `cpuid` is
    /// known.
    fn inline_assembly(
        &mut self,
        value: Value<'m>,
        assembly: Value<'m>,
    ) -> Result<Leaves, Unsupported> {
        let (text, constraints) = assembly.inline_assembly().ok_or_else(malformed)?;
        let refuse = || match text.trim() {
            "" => Unsupported("inline assembly without text but with a result".into()),
            text => Unsupported(format!("inline assembly `{}`", text.escape_debug())),
        };
        let ty = value.ty().ok_or_else(malformed)?;
        if is_cpuid(&text) {
            // Our processor has no features to ask for, so programs take their portable way.
            let types = self.context.layout.leaves(ty)?;
            let zeros: Vec<Operand> = types.iter().map(|leaf| self.number(leaf.ty, 0)).collect();
            return Ok(zeros.into());
        }
        if !text.trim().is_empty() {
            return Err(refuse());
        }
        let types = self.context.layout.leaves(ty)?;
        let sources = tied_inputs(&constraints).ok_or_else(refuse)?;
        if sources.len() != types.len() {
            return Err(refuse());
        }
        let arguments = value.arguments();
        let mut results = Vec::with_capacity(sources.len());
        for (source, leaf) in sources.into_iter().zip(types.iter()) {
            let argument = *arguments.get(source).ok_or_else(refuse)?;
            if Self::scalar_type(argument)? != leaf.ty {
                return Err(refuse());
            }
            results.push(self.scalar(argument)?);
        }
        Ok(results.into())
    }
}

/// Whether assembly asks what the processor can do, and nothing else (compilers' headers keep a
/// register around it).
fn is_cpuid(text: &str) -> bool {
    let mut lines = text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
    text.contains("cpuid")
        && lines.all(|line| line == "cpuid" || (line.starts_with("xchg") && line.contains("%rbx")))
}

fn operands(registers: Vec<RegisterId>) -> Leaves {
    let operands: Vec<Operand> = registers.into_iter().map(Operand::Register).collect();
    operands.into()
}

/// For each result of inline assembly, the argument that is put into the same register; `None` if
/// a result comes from nowhere.
///
/// Constraints are outputs (`=r`), then inputs, then clobbers (`~{memory}`). An indirect output
/// (`=*m`) is no result but an argument, the address. An input that is a number is tied to that
/// output.
fn tied_inputs(constraints: &str) -> Option<Vec<usize>> {
    // By output: none for an indirect one, else the argument once found.
    let mut outputs: Vec<Option<Option<usize>>> = Vec::new();
    let mut arguments = 0;
    for constraint in constraints.split(',').filter(|text| !text.is_empty()) {
        if constraint.starts_with('~') || constraint.starts_with('!') {
            continue;
        }
        if let Some(output) = constraint.strip_prefix('=') {
            if output.trim_start_matches('&').starts_with('*') {
                outputs.push(None);
                arguments += 1;
            } else {
                outputs.push(Some(None));
            }
            continue;
        }
        if let Ok(tied) = constraint.parse::<usize>()
            && let Some(Some(source)) = outputs.get_mut(tied)
        {
            *source = Some(arguments);
        }
        arguments += 1;
    }
    outputs.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::tied_inputs;

    #[test]
    fn results_of_empty_assembly() {
        let memory = "~{memory},~{dirflag},~{fpsr},~{flags}";
        assert_eq!(tied_inputs(memory), Some(vec![]));
        assert_eq!(tied_inputs("=r,0,~{dirflag}"), Some(vec![0]));
        assert_eq!(tied_inputs("=r,=r,r,1,0"), Some(vec![2, 1]));
        assert_eq!(tied_inputs("=*m,=r,1,*m"), Some(vec![1]));
        assert_eq!(tied_inputs("=r,r"), None);
    }
}
