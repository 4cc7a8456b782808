//! Functions and their control flow.
//!
//! Blocks are translated as they are reached from the entry, so a definition, which dominates its
//! uses, is always met before them; what no edge reaches is left out. Phis become parameters of
//! their block, and what they take from a predecessor is evaluated at its end.

use std::collections::HashMap;
use std::mem;

use super::layout::Layout;
use super::{Context, Unsupported};
use crate::constant::ConstantValue;
use crate::id::{BlockId, FunctionId, Id, LocationId, RegisterId, Table};
use crate::instruction::{ByValue, Edge, Instruction, Operand, Operation, Terminator};
use crate::llvm::{Block as LlvmBlock, Kind, Opcode, Type as LlvmType, TypeKind, Value};
use crate::program::{Block, Body, Presence};
use crate::types::Type;

/// The scalars that stand for a value.
#[derive(Clone, Debug)]
pub(super) enum Leaves {
    /// The common case.
    One(Operand),
    /// An aggregate, or nothing.
    Many(Vec<Operand>),
}

impl Leaves {
    pub(super) const NONE: Self = Self::Many(Vec::new());

    pub(super) fn as_slice(&self) -> &[Operand] {
        match self {
            Self::One(operand) => std::slice::from_ref(operand),
            Self::Many(operands) => operands,
        }
    }
}

impl From<Operand> for Leaves {
    fn from(operand: Operand) -> Self {
        Self::One(operand)
    }
}

impl From<RegisterId> for Leaves {
    fn from(register: RegisterId) -> Self {
        Self::One(Operand::Register(register))
    }
}

impl From<Vec<Operand>> for Leaves {
    fn from(operands: Vec<Operand>) -> Self {
        match operands[..] {
            [operand] => Self::One(operand),
            _ => Self::Many(operands),
        }
    }
}

/// A phi that became parameters of its block.
struct Phi<'m> {
    value: Value<'m>,
    registers: Vec<RegisterId>,
    incoming: HashMap<LlvmBlock<'m>, Value<'m>>,
}

/// The phis of a block that was reached.
struct Phis<'m> {
    phis: Vec<Phi<'m>>,
    /// A phi that cannot be expressed: neither can what follows it.
    unsupported: Option<Unsupported>,
}

/// The translation of one function.
pub(super) struct FunctionLoader<'a, 'm> {
    pub(super) context: &'a mut Context<'m>,
    pub(super) function: Value<'m>,
    name: String,
    registers: Table<RegisterId, Type>,
    /// What each value that was met stands for.
    pub(super) values: HashMap<Value<'m>, Leaves>,
    /// The blocks by their place in LLVM's list; those that were not reached are `None`.
    blocks: Vec<Option<Block>>,
    block_indices: HashMap<LlvmBlock<'m>, usize>,
    phis: HashMap<usize, Phis<'m>>,
    /// Blocks that were reached and not translated yet.
    pending: Vec<usize>,
    /// The block being translated.
    current: Option<LlvmBlock<'m>>,
    instructions: Vec<Instruction>,
    pub(super) location: Option<LocationId>,
    /// Names of variables, by the register that holds their address.
    pub(super) variables: HashMap<RegisterId, String>,
}

impl<'m> Context<'m> {
    /// Fills in a function's signature and body.
    pub(super) fn define_function(&mut self, id: FunctionId, value: Value<'m>) {
        let mut problem = None;
        let mut registers = Table::new();
        let mut values = HashMap::new();
        let mut parameters = Vec::new();
        let mut by_value = Vec::new();
        for (index, parameter) in value.parameters().into_iter().enumerate() {
            let leaves = match parameter.ty().map(|ty| self.layout.leaves(ty)) {
                Some(Ok(leaves)) => leaves,
                Some(Err(unsupported)) => {
                    problem = Some(unsupported);
                    continue;
                }
                None => continue,
            };
            if let Some((ty, align)) = value.parameter_by_value(index as u32) {
                match self.by_value(ty, align) {
                    Ok(copy) => by_value.push((parameters.len() as u32, copy)),
                    Err(unsupported) => problem = Some(unsupported),
                }
            }
            let operands: Vec<Operand> =
                leaves.iter().map(|leaf| Operand::Register(registers.push(leaf.ty))).collect();
            parameters.extend(leaves.iter().map(|leaf| leaf.ty));
            values.insert(parameter, Leaves::from(operands));
        }
        let results = value.value_type().and_then(LlvmType::result);
        let results = match results.map(|ty| self.layout.leaves(ty)) {
            Some(Ok(leaves)) => leaves.iter().map(|leaf| leaf.ty).collect(),
            Some(Err(unsupported)) => {
                problem = Some(unsupported);
                Vec::new()
            }
            None => Vec::new(),
        };

        let function = &mut self.program.functions[id];
        function.parameters = parameters;
        function.by_value = by_value;
        function.results = results;
        let name = function.name.clone();
        if value.is_declaration() {
            return;
        }
        let loader = FunctionLoader::new(self, name, value, registers, values);
        let body = match problem {
            Some(unsupported) => loader.unsupported_body(value, &unsupported),
            None => loader.body(value),
        };
        self.program.functions[id].body = Some(body);
    }

