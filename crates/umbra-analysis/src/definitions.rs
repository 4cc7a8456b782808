//! Code that gives a branch what it tests.
//!
//! A side of a branch that no input decides is taken when other code runs first: KATCH (Marinescu and
//! Cadar, FSE 2013) calls it definition switching. A condition is followed back through arithmetic to where its
//! values come from: stores that may have written what was loaded, arguments of calls, results of callees,
//! edges that set a block parameter. What the side demands goes along as a set of values, so that a
//! definition with a constant says whether it makes the branch take the side.
//!
//! Definitions of definitions are asked for one by one ([`Definitions::of`]), by who knows what ran.

use std::collections::{BTreeSet, HashMap};

use umbra_ir::{
    BlockId, BlockPlace, Body, Field, FunctionId, Id, Operand, Operation, RegisterId, Terminator,
};

use crate::effects::{Bytes, Write};
use crate::precondition::{Backward, Base, Conditions, Formula, Source, Values, Variable, mask};

/// How a definition gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// The instruction at this position writes it to memory, or may.
    Store(usize),
    /// The call at this position passes it.
    Argument(usize),
    /// The function returns it.
    Return,
    /// The edge to this block passes it.
    Edge(BlockId),
}

/// Whether a definition makes a branch go the wanted way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Satisfies {
    /// It does.
    Yes,
    /// That cannot be seen.
    Unknown,
    /// It does not.
    No,
}

/// What a value should be: the bits under a mask are one of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The bits that are looked at.
    pub mask: u64,
    /// The values that are wanted.
    pub values: Values,
}

/// Code that gives a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The block that must run.
    pub place: BlockPlace,
    /// How it gives the value.
    pub how: How,
    /// The value, in that function; `None` if it is no single operand, as in a copy of memory.
    pub value: Option<Operand>,
    /// The value, if it is a constant.
    pub constant: Option<u64>,
    /// What the value should be, if that is known.
    pub wanted: Option<Wanted>,
    /// Whether it is that.
    pub satisfies: Satisfies,
}

/// The definitions of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaching {
    /// Those first that satisfy what is wanted, those last that do not.
    pub definitions: Vec<Definition>,
    /// The value may come from elsewhere as well: through a pointer that may lead anywhere, from the
    /// operating system, or from something that was not followed.
    pub open: bool,
}

/// Finds definitions in a program.
#[derive(Debug)]
pub struct Definitions<'a, 'b> {
    conditions: &'b Conditions<'a>,
    /// By function the calls of it: their blocks and positions.
    callers: HashMap<FunctionId, Vec<(BlockPlace, usize)>>,
    /// By field the stores to it, whatever the object.
    by_field: HashMap<(u32, u32), Vec<(BlockPlace, usize)>>,
}

impl<'a, 'b> Definitions<'a, 'b> {
    /// For the program that conditions are about.
    pub fn new(conditions: &'b Conditions<'a>) -> Self {
        let mut found = Self { conditions, callers: HashMap::new(), by_field: HashMap::new() };
        let program = conditions.program;
        for (function, description) in program.functions.iter() {
            let Some(body) = &description.body else { continue };
            let fields = fields(body);
            for (block, code) in body.blocks.iter() {
                let place = BlockPlace { function, block };
                for (position, instruction) in code.instructions.iter().enumerate() {
                    let operation = &instruction.operation;
                    if let Operation::Store { address: Operand::Register(register), .. } = operation
                        && let Some(field) = fields.get(register)
                    {
                        found.by_field.entry(key(*field)).or_default().push((place, position));
                    }
                    let callees =
                        conditions.calls.callees_of_call(program, function, body, operation);
                    for callee in callees.all() {
                        found.callers.entry(callee).or_default().push((place, position));
                    }
                }
            }
        }
        found
    }

    /// What can make the terminator of a block lead to another block.
    pub fn of_branch(&self, branch: BlockPlace, to: BlockId) -> Reaching {
        let Some(backward) = self.backward(branch.function) else { return Reaching::default() };
        let terminator = &backward.body.blocks[branch.block].terminator;
        let conditions = backward.conditions(terminator);
        let edges = terminator.edges().into_iter().zip(conditions);
        let sides = edges.filter(|(edge, _)| edge.block == to).map(|(_, condition)| condition);
        let Some(wanted) = sides.reduce(|one, other| one.or(&other)) else {
            return Reaching::default();
        };
        let mut search = Search::new(self, branch.function);
        search.follow_atoms(&backward, &wanted);
        if wanted.is_true()
            && let Terminator::Branch { condition, .. }
            | Terminator::Switch { value: condition, .. } = terminator
        {
            search.follow(&backward, *condition, None);
        }
        search.finish()
    }

    /// Where the value of an operand of a function comes from.
    pub fn of(&self, function: FunctionId, operand: Operand, wanted: Option<&Wanted>) -> Reaching {
        let Some(backward) = self.backward(function) else { return Reaching::default() };
        let mut search = Search::new(self, function);
        search.follow(&backward, operand, wanted.cloned());
        search.finish()
    }

