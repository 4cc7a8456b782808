//! Checks of one function's code.

use umbra_words::Version;

use super::{Errors, intrinsics, sound_by_value, sound_type};
use crate::constant::ConstantValue;
use crate::dominance::Dominators;
use crate::id::{BlockId, Id, LocationId, RegisterId, Table};
use crate::instruction::{Callee, CastOp, Edge, Operand, Operation, Terminator};
use crate::program::{Body, Function, Program};
use crate::types::Type;

/// Where a register is assigned: block and index of the instruction, counted from one; zero for a
/// block's parameter.
type Assignment = Option<(BlockId, usize)>;

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    body: &'a Body,
    errors: &'a mut Errors,
}

/// Checks a body whose program's tables are sound.
pub(super) fn verify(program: &Program, function: &Function, body: &Body, errors: &mut Errors) {
    let before = errors.list.len();
    let mut checker = Checker { program, function, body, errors };
    checker.ids();
    // Types and dominance are looked up by id.
    if checker.errors.list.len() > before {
        return;
    }
    checker.types();
    checker.dominance();
    checker.presence();
}

impl Checker<'_> {
    /// All ids are in range, and there is an entry block.
    fn ids(&mut self) {
        let body = self.body;
        let types = body.registers.values();
        self.errors.check(types.copied().all(sound_type), || "a register has no bits".into());
        let Some(entry) = body.blocks.values().next() else {
            self.errors.check(false, || "there is no block".into());
            return;
        };
        for (id, block) in body.blocks.iter() {
            self.errors.block = Some(id);
            let mut registers = block.parameters.clone();
            let mut operands = Vec::new();
            let mut locations = vec![block.location, block.old_location];
            for instruction in &block.instructions {
                locations.extend([instruction.location, instruction.old_location]);
                if let Operation::Offset { field: Some(field), .. } = instruction.operation {
                    let fields = self.program.structs.get(field.of).map(|of| of.offsets.len());
                    let known = fields.is_some_and(|fields| (field.index as usize) < fields);
                    self.errors.check(known, || "an offset leads to no field".into());
                }
                registers.extend(instruction.operation.destinations());
                instruction.operation.visit_operands(&mut |operand| operands.push(operand));
                if let Operation::Call { callee: Callee::Direct(callee), .. } =
                    instruction.operation
                {
                    self.errors.check(self.program.functions.get(callee).is_some(), || {
                        format!("calls {callee}, which is no function")
                    });
                }
            }
            block.terminator.visit_operands(&mut |operand| operands.push(operand));
            if let Terminator::Switch { cases, .. } = &block.terminator {
                operands.extend(cases.iter().map(|&(case, _)| Operand::Constant(case)));
            }
            for edge in block.terminator.edges() {
                self.errors.check(
                    edge.block.index() != 0 && body.blocks.get(edge.block).is_some(),
                    || format!("leads to {}, which is no block or the entry", edge.block),
                );
            }
            for operand in operands {
                match operand {
                    Operand::Register(register) => registers.push(register),
                    Operand::Constant(constant) => {
                        let known = self.program.constants.get(constant).is_some();
                        self.errors.check(known, || format!("{constant} is no constant"));
                    }
                }
            }
            for register in registers {
                self.errors.check(body.registers.get(register).is_some(), || {
                    format!("{register} is no register")
                });
            }
            let known = |id: &LocationId| self.program.locations.get(*id).is_some();
            self.errors.check(locations.iter().flatten().all(known), || {
                "a location is not in the table".into()
            });
        }
        self.errors.block = None;
        let parameters = entry.parameters.iter().map(|&r| body.registers.get(r).copied());
        let agree = parameters.eq(self.function.parameters.iter().map(|&ty| Some(ty)));
        self.errors.check(agree, || "the entry's parameters are not the function's".into());
    }

    fn ty(&self, operand: Operand) -> Type {
        self.program.type_of(self.body, operand)
    }

    fn types(&mut self) {
        for (id, block) in self.body.blocks.iter() {
            self.errors.block = Some(id);
            for (index, instruction) in block.instructions.iter().enumerate() {
                let sound = self.sound_operation(&instruction.operation);
                self.errors.check(sound, || {
                    format!(
                        "instruction {index} has operands of wrong types: {:?}",
                        instruction.operation
                    )
                });
            }
            let sound = self.sound_terminator(&block.terminator);
            self.errors.check(sound, || {
                format!("ends with operands of wrong types: {:?}", block.terminator)
            });
        }
    }

    fn sound_operation(&self, operation: &Operation) -> bool {
        let register = |id: RegisterId| self.body.registers[id];
        let is_float = |ty: Type| matches!(ty, Type::Float(_));
        let is_integer = |ty: Type| matches!(ty, Type::Integer(_));
        let is_address = |operand: Operand| self.ty(operand) == Type::Pointer;
        match operation {
            Operation::Binary { destination, left, right, .. } => {
                let ty = register(*destination);
                let alike = |other: Type| !is_float(other) && other.bits() == ty.bits();
                alike(ty) && alike(self.ty(*left)) && alike(self.ty(*right))
            }
            Operation::Compare { destination, left, right, .. } => {
                let (left, right) = (self.ty(*left), self.ty(*right));
                register(*destination) == Type::BOOL
                    && left.bits() == right.bits()
                    && !is_float(left)
                    && !is_float(right)
            }
            Operation::FloatBinary { destination, left, right, .. } => {
                let ty = register(*destination);
                is_float(ty) && self.ty(*left) == ty && self.ty(*right) == ty
            }
            Operation::FloatNegate { destination, operand } => {
                is_float(register(*destination)) && self.ty(*operand) == register(*destination)
            }
            Operation::FloatCompare { destination, left, right, .. } => {
                let ty = self.ty(*left);
                register(*destination) == Type::BOOL && is_float(ty) && self.ty(*right) == ty
            }
            Operation::Cast { destination, op, operand } => {
                sound_cast(*op, self.ty(*operand), register(*destination))
            }
            Operation::Select { destination, condition, left, right } => {
                let ty = register(*destination);
                self.ty(*condition) == Type::BOOL && self.ty(*left) == ty && self.ty(*right) == ty
            }
            Operation::Copy { destination, operand } => self.ty(*operand) == register(*destination),
            Operation::Change { destination, old, new } => {
                let ty = register(*destination);
                self.ty(*old) == ty && self.ty(*new) == ty
            }
            Operation::Offset { destination, base, indices, .. } => {
                register(*destination) == Type::Pointer
                    && is_address(*base)
                    && indices.iter().all(|scaled| is_integer(self.ty(scaled.index)))
            }
            Operation::Load { address, .. } | Operation::Store { address, .. } => {
                is_address(*address)
            }
            Operation::Alloca { destination, count, align, .. } => {
                register(*destination) == Type::Pointer
                    && count.is_none_or(|count| is_integer(self.ty(count)))
                    && align.is_power_of_two()
            }
            Operation::Call { callee, arguments, .. } => {
                let callee = match callee {
                    Callee::Direct(_) => true,
                    Callee::Indirect(operand) => is_address(*operand),
                };
                callee
                    && arguments.iter().all(|argument| {
                        argument.by_value.is_none_or(|by_value| {
                            is_address(argument.operand) && sound_by_value(by_value)
                        })
                    })
            }
            Operation::Intrinsic { destinations, intrinsic, arguments } => {
                let arguments: Vec<Type> = arguments.iter().map(|&a| self.ty(a)).collect();
                let results: Vec<Type> = destinations.iter().map(|&d| register(d)).collect();
                intrinsics::accepts(*intrinsic, &arguments, &results)
            }
        }
    }

    fn sound_terminator(&self, terminator: &Terminator) -> bool {
        let sound_edge = |edge: &Edge| {
            let parameters = self.body.blocks[edge.block].parameters.iter();
            let wanted = parameters.map(|&register| self.body.registers[register]);
            edge.arguments.iter().map(|&a| self.ty(a)).eq(wanted)
        };
        let operands = match terminator {
            Terminator::Branch { condition, .. } => self.ty(*condition) == Type::BOOL,
            Terminator::Switch { value, cases, .. } => cases.iter().all(|&(case, _)| {
                let constant = &self.program.constants[case];
                constant.ty == self.ty(*value)
                    && matches!(constant.value, ConstantValue::Word(_) | ConstantValue::Words(_))
            }),
            Terminator::Return(results) => {
                let results = results.iter().map(|&result| self.ty(result));
                results.eq(self.function.results.iter().copied())
            }
            Terminator::Jump(_)
            | Terminator::Version { .. }
            | Terminator::Unreachable
            | Terminator::Unsupported(_) => true,
        };
        operands && terminator.edges().into_iter().all(sound_edge)
    }

    fn dominance(&mut self) {
        let assignments = self.assignments();
        let dominators = Dominators::of(self.body);
        for (id, block) in self.body.blocks.iter() {
            if !dominators.reached(id) {
                continue;
            }
            self.errors.block = Some(id);
            let mut check = |operand: Operand, place: usize| {
                let Operand::Register(register) = operand else {
                    return;
                };
                let assigned = assignments[register].is_some_and(|(block, at)| {
                    if block == id { at < place } else { dominators.dominates(block, id) }
                });
                self.errors
                    .check(assigned, || format!("{register} is read where it may not be assigned"));
            };
            for (index, instruction) in block.instructions.iter().enumerate() {
                instruction.operation.visit_operands(&mut |operand| check(operand, index + 1));
            }
            block.terminator.visit_operands(&mut |operand| check(operand, usize::MAX));
        }
    }

    /// Blocks are in the versions that reach them.
    fn presence(&mut self) {
        let reached = Version::BOTH.map(|side| (side, self.body.reached_by(side)));
        for (id, block) in self.body.blocks.iter() {
            self.errors.block = Some(id);
            let reaches = |(_, reached): &(Version, Vec<bool>)| reached[id.index()];
            if !reached.iter().any(reaches) {
                continue;
            }
            let agrees = reached.iter().all(|of| reaches(of) == block.presence.has(of.0));
            self.errors.check(agrees, || "is not in the versions that reach it".into());
        }
    }

    fn assignments(&mut self) -> Table<RegisterId, Assignment> {
        let mut assignments: Table<RegisterId, Assignment> =
            self.body.registers.values().map(|_| None).collect();
        for (id, block) in self.body.blocks.iter() {
            self.errors.block = Some(id);
            let parameters = block.parameters.iter().map(|&register| (register, 0));
            let instructions = block.instructions.iter().zip(1..);
            let destinations = instructions.flat_map(|(instruction, place)| {
                let destinations = instruction.operation.destinations().to_vec();
                destinations.into_iter().map(move |register| (register, place))
            });
            for (register, place) in parameters.chain(destinations) {
                let before = assignments[register].replace((id, place));
                self.errors.check(before.is_none(), || format!("{register} is assigned twice"));
            }
        }
        assignments
    }
}

fn sound_cast(op: CastOp, from: Type, to: Type) -> bool {
    let whole = |ty: Type| !matches!(ty, Type::Float(_));
    let float = |ty: Type| matches!(ty, Type::Float(_));
    let integer = |ty: Type| matches!(ty, Type::Integer(_));
    match op {
        CastOp::Trunc => whole(from) && whole(to) && from.bits() >= to.bits(),
        CastOp::ZExt => whole(from) && whole(to) && from.bits() <= to.bits(),
        CastOp::SExt => integer(from) && integer(to) && from.bits() <= to.bits(),
        CastOp::Bitcast => from.bits() == to.bits(),
        CastOp::FpToUi | CastOp::FpToSi => float(from) && integer(to),
        CastOp::UiToFp | CastOp::SiToFp => integer(from) && float(to),
        CastOp::FpExt => float(from) && float(to) && from.bits() < to.bits(),
        CastOp::FpTrunc => float(from) && float(to) && from.bits() > to.bits(),
    }
}