    /// Size and alignment of an object passed by value.
    pub(super) fn by_value(
        &mut self,
        ty: LlvmType<'m>,
        align: Option<u32>,
    ) -> Result<ByValue, Unsupported> {
        let layout = self.layout.of(ty)?;
        Ok(ByValue {
            size: layout.size,
            // Stack slots are eight bytes apart.
            align: align.unwrap_or(layout.align).max(8),
        })
    }
}

impl<'a, 'm> FunctionLoader<'a, 'm> {
    fn new(
        context: &'a mut Context<'m>,
        name: String,
        function: Value<'m>,
        registers: Table<RegisterId, Type>,
        values: HashMap<Value<'m>, Leaves>,
    ) -> Self {
        let blocks = function.blocks();
        Self {
            context,
            function,
            name,
            registers,
            values,
            blocks: blocks.iter().map(|_| None).collect(),
            block_indices: blocks.iter().copied().zip(0..).collect(),
            phis: HashMap::new(),
            pending: Vec::new(),
            current: None,
            instructions: Vec::new(),
            location: None,
            variables: HashMap::new(),
        }
    }

    fn unsupported_body(mut self, function: Value<'m>, unsupported: &Unsupported) -> Body {
        self.context.kept.push(function.blocks().into_iter().take(1).map(Some).collect());
        let parameters = self.registers.ids().collect();
        let terminator = self.unsupported(unsupported);
        let mut blocks = Table::new();
        blocks.push(Block {
            presence: Presence::Strong,
            parameters,
            instructions: Vec::new(),
            terminator,
            location: None,
            old_location: None,
            weight: 1,
        });
        Body { registers: mem::take(&mut self.registers), blocks }
    }

    fn body(mut self, function: Value<'m>) -> Body {
        let entry_parameters: Vec<RegisterId> = self.registers.ids().collect();
        let llvm_blocks = function.blocks();
        self.pending.push(0);
        self.phis.insert(0, Phis { phis: Vec::new(), unsupported: None });
        while let Some(index) = self.pending.pop() {
            let mut block = self.block(index, llvm_blocks[index]);
            if index == 0 {
                block.parameters.clone_from(&entry_parameters);
            }
            self.blocks[index] = Some(block);
        }
        // Blocks that we made come after LLVM's.
        let llvm_blocks = llvm_blocks.into_iter().map(Some).chain(std::iter::repeat(None));
        let kept = llvm_blocks.zip(&self.blocks).filter(|(_, block)| block.is_some());
        self.context.kept.push(kept.map(|(llvm, _)| llvm).collect());
        self.finish()
    }

    /// Leaves out the blocks that were not reached, and numbers the others in LLVM's order.
    fn finish(mut self) -> Body {
        let mut ids = vec![BlockId::from_index(0); self.blocks.len()];
        let mut next = 0;
        for (id, block) in ids.iter_mut().zip(&self.blocks) {
            *id = BlockId::from_index(next);
            next += usize::from(block.is_some());
        }
        let mut blocks: Table<BlockId, Block> = self.blocks.into_iter().flatten().collect();
        for (_, block) in blocks.iter_mut() {
            for edge in block.terminator.edges_mut() {
                edge.block = ids[edge.block.index()];
            }
            for instruction in &mut block.instructions {
                if let Operation::Alloca { destination, name, .. } = &mut instruction.operation
                    && let Some(variable) = self.variables.remove(destination)
                {
                    *name = variable;
                }
            }
        }
        Body { registers: self.registers, blocks }
    }