    fn backward(&self, function: FunctionId) -> Option<Backward<'_>> {
        let program = self.conditions.program;
        let body = program.functions[function].body.as_ref()?;
        Some(Backward::new(program, &self.conditions.effects, function, body))
    }
}

/// The registers that hold the address of a field.
fn fields(body: &Body) -> HashMap<RegisterId, Field> {
    let instructions = body.blocks.values().flat_map(|block| &block.instructions);
    let field = |operation: &Operation| match operation {
        Operation::Offset { destination, field: Some(field), .. } => Some((*destination, *field)),
        _ => None,
    };
    instructions.filter_map(|instruction| field(&instruction.operation)).collect()
}

fn key(field: Field) -> (u32, u32) {
    (field.of.index() as u32, field.index)
}

/// The search for the definitions of one value.
struct Search<'a, 'b, 'c> {
    all: &'c Definitions<'a, 'b>,
    /// The function of the value, whose definitions come first.
    function: FunctionId,
    seen: BTreeSet<RegisterId>,
    found: Reaching,
}

impl<'a, 'b, 'c> Search<'a, 'b, 'c> {
    fn new(all: &'c Definitions<'a, 'b>, function: FunctionId) -> Self {
        Self { all, function, seen: BTreeSet::new(), found: Reaching::default() }
    }

    fn finish(mut self) -> Reaching {
        let own = self.function;
        self.found.definitions.sort_by_key(|it| {
            let place = (it.place.function, it.place.block);
            (it.satisfies, it.value.is_none(), it.place.function != own, place, it.how)
        });
        self.found.definitions.dedup();
        self.found
    }

    fn follow_atoms(&mut self, backward: &Backward<'_>, formula: &Formula) {
        for (variable, values) in formula.atoms() {
            let wanted = Wanted { mask: variable.mask, values: values.clone() };
            match variable.source {
                Source::Register(register) => {
                    self.follow(backward, Operand::Register(register), Some(wanted));
                }
                Source::Memory { base, offset, .. } => {
                    self.load(backward, (base, offset), variable.bits, None, Some(wanted));
                }
            }
        }
    }

    /// Follows an operand of the function to what defines it.
    fn follow(&mut self, backward: &Backward<'_>, operand: Operand, wanted: Option<Wanted>) {
        let Operand::Register(register) = operand else { return };
        if !self.seen.insert(register) {
            return;
        }
        let Some(operation) = backward.definitions[register.index()] else {
            return self.parameter(backward, register, wanted);
        };
        let bits = backward.body.registers[register].bits();
        match operation {
            Operation::Load { address, .. } => {
                let Some(at) = backward.address(*address) else {
                    // An address that is computed: perhaps the element of an array.
                    return self.load_through(backward, *address, bits, wanted);
                };
                let field = match address {
                    Operand::Register(address) => fields(backward.body).get(address).copied(),
                    Operand::Constant(_) => None,
                };
                self.load(backward, at, bits, field, wanted);
            }
            Operation::Call { .. } => self.results(backward, operation, register, wanted),
            Operation::Alloca { .. } => {}
            Operation::Intrinsic { .. } => self.found.open = true,
            _ => {
                let mut formula = Formula::TRUE;
                if let Some(wanted) = wanted.filter(|_| bits <= 64) {
                    let source = Source::Register(register);
                    let variable = Variable { source, bits, mask: wanted.mask };
                    backward.demand_result(&mut formula, operation, variable, &wanted.values);
                }
                self.follow_atoms(backward, &formula);
                // What says nothing of its operands may still depend on all of them.
                if formula.is_true() || formula.is_false() {
                    let mut operands = Vec::new();
                    operation.visit_operands(&mut |operand| operands.push(operand));
                    operands.into_iter().for_each(|operand| self.follow(backward, operand, None));
                }
            }
        }
    }

    fn define(
        &mut self,
        backward: &Backward<'_>,
        place: BlockPlace,
        how: How,
        value: Option<Operand>,
        wanted: Option<Wanted>,
    ) {
        let constant = value.and_then(|value| backward.number(value));
        let satisfies = match (constant, &wanted) {
            (Some(constant), Some(wanted)) => {
                match wanted.values.contains(constant & wanted.mask) {
                    true => Satisfies::Yes,
                    false => Satisfies::No,
                }
            }
            _ => Satisfies::Unknown,
        };
        let definition = Definition { place, how, value, constant, wanted, satisfies };
        self.found.definitions.push(definition);
    }

    /// A register that no instruction assigns: a parameter of a block, or of the function.
    fn parameter(&mut self, backward: &Backward<'_>, register: RegisterId, wanted: Option<Wanted>) {
        let function = backward.function;
        let of = |(id, block): (BlockId, &umbra_ir::Block)| {
            let position = block.parameters.iter().position(|&parameter| parameter == register)?;
            Some((id, position))
        };
        let Some((block, position)) = backward.body.blocks.iter().find_map(of) else { return };
        if block.index() == 0 {
            return self.arguments(function, position, wanted);
        }
        for (from, code) in backward.body.blocks.iter() {
            for edge in code.terminator.edges().into_iter().filter(|edge| edge.block == block) {
                let value = Some(edge.arguments[position]);
                let place = BlockPlace { function, block: from };
                self.define(backward, place, How::Edge(block), value, wanted.clone());
            }
        }
    }

