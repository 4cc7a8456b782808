//! The program that is being made, and how things of the old one get into it.

use std::collections::HashMap;

use umbra_ir::{
    Callee, Constant, ConstantId, ConstantValue, Field, FileId, Identity, Initializer, Location,
    LocationId, Operand, Operation, Program, RegisterId, Relocation, Scaled, SourceFile, Struct,
    StructId, Type,
};

use super::names::Names;

/// The program that is being made.
pub struct Target<'a> {
    pub program: Program,
    pub old: &'a Program,
    pub names: &'a Names,
    constants: HashMap<Constant, ConstantId>,
    locations: HashMap<Location, LocationId>,
    files: HashMap<SourceFile, FileId>,
    structs: HashMap<Struct, StructId>,
    old_locations: HashMap<LocationId, LocationId>,
}

impl<'a> Target<'a> {
    /// The new program, and room for what the old one has alone.
    pub fn new(old: &'a Program, new: &Program, names: &'a Names) -> Self {
        let program = new.clone();
        let constants = program.constants.iter().map(|(id, c)| (c.clone(), id)).collect();
        let locations = program.locations.iter().map(|(id, l)| (l.clone(), id)).collect();
        let files = program.files.iter().map(|(id, file)| (file.clone(), id)).collect();
        let structs = program.structs.iter().map(|(id, s)| (s.clone(), id)).collect();
        let old_locations = HashMap::new();
        Self { program, old, names, constants, locations, files, structs, old_locations }
    }

    /// A constant of the program that is being made.
    pub fn constant(&mut self, constant: Constant) -> ConstantId {
        let program = &mut self.program;
        *self
            .constants
            .entry(constant)
            .or_insert_with_key(|constant| program.constants.push(constant.clone()))
    }

    /// A number.
    pub fn number(&mut self, ty: Type, word: u64) -> Operand {
        Operand::Constant(self.constant(Constant { ty, value: ConstantValue::Word(word) }))
    }

    /// A value that nobody reads.
    pub fn undefined(&mut self, ty: Type) -> Operand {
        Operand::Constant(self.constant(Constant { ty, value: ConstantValue::Undefined }))
    }

    /// The constant that one of the old program is.
    pub fn old_constant(&mut self, old: ConstantId) -> ConstantId {
        let Constant { ty, value } = self.old.constants[old].clone();
        let value = match value {
            ConstantValue::Address { symbol, offset } => {
                ConstantValue::Address { symbol: self.names.symbol(symbol), offset }
            }
            value => value,
        };
        self.constant(Constant { ty, value })
    }

    /// The location that one of the old program is.
    pub fn old_location(&mut self, old: LocationId) -> LocationId {
        if let Some(&known) = self.old_locations.get(&old) {
            return known;
        }
        let location = self.old.locations[old].clone();
        let inlined_at = location.inlined_at.map(|at| self.old_location(at));
        let location = Location { file: self.old_file(location.file), inlined_at, ..location };
        let program = &mut self.program;
        let id = *self
            .locations
            .entry(location)
            .or_insert_with_key(|location| program.locations.push(location.clone()));
        self.old_locations.insert(old, id);
        id
    }

    fn old_file(&mut self, old: FileId) -> FileId {
        let program = &mut self.program;
        *self
            .files
            .entry(self.old.files[old].clone())
            .or_insert_with_key(|file| program.files.push(file.clone()))
    }

    fn old_field(&mut self, field: Field) -> Field {
        let program = &mut self.program;
        let of = *self
            .structs
            .entry(self.old.structs[field.of].clone())
            .or_insert_with_key(|definition| program.structs.push(definition.clone()));
        Field { of, ..field }
    }

    /// The identity of a symbol of the old program.
    pub fn old_identity(&mut self, old: Option<&Identity>) -> Option<Identity> {
        let identity = old?.clone();
        Some(Identity {
            file: self.old_file(identity.file),
            unit: self.old_file(identity.unit),
            ..identity
        })
    }