    fn block(&mut self, index: usize, llvm: LlvmBlock<'m>) -> Block {
        self.current = Some(llvm);
        self.instructions = Vec::new();
        let mut parameters = Vec::new();
        let mut terminator = None;
        if let Some(phis) = self.phis.get_mut(&index) {
            for phi in &phis.phis {
                parameters.extend(&phi.registers);
                let operands: Vec<_> =
                    phi.registers.iter().map(|&r| Operand::Register(r)).collect();
                self.values.insert(phi.value, operands.into());
            }
            if let Some(unsupported) = phis.unsupported.take() {
                terminator = Some(self.unsupported(&unsupported));
            }
        }
        let mut weight = 0;
        let mut end = None;
        for instruction in llvm.instructions() {
            if self.is_debug_call(instruction) {
                continue;
            }
            weight += 1;
            if terminator.is_some() {
                continue;
            }
            self.location = self.context.location_of(instruction);
            end = self.location;
            match self.instruction(instruction) {
                Ok(None) => {}
                Ok(Some(last)) => terminator = Some(last),
                Err(unsupported) => terminator = Some(self.unsupported(&unsupported)),
            }
        }
        Block {
            presence: Presence::Strong,
            parameters,
            instructions: mem::take(&mut self.instructions),
            terminator: terminator.unwrap_or_else(|| {
                self.unsupported(&Unsupported("a block without terminator".into()))
            }),
            location: end,
            old_location: None,
            weight,
        }
    }

    /// Calls that only describe variables; they are read for the names and count as nothing.
    fn is_debug_call(&mut self, instruction: Value<'m>) -> bool {
        if instruction.opcode() != Some(Opcode::LLVMCall) {
            return false;
        }
        let callee = instruction.called_value();
        let Some(name) = callee.and_then(|callee| self.context.intrinsics.get(&callee)) else {
            return false;
        };
        if !name.starts_with("dbg.") {
            return false;
        }
        if &**name == "dbg.declare"
            && let Some((address, variable)) = self.context.declared_variable(instruction)
            && let Some(Leaves::One(Operand::Register(register))) = self.values.get(&address)
        {
            self.variables.insert(*register, variable);
        }
        true
    }

    fn unsupported(&self, Unsupported(reason): &Unsupported) -> Terminator {
        Terminator::Unsupported(format!("{reason} in function `{}`", self.name))
    }

    /// A new register.
    pub(super) fn define(&mut self, ty: Type) -> RegisterId {
        self.registers.push(ty)
    }

    /// Appends an instruction to the block.
    pub(super) fn emit(&mut self, operation: Operation) {
        self.instructions.push(Instruction::new(operation, self.location));
    }

    /// A number.
    pub(super) fn number(&mut self, ty: Type, word: u64) -> Operand {
        self.context.intern(ty, super::constants::number(ty, &[word]))
    }

    /// The register type of a scalar value.
    pub(super) fn scalar_type(value: Value<'m>) -> Result<Type, Unsupported> {
        let ty = value.ty().ok_or_else(|| Unsupported("a value without type".into()))?;
        Layout::scalar(ty)
    }

    /// The operand for a scalar value.
    pub(super) fn scalar(&mut self, value: Value<'m>) -> Result<Operand, Unsupported> {
        if let Some(leaves) = self.values.get(&value) {
            return match leaves.as_slice() {
                &[operand] => Ok(operand),
                // The type says better what is wrong.
                _ => Err(Self::scalar_type(value)
                    .err()
                    .unwrap_or_else(|| Unsupported("aggregate where a scalar is expected".into()))),
            };
        }
        if let Some(&known) = self.context.scalars.get(&value) {
            return Ok(known);
        }
        if !value.is_constant() {
            return Err(Unsupported("a value used before its definition".into()));
        }
        let ty = Self::scalar_type(value)?;
        match self.context.fold(value, ty)? {
            Some(constant) => {
                let operand = self.context.intern(ty, constant);
                self.context.scalars.insert(value, operand);
                Ok(operand)
            }
            // An expression that is no constant of ours: computed here, at each use.
            None => match self.compute(value)? {
                Some(Leaves::One(operand)) => Ok(operand),
                _ => Err(Unsupported("a constant expression of a rare kind".into())),
            },
        }
    }

    /// The type and value of a scalar constant, without making it an operand of the program.
    pub(super) fn constant(
        &mut self,
        value: Value<'m>,
    ) -> Result<Option<(Type, ConstantValue)>, Unsupported> {
        if !value.is_constant() {
            return Ok(None);
        }
        let ty = Self::scalar_type(value)?;
        let folded = self.context.fold(value, ty)?;
        Ok(folded.map(|folded| (ty, folded)))
    }

