//! Formulas backwards over the instructions of a function.

use umbra_ir::{
    BinaryOp, Body, CastOp, ConstantValue, Edge, FunctionId, GlobalId, Id, Initializer, Intrinsic,
    Operand, Operation, Predicate, Program, RegisterId, Symbol, Terminator, Type,
};

use super::formula::{Base, Formula, Source, Variable};
use super::values::{Values, mask};
use crate::effects::{Bytes, Effects};

/// What is needed to take a formula backwards in a function.
pub(crate) struct Backward<'a> {
    pub program: &'a Program,
    pub effects: &'a Effects<'a>,
    pub function: FunctionId,
    pub body: &'a Body,
    /// The operation that assigns each register, if one does.
    pub definitions: Vec<Option<&'a Operation>>,
}

impl<'a> Backward<'a> {
    pub fn new(
        program: &'a Program,
        effects: &'a Effects<'a>,
        function: FunctionId,
        body: &'a Body,
    ) -> Self {
        let mut definitions = vec![None; body.registers.len()];
        for block in body.blocks.values() {
            for instruction in &block.instructions {
                for destination in instruction.operation.destinations() {
                    definitions[destination.index()] = Some(&instruction.operation);
                }
            }
        }
        Self { program, effects, function, body, definitions }
    }

    /// The number of a constant operand.
    pub fn number(&self, operand: Operand) -> Option<u64> {
        let Operand::Constant(constant) = operand else { return None };
        match self.program.constants[constant].value {
            ConstantValue::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Where an address is, as far as constants go.
    pub fn address(&self, operand: Operand) -> Option<(Base, i64)> {
        let (mut operand, mut offset) = (operand, 0i64);
        loop {
            let register = match operand {
                Operand::Constant(constant) => {
                    return match self.program.constants[constant].value {
                        ConstantValue::Address { symbol: Symbol::Global(global), offset: at } => {
                            Some((Base::Global(global), offset.checked_add(at)?))
                        }
                        _ => None,
                    };
                }
                Operand::Register(register) => register,
            };
            match self.definitions[register.index()] {
                Some(Operation::Offset { base, constant, indices, .. }) => {
                    let mut moved = *constant;
                    for scaled in indices {
                        let number = self.signed(scaled.index)?;
                        moved = moved.checked_add(number.checked_mul(scaled.scale)?)?;
                    }
                    offset = offset.checked_add(moved)?;
                    operand = *base;
                }
                Some(Operation::Copy { operand: from, .. }) => operand = *from,
                _ => return Some((Base::Register(register), offset)),
            }
        }
    }

    fn signed(&self, operand: Operand) -> Option<i64> {
        let bits = self.program.type_of(self.body, operand).bits();
        let word = self.number(operand).filter(|_| bits <= 64)?;
        Some(((word << (64 - bits)) as i64) >> (64 - bits))
    }

    /// Demands that bits of an operand have one of some values.
    pub fn demand_operand(
        &self,
        formula: &mut Formula,
        operand: Operand,
        mask_of: u64,
        values: &Values,
    ) {
        let bits = self.program.type_of(self.body, operand).bits();
        match operand {
            Operand::Register(register) if bits <= 64 => {
                let source = Source::Register(register);
                formula.demand(Variable { source, bits, mask: mask_of & mask(bits) }, values);
            }
            Operand::Register(_) => {}
            Operand::Constant(constant) => match self.program.constants[constant].value {
                ConstantValue::Word(word) if !values.contains(word & mask_of) => {
                    *formula = Formula::FALSE;
                }
                // Whatever the address is, it is not null.
                ConstantValue::Address { symbol, offset: 0 }
                    if self.is_defined(symbol)
                        && mask_of == u64::MAX
                        && values.only() == Some(0) =>
                {
                    *formula = Formula::FALSE;
                }
                _ => {}
            },
        }
    }

    fn is_defined(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Function(function) => !self.program.functions[function].weak,
            Symbol::Global(global) => !self.program.globals[global].weak,
        }
    }

    /// Demands of what an address leads to.
    fn demand_memory(
        &self,
        formula: &mut Formula,
        at: Option<(Base, i64)>,
        bits: u32,
        mask_of: u64,
        values: &Values,
    ) {
        let Some((base, offset)) = at.filter(|_| bits <= 64) else { return };
        let bytes = bits.div_ceil(8);
        let source = Source::Memory { base, offset, bytes };
        if let Base::Global(global) = base
            && self.effects.keeps_first_contents(global, offset, bytes)
            && let Some(value) = first_contents(self.program, global, offset, bytes)
        {
            if !values.contains(value & mask_of & mask(bits)) {
                *formula = Formula::FALSE;
            }
            return;
        }
        let place = self.effects.bytes(self.function, base, offset, bytes);
        let changes = place.is_none_or(|place| self.effects.is_volatile(&place));
        // What a register points to need not be known, unless something may happen at any moment.
        let unknown = matches!(base, Base::Register(_)) && self.effects.handlers().is_empty();
        if !changes || unknown {
            formula
                .demand(Variable { source, bits: 8 * bytes, mask: mask_of & mask(bits) }, values);
        }
    }

    /// The formula in front of an edge.
    pub fn over_edge(&self, formula: &Formula, edge: &Edge) -> Formula {
        let parameters = &self.body.blocks[edge.block].parameters;
        let argument = |register: RegisterId| {
            let position = parameters.iter().position(|&parameter| parameter == register)?;
            Some(edge.arguments[position])
        };
        formula.mapped(&mut |result, variable, values| match variable.source {
            Source::Register(register) => match argument(register) {
                Some(operand) => self.demand_operand(result, operand, variable.mask, values),
                None => result.demand(variable, values),
            },
            Source::Memory { base: Base::Register(register), offset, .. } => {
                match argument(register) {
                    Some(operand) => self.demand_moved(result, operand, offset, variable, values),
                    None => result.demand(variable, values),
                }
            }
            Source::Memory { .. } => result.demand(variable, values),
        })
    }

    /// A base has become an operand.
    pub fn demand_moved(
        &self,
        result: &mut Formula,
        operand: Operand,
        offset: i64,
        variable: Variable,
        values: &Values,
    ) {
        let moved =
            self.address(operand).and_then(|(base, at)| Some((base, at.checked_add(offset)?)));
        self.demand_memory(result, moved, variable.bits, variable.mask, values);
    }

    /// The conditions of the edges of a terminator, in their order.
    pub fn conditions(&self, terminator: &Terminator) -> Vec<Formula> {
        match terminator {
            Terminator::Branch { condition, .. } => [1, 0]
                .map(|side| {
                    let mut formula = Formula::TRUE;
                    self.demand_operand(&mut formula, *condition, 1, &Values::one(side));
                    formula
                })
                .to_vec(),
            Terminator::Switch { value, cases, .. } => {
                let bits = self.program.type_of(self.body, *value).bits();
                if bits > 64 {
                    return vec![Formula::TRUE; cases.len() + 1];
                }
                let mut others = Values::all(bits);
                let mut conditions = Vec::new();
                for (case, _) in cases {
                    let number = self.number(Operand::Constant(*case));
                    let values = number.map_or(Values::all(bits), Values::one);
                    if number.is_some() {
                        // Weaker when there are too many intervals, which is fine.
                        others = others.intersection(&values.complement(bits));
                    }
                    let mut formula = Formula::TRUE;
                    self.demand_operand(&mut formula, *value, mask(bits), &values);
                    conditions.push(formula);
                }
                let mut formula = Formula::TRUE;
                self.demand_operand(&mut formula, *value, mask(bits), &others);
                conditions.push(formula);
                conditions
            }
            other => vec![Formula::TRUE; other.edges().len()],
        }
    }

    /// The formula in front of an operation that is no call.
    pub fn over(&self, formula: &Formula, operation: &Operation) -> Formula {
        match operation {
            Operation::Store { value, address } => {
                return self.over_store(formula, *value, *address);
            }
            Operation::Intrinsic { intrinsic, arguments, .. } => {
                let target = arguments.first().copied();
                let formula = match intrinsic {
                    Intrinsic::MemoryCopy
                    | Intrinsic::MemoryMove
                    | Intrinsic::MemorySet
                    | Intrinsic::VaStart
                    | Intrinsic::VaCopy
                    | Intrinsic::VaEnd
                    | Intrinsic::LifetimeStart
                    | Intrinsic::LifetimeEnd => self.after_write(formula, |to| match target {
                        Some(target) => self.effects.may_store(self.function, target, u32::MAX, to),
                        None => true,
                    }),
                    _ => formula.clone(),
                };
                return self.without(&formula, operation.destinations());
            }
            _ => {}
        }
        let Some(&destination) = operation.destinations().first() else { return formula.clone() };
        formula.mapped(&mut |result, variable, values| match variable.source {
            Source::Register(register) if register == destination => {
                self.demand_result(result, operation, variable, values);
            }
            Source::Memory { base: Base::Register(register), offset, .. }
                if register == destination =>
            {
                // What a new object holds, or one whose address was just loaded, nobody knows.
                if let Operation::Copy { operand, .. } = operation {
                    self.demand_moved(result, *operand, offset, variable, values);
                }
            }
            _ => result.demand(variable, values),
        })
    }

    /// The formula without what it says of some registers.
    pub fn without(&self, formula: &Formula, registers: &[RegisterId]) -> Formula {
        formula.mapped(&mut |result, variable, values| {
            let (Source::Register(register)
            | Source::Memory { base: Base::Register(register), .. }) = variable.source
            else {
                return result.demand(variable, values);
            };
            if !registers.contains(&register) {
                result.demand(variable, values);
            }
        })
    }

    /// The formula without what it says of memory that may be written.
    pub fn after_write(&self, formula: &Formula, may_write: impl Fn(&[Bytes]) -> bool) -> Formula {
        formula.mapped(&mut |result, variable, values| {
            if let Source::Memory { base, offset, bytes } = variable.source {
                let place = self.effects.bytes(self.function, base, offset, bytes);
                if place.is_none_or(|place| may_write(&place)) {
                    return;
                }
            }
            result.demand(variable, values);
        })
    }

    fn over_store(&self, formula: &Formula, value: Operand, address: Operand) -> Formula {
        let bits = self.program.type_of(self.body, value).bits();
        let stored = bits.div_ceil(8);
        let at = self.address(address);
        formula.mapped(&mut |result, variable, values| {
            let Source::Memory { base, offset, bytes } = variable.source else {
                return result.demand(variable, values);
            };
            if let Some((other, start)) = at
                && other == base
            {
                let apart = start.saturating_add(i64::from(stored)) <= offset
                    || offset.saturating_add(i64::from(bytes)) <= start;
                if apart {
                    result.demand(variable, values);
                } else if start == offset && bits == variable.bits {
                    self.demand_operand(result, value, variable.mask, values);
                } else if start == offset && stored == bytes && variable.mask & !mask(bits) == 0 {
                    // A bit in a byte.
                    self.demand_operand(result, value, variable.mask, values);
                }
                return;
            }
            let place = self.effects.bytes(self.function, base, offset, bytes);
            let changed = place
                .is_none_or(|place| self.effects.may_store(self.function, address, stored, &place));
            if !changed {
                result.demand(variable, values);
            }
        })
    }

    /// Demands what makes the result of an operation have one of some values.
    pub fn demand_result(
        &self,
        result: &mut Formula,
        operation: &Operation,
        variable: Variable,
        values: &Values,
    ) {
        let Variable { bits, mask: looked_at, .. } = variable;
        let whole = looked_at == mask(bits);
        let ty = |operand| self.program.type_of(self.body, operand);
        match operation {
            Operation::Copy { operand, .. } => {
                self.demand_operand(result, *operand, looked_at, values);
            }
            Operation::Cast { op, operand, .. } if !matches!(ty(*operand), Type::Float(_)) => {
                let from = ty(*operand).bits();
                match op {
                    _ if from > 64 => {}
                    CastOp::Trunc | CastOp::Bitcast => {
                        self.demand_operand(result, *operand, looked_at, values);
                    }
                    CastOp::ZExt => {
                        self.demand_operand(result, *operand, looked_at & mask(from), values);
                    }
                    CastOp::SExt if whole => {
                        let before = values.before_sign_extension(from, bits);
                        self.demand_operand(result, *operand, mask(from), &before);
                    }
                    CastOp::SExt if looked_at <= mask(from) => {
                        self.demand_operand(result, *operand, looked_at, values);
                    }
                    _ => {}
                }
            }
            Operation::Compare { predicate, left, right, .. } => {
                let yes = values.contains(1);
                if yes == values.contains(0) {
                    return;
                }
                self.demand_compare(result, *predicate, *left, *right, yes);
            }
            Operation::Binary { op, left, right, .. } => {
                let (operand, constant) = match (self.number(*left), self.number(*right)) {
                    (_, Some(constant)) => (*left, constant),
                    (Some(constant), None) if !matches!(op, BinaryOp::Sub) => (*right, constant),
                    _ => return,
                };
                match op {
                    BinaryOp::And => {
                        self.demand_operand(result, operand, looked_at & constant, values);
                    }
                    BinaryOp::Add if whole => {
                        let before = values.moved(constant.wrapping_neg(), bits);
                        self.demand_operand(result, operand, looked_at, &before);
                    }
                    BinaryOp::Sub if whole => {
                        let before = values.moved(constant, bits);
                        self.demand_operand(result, operand, looked_at, &before);
                    }
                    BinaryOp::Xor if whole && bits == 1 => {
                        let before = values.moved(constant, 1);
                        self.demand_operand(result, operand, looked_at, &before);
                    }
                    _ => {}
                }
            }
            Operation::Select { condition, left, right, .. } => {
                let may = |operand| match self.number(operand) {
                    Some(number) => values.contains(number & looked_at),
                    None => true,
                };
                match (may(*left), may(*right)) {
                    (true, true) => {}
                    (false, false) => *result = Formula::FALSE,
                    (left_may, _) => {
                        let side = Values::one(u64::from(left_may));
                        self.demand_operand(result, *condition, 1, &side);
                        let kept = if left_may { *left } else { *right };
                        self.demand_operand(result, kept, looked_at, values);
                    }
                }
            }
            Operation::Load { address, .. } => {
                self.demand_memory(result, self.address(*address), bits, looked_at, values);
            }
            // An object on the stack has an address.
            Operation::Alloca { .. } if whole && values.only() == Some(0) => {
                *result = Formula::FALSE;
            }
            _ => {}
        }
    }

    fn demand_compare(
        &self,
        result: &mut Formula,
        predicate: Predicate,
        left: Operand,
        right: Operand,
        holds: bool,
    ) {
        let (predicate, operand, constant) = match (self.number(left), self.number(right)) {
            (_, Some(constant)) => (predicate, left, constant),
            (Some(constant), None) => (turned(predicate), right, constant),
            (None, None) => return,
        };
        let bits = self.program.type_of(self.body, operand).bits();
        if bits > 64 {
            return;
        }
        let values = Values::that_are(predicate, constant, bits);
        let values = if holds { values } else { values.complement(bits) };
        self.demand_operand(result, operand, mask(bits), &values);
    }
}

/// What some bytes of a global are when the program starts, if they are numbers.
pub(super) fn first_contents(
    program: &Program,
    global: GlobalId,
    offset: i64,
    bytes: u32,
) -> Option<u64> {
    let global = &program.globals[global];
    if global.old.is_some() {
        return None;
    }
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(bytes as usize).filter(|&end| end as u64 <= global.size)?;
    match &global.initializer {
        Initializer::Zero => Some(0),
        Initializer::Data { bytes: contents, relocations } => {
            let address = |at: u64| (at as usize) < end && start < at as usize + 8;
            if relocations.iter().any(|relocation| address(relocation.offset)) {
                return None;
            }
            let contents = contents.get(start..end)?.iter().rev();
            Some(contents.fold(0, |word, &byte| word << 8 | u64::from(byte)))
        }
        Initializer::External | Initializer::Unsupported(_) => None,
    }
}

/// The comparison with its sides exchanged.
fn turned(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq | Predicate::Ne => predicate,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
    }
}