    fn arguments(&mut self, function: FunctionId, position: usize, wanted: Option<Wanted>) {
        let all = self.all;
        let callers = all.callers.get(&function).map_or(&[][..], Vec::as_slice);
        self.found.open |= callers.is_empty();
        for &(place, at) in callers {
            let Some(backward) = all.backward(place.function) else { continue };
            let call = &backward.body.blocks[place.block].instructions[at].operation;
            let Operation::Call { arguments, .. } = call else { continue };
            if let Some(argument) = arguments.get(position) {
                let value = Some(argument.operand);
                self.define(&backward, place, How::Argument(at), value, wanted.clone());
            }
        }
    }

    fn results(
        &mut self,
        backward: &Backward<'_>,
        call: &Operation,
        register: RegisterId,
        wanted: Option<Wanted>,
    ) {
        let (all, function) = (self.all, backward.function);
        let conditions = all.conditions;
        let result = call.destinations().iter().position(|&to| to == register).unwrap_or(0);
        let callees =
            conditions.calls.callees_of_call(conditions.program, function, backward.body, call);
        for callee in callees.all() {
            let Some(inside) = all.backward(callee) else {
                self.found.open = true;
                continue;
            };
            for (block, code) in inside.body.blocks.iter() {
                let Terminator::Return(values) = &code.terminator else { continue };
                let place = BlockPlace { function: callee, block };
                let value = values.get(result).copied();
                self.define(&inside, place, How::Return, value, wanted.clone());
            }
        }
    }

    /// What may have written what lies at a place.
    fn load(
        &mut self,
        backward: &Backward<'_>,
        (base, offset): (Base, i64),
        bits: u32,
        field: Option<Field>,
        wanted: Option<Wanted>,
    ) {
        let effects = &self.all.conditions.effects;
        let place = effects.bytes(backward.function, base, offset, bits.div_ceil(8));
        self.writes(place, bits, field, wanted);
    }

    fn load_through(
        &mut self,
        backward: &Backward<'_>,
        address: Operand,
        bits: u32,
        wanted: Option<Wanted>,
    ) {
        let Operand::Register(register) = address else { return };
        let field = fields(backward.body).get(&register).copied();
        let effects = &self.all.conditions.effects;
        let base = Base::Register(register);
        let place = effects.bytes(backward.function, base, 0, bits.div_ceil(8));
        self.writes(place, bits, field, wanted);
    }

    fn writes(
        &mut self,
        place: Option<Vec<Bytes>>,
        bits: u32,
        field: Option<Field>,
        wanted: Option<Wanted>,
    ) {
        let all = self.all;
        let effects = &all.conditions.effects;
        let mut found: Vec<(BlockPlace, usize)> = match &place {
            Some(place) => {
                let at = |write: Write| (write.place, write.instruction);
                let inner = |&(object, start, end): &Bytes| {
                    let objects = effects.pointers.inner_objects(object).into_iter();
                    objects.chain([object]).map(move |object| (object, start, end))
                };
                let all = place.iter().flat_map(inner);
                all.flat_map(|bytes| effects.writes_to(bytes)).map(at).collect()
            }
            None => {
                // The type of the field has to do.
                self.found.open = true;
                let by_field = field.and_then(|field| all.by_field.get(&key(field)));
                by_field.cloned().unwrap_or_default()
            }
        };
        let many = |place: &Vec<Bytes>| {
            place.iter().any(|&(object, ..)| effects.pointers.is_one_of_many(object))
        };
        if place.as_ref().is_some_and(many) {
            self.found.open = true;
        }
        found.sort_by_key(|(place, at)| (place.function, place.block, *at));
        found.dedup();
        for (place, at) in found {
            self.write(place, at, bits, field, wanted.clone());
        }
    }

    fn write(
        &mut self,
        place: BlockPlace,
        at: usize,
        bits: u32,
        field: Option<Field>,
        wanted: Option<Wanted>,
    ) {
        let Some(backward) = self.all.backward(place.function) else { return };
        let operation = &backward.body.blocks[place.block].instructions[at].operation;
        let Operation::Store { value, address } = operation else {
            return self.define(&backward, place, How::Store(at), None, wanted);
        };
        // A store to another field of a struct is not to this one, whatever the pointers say.
        if let (Some(field), Operand::Register(address)) = (field, address)
            && fields(backward.body)
                .get(address)
                .is_some_and(|other| other.of == field.of && *other != field)
        {
            return;
        }
        let width = backward.program.type_of(backward.body, *value).bits();
        let same = width == bits || width.div_ceil(8) == bits.div_ceil(8);
        let wanted = wanted.filter(|wanted| same && wanted.mask & !mask(width) == 0);
        self.define(&backward, place, How::Store(at), Some(*value), wanted);
    }
}