    /// The operand of an instruction, a scalar.
    pub(super) fn operand(&mut self, value: Value<'m>, index: u32) -> Result<Operand, Unsupported> {
        let operand = value
            .operand(index)
            .ok_or_else(|| Unsupported("an instruction without operands".into()))?;
        self.scalar(operand)
    }

    /// The scalars of any value.
    pub(super) fn leaves(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        if let Some(leaves) = self.values.get(&value) {
            return Ok(leaves.clone());
        }
        let ty = value.ty().ok_or_else(|| Unsupported("a value without type".into()))?;
        let composed =
            matches!(ty.kind(), TypeKind::Struct | TypeKind::Array(..) | TypeKind::Vector(..));
        if !composed {
            return self.scalar(value).map(Leaves::One);
        }
        if !value.is_constant() {
            return Err(Unsupported("a value used before its definition".into()));
        }
        // Also refuses what would be too many.
        let types = self.context.layout.leaves(ty)?;
        let mut operands = Vec::with_capacity(types.len());
        match value.kind() {
            Kind::Undefined => {
                for leaf in types.iter() {
                    operands.push(self.context.intern(leaf.ty, ConstantValue::Undefined));
                }
            }
            Kind::Zero => {
                for leaf in types.iter() {
                    operands.push(self.number(leaf.ty, 0));
                }
            }
            _ => {
                for index in 0.. {
                    let Some(element) = value.element(index) else {
                        break;
                    };
                    operands.extend_from_slice(self.leaves(element)?.as_slice());
                }
                if operands.len() != types.len() {
                    return Err(Unsupported("an aggregate constant of a rare kind".into()));
                }
            }
        }
        Ok(operands.into())
    }

    /// The edge to a block, which is now reached, from the one being translated.
    pub(super) fn edge(&mut self, target: LlvmBlock<'m>) -> Result<Edge, Unsupported> {
        let Some(&index) = self.block_indices.get(&target) else {
            return Err(Unsupported("a jump out of the function".into()));
        };
        if !self.phis.contains_key(&index) {
            let phis = self.read_phis(target);
            self.phis.insert(index, phis);
            self.pending.push(index);
        }
        let block = BlockId::from_index(index);
        match self.edge_arguments(index) {
            Ok(arguments) => Ok(Edge { block, arguments }),
            // Only this edge is bad: it leads to a block that says so.
            Err(unsupported) => {
                let terminator = self.unsupported(&unsupported);
                Ok(self.made_block(terminator))
            }
        }
    }

    /// The edge to a block that LLVM does not have, which only ends.
    pub(super) fn made_block(&mut self, terminator: Terminator) -> Edge {
        self.blocks.push(Some(Block {
            presence: Presence::Strong,
            parameters: Vec::new(),
            instructions: Vec::new(),
            terminator,
            location: self.location,
            old_location: None,
            weight: 0,
        }));
        Edge { block: BlockId::from_index(self.blocks.len() - 1), arguments: Vec::new() }
    }

    fn read_phis(&mut self, block: LlvmBlock<'m>) -> Phis<'m> {
        let mut phis = Vec::new();
        let mut unsupported = None;
        for value in block.instructions() {
            if value.opcode() != Some(Opcode::LLVMPHI) {
                break;
            }
            let Some(ty) = value.ty() else {
                break;
            };
            match self.context.layout.leaves(ty) {
                Ok(leaves) => phis.push(Phi {
                    value,
                    registers: leaves.iter().map(|leaf| self.define(leaf.ty)).collect(),
                    incoming: value.incoming().into_iter().collect(),
                }),
                Err(problem) => unsupported = Some(problem),
            }
        }
        Phis { phis, unsupported }
    }

    fn edge_arguments(&mut self, index: usize) -> Result<Vec<Operand>, Unsupported> {
        let count = self.phis.get(&index).map_or(0, |phis| phis.phis.len());
        let mut arguments = Vec::new();
        for position in 0..count {
            let phi = &self.phis[&index].phis[position];
            let incoming = self
                .current
                .and_then(|block| phi.incoming.get(&block).copied())
                .ok_or_else(|| Unsupported("a phi without a value for an edge".into()))?;
            arguments.extend_from_slice(self.leaves(incoming)?.as_slice());
        }
        Ok(arguments)
    }
}