    /// The first contents of a global of the old program.
    pub fn old_initializer(&self, old: &Initializer) -> Initializer {
        match old {
            Initializer::Data { bytes, relocations } => {
                let relocations = relocations
                    .iter()
                    .map(|r| Relocation { symbol: self.names.symbol(r.symbol), ..r.clone() });
                Initializer::Data { bytes: bytes.clone(), relocations: relocations.collect() }
            }
            other => other.clone(),
        }
    }

    /// An operation of the old program, its registers renamed. Calls keep the order of their
    /// arguments.
    pub fn old_operation(
        &mut self,
        old: &Operation,
        register: &dyn Fn(RegisterId) -> RegisterId,
    ) -> Operation {
        let mut operation = old.clone();
        rename(&mut operation, register, &mut |constant| self.old_constant(constant));
        match &mut operation {
            Operation::Call { callee: Callee::Direct(callee), .. } => {
                *callee = self.names.function(*callee);
            }
            Operation::Offset { field: Some(field), .. } => *field = self.old_field(*field),
            _ => {}
        }
        operation
    }
}

/// Renames all registers and constants of an operation.
pub fn rename(
    operation: &mut Operation,
    register: &dyn Fn(RegisterId) -> RegisterId,
    constant: &mut dyn FnMut(ConstantId) -> ConstantId,
) {
    map_operands(operation, &mut |operand| match operand {
        Operand::Register(id) => Operand::Register(register(id)),
        Operand::Constant(id) => Operand::Constant(constant(id)),
    });
    map_destinations(operation, &mut |id| register(id));
}

/// Replaces all operands of an operation.
pub fn map_operands(operation: &mut Operation, map: &mut dyn FnMut(Operand) -> Operand) {
    let mut change = |operand: &mut Operand| *operand = map(*operand);
    match operation {
        Operation::Binary { left, right, .. }
        | Operation::Compare { left, right, .. }
        | Operation::FloatBinary { left, right, .. }
        | Operation::FloatCompare { left, right, .. } => {
            change(left);
            change(right);
        }
        Operation::FloatNegate { operand, .. }
        | Operation::Cast { operand, .. }
        | Operation::Copy { operand, .. } => change(operand),
        Operation::Select { condition, left, right, .. } => {
            change(condition);
            change(left);
            change(right);
        }
        Operation::Change { old, new, .. } => {
            change(old);
            change(new);
        }
        Operation::Offset { base, indices, .. } => {
            change(base);
            indices.iter_mut().for_each(|Scaled { index, .. }| change(index));
        }
        Operation::Load { address, .. } => change(address),
        Operation::Store { value, address } => {
            change(value);
            change(address);
        }
        Operation::Alloca { count, .. } => count.iter_mut().for_each(change),
        Operation::Call { callee, arguments, .. } => {
            if let Callee::Indirect(address) = callee {
                change(address);
            }
            arguments.iter_mut().for_each(|argument| change(&mut argument.operand));
        }
        Operation::Intrinsic { arguments, .. } => arguments.iter_mut().for_each(change),
    }
}

/// Replaces all registers that an operation assigns.
pub fn map_destinations(operation: &mut Operation, map: &mut dyn FnMut(RegisterId) -> RegisterId) {
    match operation {
        Operation::Binary { destination, .. }
        | Operation::Compare { destination, .. }
        | Operation::FloatBinary { destination, .. }
        | Operation::FloatNegate { destination, .. }
        | Operation::FloatCompare { destination, .. }
        | Operation::Cast { destination, .. }
        | Operation::Select { destination, .. }
        | Operation::Copy { destination, .. }
        | Operation::Change { destination, .. }
        | Operation::Offset { destination, .. }
        | Operation::Load { destination, .. }
        | Operation::Alloca { destination, .. } => *destination = map(*destination),
        Operation::Call { destinations, .. } | Operation::Intrinsic { destinations, .. } => {
            destinations.iter_mut().for_each(|destination| *destination = map(*destination));
        }
        Operation::Store { .. } => {}
    }
}
